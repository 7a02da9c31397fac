//! What was said before, from a context's messages.

use contexture::store::contexts::StoredMessage;
use contexture::turn::{Past, Role};
use serde_json::Value;

/// What a program gets of the messages before the one at `seq`: what was said, not how it was worked
/// out. What users said after it is answered by turns of their own.
pub(super) fn past(messages: &[StoredMessage], context: &str, seq: u64) -> Vec<Past> {
    let told =
        messages.iter().filter_map(|message| said(&message.to_value(context), message.seq < seq));
    told.collect()
}

fn said(message: &Value, is_before: bool) -> Option<Past> {
    let role = match message.get("type").and_then(Value::as_str)? {
        "USER_INPUT" if is_before => Role::User,
        "MODEL_RESPONSE" => Role::Model,
        "SYSTEM_MESSAGE" => Role::System,
        _ => return None,
    };
    let text = message.pointer("/content/text").and_then(Value::as_str)?;
    (!text.is_empty()).then(|| Past { role, text: text.to_owned() })
}
