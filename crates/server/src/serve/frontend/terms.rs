//! Checks calls and results against the capabilities of the client: the largest file that
//! it handles, and the shape of the result of its tool (CP-13, CP-15).

use contexture::frontend::{FrontendFailure, faults};
use contexture_protocol::ErrorCode;
use contexture_protocol::content::{CallResult, CallStatus, ToolDefinition};
use serde_json::{Map, Value};

/// A shorter text is not a file in base64.
const SHORTEST_FILE: usize = 256;

/// The limits of a client for a call.
pub(super) struct Terms {
    returns: Option<Value>,
    max_bytes: Option<u64>,
}

impl Terms {
    pub(super) fn new(tool: &ToolDefinition, max_bytes: Option<u64>) -> Self {
        Self { returns: tool.returns.clone().map(Value::Object), max_bytes }
    }

    /// Checks the size of the parameters.
    pub(super) fn check_parameters(
        &self,
        parameters: &Map<String, Value>,
    ) -> Result<(), FrontendFailure> {
        self.size("a parameter", parameters.values())
    }

    /// Checks a result against the declaration of its tool.
    pub(super) fn check_result(&self, result: &CallResult) -> Result<(), FrontendFailure> {
        if result.status != CallStatus::Success {
            return Ok(());
        }
        let value = result.result.as_ref().unwrap_or(&Value::Null);
        self.size("a part of the result", [value])?;
        let shape = self.returns.as_ref().filter(|_| !stays(value));
        let faults = shape.map_or_else(Vec::new, |returns| faults(value, returns));
        if faults.is_empty() {
            return Ok(());
        }
        let text = format!("the result is not what the tool declares: {}", faults.join("; "));
        let failure = FrontendFailure::new(ErrorCode::ValidationFailed.as_str(), text);
        Err(FrontendFailure { details: Some(Value::from(faults)), ..failure })
    }

    fn size<'v>(
        &self,
        what: &str,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> Result<(), FrontendFailure> {
        let Some(most) = self.max_bytes else { return Ok(()) };
        let found = largest(values);
        if found <= most {
            return Ok(());
        }
        let text =
            format!("{what} has {found} bytes, and the client handles files of at most {most}");
        Err(FrontendFailure::new(ErrorCode::TooLarge.as_str(), text))
    }
}

/// Reports whether the client kept a sensitive result, and gave a handle for it (CP-19).
fn stays(value: &Value) -> bool {
    let Value::Object(fields) = value else { return false };
    fields.len() == 1 && fields.get("handle").is_some_and(Value::is_string)
}

/// Returns the size of the largest text in values, in bytes: of base64, in which files are sent, the
/// decoded size.
fn largest<'v>(values: impl IntoIterator<Item = &'v Value>) -> u64 {
    let mut open: Vec<&Value> = values.into_iter().collect();
    let mut largest = 0;
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => largest = largest.max(bytes(text)),
            Value::Array(values) => open.extend(values),
            Value::Object(fields) => open.extend(fields.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    largest
}

fn bytes(text: &str) -> u64 {
    let data = text.strip_prefix("data:").and_then(|text| text.split_once(";base64,"));
    let base64 = data.map_or(text, |(_, base64)| base64).trim_end_matches('=');
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
    let is_file = data.is_some() || base64.len() >= SHORTEST_FILE;
    if is_file && base64.bytes().all(is_sign) {
        (base64.len() as u64).saturating_mul(3) / 4
    } else {
        text.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn checked(returns: Value, result: Value) -> Result<(), String> {
        let tool = serde_json::from_value(json!({ "toolId": "t", "returns": returns })).unwrap();
        let result = json!({ "callId": "c", "status": "SUCCESS", "result": result });
        let result = serde_json::from_value(result).unwrap();
        Terms::new(&tool, Some(600)).check_result(&result).map_err(|failure| failure.code)
    }

    #[test]
    fn cp_13_result_has_declared_shape() {
        let shape = json!({ "type": "object", "properties": { "n": { "type": "integer" } },
            "required": ["n"] });
        assert_eq!(checked(shape.clone(), json!({ "n": 1, "more": "x" })), Ok(()));
        for wrong in [json!({ "n": "1" }), json!({}), json!(null), json!([])] {
            let refused = checked(shape.clone(), wrong);
            assert_eq!(refused, Err("VALIDATION_FAILED".to_owned()));
        }
        // What is sensitive stays in the client.
        assert_eq!(checked(shape, json!({ "handle": "res_1" })), Ok(()));
        assert_eq!(checked(json!({}), json!("anything")), Ok(()));
    }

    #[test]
    fn cp_15_file_size_is_counted_in_decoded_bytes() {
        let file = |signs: usize| json!({ "list": [{ "fileData": "A".repeat(signs) }] });
        assert_eq!(checked(json!({}), file(800)), Ok(()), "base64 of 600 bytes");
        assert_eq!(checked(json!({}), file(804)), Err("TOO_LARGE".to_owned()));
        assert_eq!(bytes(&format!("data:image/png;base64,{}==", "A".repeat(10))), 7);
        assert_eq!(bytes(&"a b ".repeat(200)), 800);
        assert_eq!(bytes("AAAA"), 4);
    }
}
