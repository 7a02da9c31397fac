//! A parsed JSON text whose names and texts borrow from it where possible.
//!
//! Decision: declared fields are moved from here into their types, and only the others become a
//! [`Value`]. So a message is read faster than a value alone would be: no map is created for an
//! object that becomes a type, and no name is copied.

use serde_json::{Map, Number, Value};
use std::borrow::Cow;

/// A value while it is read.
#[derive(Debug)]
pub(crate) enum Node<'t> {
    Null,
    Bool(bool),
    Number(Number),
    String(Cow<'t, str>),
    Array(Vec<Self>),
    Object(Fields<'t>),
}

/// The fields of an object, in their order, without duplicates.
#[derive(Debug, Default)]
pub(crate) struct Fields<'t>(pub(crate) Vec<(Cow<'t, str>, Node<'t>)>);

impl<'t> Fields<'t> {
    pub(crate) fn get(&self, name: &str) -> Option<&Node<'t>> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Reports whether there is a field of this name that is not null.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !value.is_null())
    }

    pub(crate) fn into_map(self) -> Map<String, Value> {
        let own = |(name, value): (Cow<'t, str>, Node<'t>)| (name.into_owned(), value.into_value());
        self.0.into_iter().map(own).collect()
    }
}

impl Node<'_> {
    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Number(number) => Value::Number(number),
            Self::String(text) => Value::String(text.into_owned()),
            Self::Array(items) => Value::Array(items.into_iter().map(Node::into_value).collect()),
            Self::Object(fields) => Value::Object(fields.into_map()),
        }
    }
}

impl From<Value> for Node<'static> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::String(Cow::Owned(text)),
            Value::Array(items) => {
                deeper(|| Self::Array(items.into_iter().map(Self::from).collect()))
            }
            Value::Object(map) => {
                let own = |(name, value): (String, Value)| (Cow::Owned(name), Self::from(value));
                deeper(|| Self::Object(Fields(map.into_iter().map(own).collect())))
            }
        }
    }
}

/// Runs `work` with enough stack for one more level.
pub(crate) fn deeper<T>(work: impl FnOnce() -> T) -> T {
    /// The stack guaranteed for one level, and the size of a new segment.
    const LEVEL_BYTES: usize = 32 << 10;
    const MORE_BYTES: usize = 1 << 20;
    stacker::maybe_grow(LEVEL_BYTES, MORE_BYTES, work)
}
