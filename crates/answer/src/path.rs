//! Paths in an answer, such as `items[2].name`.

use crate::shape::is_identifier;
use std::fmt::{self, Display, Formatter};

#[derive(Debug, Clone, Copy)]
pub(crate) enum Step<'a> {
    Field(&'a str),
    Index(usize),
}

/// A path that is formatted only when there is something to report.
#[derive(Debug, Default)]
pub(crate) struct Path<'a>(Vec<Step<'a>>);

impl<'a> Path<'a> {
    pub(crate) fn push(&mut self, step: Step<'a>) {
        self.0.push(step);
    }

    pub(crate) fn pop(&mut self) {
        self.0.pop();
    }
}

impl Display for Path<'_> {
    /// Writes names that are not identifiers in brackets: `["first name"].x`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Field(name) if !is_identifier(name) => write!(f, "[{name:?}]")?,
                Step::Field(name) if position == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
            }
        }
        Ok(())
    }
}
