//! A text that grows to a limit and no further.

use super::{MAX_BYTES, Unread};
use std::fmt;

/// The text of a page that is being made.
#[derive(Debug, Default)]
pub(super) struct Bounded {
    text: String,
    is_over: bool,
}

impl Bounded {
    /// Adds a text; what is beyond the limit is not kept, and makes the page unread.
    pub(super) fn push(&mut self, text: &str) {
        self.is_over |= self.text.len().saturating_add(text.len()) as u64 > MAX_BYTES;
        if !self.is_over {
            self.text.push_str(text);
        }
    }

    /// Begins a block: a blank line after what is there.
    pub(super) fn block(&mut self) {
        let kept = self.text.trim_end().len();
        self.text.truncate(kept);
        if kept > 0 {
            self.push("\n\n");
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the page.
    pub(super) fn finish(self) -> Result<String, Unread> {
        if self.is_over {
            return Err(Unread::LargeText);
        }
        match self.text.trim_end() {
            "" => Err(Unread::Empty),
            text => Ok(format!("{text}\n")),
        }
    }
}

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        Ok(())
    }
}
