//! The server's own messages.

use super::operations::metrics::Metrics;
use contexture::store::stamp::{Ids, iso_time};
use contexture_protocol::content::ErrorResponse;
use contexture_protocol::{Body, Message, Refusal, Sender, SenderType, Timestamp};
use serde_json::Map;
use std::sync::Arc;

/// The id that the server sends under.
pub(crate) const SYSTEM: &str = "system";

/// Makes the server's messages: ids and times are its own (CP-1).
#[derive(Clone)]
pub(crate) struct Maker {
    ids: Arc<Ids>,
    pub(crate) metrics: Arc<Metrics>,
}

impl Maker {
    pub(crate) fn new(ids: Arc<Ids>, metrics: Arc<Metrics>) -> Self {
        Self { ids, metrics }
    }

    /// A new id, such as `msg_01KZ…`.
    pub(crate) fn id(&self, prefix: &str) -> String {
        let (id, _) = self.ids.next();
        format!("{prefix}_{}", id.to_ascii_uppercase())
    }

    /// Returns the time now, in milliseconds since 1970-01-01 UTC.
    pub(crate) fn now_ms(&self) -> u64 {
        self.ids.now_us() / 1000
    }

    /// The time now, as messages have it.
    pub(crate) fn now(&self) -> String {
        iso_time(self.ids.now_us())
    }

    /// The time now in seconds of Unix time.
    pub(crate) fn now_seconds(&self) -> u64 {
        self.ids.now_us() / 1_000_000
    }

    /// Counts an error that is answered.
    pub(crate) fn count(&self, refusal: &Refusal) {
        self.metrics.errors.count(refusal.code.as_str(), "");
    }

    /// A message of the server.
    pub(crate) fn message(&self, context: Option<&str>, body: Body) -> Message {
        self.message_of(SYSTEM, SenderType::System, context, body)
    }

    /// A message that the server sends for a model or a tool.
    pub(crate) fn message_of(
        &self,
        sender: &str,
        kind: SenderType,
        context: Option<&str>,
        body: Body,
    ) -> Message {
        let sender = Sender { id: sender.to_owned(), kind, extra: Map::new() };
        let timestamp = Timestamp::from_unix_millis(self.ids.now_us() / 1000);
        let message = Message::new(self.id("msg"), timestamp, sender, body);
        match context {
            Some(context) => message.in_context(context),
            None => message,
        }
    }

    /// The ERROR_RESPONSE to a message that is not accepted.
    pub(crate) fn refusal(&self, refusal: Refusal) -> Message {
        self.refusal_in(refusal, None)
    }

    /// The ERROR_RESPONSE to something that belongs to a trace; without one it gets an id of its own.
    pub(crate) fn refusal_in(&self, refusal: Refusal, trace: Option<String>) -> Message {
        self.count(&refusal);
        let context = refusal.context_id.clone();
        let in_reply_to = refusal.message_id.clone();
        let (request, trace) = (self.id("req"), trace.unwrap_or_else(|| self.id("trace")));
        let content: ErrorResponse = refusal.into_content(&request, &self.now(), Some(&trace));
        let message = self.message(context.as_deref(), Body::ErrorResponse(content));
        match in_reply_to {
            Some(id) => answering(message, &id),
            None => message,
        }
    }
}

/// The message as an answer to the one named (CP-2b).
pub(crate) fn answering(mut message: Message, in_reply_to: &str) -> Message {
    message.set_meta("inReplyTo", in_reply_to);
    message
}
