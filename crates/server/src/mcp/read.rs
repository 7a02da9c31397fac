//! Parsing of a line or of an HTTP body: a message, a batch, nothing relevant, or an error.

use contexture::mcp::wire::id_in;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage};
use serde_json::{Value, json};

/// The JSON-RPC code for invalid JSON.
pub(super) const PARSE_ERROR: i32 = -32_700;
/// The JSON-RPC code for an invalid request.
pub(super) const INVALID_REQUEST: i32 = -32_600;
/// The JSON-RPC code for invalid parameters.
const INVALID_PARAMS: i32 = -32_602;
/// The JSON-RPC code for an unknown method.
const METHOD_NOT_FOUND: i32 = -32_601;

/// The MCP methods that are answered here, without notifications.
pub(super) const METHODS: [&str; 9] = [
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
];

/// The content of a line.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A line that needs no answer.
    Nothing,
    Message(Box<ClientJsonRpcMessage>),
    Batch(Vec<Self>),
    Refused(Value),
}

pub(super) fn understand(line: &[u8]) -> Incoming {
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.is_empty() {
        return Incoming::Nothing;
    }
    if line.first() != Some(&b'[')
        && let Ok(message) = serde_json::from_slice(line)
    {
        return shaped(message, || serde_json::from_slice(line).ok());
    }
    match serde_json::from_slice::<Value>(line) {
        Ok(Value::Array(parts)) if parts.is_empty() => {
            refuse(INVALID_REQUEST, "a batch holds at least one message", Value::Null)
        }
        Ok(Value::Array(parts)) => Incoming::Batch(parts.into_iter().map(of_value).collect()),
        Ok(value) => of_value(value),
        Err(error) => refuse(PARSE_ERROR, &format!("this is not JSON: {error}"), id_in(line)),
    }
}

/// Returns the error about a line that is too long, given its beginning.
pub(super) fn too_long(beginning: &[u8], limit: usize) -> Incoming {
    let message = format!("a message has more than {limit} bytes");
    refuse(INVALID_REQUEST, &message, id_in(beginning))
}

/// Returns the error about a batch in a protocol without batches.
pub(super) fn no_batches() -> Incoming {
    let message =
        "batches are a matter of the protocol of 2025-03-26: send one message on each line";
    refuse(INVALID_REQUEST, message, Value::Null)
}

/// Returns the error about a batch with too many messages.
pub(super) fn too_many(most: usize) -> Incoming {
    let message = format!("a batch has at most {most} messages");
    refuse(INVALID_REQUEST, &message, Value::Null)
}

/// Checks the parameters that the library ignores: it treats a request with invalid parameters as one
/// of another method, and an invalid cursor as absent.
fn shaped(message: ClientJsonRpcMessage, value: impl FnOnce() -> Option<Value>) -> Incoming {
    if let JsonRpcMessage::Request(asked) = &message {
        let id = || serde_json::to_value(&asked.id).unwrap_or_default();
        match &asked.request {
            ClientRequest::CustomRequest(request) if request.method == "initialize" => {
                let message = "the parameters of `initialize` do not have their shape: expected \
                               `protocolVersion`, `capabilities` and `clientInfo`";
                return refuse(INVALID_PARAMS, message, id());
            }
            ClientRequest::ListToolsRequest(_)
            | ClientRequest::ListPromptsRequest(_)
            | ClientRequest::ListResourcesRequest(_)
            | ClientRequest::ListResourceTemplatesRequest(_) => {
                let value = value().unwrap_or_default();
                let cursor = value.pointer("/params/cursor");
                if cursor.is_some_and(|cursor| !cursor.is_null() && !cursor.is_string()) {
                    return refuse(INVALID_PARAMS, "a `cursor` is a string", id());
                }
            }
            _ => {}
        }
    }
    Incoming::Message(Box::new(message))
}

fn of_value(value: Value) -> Incoming {
    let id = value.get("id").cloned();
    let is_notification = id.is_none() && value.get("method").is_some_and(Value::is_string);
    match serde_json::from_value(value.clone()) {
        Ok(message) => shaped(message, || Some(value)),
        // JSON-RPC answers no notification, not even an unknown one.
        Err(_) if is_notification => Incoming::Nothing,
        Err(_) => misplaced(&value).unwrap_or_else(|| {
            let message = "this is not a request: expected `jsonrpc`, `id`, `method` and `params`";
            let known = id.filter(|id| id.is_string() || id.is_number());
            refuse(INVALID_REQUEST, message, known.unwrap_or_default())
        }),
    }
}

