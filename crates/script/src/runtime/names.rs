//! The names that a program writes, and those of fields that come from outside, each one allocation
//! (GR-3, GR-5).

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
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

/// The greatest number of names that are kept to be shared: an object may have any names.
const MOST_SHARED: usize = 10_000;

/// The names of fields, for objects that have the same.
#[derive(Debug, Default)]
pub(crate) struct Keys(RefCell<HashSet<Rc<str>>>);

impl Keys {
    /// Returns the keys that a program itself writes.
    pub(crate) fn of(names: &[Name]) -> Self {
        let names = names.iter().take(MOST_SHARED).map(|name| Rc::clone(name));
        Self(RefCell::new(names.collect()))
    }

    /// Returns the allocation of a name, which others may have too.
    pub(crate) fn shared(&self, name: &str) -> Rc<str> {
        let mut known = self.0.borrow_mut();
        if let Some(known) = known.get(name) {
            return Rc::clone(known);
        }
        let new: Rc<str> = Rc::from(name);
        if known.len() < MOST_SHARED {
            known.insert(Rc::clone(&new));
        }
        new
    }
}
