//! What a line says: a message, several, nothing that matters, or something to be refused.

use contexture::mcp::wire::id_in;
use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Value, json};

/// JSON-RPC's code for what is no JSON.
const PARSE_ERROR: i32 = -32_700;
/// JSON-RPC's code for what is no request.
const INVALID_REQUEST: i32 = -32_600;

/// What a line says.
#[derive(Debug)]
pub(super) enum Said {
    /// Nothing that needs an answer.
    Nothing,
    /// A message.
    Message(Box<ClientJsonRpcMessage>),
    /// Several in one line.
    Batch(Vec<Self>),
    /// The answer to what can't be taken.
    Refused(Value),
}

/// Understands a line.
pub(super) fn understand(line: &[u8]) -> Said {
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.is_empty() {
        return Said::Nothing;
    }
    if line.first() != Some(&b'[')
        && let Ok(message) = serde_json::from_slice(line)
    {
        return Said::Message(Box::new(message));
    }
    match serde_json::from_slice::<Value>(line) {
        Ok(Value::Array(parts)) if parts.is_empty() => {
            refuse(INVALID_REQUEST, "a batch holds at least one message", Value::Null)
        }
        Ok(Value::Array(parts)) => Said::Batch(parts.into_iter().map(of_value).collect()),
        Ok(value) => of_value(value),
        Err(error) => refuse(PARSE_ERROR, &format!("this is no JSON: {error}"), id_in(line)),
    }
}

/// The answer to a line that is too long, of which the beginning was kept.
pub(super) fn too_long(beginning: &[u8], limit: usize) -> Said {
    let message = format!("a message has more than {limit} bytes");
    refuse(INVALID_REQUEST, &message, id_in(beginning))
}

/// The answer to a batch where there are none.
pub(super) fn no_batches() -> Said {
    let message =
        "batches are a matter of the protocol of 2025-03-26: send one message on each line";
    refuse(INVALID_REQUEST, message, Value::Null)
}

/// The answer to a batch of too many messages.
pub(super) fn too_many(most: usize) -> Said {
    let message = format!("a batch has at most {most} messages");
    refuse(INVALID_REQUEST, &message, Value::Null)
}

fn of_value(value: Value) -> Said {
    let id = value.get("id").cloned();
    let is_notification = id.is_none() && value.get("method").is_some_and(Value::is_string);
    match serde_json::from_value(value) {
        Ok(message) => Said::Message(Box::new(message)),
        // JSON-RPC answers no notification, not even one that nobody knows.
        Err(_) if is_notification => Said::Nothing,
        Err(_) => {
            let message = "this is no request: expected `jsonrpc`, `id`, `method` and `params`";
            let known = id.filter(|id| id.is_string() || id.is_number());
            refuse(INVALID_REQUEST, message, known.unwrap_or_default())
        }
    }
}

fn refuse(code: i32, message: &str, id: Value) -> Said {
    let error = json!({ "code": code, "message": message });
    Said::Refused(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn refused(line: &[u8]) -> (i64, Value) {
        match understand(line) {
            Said::Refused(answer) => {
                (answer["error"]["code"].as_i64().unwrap(), answer["id"].clone())
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn kn_16_what_is_no_json_is_refused_with_the_id_it_has() {
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
    fn kn_16_json_that_is_no_request_is_refused_and_no_notification_is() {
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
            assert!(matches!(understand(line.as_bytes()), Said::Nothing), "{line}");
        }
        let ping = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r";
        assert!(matches!(understand(ping.as_bytes()), Said::Message(_)));
    }

    #[test]
    fn kn_16_a_batch_is_its_messages() {
        let batch = br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}, 5, {"method":"x"}]"#;
        let Said::Batch(parts) = understand(batch) else { panic!() };
        assert!(matches!(parts.as_slice(), [Said::Message(_), Said::Refused(_), Said::Nothing]));
    }

    proptest! {
        #[test]
        fn kn_16_any_line_is_understood_or_refused(line in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = understand(&line);
        }
    }
}
