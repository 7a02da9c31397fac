//! The answer of a set, whole or in parts: stored, and then sent.

use super::Job;
use crate::serve::context_writer::ContextWriter;
use crate::serve::exchange::failure::{is_passing, refusal};
use crate::serve::flows::answer::{self, Ended};
use crate::serve::flows::clients::Clients;
use crate::serve::message::answering;
use crate::serve::routed::Heard;
use contexture::context::{Digest, Label, Trust};
use contexture::store::contexts::{Answer, MessageKey};
use contexture_flow::check::Report as Warnings;
use contexture_protocol::content::{Ack, Outcome};
use contexture_protocol::{Body, Message, Refusal};
use serde_json::{Value, json};
use std::collections::HashSet;

/// The longest id of a message in the store, in bytes.
const LONGEST_KEY: usize = 256;

/// The responses to an asynchronous request so far.
pub(in crate::serve::flows) struct Telling {
    pub(super) is_async: bool,
    pub(super) is_instructions: bool,
    pub(super) told: HashSet<String>,
    pub(super) total: usize,
    /// The response that ends an asynchronous request.
    pub(super) last: Option<Message>,
}

impl Job {
    /// Stores and sends the answer.
    pub(in crate::serve::flows) async fn close(self, answer: Result<Message, Refusal>) {
        match answer {
            // Its parts were stored as they came.
            Ok(last) if self.is_async() => {
                let last = answering(last, self.answers());
                self.place.finish(last);
            }
            Ok(message) => self.settle(message).await,
            Err(refused) => {
                let refused = self.refusal(refused);
                self.settle(refused).await;
            }
        }
    }

    pub(in crate::serve::flows) fn refusal(&self, refused: Refusal) -> Message {
        self.app.maker.refusal(Refusal {
            message_id: Some(self.answers().to_owned()),
            context_id: Some(self.context.clone()),
            ..refused
        })
    }

    /// Returns the ACK of an asynchronous request.
    pub(in crate::serve::flows) fn ack(&self, version: Option<u64>) -> Message {
        let (message_id, version) = (self.answers().to_owned(), version.map(Into::into));
        let ack = Ack { message_id, version, ..Ack::default() };
        let message = self.app.maker.message(Some(&self.context), Body::Ack(ack));
        answering(message, self.answers())
    }

    /// Stores the ACK as the answer of an asynchronous request whose run is in the journal: until then,
    /// a new server finds it without an answer, and begins it.
    pub(in crate::serve::flows) async fn keep_ack(&self) {
        if !self.is_async() {
            return;
        }
        if let Err(error) = self.writer().settle_only(&self.ack(None)).await {
            self.app.log.info("store", json!({ "error": error.to_string() }));
        }
    }

    /// Stores and sends the response to one call of an asynchronous request. The last one ends
    /// the request.
    pub(in crate::serve::flows) async fn tell_outcome(
        &self,
        clients: &Clients,
        outcome: Outcome,
        telling: &mut Telling,
    ) {
        if !telling.is_async || !telling.told.insert(outcome.instruction_id.clone()) {
            return;
        }
        let id = outcome.instruction_id.clone();
        let result = answer::result(clients, outcome);
        let message = answer::response(&self.app.maker, clients, &self.context, vec![result]);
        let mut message = answering(message, self.answers());
        self.keep_part(&mut message, &id).await;
        let is_last = telling.told.len() >= telling.total;
        if is_last {
            telling.last = Some(message);
        } else {
            (self.tell)(&message);
        }
    }

    pub(in crate::serve::flows) async fn answered(
        &self,
        (run, ended): (&str, Ended),
        clients: &Clients,
        mut telling: Telling,
    ) -> Result<Message, Refusal> {
        let (maker, context) = (&self.app.maker, &self.context);
        if let Some(intent) = &self.intent {
            let answer = answer::of_intent(maker, intent, (context, run), &ended);
            self.keep_outcomes(ended).await;
            return answer.map(|mut message| {
                let trust = self.label_of(&message).trust;
                if trust > Trust::Model {
                    message.set_meta("trust", trust.as_str());
                }
                message
            });
        }
        if telling.is_instructions {
            return Ok(answer::of_instructions(maker, context, ended));
        }
        if !telling.is_async {
            return Ok(answer::of_calls(maker, clients, context, ended));
        }
        for outcome in ended.outcomes {
            self.tell_outcome(clients, outcome, &mut telling).await;
        }
        let none = || answer::response(maker, clients, context, Vec::new());
        Ok(telling.last.take().unwrap_or_else(none))
    }

