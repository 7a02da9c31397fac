//! The sink of rendered text, counted.
//!
//! Decision: text is collected in a `String` and passed to a writer in chunks. So rendering is one
//! piece of machine code for all writers, and a writer is called a few times, not once per tag.

use crate::error::PromptError;
use crate::limits::RenderLimits;
use crate::template::json::{self, Refusal};
use crate::template::value::{TemplateNumber, TemplateValue};
use std::fmt::{self, Write};

/// The number of bytes collected before a writer is called.
const CHUNK: usize = 16 << 10;

/// A sink that takes text as long as it fits.
pub(super) struct Sink<'w> {
    text: String,
    /// The writer; none if the text stays here.
    out: Option<&'w mut dyn Write>,
    /// The number of bytes passed on.
    gone: usize,
    /// The length of `text` at which something has to be done; never more than the bytes still
    /// allowed.
    full: usize,
    most: usize,
}

/// The reason why a text was not taken. Boxed in results, so that success moves one word.
pub(super) enum Refused {
    /// It is longer than this many bytes in all.
    Full(usize),
    Failed,
    Depth(PromptError),
}

impl<'w> Sink<'w> {
    /// Creates a sink that keeps the text, with room for `room` bytes.
    pub(super) fn text_only(limits: RenderLimits, room: usize) -> Self {
        let most = limits.output_bytes;
        let text = String::with_capacity(room.min(most));
        Self { text, out: None, gone: 0, full: most, most }
    }

    pub(super) fn into_writer(limits: RenderLimits, out: &'w mut dyn Write) -> Self {
        let most = limits.output_bytes;
        Self { text: String::new(), out: Some(out), gone: 0, full: most.min(CHUNK), most }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    #[inline]
    pub(super) fn text(&mut self, text: &str) -> Result<(), Box<Refused>> {
        // No sum of two lengths in memory overflows.
        if self.text.len() + text.len() > self.full {
            self.make_room(text.len())?;
        }
        self.text.push_str(text);
        Ok(())
    }

    /// Passes the collected text on. A text longer than a chunk is collected all the same, and
    /// passed on with the next one.
    #[cold]
    fn make_room(&mut self, bytes: usize) -> Result<(), Box<Refused>> {
        let all = self.gone.saturating_add(self.text.len()).saturating_add(bytes);
        if all > self.most {
            return Err(Box::new(Refused::Full(self.most)));
        }
        self.flush()
    }

    pub(super) fn flush(&mut self) -> Result<(), Box<Refused>> {
        if let Some(out) = &mut self.out {
            out.write_str(&self.text).map_err(|_| Box::new(Refused::Failed))?;
            self.gone += self.text.len();
            self.full = CHUNK.min(self.most - self.gone);
            self.text.clear();
        }
        Ok(())
    }

    pub(super) fn flag(&mut self, flag: bool) -> Result<(), Box<Refused>> {
        self.text(if flag { "true" } else { "false" })
    }

    pub(super) fn integer(&mut self, number: u64) -> Result<(), Box<Refused>> {
        self.text(itoa::Buffer::new().format(number))
    }

    #[inline]
    pub(super) fn value(&mut self, value: &TemplateValue) -> Result<(), Box<Refused>> {
        match value {
            TemplateValue::String(text) => self.text(text),
            TemplateValue::Number(TemplateNumber::Int(number)) => {
                self.text(itoa::Buffer::new().format(*number))
            }
            other => self.rare(other),
        }
    }

    fn rare(&mut self, value: &TemplateValue) -> Result<(), Box<Refused>> {
        match value {
            TemplateValue::Null => Ok(()),
            TemplateValue::Bool(value) => self.flag(*value),
            TemplateValue::String(text) => self.text(text),
            TemplateValue::Number(number) => self.pieces(|out| Ok(write!(out, "{number}")?)),
            TemplateValue::Array(_) | TemplateValue::Object(_) => {
                self.pieces(|out| json::write(value, out))
            }
        }
    }

    /// Takes text written in pieces.
    fn pieces(
        &mut self,
        write: impl FnOnce(&mut Counted<'_, 'w>) -> Result<(), Refusal>,
    ) -> Result<(), Box<Refused>> {
        let mut counted = Counted { sink: self, refused: None };
        write(&mut counted).map_err(|refusal| match refusal {
            Refusal::Sink => counted.refused.unwrap_or_else(|| Box::new(Refused::Failed)),
            Refusal::Depth(error) => Box::new(Refused::Depth(error)),
        })
    }
}

/// A sink that remembers the reason of a refusal, which [`fmt::Error`] can't carry.
struct Counted<'s, 'w> {
    sink: &'s mut Sink<'w>,
    refused: Option<Box<Refused>>,
}

impl Write for Counted<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.sink.text(text).map_err(|refused| {
            self.refused = Some(refused);
            fmt::Error
        })
    }
}

pub(super) struct Nowhere;

impl Write for Nowhere {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}
