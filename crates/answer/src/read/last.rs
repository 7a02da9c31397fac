//! The last complete object in a value that broke off before it (AS-21).
//!
//! Decision: a value that is never closed goes on to the end of the text, and would swallow the answer that comes
//! after it, as in `First try: {"a": 1 oops. Final answer: {"a": "good"}`. Of what is read only by guessing, the
//! last object that is JSON as it stands counts, unless it is a part of a value that matches the shape.

use super::pick::conform;
use super::strict::is_deeper;
use crate::lenient::{Found, closes, is_quote};
use crate::options::Limits;
use crate::repair::Notes;
use crate::shape::Shape;
use serde_json::{Deserializer, Value};

/// Returns the last complete object (or list, for a list) that begins inside a repaired value, if it
/// matches the shape and nothing is closed after it. `care` is the number of bytes that may still be
/// parsed in vain.
pub(super) fn last_complete(
    text: &str,
    found: &Found,
    shape: Option<&Shape>,
    limits: &Limits,
    care: &mut usize,
) -> Option<Found> {
    if found.notes.is_empty() {
        return None;
    }
    let (start, end, value) =
        complete(text, found, matches!(shape.map(Shape::plain), Some(Shape::List(_))), care)?;
    let rest = text.get(end..found.end).unwrap_or_default();
    let fits =
        |value: &Value| shape.is_none_or(|shape| conform(&mut value.clone(), shape, 1).is_ok());
    let is_part = || {
        let is_text_before = is_after_prose(text, found.start, start);
        !is_text_before && fits(&found.value) && is_part(&value, &found.value, shape)
    };
    let is_answer = !is_deeper(&value, limits.max_depth)
        && !rest.contains(closes)
        && fits(&value)
        && !is_part();
    let source = found.source;
    is_answer.then(|| {
        let (notes, cut, inline) = (Notes::default(), false, false);
        Found { value, notes, source, start, end, cut, inline }
    })
}

/// Finds the last complete object or list that begins inside a value and is not empty.
fn complete(
    text: &str,
    found: &Found,
    is_list: bool,
    care: &mut usize,
) -> Option<(usize, usize, Value)> {
    let opener = if is_list { '[' } else { '{' };
    let mut last = None;
    let mut at = found.start + 1;
    while let Some(next) = text.get(at..found.end).and_then(|rest| rest.find(opener)) {
        at += next;
        let rest = text.get(at..).unwrap_or_default();
        let mut values = Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                let end = at + values.byte_offset();
                let is_empty = matches!(&value, Value::Object(map) if map.is_empty())
                    || matches!(&value, Value::Array(items) if items.is_empty());
                last = (!is_empty).then_some((at, end, value)).or(last);
                at = end;
            }
            Some(Err(error)) => {
                let before = rest.split_inclusive('\n').take(error.line().saturating_sub(1));
                let cost = before.map(str::len).sum::<usize>() + error.column() + 1;
                let Some(left) = care.checked_sub(cost) else { break };
                *care = left;
                at += 1;
            }
            None => break,
        }
    }
    last
}

/// Reports whether a colon without a quoted key stands before a position, in a value whose own keys
/// are quoted: `{"a": 1. Answer: {…}`.
fn is_after_prose(text: &str, start: usize, at: usize) -> bool {
    let before = text.get(start + 1..at).unwrap_or_default();
    let key = before.trim_end().strip_suffix([':', '：']).map(str::trim_end);
    before.trim_start().starts_with('"') && key.is_some_and(|key| !key.ends_with(is_quote))
}

/// Reports whether a value is a part of another one, where the shape has a place for parts: prose
/// before a brace may look like an unquoted key.
fn is_part(part: &Value, whole: &Value, shape: Option<&Shape>) -> bool {
    let known = |name: &String| match shape.map(Shape::plain) {
        Some(Shape::Object(fields)) => fields.iter().any(|field| field.name == *name),
        _ => true,
    };
    match whole {
        Value::Object(map) => map.iter().any(|(name, inner)| known(name) && holds(inner, part)),
        Value::Array(items) => items.iter().any(|inner| holds(inner, part)),
        _ => false,
    }
}

fn holds(whole: &Value, part: &Value) -> bool {
    match whole {
        _ if whole == part => true,
        Value::Object(map) => map.values().any(|inner| holds(inner, part)),
        Value::Array(items) => items.iter().any(|inner| holds(inner, part)),
        _ => false,
    }
}
