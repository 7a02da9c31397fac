//! JSON-RPC 2.0, one message on each line.

use contexture_protocol::{ErrorCode, Refusal};
use serde_json::{Map, Value, json};

/// A message of the editor.
#[derive(Debug)]
pub(super) enum Incoming {
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// The answer to a request of ours.
    Response {
        id: Value,
        result: Result<Value, Value>,
    },
}

/// The error of a request.
#[derive(Debug, PartialEq)]
pub(super) struct RpcError {
    code: i32,
    message: String,
    data: Option<Value>,
}

impl RpcError {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(super) fn unreadable(message: impl Into<String>) -> Self {
        Self::new(-32700, message)
    }

    pub(super) fn no_request(message: impl Into<String>) -> Self {
        Self::new(-32600, message)
    }

    pub(super) fn no_method(method: &str) -> Self {
        Self::new(-32601, format!("the agent has no method `{method}`"))
    }

    pub(super) fn params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    /// Creates the error for a session that is unknown.
    pub(super) fn no_session(id: &str) -> Self {
        let error = Self::new(
            -32002,
            format!("`{id}` is not a session of this connection: begin or load it first"),
        );
        Self { data: Some(json!({ "uri": id })), ..error }
    }

    /// Returns the error for a refusal, with its code beside the message.
    pub(super) fn refused(refusal: &Refusal) -> Self {
        let code = match refusal.code {
            ErrorCode::ValidationFailed | ErrorCode::TooLarge => -32602,
            ErrorCode::ContextNotFound => -32002,
            _ => -32603,
        };
        let suggestion = Some(&refusal.suggested_action).filter(|text| !text.is_empty());
        let data = json!({ "code": refusal.code.as_str(), "suggestedAction": suggestion });
        Self { data: Some(data), ..Self::new(code, refusal.message.clone()) }
    }
}

/// Reads a line; an error has the id of its request, if that can be read.
pub(super) fn read(line: &[u8]) -> Result<Incoming, (Value, RpcError)> {
    let read: Value = serde_json::from_slice(line)
        .map_err(|error| (Value::Null, RpcError::unreadable(format!("no JSON: {error}"))))?;
    let Value::Object(mut message) = read else {
        return Err((Value::Null, RpcError::no_request("a message is an object")));
    };
    let id = message.remove("id");
    let shown = id.clone().filter(|id| id.is_string() || id.is_number()).unwrap_or_default();
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err((shown, RpcError::no_request("`jsonrpc` has to be \"2.0\"")));
    }
    match (message.remove("method"), id) {
        (Some(Value::String(method)), id) => {
            let params = message.remove("params").unwrap_or_else(|| Value::Object(Map::new()));
            match id {
                None => Ok(Incoming::Notification { method, params }),
                Some(id) if id == shown && !id.is_null() => {
                    Ok(Incoming::Request { id, method, params })
                }
                Some(_) => Err((Value::Null, RpcError::no_request("an id is a text or a number"))),
            }
        }
        (None, Some(id)) => match (message.remove("result"), message.remove("error")) {
            (Some(result), None) => Ok(Incoming::Response { id, result: Ok(result) }),
            (None, Some(error)) => Ok(Incoming::Response { id, result: Err(error) }),
            _ => Err((shown, RpcError::no_request("an answer has a result or an error"))),
        },
        _ => Err((shown, RpcError::no_request("`method` has to be a text"))),
    }
}

pub(super) fn answer(id: &Value, result: Result<Value, RpcError>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(RpcError { code, message, data }) => {
            let mut error = json!({ "code": code, "message": message });
            if let (Some(data), Some(fields)) = (data, error.as_object_mut()) {
                fields.insert("data".to_owned(), data);
            }
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    }
}

pub(super) fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(super) fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wa_9_line_that_is_not_a_message_is_told_with_the_id_of_its_request() {
        for (line, id, code) in [
            ("", Value::Null, -32700),
            ("{", Value::Null, -32700),
            ("[]", Value::Null, -32600),
            (r#"{"id":7,"method":"m"}"#, json!(7), -32600),
            (r#"{"jsonrpc":"2.0","id":"a","method":1}"#, json!("a"), -32600),
            (r#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#, Value::Null, -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, Value::Null, -32600),
            (r#"{"jsonrpc":"2.0","id":1}"#, json!(1), -32600),
            (r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#, json!(1), -32600),
        ] {
            let (told, error) = read(line.as_bytes()).unwrap_err();
            assert_eq!((told, error.code), (id, code), "{line}");
        }
    }

    proptest! {
        #[test]
        fn wa_9_any_line_is_read_or_refused(line in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&line);
        }
    }
}
