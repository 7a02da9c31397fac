//! The way back to the sender of a message.

use super::answer_log::AnswerLog;
use crate::serve::message::{Maker, answering};
use crate::serve::operations::parent::Parent;
use crate::serve::session::Session;
use contexture_protocol::content::Ack;
use contexture_protocol::{Body, ErrorCode, KINDS, Message, Refusal};
use std::sync::Arc;

/// The receiver of the messages that answer one message.
pub(crate) trait ReplySink: Send + Sync {
    /// Takes an intermediate message: a delta, a tool call, a result.
    fn passing(&self, message: Message);

    /// Takes the answer.
    fn last(&self, message: Message);

    /// Takes the ACK of work whose results come later; it is the answer for a sink of one message.
    fn acknowledged(&self, message: Message) {
        self.passing(message);
    }

    /// Returns the session of the receiver, whose messages come without a gap.
    fn session(&self) -> Option<&Session> {
        None
    }
}

impl ReplySink for Session {
    fn session(&self) -> Option<&Session> {
        Some(self)
    }

    fn passing(&self, message: Message) {
        self.send(message);
    }

    fn last(&self, message: Message) {
        self.send(message);
    }
}

/// The way back to the sender of a message. Exactly one answer is sent: lost work is answered with
/// INTERNAL.
pub(crate) struct Reply {
    sink: Arc<dyn ReplySink>,
    maker: Maker,
    message_id: String,
    context_id: Option<String>,
    /// The type of the message.
    kind: &'static str,
    log: Option<AnswerLog>,
    /// The trace that the message belongs to.
    trace: Option<Parent>,
    is_answered: bool,
}

impl Reply {
    pub(crate) fn new(sink: Arc<dyn ReplySink>, maker: Maker, message: &Message) -> Self {
        Self {
            sink,
            maker,
            message_id: message.message_id.clone(),
            context_id: message.context_id.clone(),
            kind: known(message.kind()),
            log: None,
            trace: Parent::of_message(message),
            is_answered: false,
        }
    }

    /// Records the answer in the audit log and the log.
    pub(super) fn logged(mut self, log: AnswerLog) -> Self {
        self.trace = self.trace.or(log.caller.trace);
        self.log = Some(log);
        self
    }

    /// Reports whether both are sent to the same session.
    pub(crate) fn is_to_session_of(&self, other: &Self) -> bool {
        match (self.sink.session(), other.sink.session()) {
            (Some(own), Some(theirs)) => std::ptr::eq(own, theirs),
            _ => false,
        }
    }

    /// Sends nothing: another reply answers the same message in the same session.
    pub(crate) fn leave(mut self) {
        self.is_answered = true;
    }

    /// Sends an intermediate message.
    pub(crate) fn pass(&self, message: Message) {
        match message.body {
            Body::Ack(_) => self.sink.acknowledged(answering(message, &self.message_id)),
            // An intermediate one answers the INSTRUCTION that was sent before, and ends nothing.
            Body::InstructionResponse(_) if message.in_reply_to().is_some() => {
                self.sink.passing(message);
            }
            _ => self.sink.passing(answering(message, &self.message_id)),
        }
    }

    /// Acknowledges a message that needs no other answer.
    pub(crate) fn acknowledge(self) {
        let ack = Ack { message_id: self.message_id.clone(), ..Ack::default() };
        let message = self.maker.message(self.context_id.as_deref(), ack.into());
        self.finish(message);
    }

    /// Sends the answer.
    pub(crate) fn finish(mut self, message: Message) {
        self.is_answered = true;
        self.count(&message);
        if let Some(log) = &self.log {
            log.answered(self.kind, &self.message_id, self.context_id.as_deref(), &message);
        }
        self.sink.last(answering(message, &self.message_id));
    }

    pub(crate) fn finish_with(self, answer: Result<Message, Refusal>) {
        match answer {
            Ok(message) => self.finish(message),
            Err(refused) => self.refuse(refused),
        }
    }

    fn count(&self, answer: &Message) {
        let is_error = matches!(answer.body, Body::ErrorResponse(_));
        self.maker.metrics.messages.count(self.kind, if is_error { "error" } else { "ok" });
    }

    /// Sends a refusal as the answer.
    pub(crate) fn refuse(self, mut refusal: Refusal) {
        refusal.message_id.get_or_insert_with(|| self.message_id.clone());
        if refusal.context_id.is_none() {
            refusal.context_id.clone_from(&self.context_id);
        }
        let trace = self.trace.as_ref().map(Parent::trace_id);
        let message = self.maker.refusal_in(refusal, trace);
        self.finish(message);
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        let mut refusal = Refusal::new(ErrorCode::Internal, "the work on the message failed");
        refusal.message_id = Some(self.message_id.clone());
        refusal.context_id.clone_from(&self.context_id);
        let message = self.maker.refusal(refusal);
        self.count(&message);
        self.sink.last(message);
    }
}

/// Returns the name of a type of the protocol, for the metrics.
fn known(kind: &str) -> &'static str {
    KINDS.iter().find(|known| known.name == kind).map_or("other", |known| known.name)
}
