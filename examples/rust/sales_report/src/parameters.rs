//! The parameters of an action: their JSON Schema, which Contexture checks before the action runs,
//! and what is read from them.

use contexture::flow::action::{ActionCall, ActionFailure, ActionInfo, ActionKind};
use contexture::protocol::ErrorCode;
use serde_json::{Map, Value, json};

/// Describes an action: its kind, its purpose, and the schemas of its parameters by name.
pub(crate) fn info(
    kind: ActionKind,
    purpose: &str,
    properties: Value,
    required: &[&str],
) -> ActionInfo {
    ActionInfo::of(kind).with_parameters(json!({
        "type": "object",
        "description": purpose,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    }))
}

/// The schema of a list of objects.
pub(crate) fn objects(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "object"}, "description": description})
}

/// The schema of a list that names some of these words, each once.
pub(crate) fn some_of(words: &[&str], description: &str) -> Value {
    json!({"type": "array", "items": {"enum": words}, "minItems": 1, "uniqueItems": true, "description": description})
}

/// Returns the words of a list, if it is given.
pub(crate) fn words<'a>(call: &'a ActionCall, name: &str) -> Option<Vec<&'a str>> {
    let list = call.parameters.get(name)?.as_array()?;
    Some(list.iter().filter_map(Value::as_str).collect())
}

/// Returns a text, if it is given.
pub(crate) fn text<'a>(call: &'a ActionCall, name: &str) -> Option<&'a str> {
    call.parameters.get(name)?.as_str()
}

/// The failure of a parameter that can't be used.
pub(crate) fn invalid(message: impl Into<String>) -> ActionFailure {
    ActionFailure::new(ErrorCode::ValidationFailed.as_str(), message)
}

/// The failure of an amount that is out of bounds.
pub(crate) fn too_large(message: impl Into<String>) -> ActionFailure {
    ActionFailure::new(ErrorCode::TooLarge.as_str(), message)
}

/// The failure of a value that is missing or of another type.
pub(crate) fn unfit(path: &str, expected: &str, found: Option<&Value>) -> ActionFailure {
    let found = found.map_or("nothing", type_of);
    invalid(format!("`{path}`: expected {expected}, found {found}"))
}

/// Returns the type of a value, with an article.
pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The fields of an object.
pub(crate) type Fields = Map<String, Value>;
