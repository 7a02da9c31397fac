//! The envelope of messages that come without one, and of those that are read back (CP-1, CP-9).

use crate::stamp::iso_time;
use contexture_context::json;
use serde_json::{Map, Value, json};

/// Fills in the missing fields of a message's envelope: contextId, timestamp, sender. Others stay
/// as they are. The type decides the sender: messages of models, tools and the server are theirs,
/// the rest are from `user`.
pub fn complete(message: &mut Map<String, Value>, context_id: &str, time_us: u64, user: &str) {
    let kind = message.get("type").and_then(Value::as_str).unwrap_or_default();
    let sender = match kind {
        "MODEL_RESPONSE" | "MODEL_RESPONSE_DELTA" => json!({"id": "model", "type": "MODEL"}),
        "TOOL_CALL_RESPONSE"
        | "SYSTEM_MESSAGE"
        | "ERROR_RESPONSE"
        | "TOOL_AVAILABILITY_RESPONSE"
        | "INSTRUCTION_RESPONSE"
        | "WELCOME"
        | "ACK"
        | "PROGRESS"
        | "CONTEXT_DELTA" => json!({"id": "system", "type": "SYSTEM"}),
        _ => json!({"id": user, "type": "USER"}),
    };
    let mut fill = |name: &str, value: Value| {
        message.entry(name).or_insert(value);
    };
    fill("contextId", context_id.into());
    fill("timestamp", iso_time(time_us).into());
    fill("sender", sender);
}

/// Returns a message as it is read back: the contextId of where it is read from, `metadata.seq`,
/// all else as it was written. A text that can't be read is marked as such instead.
pub(super) fn read_back(text: &str, context_id: &str, seq: u64) -> Value {
    let Ok(mut message) = json::read::<Map<String, Value>>(text.as_bytes()) else {
        return json!({"contextId": context_id, "metadata": {"seq": seq, "unreadable": text}});
    };
    message.insert("contextId".to_owned(), context_id.into());
    match message.entry("metadata").or_insert_with(|| json!({})) {
        Value::Object(metadata) => drop(metadata.insert("seq".to_owned(), seq.into())),
        other => *other = json!({ "seq": seq }),
    }
    Value::Object(message)
}
