//! Where the answer to a message goes.

use super::witness::Witness;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::message::{Maker, answering};
use crate::serve::operations::parent::Parent;
use crate::serve::session::Session;
use contexture_protocol::{Body, ErrorCode, KINDS, Message, Refusal};
use std::sync::Arc;

/// Takes what answers one message: what passes on the way, and what ends it.
pub(crate) trait Outlet: Send + Sync {
    /// A message on the way: a delta, a tool call, a result.
    fn passing(&self, message: Message);

    /// The answer.
    fn last(&self, message: Message);

    /// The ACK of work whose results come later: the answer for those who take one alone.
    fn acknowledged(&self, message: Message) {
        self.passing(message);
    }

    /// The session that it goes to, whose messages come without a gap.
    fn session(&self) -> Option<&Session> {
        None
    }
}

impl Outlet for Session {
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

/// The way back to whoever sent a message. Exactly one answer goes out: work that is lost on the
/// way answers INTERNAL.
pub(crate) struct Reply {
    outlet: Arc<dyn Outlet>,
    maker: Maker,
    message_id: String,
    context_id: Option<String>,
    /// The type of the message.
    kind: &'static str,
    witness: Option<Witness>,
    /// The trace that the message belongs to.
    trace: Option<Parent>,
    is_answered: bool,
}

impl Reply {
    pub(crate) fn new(outlet: Arc<dyn Outlet>, maker: Maker, message: &Message) -> Self {
        Self {
            outlet,
            maker,
            message_id: message.message_id.clone(),
            context_id: message.context_id.clone(),
            kind: known(message.kind()),
            witness: None,
            trace: Parent::of_message(message),
            is_answered: false,
        }
    }

    /// From here on the audit log and the log hear of the answer.
    pub(crate) fn witnessed(mut self, app: &Arc<App>, caller: &Caller) -> Self {
        self.witness = Some(Witness::new(app, caller));
        self.trace = self.trace.or(caller.trace);
        self
    }

    /// Reports whether both go to the same session.
    pub(crate) fn goes_where(&self, other: &Self) -> bool {
        match (self.outlet.session(), other.outlet.session()) {
            (Some(own), Some(theirs)) => std::ptr::eq(own, theirs),
            _ => false,
        }
    }

    /// Says nothing: another one answers the same message in the same session.
    pub(crate) fn leave(mut self) {
        self.is_answered = true;
    }

    /// Sends something on the way.
    pub(crate) fn pass(&self, message: Message) {
        match message.body {
            Body::Ack(_) => self.outlet.acknowledged(answering(message, &self.message_id)),
            // On the way it answers the INSTRUCTION, which went before it, and ends nothing.
            Body::InstructionResponse(_) if message.in_reply_to().is_some() => {
                self.outlet.passing(message);
            }
            _ => self.outlet.passing(answering(message, &self.message_id)),
        }
    }

    /// Sends the answer.
    pub(crate) fn finish(mut self, message: Message) {
        self.is_answered = true;
        self.count(&message);
        if let Some(witness) = &self.witness {
            witness.answered(self.kind, &self.message_id, self.context_id.as_deref(), &message);
        }
        self.outlet.last(answering(message, &self.message_id));
    }

    fn count(&self, answer: &Message) {
        let is_error = matches!(answer.body, Body::ErrorResponse(_));
        self.maker.metrics.messages.count(self.kind, if is_error { "error" } else { "ok" });
    }

    /// Answers that the message is not accepted.
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
        let mut refusal = Refusal::new(ErrorCode::Internal, "the work on the message broke off");
        refusal.message_id = Some(self.message_id.clone());
        refusal.context_id.clone_from(&self.context_id);
        let message = self.maker.refusal(refusal);
        self.count(&message);
        self.outlet.last(message);
    }
}

/// The name of a type of the protocol, for what is counted.
fn known(kind: &str) -> &'static str {
    KINDS.iter().find(|known| known.name == kind).map_or("other", |known| known.name)
}
