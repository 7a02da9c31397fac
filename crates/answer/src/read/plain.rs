//! Answers that are a single text, word or number: shapes without an object or a list.

use super::{Reading, pick::conform};
use crate::error::AnswerError;
use crate::lenient::{body, single as single_value};
use crate::options::Limits;
use crate::repair::RepairKind;
use crate::shape::Shape;
use crate::validate::{excerpt, expected};
use serde_json::Value;

pub(super) fn is_plain(shape: &Shape) -> bool {
    !matches!(shape, Shape::Object(_) | Shape::List(_) | Shape::Json)
}

pub(super) fn read(raw: &str, shape: &Shape, limits: &Limits) -> Result<Reading, AnswerError> {
    let (text, mut notes) = body(raw);
    if text.is_empty() {
        return Err(no_value(raw, &expected(shape)));
    }
    let value = match single_value(text) {
        // Words of a text are text, even where they look like a literal.
        Some((value, _)) if *shape == Shape::String && !value.is_string() => None,
        Some((value, more)) => {
            notes.merge(more);
            Some(value)
        }
        None => None,
    };
    let mut value = value.unwrap_or_else(|| {
        notes.add(RepairKind::UnquotedValue, 0);
        Value::String(text.to_owned())
    });
    match conform(&mut value, shape, limits.max_errors) {
        Ok(coerced) => Ok(Reading { value, repairs: notes.into_list(), coerced }),
        Err(faults) => Err(AnswerError::Mismatch {
            errors: faults.errors,
            more: faults.more,
            value: Box::new(value),
        }),
    }
}

/// The whole answer as one word, number or quoted text.
pub(super) fn single(raw: &str) -> Option<Reading> {
    let (text, mut notes) = body(raw);
    let (value, more) = single_value(text)?;
    notes.merge(more);
    Some(Reading { value, repairs: notes.into_list(), coerced: Vec::new() })
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
