//! Strict reading: exact JSON, exact types, no other fields (AS-21).

use super::reading::Reading;
use crate::error::AnswerError;
use crate::options::Limits;
use crate::shape::Shape;
use crate::validate::{Extra, validate};
use serde_json::Value;

pub(super) fn read(
    raw: &str,
    shape: Option<&Shape>,
    limits: &Limits,
) -> Result<Reading, AnswerError> {
    let value: Value = serde_json::from_str(raw)
        .map_err(|error| AnswerError::NotJson { reason: error.to_string() })?;
    if limits.max_depth < Limits::MAX_DEPTH && is_deeper(&value, limits.max_depth) {
        return Err(AnswerError::TooDeep { at: 0, limit: limits.max_depth });
    }
    if let Some(shape) = shape {
        let faults = validate(&value, shape, Extra::Refused, limits.max_errors);
        if !faults.is_empty() {
            return Err(AnswerError::Mismatch {
                errors: faults.errors,
                more: faults.more,
                value: Box::new(value),
            });
        }
    }
    Ok(Reading::exact(value))
}

/// Reports whether lists and objects are nested deeper than a number of levels.
pub(super) fn is_deeper(value: &Value, levels: usize) -> bool {
    let deeper = |inner: &Value| match levels.checked_sub(1) {
        Some(left) => is_deeper(inner, left),
        None => true,
    };
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(deeper),
        Value::Object(map) => levels == 0 || map.values().any(deeper),
        _ => false,
    }
}
