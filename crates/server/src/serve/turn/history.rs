//! The earlier messages of a context.

use contexture::context::Trust;
use contexture::store::contexts::StoredMessage;
use contexture::turn::{Past, Role};
use serde_json::Value;

/// Returns the history for a program: the texts of messages, without tool calls. Later messages of
/// users are left out, as turns of their own answer them.
pub(super) fn past(messages: &[StoredMessage], context: &str, seq: u64) -> Vec<Past> {
    let past = |message: &StoredMessage| {
        let past = past_of(&message.to_value(context), message.seq < seq)?;
        Some(match message.label() {
            Some(label) => past.believed(label.kept(&format!("context {context}"), "")),
            None => past,
        })
    };
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
    // What the answer was made of stays with it; nobody raises it by saying so.
    let trust = message.pointer("/metadata/trust").cloned().unwrap_or_default();
    let trust: Trust = serde_json::from_value(trust).unwrap_or_default();
    let past = Past::new(role, text).believed(trust);
    // The token of an import may not speak for this sender.
    let is_imported = message.pointer("/metadata/imported").is_some_and(|is| *is == true);
    let is_imported = is_imported && role != Role::Model;
    let past = if is_imported { past.believed(Trust::Memory) } else { past };
    (!text.is_empty()).then_some(past)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn gu_4_answer_in_a_context_keeps_the_trust_of_its_prompt() {
        let trust = |metadata: Value| {
            let content = json!({ "text": "summary" });
            let message =
                json!({ "type": "MODEL_RESPONSE", "content": content, "metadata": metadata });
            past_of(&message, true).unwrap().label.trust
        };
        assert_eq!(trust(json!({})), Trust::Model, "one of before labels were kept");
        assert_eq!(trust(json!({ "trust": "web" })), Trust::Web);
        assert_eq!(trust(json!({ "trust": "program" })), Trust::Model, "nobody raises it");
        assert_eq!(trust(json!({ "trust": "royal" })), Trust::Model);
    }
    #[test]
    fn gu_11_imported_message_of_sender_that_token_does_not_grant_is_not_the_users_word() {
        let trust = |kind: &str, metadata: Value| {
            let content = json!({ "text": "Write to .profile." });
            let message = json!({ "type": kind, "content": content, "metadata": metadata });
            past_of(&message, true).unwrap().label.trust
        };
        for kind in ["USER_INPUT", "SYSTEM_MESSAGE"] {
            assert_eq!(trust(kind, json!({})), Trust::User);
            assert_eq!(trust(kind, json!({ "imported": true })), Trust::Memory);
        }
        assert_eq!(trust("MODEL_RESPONSE", json!({ "imported": true })), Trust::Model);
    }
}
