//! The work on one set, from the message that was accepted to the answer that is kept.

use super::answer::{self, Ended};
use super::checked::Checked;
use super::clients::Clients;
use super::faults;
use super::news::{self, News};
use super::running::Place;
use crate::serve::app::App;
use crate::serve::exchange::refusal;
use crate::serve::frontend::Forwarder;
use crate::serve::message::answering;
use crate::serve::session::Session;
use contexture::flows::{Flow, FlowError, FlowRequest};
use contexture::store::contexts::{
    Answer, Applied, ContextError, KeyName, MessageKey, NewMessage, Operation, Settlement, Update,
};
use contexture_flow::check::Report as Warnings;
use contexture_flow::run::Report;
use contexture_protocol::content::{Ack, CallMode, Outcome, Progress, Status};
use contexture_protocol::{Body, ErrorCode, Message, Refusal};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;

/// The longest id of a message in the store, in bytes.
const LONGEST_KEY: usize = 256;

/// Who hears what a set tells on the way.
pub(super) type Tell = Arc<dyn Fn(&Message) + Send + Sync>;

/// A set that was sent, and those who wait for it.
pub(super) struct Job {
    pub(super) app: Arc<App>,
    pub(super) owner: Arc<str>,
    /// The session that it came in: its client is asked first.
    pub(super) origin: Option<Arc<Session>>,
    pub(super) context: String,
    /// Which context of this id, once it is known: what comes late does not land in the next.
    pub(super) incarnation: Option<u64>,
    /// What holds the set.
    pub(super) message: Message,
    /// The intent that the set answers; the set is the app's own then, and not a client's.
    pub(super) intent: Option<String>,
    pub(super) place: Place,
    pub(super) tell: Tell,
}

/// How a run begins.
#[derive(Default)]
pub(super) struct Begins {
    /// The run to go on with, and not to begin.
    pub(super) resume: Option<String>,
    /// Outcomes that an earlier server may not have told.
    pub(super) ended: Vec<Outcome>,
    pub(super) is_paused: bool,
}

/// What is told of a request step by step, with the steps that were.
pub(super) struct Telling {
    is_async: bool,
    is_instructions: bool,
    told: HashSet<String>,
    total: usize,
    /// The response that ends an asynchronous request.
    last: Option<Message>,
}

impl Job {
    pub(super) fn forwarder(&self) -> Arc<Forwarder> {
        let (app, owner) = (&self.app, Arc::clone(&self.owner));
        Arc::new(Forwarder::of(app, owner, self.origin.clone(), &self.context, self.answers()))
    }

    /// The message that is answered: that of the set, or the one whose intent the set answers.
    pub(super) fn answers(&self) -> &str {
        &self.place.key().2
    }

    pub(super) fn is_async(&self) -> bool {
        matches!(&self.message.body, Body::ToolCallRequest(r) if r.mode() == CallMode::Async)
    }

    pub(super) fn telling(&self, total: usize) -> Telling {
        let is_instructions = matches!(self.message.body, Body::Instruction(_));
        let is_async = self.is_async();
        Telling { is_async, is_instructions, told: HashSet::new(), total, last: None }
    }

    /// Runs the set to its end, and answers.
    pub(super) async fn run(self, run: String, checked: Checked, begins: Begins) {
        let answer = self.work(&run, checked, begins).await;
        self.close(answer).await;
    }

