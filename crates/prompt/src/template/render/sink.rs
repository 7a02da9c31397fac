//! Where rendered text goes, counted.

use crate::error::PromptError;
use crate::template::json::{self, Refusal};
use crate::template::{TemplateNumber, TemplateValue};
use std::fmt::{self, Write};

/// Passes text on as long as it fits.
pub(super) struct Sink<'w, W: ?Sized> {
    out: &'w mut W,
    left: usize,
    most: usize,
}

/// Why a text was not taken.
pub(super) enum Refused {
    /// It is longer than this many bytes in all.
    Full(usize),
    /// The sink failed.
    Failed,
    /// A value is too deep.
    Depth(PromptError),
}

impl<'w, W: Write + ?Sized> Sink<'w, W> {
    pub(super) fn new(out: &'w mut W, most: usize) -> Self {
        Self { out, left: most, most }
    }

    #[inline]
    pub(super) fn text(&mut self, text: &str) -> Result<(), Refused> {
        let Some(left) = self.left.checked_sub(text.len()) else {
            return Err(Refused::Full(self.most));
        };
        self.left = left;
        self.out.write_str(text).map_err(|_| Refused::Failed)
    }

    pub(super) fn integer(&mut self, number: u64) -> Result<(), Refused> {
        self.text(itoa::Buffer::new().format(number))
    }

    #[inline]
    pub(super) fn value(&mut self, value: &TemplateValue) -> Result<(), Refused> {
        match value {
            TemplateValue::String(text) => self.text(text),
            TemplateValue::Number(TemplateNumber::Int(number)) => {
                self.text(itoa::Buffer::new().format(*number))
            }
            other => self.rare(other),
        }
    }

    fn rare(&mut self, value: &TemplateValue) -> Result<(), Refused> {
        match value {
            TemplateValue::Null => Ok(()),
            TemplateValue::Bool(value) => self.text(if *value { "true" } else { "false" }),
            TemplateValue::String(text) => self.text(text),
            TemplateValue::Number(number) => self.pieces(|out| Ok(write!(out, "{number}")?)),
            TemplateValue::Array(_) | TemplateValue::Object(_) => {
                self.pieces(|out| json::write(value, out))
            }
        }
    }

    /// Takes what is written in pieces.
    fn pieces(
        &mut self,
        write: impl FnOnce(&mut Counted<'_, 'w, W>) -> Result<(), Refusal>,
    ) -> Result<(), Refused> {
        let mut counted = Counted { sink: self, refused: None };
        write(&mut counted).map_err(|refusal| match refusal {
            Refusal::Sink => counted.refused.unwrap_or(Refused::Failed),
            Refusal::Depth(error) => Refused::Depth(error),
        })
    }
}

/// A sink that remembers why it refused, which [`fmt::Error`] can't say.
struct Counted<'s, 'w, W: ?Sized> {
    sink: &'s mut Sink<'w, W>,
    refused: Option<Refused>,
}

impl<W: Write + ?Sized> Write for Counted<'_, '_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.sink.text(text).map_err(|refused| {
            self.refused = Some(refused);
            fmt::Error
        })
    }
}

/// A sink that keeps nothing.
pub(super) struct Nowhere;

impl Write for Nowhere {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}
