//! Fields of JSON that may be anything, and the errors of answers that lack them.

use contexture_core::error::LlmError;
use serde_json::Value;

/// Returns the error about a body without the field that an answer has.
pub(crate) fn lacks(provider: &str, field: &str, body: &Value) -> LlmError {
    let message = format!("expected `{field}`, got {}", excerpt(&body.to_string()));
    LlmError::BadResponse { provider: provider.to_owned(), message }
}

/// Reads a piece of a stream.
pub(crate) fn piece(provider: &str, data: &str) -> Result<Value, LlmError> {
    serde_json::from_str(data).map_err(|error| LlmError::BadResponse {
        provider: provider.to_owned(),
        message: format!("a piece of the stream is not JSON: {error}"),
    })
}

/// Returns the error about a stream that ended before the answer was complete.
pub(crate) fn cut(provider: &str, text: &str) -> LlmError {
    LlmError::CutStream { provider: provider.to_owned(), received: text.len() }
}

/// Returns the string at a JSON pointer, empty when there is none.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

pub(crate) fn number(value: &Value, pointer: &str) -> Option<u64> {
    let found = value.pointer(pointer)?;
    found.as_u64().or_else(|| {
        let float = found.as_f64().filter(|float| *float >= 0.0 && *float < 9e15)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
        Some(float as u64)
    })
}

/// Returns the items of the list at a JSON pointer, none being the empty list.
pub(crate) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Sets a field of a value that is an object; anything else stays as it is.
pub(crate) fn set(value: &mut Value, name: &str, field: impl Into<Value>) {
    if let Value::Object(fields) = value {
        fields.insert(name.to_owned(), field.into());
    }
}

/// Returns the first characters of a text in one line, for an error message.
pub(crate) fn excerpt(text: &str) -> String {
    const CHARS: usize = 400;
    let mut words = String::new();
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
        if words.len() > CHARS * 4 {
            break;
        }
    }
    match words.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default()),
        None => words,
    }
}

/// Returns the schema with every object closed to fields that it does not name.
pub(crate) fn closed(schema: &Value) -> Value {
    closed_to(schema, 128)
}

fn closed_to(schema: &Value, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else { return schema.clone() };
    match schema {
        Value::Array(items) => items.iter().map(|item| closed_to(item, depth)).collect(),
        Value::Object(fields) => {
            let mut fields: serde_json::Map<_, _> = fields
                .iter()
                .map(|(key, field)| {
                    // Names in `enum`, `const` and `default` are data, no schema.
                    let data = matches!(key.as_str(), "enum" | "const" | "default" | "examples");
                    let field = if data { field.clone() } else { closed_to(field, depth) };
                    (key.clone(), field)
                })
                .collect();
            let object = fields.get("type").and_then(Value::as_str) == Some("object");
            if object && fields.get("properties").is_some_and(Value::is_object) {
                fields.insert("additionalProperties".into(), false.into());
            }
            Value::Object(fields)
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn as_21_schemas_are_closed_at_every_level_and_data_is_left_alone() {
        let schema = json!({
            "type": "object",
            "properties": {
                "type": {"type": "string", "enum": ["object"]},
                "parts": {"type": "array", "items": {"type": "object", "properties": {}}},
                "free": {"type": "object"}
            }
        });
        let closed = closed(&schema);
        assert_eq!(closed["additionalProperties"], json!(false));
        assert_eq!(closed["properties"]["parts"]["items"]["additionalProperties"], json!(false));
        assert_eq!(closed["properties"]["free"], json!({"type": "object"}));
        assert_eq!(closed["properties"]["type"], schema["properties"]["type"]);
    }

    #[test]
    fn as_22_excerpts_are_short_and_in_one_line() {
        assert_eq!(excerpt(" a\n\n b "), "a b");
        assert_eq!(excerpt(&"汉".repeat(1000)).chars().count(), 401);
    }
}
