//! Texts of a conversation that are declared sensitive and masked in traces (CP-19).

use contexture::config::{SensitiveField, SensitiveFields};
use contexture::store::contexts::StoredMessage;
use contexture_protocol::Message;
use serde_json::Value;

/// Returns the texts at the declared places of a state, of stored messages, and of a new one.
pub(crate) fn texts(
    declared: &SensitiveFields,
    state: &Value,
    kept: &[StoredMessage],
    message: &Message,
) -> Vec<String> {
    let mut texts = Vec::new();
    for path in &declared.state {
        if let Some(value) = path.get(state) {
            leaves(value, &mut texts);
        }
    }
    if declared.messages.is_empty() {
        return texts;
    }
    of_message(&declared.messages, &message.to_value(), &mut texts);
    for kept in kept {
        if let Ok(value) = serde_json::from_str(&kept.text) {
            of_message(&declared.messages, &value, &mut texts);
        }
    }
    texts
}

fn of_message(fields: &[SensitiveField], message: &Value, into: &mut Vec<String>) {
    let kind = message.get("type").and_then(Value::as_str);
    for field in fields {
        let is_meant = field.kind.is_none() || field.kind.as_deref() == kind;
        if let Some(value) = field.path.get(message).filter(|_| is_meant) {
            leaves(value, into);
        }
    }
}

/// Collects the texts and numbers in a value.
fn leaves(value: &Value, into: &mut Vec<String>) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => into.push(text.clone()),
            Value::Number(number) => into.push(number.to_string()),
            Value::Array(values) => open.extend(values),
            Value::Object(fields) => open.extend(fields.values()),
            Value::Null | Value::Bool(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture_protocol::Limits;
    use serde_json::json;

    #[test]
    fn cp_19_sensitive_texts_are_found_in_state_and_messages() {
        let declared: SensitiveFields = SensitiveFields::default();
        let message = json!({
            "messageId": "m", "timestamp": "2026-01-01T00:00:00Z", "type": "USER_INPUT",
            "sender": { "id": "u", "type": "USER" }, "content": { "text": "my secret text" },
        });
        let message = Message::from_value(message, &Limits::WIRE).unwrap();
        let state =
            json!({ "userPreferences": { "email": ["ann@example.com", 123456789], "x": 1 } });
        assert_eq!(texts(&declared, &state, &[], &message), Vec::<String>::new());
        let settings = "[serve.sensitive]\nstate = [\"userPreferences.email\", \"none\"]\n\
                        messages = [\"USER_INPUT:content.text\", \"MODEL_RESPONSE:content.text\"]\n";
        let config = contexture::Config::parse("contexture.toml", settings).unwrap();
        let kept = StoredMessage {
            seq: 1,
            version: 1,
            time_us: 0,
            text: r#"{"type":"MODEL_RESPONSE","content":{"text":"said before"}}"#.into(),
        };
        let mut found = texts(&config.serve.sensitive, &state, &[kept], &message);
        found.sort();
        assert_eq!(found, ["123456789", "ann@example.com", "my secret text", "said before"]);
    }
}
