//! The values of a running program.
//!
//! A [`Value`] is 16 bytes: scalars are inline, texts and containers behind a counted pointer, so
//! that lists and objects are shared by reference inside an agent (AS-28). A run stays on one
//! thread. Values enter and leave it as JSON ([`json`]).
//!
//! Decisions:
//! - Texts and containers carry [`Trust`] (AS-20). A container's own trust is that of its keys and
//!   its source: a list of numbers that a tool returned is data of the tool.
//! - Containers carry the epoch of their creation. A child of `parallel for` may write only
//!   containers created since it began (AS-10); epoch 0 is frozen (imported files).
//! - No value contains itself: an addition that would close a cycle is refused, so that printing,
//!   comparing and dropping always end. Dropping never recurses.

pub(crate) mod compare;
pub(crate) mod copy;
pub(crate) mod fields;
pub(crate) mod json;
pub(crate) mod origin;
#[cfg(test)]
mod tests;
pub(crate) mod unknown;

use fields::Fields;
use origin::Origin;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A value in a register, a list or an object.
#[derive(Debug, Clone, Default)]
pub(crate) enum Value {
    #[default]
    None,
    Bool(bool),
    Int(i64),
    /// Any other number; always finite.
    Float(f64),
    Str(Rc<Text>),
    List(Rc<List>),
    Object(Rc<Object>),
}

const _: () = assert!(size_of::<Value>() == 16, "a register is 16 bytes");

/// The counted size of a list or object, besides its items.
pub(crate) const CONTAINER_BYTES: usize = 80;
pub(crate) const ITEM_BYTES: usize = 16;
pub(crate) const FIELD_BYTES: usize = 40;

/// The cost of a string besides its bytes.
pub(crate) const TEXT_BYTES: usize = 48;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text {
    /// The least origin of all its parts.
    pub(crate) origin: Origin,
    pub(crate) text: String,
}

/// The common state of all containers.
#[derive(Debug)]
pub(crate) struct Header {
    /// Its epoch of creation; see [`FROZEN`].
    pub(crate) epoch: u32,
    /// True if it was ever put into another container: only then can an addition close a cycle.
    pub(crate) held: Cell<bool>,
    /// The origin of its keys and of itself.
    pub(crate) origin: Cell<Origin>,
}

/// The epoch of containers that are read-only for everyone: imported files.
pub(crate) const FROZEN: u32 = 0;

impl Header {
    /// Creates the header of a container that the program itself creates at `epoch`.
    pub(crate) fn new(epoch: u32) -> Self {
        Self::from_origin(epoch, Origin::PROGRAM)
    }

    pub(crate) fn from_origin(epoch: u32, origin: Origin) -> Self {
        Self { epoch, held: Cell::new(false), origin: Cell::new(origin) }
    }

    /// Notes that something of `other` origin was added.
    pub(crate) fn mix(&self, other: Origin) {
        self.origin.set(self.origin.get().least(other));
    }
}

#[derive(Debug)]
pub(crate) struct List {
    pub(crate) header: Header,
    /// The items. The list only ever grows, so that a loop can walk it by index.
    pub(crate) items: RefCell<Vec<Value>>,
}

#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) header: Header,
    /// The fields, in the order they were first set.
    pub(crate) fields: RefCell<Fields>,
    /// Names that its shape declares optional: missing, they read as none (AS-28).
    pub(crate) optional: RefCell<Option<Rc<[Rc<str>]>>>,
}

impl Value {
    pub(crate) fn text(text: impl Into<String>, origin: impl Into<Origin>) -> Self {
        Self::Str(Rc::new(Text { origin: origin.into(), text: text.into() }))
    }

    /// Creates a list at `epoch`. The items must have been marked with [`Value::mark_held`].
    pub(crate) fn list(items: Vec<Value>, header: Header) -> Self {
        Self::List(Rc::new(List { header, items: RefCell::new(items) }))
    }

    /// Creates an object at `epoch`. Values must have been marked with [`Value::mark_held`].
    pub(crate) fn object(fields: Fields, header: Header) -> Self {
        Self::Object(Rc::new(Object {
            header,
            fields: RefCell::new(fields),
            optional: RefCell::new(None),
        }))
    }

    /// Notes that the value is about to be put into a container.
    pub(crate) fn mark_held(&self) {
        if let Some(header) = self.header() {
            header.held.set(true);
        }
    }

    pub(crate) fn header(&self) -> Option<&Header> {
        match self {
            Self::List(list) => Some(&list.header),
            Self::Object(object) => Some(&object.header),
            _ => None,
        }
    }

    /// Reports whether the value is true (AS-7): everything but none, false, 0, `""` and `[]`.
    pub(crate) fn is_true(&self) -> bool {
        match self {
            Self::None => false,
            Self::Bool(value) => *value,
            Self::Int(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Str(text) => !text.text.is_empty(),
            Self::List(list) => !list.items.borrow().is_empty(),
            Self::Object(_) => true,
        }
    }

    /// Returns the kind in the terms of the language, with its article.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a number",
            Self::Str(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    fn is_container(&self) -> bool {
        self.identity().is_some()
    }

    /// Returns the address of a container and the number of its owners.
    pub(crate) fn identity(&self) -> Option<(usize, usize)> {
        match self {
            Self::List(list) => Some((Rc::as_ptr(list).addr(), Rc::strong_count(list))),
            Self::Object(object) => Some((Rc::as_ptr(object).addr(), Rc::strong_count(object))),
            _ => None,
        }
    }
}

impl Drop for List {
    fn drop(&mut self) {
        let items = std::mem::take(self.items.get_mut());
        if items.iter().any(Value::is_container) {
            dismantle(items);
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        let fields = std::mem::take(self.fields.get_mut());
        if fields.values().any(Value::is_container) {
            dismantle(fields.into_values().collect());
        }
    }
}

/// Drops values with a work list in place of the native stack, however deep they nest.
fn dismantle(mut pending: Vec<Value>) {
    while let Some(value) = pending.pop() {
        match value {
            Value::List(list) => {
                if let Some(mut list) = Rc::into_inner(list) {
                    pending.append(list.items.get_mut());
                }
            }
            Value::Object(object) => {
                if let Some(mut object) = Rc::into_inner(object) {
                    pending.extend(std::mem::take(object.fields.get_mut()).into_values());
                }
            }
            _ => {}
        }
    }
}
