//! The envelope of messages that come without one, and of those that are read back (CP-1, CP-9).

use crate::stamp::iso_time;
use crate::store::labelled::{LABEL, read_label};
use contexture_context::{Label, json};
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
        | "TOOL_LIST_RESPONSE"
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
/// all else as it was written but for its label. A text that can't be read is marked as such instead.
pub(super) fn read_back(text: &str, context_id: &str, seq: u64) -> Value {
    let Ok(mut message) = json::read::<Map<String, Value>>(text.as_bytes()) else {
        return json!({"contextId": context_id, "metadata": {"seq": seq, "unreadable": text}});
    };
    message.remove(LABEL);
    message.insert("contextId".to_owned(), context_id.into());
    match message.entry("metadata").or_insert_with(|| json!({})) {
        Value::Object(metadata) => drop(metadata.insert("seq".to_owned(), seq.into())),
        other => *other = json!({ "seq": seq }),
    }
    Value::Object(message)
}

/// Returns the text of a message with the label of what it was made of.
pub(super) fn labelled(text: &str, label: &Label) -> String {
    match text.strip_prefix('{') {
        Some(rest) => format!("{{\"{LABEL}\":{},{rest}", json!(label)),
        None => text.to_owned(),
    }
}

/// Returns the label of a message, if it has one.
pub(super) fn label(text: &str) -> Option<Label> {
    // Most messages have none, and are long.
    let own = text.strip_prefix("{\"")?.strip_prefix(LABEL)?.strip_prefix("\":")?;
    let mut read = serde_json::Deserializer::from_str(own).into_iter::<Value>();
    Some(read_label(&read.next()?.unwrap_or_default()))
}
