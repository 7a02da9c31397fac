//! The digest of a message: a repeated message has the same digest (CP-7).

use contexture_protocol::{Message, canonical};
use sha2::{Digest as _, Sha256};

/// Returns the digest of type, sender and content: a repeated message may have a new time.
pub(crate) fn digest(message: &Message) -> [u8; 32] {
    let mut digest = Sha256::new();
    let sender = serde_json::to_value(&message.sender).unwrap_or_default();
    let content = serde_json::to_value(&message.body).unwrap_or_default();
    for part in [message.kind(), &canonical(&sender), &canonical(&content)] {
        digest.update(part.as_bytes());
        // No JSON text contains this byte.
        digest.update([0]);
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture_protocol::Limits;

    /// Files keep digests: another one would make a conflict of every message that is sent again.
    #[test]
    fn cp_7_digest_of_message_is_stable() {
        let text = r#"{"messageId":"m","contextId":"c","timestamp":"2025-12-01T10:00:00Z",
            "type":"CONTEXT_UPDATE","sender":{"type":"USER","id":"user_123"},
            "content":{"value":{"b":"tab\t \"quoted\" \u0001 天气","A":[1,2.50,true,null]},
            "path":"a.b","operation":"UPDATE_STATE"}}"#;
        let message = Message::parse(text.as_bytes(), &Limits::WIRE).unwrap();
        let hex: String = digest(&message).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "f03afd07b601dde0ce84356eb2f4ff3a9aaf2acd65f0b38308eed74ddd71cb16");
    }
}
