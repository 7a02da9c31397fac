//! Fields that a result has only when there is something to say.

use serde_json::{Value, json};

/// Adds the notes of a tool to its result.
pub(crate) fn noted(result: Value, notes: &[String]) -> Value {
    if notes.is_empty() { result } else { with(result, "notes", json!(notes)) }
}

/// Adds `more: true` when rows were left out.
pub(crate) fn with_more(result: Value, more: bool) -> Value {
    if more { with(result, "more", true.into()) } else { result }
}

fn with(mut result: Value, name: &str, value: Value) -> Value {
    if let Some(fields) = result.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
    result
}
