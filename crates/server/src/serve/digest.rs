//! What a message holds, as a digest: the same message sent again has the same one (CP-7).

use contexture_protocol::{Message, canonical};
use sha2::{Digest as _, Sha256};

/// The digest of type, sender and content: what was sent again may carry a new time.
pub(crate) fn digest(message: &Message) -> [u8; 32] {
    let mut digest = Sha256::new();
    let sender = serde_json::to_value(&message.sender).unwrap_or_default();
    let content = serde_json::to_value(&message.body).unwrap_or_default();
    for part in [message.kind(), &canonical(&sender), &canonical(&content)] {
        digest.update(part.as_bytes());
        // No JSON text holds this byte.
        digest.update([0]);
    }
    digest.finalize().into()
}
