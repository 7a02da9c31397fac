//! Answers that are a single text, word or number: shapes without an object or a list.

use super::pick::conform;
use super::reading::Reading;
use crate::error::AnswerError;
use crate::lenient::{body, single as single_value};
use crate::options::Limits;
use crate::repair::{Notes, RepairKind};
use crate::shape::Shape;
use crate::validate::{excerpt, expected};
use serde_json::Value;

pub(super) fn is_plain(shape: &Shape) -> bool {
    !matches!(shape.plain(), Shape::Object(_) | Shape::List(_) | Shape::Json)
}

pub(super) fn read(raw: &str, shape: &Shape, limits: &Limits) -> Result<Reading, AnswerError> {
    let (text, notes) = body(raw);
    if text.is_empty() {
        return Err(no_value(raw, &expected(shape)));
    }
    if *shape == Shape::String {
        return Ok(read_text(text, notes));
    }
    let mut first = None;
    for part in parts(text) {
        let mut notes = notes.clone();
        if part.len() < text.len() {
            notes.add(RepairKind::TextAround, 0);
        }
        let mut value = match single_value(part) {
            Some((value, more)) => {
                notes.merge(more);
                value
            }
            None => Value::String(part.to_owned()),
        };
        match conform(&mut value, shape, limits.max_errors) {
            Ok(coerced) => {
                return Ok(Reading { value, repairs: notes.into_list(), coerced, is_cut: false });
            }
            Err(faults) => first = first.or(Some((faults, value))),
        }
    }
    let (faults, value) = first.unwrap_or_default();
    Err(AnswerError::Mismatch { errors: faults.errors, more: faults.more, value: Box::new(value) })
}

/// Reads any text as a string, quoted or not.
fn read_text(text: &str, mut notes: Notes) -> Reading {
    let value = match single_value(text) {
        Some((value @ Value::String(_), more)) => {
            notes.merge(more);
            value
        }
        _ => {
            notes.add(RepairKind::UnquotedValue, 0);
            text.into()
        }
    };
    Reading { repairs: notes.into_list(), ..Reading::exact(value) }
}

/// Returns the parts of an answer that may be its one word: all of it, without emphasis and full
/// stop, its last line, and the text after a label there (`Answer: 42`).
fn parts(text: &str) -> impl Iterator<Item = &str> {
    const TRIM: [char; 10] = ['*', '_', '`', '.', '。', '!', '！', ' ', '\t', '\r'];
    let last = text.lines().next_back().unwrap_or_default();
    let value = last.rsplit([':', '：']).next().unwrap_or_default();
    [text, text.trim_matches(TRIM), last.trim_matches(TRIM), value.trim_matches(TRIM)].into_iter()
}

/// Reads the whole answer as one word, number or quoted text.
pub(super) fn single(raw: &str) -> Option<Reading> {
    let (text, mut notes) = body(raw);
    let (value, more) = single_value(text)?;
    notes.merge(more);
    Some(Reading { repairs: notes.into_list(), ..Reading::exact(value) })
}

pub(super) fn no_value(raw: &str, expected: &str) -> AnswerError {
    let (text, _) = body(raw);
    let found = match (raw.trim().is_empty(), text.is_empty()) {
        (true, _) => "an empty answer".to_owned(),
        (false, true) => "thinking without an answer".to_owned(),
        (false, false) => format!("text without one: {}", excerpt(text)),
    };
    AnswerError::NoValue { expected: expected.to_owned(), found }
}