    /// Keeps and tells the answer.
    pub(super) async fn close(self, answer: Result<Message, Refusal>) {
        match answer {
            // Its parts were kept as they came.
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

    pub(super) fn refusal(&self, refused: Refusal) -> Message {
        self.app.maker.refusal(Refusal {
            message_id: Some(self.answers().to_owned()),
            context_id: Some(self.context.clone()),
            ..refused
        })
    }

    /// Runs the set to its end; the answer is not kept yet.
    pub(super) async fn work(
        &self,
        run: &str,
        checked: Checked,
        begins: Begins,
    ) -> Result<Message, Refusal> {
        let began = Instant::now();
        let Checked { request, clients, warnings } = checked;
        let (observer, news) = news::listen(self.is_async());
        let request = FlowRequest {
            id: Some(run.to_owned()),
            journal: Some(self.app.flows.journals.journal()),
            observer: Some(observer),
            resume: begins.resume,
            ..request
        };
        let flow = self.prepared(request).await?;
        self.keep_ack().await;
        let mut telling = self.telling(flow.set().steps.len());
        if begins.is_paused {
            self.place.running().begins_paused();
        }
        self.place.running().steered_by(run, flow.control());
        let running = Aborted(tokio::spawn(flow.run()));
        for outcome in begins.ended {
            self.tell_outcome(&clients, outcome, &mut telling).await;
        }
        let report = self.follow(running, news, &clients, &mut telling).await;
        let report = report.ok_or_else(|| {
            Refusal::new(ErrorCode::Internal, "the run broke off inside the server")
        })?;
        let ended = Ended::of(&report);
        self.say(&ended, run, began);
        let message = self.answered(ended, &clients, telling).await?;
        Ok(noted(message, run, &warnings))
    }

    /// The ACK of an asynchronous request.
    pub(super) fn ack(&self, version: Option<u64>) -> Message {
        let (message_id, version) = (self.answers().to_owned(), version.map(Into::into));
        let ack = Ack { message_id, version, ..Ack::default() };
        let message = self.app.maker.message(Some(&self.context), Body::Ack(ack));
        answering(message, self.answers())
    }

    /// Keeps the ACK as the answer of an asynchronous request whose run is noted: until then a server
    /// that starts finds it without an answer, and begins it.
    pub(super) async fn keep_ack(&self) {
        if !self.is_async() {
            return;
        }
        let (_, context_id, message_id) = self.place.key().clone();
        let key = KeyName { context_id, message_id };
        let settles = Settlement { key, answer: self.ack(None).to_json().into() };
        let owner = self.owner.to_string();
        let update = Update {
            owner,
            context_id: Some(self.context.clone()),
            incarnation: self.incarnation,
            settles: Some(settles),
            ..Update::default()
        };
        if let Err(error) = self.app.updated(update).await {
            self.app.log.info("store", json!({ "error": error.to_string() }));
        }
    }

    /// Gets all ready that the run needs; it is noted in the journal then.
    async fn prepared(&self, request: FlowRequest) -> Result<Flow, Refusal> {
        let project = self.app.project.clone();
        let prepare = move || Flow::prepare(&project, request);
        let broken = || Refusal::new(ErrorCode::Internal, "the work on the set broke off");
        let prepared: Result<Flow, FlowError> =
            tokio::task::spawn_blocking(prepare).await.map_err(|_| broken())?;
        prepared.map_err(|error| {
            self.app.log.info("set", json!({ "error": error.to_string(), "code": error.code() }));
            faults::unready(&error)
        })
    }

    /// Tells what happens until nothing happens any more.
    async fn follow(
        &self,
        mut running: Aborted,
        mut news: UnboundedReceiver<News>,
        clients: &Clients,
        telling: &mut Telling,
    ) -> Option<Report> {
        if telling.is_instructions {
            self.progress(news::whole(self.answers()));
        }
        while let Some(one) = news.recv().await {
            if telling.is_instructions {
                self.progress(one.progress(self.answers()));
            } else if let Some(outcome) = one.outcome {
                self.tell_outcome(clients, outcome, telling).await;
            }
        }
        (&mut running.0).await.ok()
    }

    fn progress(&self, progress: Progress) {
        let message = self.app.maker.message(Some(&self.context), Body::Progress(progress));
        (self.tell)(&answering(message, self.answers()));
    }

    /// Keeps the response to one call of an asynchronous request, and pushes it. The last one ends
    /// the request.
    pub(super) async fn tell_outcome(
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
        // An earlier server may have kept it already: it is kept once.
        let key = MessageKey {
            message_id: part(self.answers(), &id),
            digest: [0; 32],
            answer: Answer::Ready(String::new()),
        };
        let added = self.add(&message, Some(key), None).await;
        let is_last = telling.told.len() >= telling.total;
        match added {
            // Whoever waits in this server may not have heard it from that one.
            Ok(applied) => {
                if let Some(seq) = applied.seqs.first() {
                    message.set_meta("seq", *seq);
                }
            }
            // The result counts all the same; the log says when the store is in trouble.
            Err(error) => self.app.log.info("store", json!({ "error": error.to_string() })),
        }
        if is_last {
            telling.last = Some(message);
        } else {
            (self.tell)(&message);
        }
    }

    /// The message that answers.
    pub(super) async fn answered(
        &self,
        ended: Ended,
        clients: &Clients,
        mut telling: Telling,
    ) -> Result<Message, Refusal> {
        let (maker, context) = (&self.app.maker, &self.context);
        if let Some(intent) = &self.intent {
            let answer = answer::of_intent(maker, intent, context, &ended);
            self.keep_outcomes(ended).await;
            return answer;
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

    /// Keeps and tells the outcomes of a set that is not answered by them: later sets may name them
    /// (CP-5).
    async fn keep_outcomes(&self, ended: Ended) {
        let message = answer::of_instructions(&self.app.maker, &self.context, ended);
        let mut message = answering(message, &self.message.message_id);
        let key = MessageKey {
            message_id: part(self.answers(), ""),
            digest: [0; 32],
            answer: Answer::Ready(String::new()),
        };
        match self.add(&message, Some(key), None).await {
            Ok(applied) => {
                if let Some(seq) = applied.seqs.first() {
                    message.set_meta("seq", *seq);
                }
            }
            Err(error) => self.app.log.info("store", json!({ "error": error.to_string() })),
        }
        (self.tell)(&message);
    }

    /// Says in the log how it went.
    fn say(&self, ended: &Ended, run: &str, began: Instant) {
        self.app.metrics.sets.count(self.message.kind().to_owned(), ended.status.as_str());
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let done = ended.outcomes.iter().filter(|one| one.status == Status::Completed).count();
        self.app.log.info(
            "set",
            json!({
                "type": self.message.kind(),
                "owner": &*self.owner,
                "contextId": self.context,
                "messageId": self.answers(),
                "outcome": ended.status.as_str(),
                "run": run,
                "steps": ended.outcomes.len(),
                "completed": done,
                "journal": ended.fault,
                "ms": ms,
            }),
        );
    }

    /// Adds a message to the context.
    async fn add(
        &self,
        message: &Message,
        key: Option<MessageKey>,
        settles: Option<Settlement>,
    ) -> Result<Applied, ContextError> {
        let update = Update {
            owner: self.owner.to_string(),
            context_id: Some(self.context.clone()),
            incarnation: self.incarnation,
            key,
            operations: vec![Operation::AddMessage(NewMessage::of(message))],
            cause: Some(self.answers().to_owned()),
            settles,
            ..Update::default()
        };
        self.app.updated(update).await
    }

    /// Keeps the answer together with the message's key, then tells it.
    pub(super) async fn settle(self, message: Message) {
        let message = match self.settled(message).await {
            Ok(message) => message,
            Err(error) => {
                let refused = self.refusal(refusal(error, Some(&self.context)));
                // What is too large to be kept is answered with that.
                self.settled(refused.clone()).await.unwrap_or(refused)
            }
        };
        self.place.finish(message);
    }

    async fn settled(&self, message: Message) -> Result<Message, ContextError> {
        let mut message = answering(message, self.answers());
        message.context_id = Some(self.context.clone());
        let (_, context_id, message_id) = self.place.key().clone();
        let key = KeyName { context_id, message_id };
        // What is told again is what is told now, its place in the context too.
        let made = message.clone();
        let answer = Answer::Made(Arc::new(move |applied| placed(made.clone(), applied)));
        let settles = Settlement { key, answer };
        let applied = self.add(&message, None, Some(settles)).await?;
        if let Some(seq) = applied.seqs.first() {
            message.set_meta("seq", *seq);
        }
        Ok(message)
    }
}

/// Says which run it was, and what the check of the set warned of.
pub(super) fn noted(mut message: Message, run: &str, warnings: &Warnings) -> Message {
    message.set_meta("run", run);
    let warnings = warnings.to_value().get("diagnostics").cloned().unwrap_or(Value::Null);
    if warnings.as_array().is_some_and(|all| !all.is_empty()) {
        message.set_meta("warnings", warnings);
    }
    message
}

/// The key of a part of the answer to a message. No client's own key holds this character; what is
/// longer than a key may be stands in it as a digest.
fn part(answers: &str, id: &str) -> String {
    let key = format!("{answers}\u{1f}{id}");
    if key.len() <= LONGEST_KEY {
        return key;
    }
    let digest = Sha256::digest(key.as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\u{1f}{digest}")
}

/// The text of a message that got a place in its context.
fn placed(mut message: Message, applied: &Applied) -> String {
    if let Some(seq) = applied.seqs.first() {
        message.set_meta("seq", *seq);
    }
    message.to_json()
}

/// A run that ends when nobody waits for it any more.
struct Aborted(JoinHandle<Report>);

impl Drop for Aborted {
    fn drop(&mut self) {
        self.0.abort();
    }
}
