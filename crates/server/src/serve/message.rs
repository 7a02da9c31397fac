//! The messages of the server, and what identifies a message.

use super::operations::metrics::Metrics;
use contexture::store::stamp::{Ids, iso_time};
use contexture_protocol::content::{SystemAction, SystemData, SystemMessage};
use contexture_protocol::{
    Body, ErrorCode, Limits, Message, Refusal, Sender, SenderType, Timestamp, canonical,
};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

/// The id that the server sends under.
pub(crate) const SYSTEM: &str = "system";

/// The maker of the server's messages: ids and times are its own (CP-1).
#[derive(Clone)]
pub(crate) struct Maker {
    ids: Arc<Ids>,
    pub(crate) metrics: Arc<Metrics>,
}

impl Maker {
    pub(crate) fn new(ids: Arc<Ids>, metrics: Arc<Metrics>) -> Self {
        Self { ids, metrics }
    }

    /// Returns a new id, such as `msg_01KZ…`.
    pub(crate) fn id(&self, prefix: &str) -> String {
        let (id, _) = self.ids.next();
        format!("{prefix}_{}", id.to_ascii_uppercase())
    }

    /// Returns the time now, in milliseconds since 1970-01-01 UTC.
    pub(crate) fn now_ms(&self) -> u64 {
        self.ids.now_us() / 1000
    }

    /// Returns the time now, in seconds of Unix time.
    pub(crate) fn now_seconds(&self) -> u64 {
        self.ids.now_us() / 1_000_000
    }

    /// Counts an error that is answered.
    pub(crate) fn count(&self, refusal: &Refusal) {
        self.metrics.errors.count(refusal.code.as_str(), "");
    }

    pub(crate) fn message(&self, context: Option<&str>, body: Body) -> Message {
        self.message_of(SYSTEM, SenderType::System, context, body)
    }

    /// Creates a message that the server sends for a model or a tool.
    pub(crate) fn message_of(
        &self,
        sender: &str,
        kind: SenderType,
        context: Option<&str>,
        body: Body,
    ) -> Message {
        let sender = Sender::new(sender, kind);
        let timestamp = Timestamp::from_unix_millis(self.ids.now_us() / 1000);
        let message = Message::new(self.id("msg"), timestamp, sender, body);
        match context {
            Some(context) => message.in_context(context),
            None => message,
        }
    }

    /// Creates the ERROR_RESPONSE to a message that is not accepted.
    pub(crate) fn refusal(&self, refusal: Refusal) -> Message {
        self.refusal_in(refusal, None)
    }

    /// Creates the ERROR_RESPONSE to a part of a trace; without one it gets an id of its own.
    pub(crate) fn refusal_in(&self, refusal: Refusal, trace: Option<String>) -> Message {
        self.count(&refusal);
        let context = refusal.context_id.clone();
        let in_reply_to = refusal.message_id.clone();
        let (request, trace) = (self.id("req"), trace.unwrap_or_else(|| self.id("trace")));
        let content = refusal.into_content(&request, &iso_time(self.ids.now_us()), Some(&trace));
        let message = self.message(context.as_deref(), Body::ErrorResponse(content));
        match in_reply_to {
            Some(id) => answering(message, &id),
            None => message,
        }
    }
}

/// Marks a message as an answer to another one (CP-2b).
pub(crate) fn answering(message: Message, in_reply_to: &str) -> Message {
    message.with_meta("inReplyTo", in_reply_to)
}

pub(crate) fn notice(action: SystemAction, code: &str, text: impl Into<String>) -> SystemMessage {
    let data = SystemData { code: Some(code.to_owned()), ..SystemData::default() };
    SystemMessage { data: Some(data), ..SystemMessage::new(action, text) }
}

/// Creates the warning that the server is about to end.
pub(crate) fn draining() -> SystemMessage {
    let text = "the server is about to end; running work is finished first";
    notice(SystemAction::Warning, "DRAINING", text)
}

pub(crate) fn stored_answer(text: &str) -> Result<Message, Refusal> {
    Message::parse(text.as_bytes(), &Limits::FILE).map_err(|refused| {
        let message = format!("the stored answer can't be read: {refused}");
        Refusal::new(ErrorCode::Internal, message)
    })
}

/// Returns the digest of type, sender and content: a repeated message has the same digest, and may
/// have a new time (CP-7).
pub(crate) fn digest(message: &Message) -> [u8; 32] {
    let mut digest = Sha256::new();
    let (sender, content) = (json!(message.sender), json!(message.body));
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