    /// Stores and sends the outcomes of a set whose answer is another message: later sets may name them
    /// (CP-5).
    async fn keep_outcomes(&self, ended: Ended) {
        let message = answer::of_instructions(&self.app.maker, &self.context, ended);
        let mut message = answering(message, &self.message.message_id);
        self.keep_part(&mut message, "").await;
        (self.tell)(&message);
    }

    /// Returns the label of an answer: that of all results in it.
    pub(in crate::serve::flows) fn label_of(&self, answer: &Message) -> Label {
        let Some(labels) = self.labels.get() else { return Label::default() };
        let steps: Vec<&str> = match &answer.body {
            Body::ToolCallResponse(response) => {
                response.results.iter().map(|one| one.call_id.as_str()).collect()
            }
            Body::InstructionResponse(response) => {
                response.results.iter().map(|one| one.instruction_id.as_str()).collect()
            }
            // Which result is the answer follows from all of them.
            Body::ModelResponse(_) => return labels.all(),
            _ => Vec::new(),
        };
        let known = steps.into_iter().filter_map(|step| labels.of(step));
        known.fold(Label::default(), |all, one| all.join(&one))
    }

    fn writer(&self) -> ContextWriter<'_> {
        let Self { app, context, incarnation, place, .. } = self;
        ContextWriter { app, key: &place.key, context, incarnation: *incarnation }
    }

    /// Stores a part of the answer, once: an earlier server may have stored it.
    async fn keep_part(&self, message: &mut Message, id: &str) {
        let answer = Answer::Ready(String::new());
        let key = MessageKey { message_id: part(self.answers(), id), digest: [0; 32], answer };
        // A result that can't be stored still counts.
        if let Err(error) =
            self.writer().add(message, &self.label_of(message), Some(key), None).await
        {
            self.app.log.info("store", json!({ "error": error.to_string() }));
        }
    }

    /// Returns the turn whose model service sent the calls.
    pub(in crate::serve::flows) fn heard(&self) -> Option<Heard> {
        let is_model = matches!(self.message.body, Body::ModelResponse(_));
        let session = self.origin.as_ref().filter(|_| is_model);
        self.app.routed.of(&self.owner, session, &self.message).filter(|_| is_model)
    }

    /// Stores and sends the answer.
    pub(in crate::serve::flows) async fn settle(self, message: Message) {
        let label = self.label_of(&message);
        let message = match self.writer().settle(message, &label).await {
            Ok(message) => message,
            // It is not the answer of the set, whose steps have their outcomes.
            Err(error) if is_passing(&error) => self.refusal(refusal(error, Some(&self.context))),
            Err(error) => {
                let refused = self.refusal(refusal(error, Some(&self.context)));
                // An answer that is too large is replaced with the error.
                self.writer().settle(refused.clone(), &Label::default()).await.unwrap_or(refused)
            }
        };
        if let Some(heard) =
            self.heard().filter(|_| matches!(message.body, Body::ToolCallResponse(_)))
        {
            heard.pass(&message);
        }
        self.place.finish(message);
    }
}

/// Adds the run and the warnings of the check to an answer.
pub(in crate::serve::flows) fn noted(
    mut message: Message,
    run: &str,
    warnings: &Warnings,
) -> Message {
    message.set_meta("run", run);
    let warnings = warnings.to_value().get("diagnostics").cloned().unwrap_or(Value::Null);
    if warnings.as_array().is_some_and(|all| !all.is_empty()) {
        message.set_meta("warnings", warnings);
    }
    message
}

/// Returns the key of a part of the answer to a message. No key of a client contains this character; a
/// key that is too long is replaced with its digest.
fn part(answers: &str, id: &str) -> String {
    let key = format!("{answers}\u{1f}{id}");
    if key.len() <= LONGEST_KEY {
        return key;
    }
    format!("\u{1f}{}", Digest::of_text(&key).hex())
}
