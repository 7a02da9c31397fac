//! Answers that are one word, number or quoted text, without any object around it.

use super::bare::literal;
use super::chars::quote;
use super::parser::{Parser, Place, full_care};
use crate::repair::{Notes, RepairKind};
use serde_json::Value;

/// Parses a whole text as one value: a quoted string, a literal or a number. Returns `None` for
/// prose.
pub(crate) fn single(text: &str) -> Option<(Value, Notes)> {
    if let Some(value) = literal(text) {
        let mut notes = Notes::default();
        if serde_json::from_str::<Value>(text).is_err() {
            notes.add(RepairKind::OtherLiteral, 0);
        }
        return Some((value, notes));
    }
    quote(text.chars().next()?)?;
    let mut parser = Parser::new(text, 0, 1, full_care(text));
    let value = parser.careful(Place::Item)?;
    // `"A" and "B"` is prose, not a string with missing escapes.
    if parser.notes.has(RepairKind::UnescapedQuote) {
        return None;
    }
    let rest = text.get(parser.pos..)?;
    rest.trim().is_empty().then_some((Value::String(value), parser.notes))
}
