//! The names that a program writes, each one allocation (GR-3).

use std::cell::Cell;
use std::ops::Deref;
use std::rc::Rc;

/// A name of the program, and where the last object that was asked for it had it.
#[derive(Debug)]
pub(crate) struct Name {
    text: Rc<str>,
    /// The position of the field: objects that a program treats alike have the same fields.
    pub(crate) at: Cell<usize>,
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self { text: Rc::from(text), at: Cell::new(0) }
    }
}

impl Deref for Name {
    type Target = Rc<str>;

    fn deref(&self) -> &Rc<str> {
        &self.text
    }
}
