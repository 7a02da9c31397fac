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
pub(crate) mod hash;
pub(crate) mod items;
pub(crate) mod json;
pub(crate) mod put;
pub(crate) mod release;
pub(crate) mod secret;
pub(crate) mod tag;
#[cfg(test)]
mod tests;
pub(crate) mod text;
pub(crate) mod unknown;

use fields::Fields;
use items::Items;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use tag::{Tag, Tags};
use text::Text;

/// A value in a register, a list or an object.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    None(Tag),
    Bool(bool, Tag),
    Int(i64, Tag),
    /// Any other number; always finite.
    Float(f64, Tag),
    Str(Rc<Text>, Tag),
    List(Rc<List>, Tag),
    Object(Rc<Object>, Tag),
    /// The handle of a secret: its name, never its value (GU-9).
    Secret(Rc<String>, Tag),
}

impl Default for Value {
    fn default() -> Self {
        Self::NONE
    }
}

const _: () = assert!(size_of::<Value>() == 16, "a register is 16 bytes");

/// The counted size of a list or object, besides its items.
pub(crate) const CONTAINER_BYTES: usize = 80;
pub(crate) const ITEM_BYTES: usize = 16;
pub(crate) const FIELD_BYTES: usize = 40;

/// The cost of a string besides its bytes.
pub(crate) const TEXT_BYTES: usize = 56;

/// The common state of all containers.
#[derive(Debug)]
pub(crate) struct Header {
    /// Its epoch of creation; see [`FROZEN`].
    pub(crate) epoch: u32,
    /// True if it was ever put into another container: only then can an addition close a cycle.
    pub(crate) held: Cell<bool>,
    /// The tag of its keys and of its length.
    pub(crate) tag: Cell<Tag>,
}

/// The epoch of containers that are read-only for everyone: imported files.
pub(crate) const FROZEN: u32 = 0;

impl Header {
    /// Creates the header of a container that the program itself creates at `epoch`.
    pub(crate) fn new(epoch: u32) -> Self {
        Self::tagged(epoch, Tag::PROGRAM)
    }

    pub(crate) fn tagged(epoch: u32, tag: Tag) -> Self {
        Self { epoch, held: Cell::new(false), tag: Cell::new(tag) }
    }

    /// Notes that something of another tag was added, or decided about what was added.
    pub(crate) fn mix(&self, other: Tag, tags: &Tags) {
        if !other.is_program() {
            self.tag.set(tags.join(self.tag.get(), other));
        }
    }
}

#[derive(Debug)]
pub(crate) struct List {
    pub(crate) header: Header,
    /// The items. The list only ever grows, so that a loop can walk it by index.
    pub(crate) items: Items,
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
    pub(crate) const NONE: Self = Self::None(Tag::PROGRAM);

    pub(crate) fn text(text: impl Into<String>, tag: impl Into<Tag>) -> Self {
        Self::Str(Rc::new(Text::from(text.into())), tag.into())
    }

    pub(crate) const fn bool(value: bool) -> Self {
        Self::Bool(value, Tag::PROGRAM)
    }

    pub(crate) const fn int(value: i64) -> Self {
        Self::Int(value, Tag::PROGRAM)
    }

    pub(crate) const fn float(value: f64) -> Self {
        Self::Float(value, Tag::PROGRAM)
    }

    /// Returns its own tag. The parts of a list or object have theirs besides.
    #[inline]
    pub(crate) const fn tag(&self) -> Tag {
        match self {
            Self::None(tag)
            | Self::Bool(_, tag)
            | Self::Int(_, tag)
            | Self::Float(_, tag)
            | Self::Str(_, tag)
            | Self::List(_, tag)
            | Self::Object(_, tag)
            | Self::Secret(_, tag) => *tag,
        }
    }

    /// Returns its tag with those of its parts, one level deep.
    pub(crate) fn tag_of_parts(&self, tags: &Tags) -> Tag {
        let own =
            self.header().map_or(self.tag(), |header| tags.join(self.tag(), header.tag.get()));
        let join = |all, part: &Self| tags.join(all, part.tag());
        match self {
            Self::List(list, _) => list.items.borrow().iter().fold(own, join),
            Self::Object(object, _) => object.fields.borrow().values().fold(own, join),
            _ => own,
        }
    }

