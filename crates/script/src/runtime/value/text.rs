//! The text of a string, with its length once somebody asked for it (GR-3).

use std::cell::Cell;
use std::ops::Deref;

/// The length of a text that was not counted yet.
const UNCOUNTED: usize = usize::MAX;

/// A text that grows only at its end.
#[derive(Debug)]
pub(crate) struct Text {
    text: String,
    /// The number of code points.
    length: Cell<usize>,
}

impl Text {
    /// Returns the number of code points: counted once, and then only what is appended.
    pub(crate) fn length(&self) -> usize {
        let known = self.length.get();
        if known != UNCOUNTED {
            return known;
        }
        let counted = self.text.chars().count();
        self.length.set(counted);
        counted
    }

    /// Appends to it.
    pub(crate) fn push(&mut self, tail: &str) {
        let known = self.length.get_mut();
        if *known != UNCOUNTED {
            *known += tail.chars().count();
        }
        self.text.push_str(tail);
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self { text, length: Cell::new(UNCOUNTED) }
    }
}

impl Deref for Text {
    type Target = String;

    fn deref(&self) -> &String {
        &self.text
    }
}
