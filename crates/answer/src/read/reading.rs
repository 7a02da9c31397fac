//! The result of a reading.

use crate::coerce::Coercion;
use crate::repair::Repair;
use serde_json::Value;

/// A value read from an answer, with its repairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The value; it matches the requested shape.
    pub value: Value,
    /// The repairs, by kind; empty for exact JSON.
    pub repairs: Vec<Repair>,
    /// The values coerced into the types of their fields.
    pub coerced: Vec<Coercion>,
    /// True if the value was not closed when the text ended: it may be a part of one.
    pub is_cut: bool,
}

impl Reading {
    /// Creates the reading of a text that is the value as it stands.
    #[must_use]
    pub const fn exact(value: Value) -> Self {
        Self { value, repairs: Vec::new(), coerced: Vec::new(), is_cut: false }
    }
}
