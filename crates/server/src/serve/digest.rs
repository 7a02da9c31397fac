//! What a message holds, as a digest: the same message sent again has the same one (CP-7).

use contexture_protocol::{Message, canonical};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The digest of type, sender and content: what was sent again may carry a new time.
pub(crate) fn digest(message: &Message) -> [u8; 32] {
    let whole = message.to_value();
    let part = |name: &str| whole.get(name).cloned().unwrap_or(Value::Null);
    let held = json!([part("type"), part("sender"), part("content")]);
    Sha256::digest(canonical(&held)).into()
}
