//! What was said before, from a context's messages.

use contexture::store::contexts::StoredMessage;
use contexture::turn::{Past, Role};
use serde_json::Value;

/// What a program gets of the messages before this one: what was said, not how it was worked out.
pub(super) fn past(messages: &[StoredMessage], context: &str, but: &str) -> Vec<Past> {
    messages.iter().filter_map(|message| said(&message.to_value(context), but)).collect()
}

fn said(message: &Value, but: &str) -> Option<Past> {
    if message.get("messageId").and_then(Value::as_str) == Some(but) {
        return None;
    }
    let role = match message.get("type").and_then(Value::as_str)? {
        "USER_INPUT" => Role::User,
        "MODEL_RESPONSE" => Role::Model,
        "SYSTEM_MESSAGE" => Role::System,
        _ => return None,
    };
    let text = message.pointer("/content/text").and_then(Value::as_str)?;
    (!text.is_empty()).then(|| Past { role, text: text.to_owned() })
}
