//! The earlier messages of a context.

use contexture::store::contexts::StoredMessage;
use contexture::turn::{Past, Role};
use serde_json::Value;

/// Returns the history for a program: the texts of messages, without tool calls. Later messages of
/// users are left out, as turns of their own answer them.
pub(super) fn past(messages: &[StoredMessage], context: &str, seq: u64) -> Vec<Past> {
    let past = |message: &StoredMessage| past_of(&message.to_value(context), message.seq < seq);
    messages.iter().filter_map(past).collect()
}

fn past_of(message: &Value, is_before: bool) -> Option<Past> {
    let role = match message.get("type").and_then(Value::as_str)? {
        "USER_INPUT" if is_before => Role::User,
        "MODEL_RESPONSE" => Role::Model,
        "SYSTEM_MESSAGE" => Role::System,
        _ => return None,
    };
    let text = message.pointer("/content/text").and_then(Value::as_str)?;
    (!text.is_empty()).then(|| Past { role, text: text.to_owned() })
}