/// Returns the error about a request with its parameters in a list, which JSON-RPC allows
/// but MCP does not.
fn misplaced(value: &Value) -> Option<Incoming> {
    let id = value.get("id").filter(|id| id.is_string() || id.is_i64())?;
    let method = value.get("method")?.as_str()?;
    let is_one = value.get("jsonrpc")? == "2.0" && value.get("params")?.is_array();
    if !is_one {
        return None;
    }
    if METHODS.contains(&method) {
        let message = format!("the parameters of `{method}` are an object, not a list");
        return Some(refuse(INVALID_PARAMS, &message, id.clone()));
    }
    Some(refuse(METHOD_NOT_FOUND, &format!("there is no method `{method}`"), id.clone()))
}

/// Returns the error about a request before `initialize`.
pub(super) fn too_early(method: &str, id: Value) -> Incoming {
    if METHODS.contains(&method) {
        return refuse(INVALID_REQUEST, "the first request has to be `initialize`", id);
    }
    refuse(METHOD_NOT_FOUND, &format!("there is no method `{method}`"), id)
}

fn refuse(code: i32, message: &str, id: Value) -> Incoming {
    let error = json!({ "code": code, "message": message });
    Incoming::Refused(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn refused(line: &[u8]) -> (i64, Value) {
        match understand(line) {
            Incoming::Refused(answer) => {
                (answer["error"]["code"].as_i64().unwrap(), answer["id"].clone())
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn kn_16_invalid_json_is_refused_with_its_id() {
        let parse = i64::from(PARSE_ERROR);
        assert_eq!(refused(b"hello"), (parse, Value::Null));
        assert_eq!(
            refused(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xff\"}"),
            (parse, json!(7))
        );
        assert_eq!(refused(br#"{"id": "a\"b" ,"method":"\ud800"}"#), (parse, json!("a\"b")));
        let deep = format!(r#"{{"params":{}1{},"id":9}}"#, "[".repeat(130), "]".repeat(130));
        assert_eq!(refused(deep.as_bytes()), (parse, json!(9)));
        assert_eq!(refused(br#"{"params":{"id":3},"x":"id","#), (parse, Value::Null));
        assert_eq!(refused(b"{\"id\":1"), (parse, json!(1)));
    }

    #[test]
    fn kn_16_invalid_request_is_refused_and_notification_ignored() {
        let invalid = i64::from(INVALID_REQUEST);
        for (line, id) in [
            ("null", Value::Null),
            ("[]", Value::Null),
            ("1", Value::Null),
            ("{\"jsonrpc\":\"2.0\"}", Value::Null),
            ("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", json!(1.5)),
            ("{\"id\":4,\"method\":\"ping\"}", json!(4)),
            ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", Value::Null),
        ] {
            assert_eq!(refused(line.as_bytes()), (invalid, id), "{line}");
        }
        for line in ["", "  \r", "\u{feff}", "{\"method\":\"textDocument/didOpen\"}"] {
            assert!(matches!(understand(line.as_bytes()), Incoming::Nothing), "{line}");
        }
        let ping = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r";
        assert!(matches!(understand(ping.as_bytes()), Incoming::Message(_)));
    }

    #[test]
    fn kn_16_parameters_of_wrong_kind_are_reported() {
        let request = |method: &str, params: &str| {
            let line = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"{method}\",\"params\":{params}}}"
            );
            let (code, id) = refused(line.as_bytes());
            assert_eq!(id, json!(8), "{line}");
            code
        };
        assert_eq!(request("tools/call", "[]"), i64::from(INVALID_PARAMS));
        assert_eq!(request("foo/bar", "[1]"), i64::from(METHOD_NOT_FOUND));
        assert_eq!(request("tools/call", "\"x\""), i64::from(INVALID_REQUEST));
        assert_eq!(request("tools/list", "{\"cursor\":5}"), i64::from(INVALID_PARAMS));
        assert_eq!(request("resources/list", "{\"cursor\":{}}"), i64::from(INVALID_PARAMS));
        for params in ["{}", "{\"protocolVersion\":5}"] {
            assert_eq!(request("initialize", params), i64::from(INVALID_PARAMS));
        }
    }

    #[test]
    fn kn_16_batch_is_split_into_messages() {
        let batch = br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}, 5, {"method":"x"}]"#;
        let Incoming::Batch(parts) = understand(batch) else { panic!() };
        assert!(matches!(
            parts.as_slice(),
            [Incoming::Message(_), Incoming::Refused(_), Incoming::Nothing]
        ));
    }

    proptest! {
        #[test]
        fn kn_16_any_line_is_parsed_or_refused(line in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = understand(&line);
        }
    }
}