    /// Notes that something of another tag had an influence on it.
    #[inline]
    pub(crate) fn influence(&mut self, by: Tag, tags: &Tags) {
        if by.is_program() {
            return;
        }
        let tag = self.tag_mut();
        *tag = tags.influenced(*tag, by);
    }

    pub(crate) fn tag_mut(&mut self) -> &mut Tag {
        match self {
            Self::None(tag)
            | Self::Bool(_, tag)
            | Self::Int(_, tag)
            | Self::Float(_, tag)
            | Self::Str(_, tag)
            | Self::List(_, tag)
            | Self::Object(_, tag)
            | Self::Secret(_, tag) => tag,
        }
    }

    /// Returns it with the influence of another tag.
    #[inline]
    pub(crate) fn under(mut self, by: Tag, tags: &Tags) -> Self {
        self.influence(by, tags);
        self
    }

    /// Returns it with another tag of its own: each handle of a list or object has one.
    pub(crate) fn with_tag(mut self, tag: Tag) -> Self {
        *self.tag_mut() = tag;
        self
    }

    /// Creates a list at `epoch`. The items must have been marked with [`Value::mark_held`].
    pub(crate) fn list(items: impl Into<Items>, header: Header) -> Self {
        let tag = header.tag.get();
        Self::List(Rc::new(List { header, items: items.into() }), tag)
    }

    /// Creates an object at `epoch`. Values must have been marked with [`Value::mark_held`].
    pub(crate) fn object(fields: Fields, header: Header) -> Self {
        let tag = header.tag.get();
        let (fields, optional) = (RefCell::new(fields), RefCell::new(None));
        Self::Object(Rc::new(Object { header, fields, optional }), tag)
    }

    /// Notes that the value is about to be put into a container.
    pub(crate) fn mark_held(&self) {
        if let Some(header) = self.header() {
            header.held.set(true);
        }
    }

    pub(crate) fn header(&self) -> Option<&Header> {
        match self {
            Self::List(list, _) => Some(&list.header),
            Self::Object(object, _) => Some(&object.header),
            _ => None,
        }
    }

    /// Reports whether the value is true (AS-7): everything but none, false, 0, `""` and `[]`.
    pub(crate) fn is_true(&self) -> bool {
        match self {
            Self::None(_) => false,
            Self::Bool(value, _) => *value,
            Self::Int(value, _) => *value != 0,
            Self::Float(value, _) => *value != 0.0,
            Self::Str(text, _) => !text.is_empty(),
            Self::List(list, _) => !list.items.borrow().is_empty(),
            Self::Object(..) | Self::Secret(..) => true,
        }
    }

    /// Reports whether the value is true, and the tag of that.
    pub(crate) fn truth(&self, tags: &Tags) -> (bool, Tag) {
        let tag = match self.header() {
            Some(header) => tags.join(self.tag(), header.tag.get()),
            None => self.tag(),
        };
        (self.is_true(), tag.of_decision())
    }

    /// Returns the kind in the terms of the language, with its article.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::None(_) => "none",
            Self::Bool(..) => "a boolean",
            Self::Int(..) => "an integer",
            Self::Float(..) => "a number",
            Self::Str(..) => "a string",
            Self::List(..) => "a list",
            Self::Object(..) => "an object",
            Self::Secret(..) => "a secret",
        }
    }

    fn is_container(&self) -> bool {
        self.identity().is_some()
    }

    /// Returns the address of a container and the number of its owners.
    pub(crate) fn identity(&self) -> Option<(usize, usize)> {
        match self {
            Self::List(list, _) => Some((Rc::as_ptr(list).addr(), Rc::strong_count(list))),
            Self::Object(object, _) => Some((Rc::as_ptr(object).addr(), Rc::strong_count(object))),
            _ => None,
        }
    }
}

impl Drop for List {
    fn drop(&mut self) {
        let items = self.items.take();
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
            Value::List(list, _) => {
                if let Some(mut list) = Rc::into_inner(list) {
                    pending.append(&mut list.items.take());
                }
            }
            Value::Object(object, _) => {
                if let Some(mut object) = Rc::into_inner(object) {
                    pending.extend(std::mem::take(object.fields.get_mut()).into_values());
                }
            }
            _ => {}
        }
    }
}
