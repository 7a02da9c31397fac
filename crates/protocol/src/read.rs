//! From a JSON value to a type: the value is consumed once, nothing in it is copied, and every
//! fault is reported with its place.

use crate::node::{Fields, Node};
use crate::report::{Place, Report};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A type that can be read from a value.
pub(crate) trait Read: Sized {
    /// Returns the description of the expected value, for the report.
    fn expected() -> Cow<'static, str>;

    /// Reads the value; returns `None` if at least one fault was reported.
    fn read(value: Node<'_>, at: &Place<'_>, report: &mut Report<'_>) -> Option<Self>;
}

impl Read for String {
    fn expected() -> Cow<'static, str> {
        "a string".into()
    }

    fn read(value: Node<'_>, at: &Place<'_>, report: &mut Report<'_>) -> Option<Self> {
        match value {
            Node::String(text) => Some(text.into_owned()),
            other => wrong::<Self>(&other, at, report),
        }
    }
}

impl Read for bool {
    fn expected() -> Cow<'static, str> {
        "true or false".into()
    }

    fn read(value: Node<'_>, at: &Place<'_>, report: &mut Report<'_>) -> Option<Self> {
        match value {
            Node::Bool(value) => Some(value),
            other => wrong::<Self>(&other, at, report),
        }
    }
}

impl Read for Value {
    fn expected() -> Cow<'static, str> {
        "any JSON value".into()
    }

    fn read(value: Node<'_>, _: &Place<'_>, _: &mut Report<'_>) -> Option<Self> {
        Some(value.into_value())
    }
}

impl Read for Map<String, Value> {
    fn expected() -> Cow<'static, str> {
        "an object".into()
    }

    fn read(value: Node<'_>, at: &Place<'_>, report: &mut Report<'_>) -> Option<Self> {
        match value {
            Node::Object(fields) => Some(fields.into_map()),
            other => wrong::<Self>(&other, at, report),
        }
    }
}

impl<T: Read> Read for Box<T> {
    fn expected() -> Cow<'static, str> {
        T::expected()
    }

    fn read(value: Node<'_>, at: &Place<'_>, report: &mut Report<'_>) -> Option<Self> {
        T::read(value, at, report).map(Self::new)
    }
}

impl<T: Read> Read for Vec<T> {
    fn expected() -> Cow<'static, str> {
        "an array".into()
    }

    fn read(value: Node<'_>, at: &Place<'_>, report: &mut Report<'_>) -> Option<Self> {
        let Node::Array(items) = value else { return wrong::<Self>(&value, at, report) };
        let count = items.len();
        let mut all = Self::with_capacity(count);
        for (index, item) in items.into_iter().enumerate() {
            all.extend(T::read(item, &at.index(index), report));
        }
        (all.len() == count).then_some(all)
    }
}

pub(crate) fn wrong<T: Read>(
    value: &Node<'_>,
    at: &Place<'_>,
    report: &mut Report<'_>,
) -> Option<T> {
    report.wrong(at, T::expected(), value);
    None
}

pub(crate) fn fields<'t>(
    value: Node<'t>,
    at: &Place<'_>,
    report: &mut Report<'_>,
) -> Option<Fields<'t>> {
    match value {
        Node::Object(fields) => Some(fields),
        other => {
            report.wrong(at, "an object", &other);
            None
        }
    }
}

/// Reads an id: it is used in logs, headers and keys, so it is short and on one line.
pub(crate) fn id(value: Node<'_>, at: &Place<'_>, report: &mut Report<'_>) -> Option<String> {
    let most = report.limits.id_bytes;
    match value {
        Node::String(id) if id.len() > most => {
            let found = format!("{} bytes", id.len());
            report.too_large(at, format!("an id of at most {most} bytes"), found);
            None
        }
        Node::String(id) if !id.is_empty() && !id.chars().any(char::is_control) => {
            Some(id.into_owned())
        }
        other => {
            report.wrong(at, ID, &other);
            None
        }
    }
}

/// The description of an id.
pub(crate) const ID: &str = "an id (a string that is not empty and has no control characters)";

/// A field while its object is read.
pub(crate) enum Slot<T> {
    Absent,
    /// It is present, and its fault has been reported.
    Bad,
    Read(T),
}

impl<T> Slot<T> {
    pub(crate) fn of(read: Option<T>) -> Self {
        read.map_or(Self::Bad, Self::Read)
    }

    /// Returns the value of a required field.
    pub(crate) fn required(
        self,
        name: &str,
        expected: impl FnOnce() -> Cow<'static, str>,
        at: &Place<'_>,
        report: &mut Report<'_>,
    ) -> Option<T> {
        if matches!(self, Self::Absent) {
            report.missing(at, name, expected());
        }
        self.optional()
    }

    pub(crate) fn optional(self) -> Option<T> {
        match self {
            Self::Read(value) => Some(value),
            Self::Absent | Self::Bad => None,
        }
    }
}

impl<T: Read> Slot<T> {
    pub(crate) fn read(value: Node<'_>, at: &Place<'_>, report: &mut Report<'_>) -> Self {
        Self::of(T::read(value, at, report))
    }
}
