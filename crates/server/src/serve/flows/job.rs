//! The work on one set, from the accepted message to the stored answer.

use super::answer::{self, Ended};
use super::clients::Clients;
use super::place::Place;
use super::progress::{self, StepChange};
use super::resume;
use crate::serve::app::App;
use crate::serve::context_writer::ContextWriter;
use crate::serve::exchange::failure::{is_passing, refusal};
use crate::serve::frontend::target::Forwarder;
use crate::serve::message::answering;
use crate::serve::operations::log::millis;
use crate::serve::phase::Phase;
use crate::serve::routed::Heard;
use crate::serve::session::Session;
use contexture::context::{Digest, Label, Trust};
use contexture::flows::{Flow, FlowError, FlowRequest, Labels, Waits};
use contexture::llm::Ledger;
use contexture::store::contexts::{Answer, MessageKey};
use contexture::store::flows::{WaitFilter, WaitState};
use contexture_flow::Set;
use contexture_flow::check::Report as Warnings;
use contexture_flow::run::{Control, Report};
use contexture_protocol::content::{Ack, CallMode, Outcome, Progress, Status};
use contexture_protocol::{Body, ErrorCode, Message, Refusal};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;

/// The longest id of a message in the store, in bytes.
const LONGEST_KEY: usize = 256;

/// The interval after which a set that only waits is left until it is answered.
pub(crate) const PARKED: Duration = Duration::from_millis(500);
/// That interval when the server is about to end.
pub(crate) const ENDING: Duration = Duration::from_millis(20);

/// A function that sends an intermediate message.
pub(super) type Tell = Arc<dyn Fn(&Message) + Send + Sync>;

pub(super) struct Job {
    pub(super) app: Arc<App>,
    pub(super) owner: Arc<str>,
    /// The account of the client's token, if it has a limit.
    pub(super) ledger: Option<Arc<Ledger>>,
    /// The session of the request: its client is asked first.
    pub(super) origin: Option<Arc<Session>>,
    pub(super) context: String,
    /// The incarnation of the context, once it is known.
    pub(super) incarnation: Option<u64>,
    pub(super) message: Message,
    /// The intent that the set answers; such a set is the app's own, and not of a client.
    pub(super) intent: Option<String>,
    /// The labels of its results, once it runs.
    pub(super) labels: OnceLock<Labels>,
    pub(super) place: Place,
    pub(super) tell: Tell,
}

/// A set that may be run.
pub(super) struct Checked {
    pub(super) request: FlowRequest,
    pub(super) clients: Arc<Clients>,
    pub(super) warnings: Warnings,
}

#[derive(Default)]
pub(super) struct Start {
    /// The run to resume.
    pub(super) resume: Option<String>,
    /// Outcomes that an earlier server may not have sent.
    pub(super) ended: Vec<Outcome>,
    pub(super) is_paused: bool,
    /// The steps that waited when the run was interrupted, before any effect.
    pub(super) waiting: Vec<String>,
    /// The time that the run took before, of the time of its set.
    pub(super) elapsed: Duration,
}

/// The responses to an asynchronous request so far.
pub(super) struct Telling {
    is_async: bool,
    is_instructions: bool,
    told: HashSet<String>,
    total: usize,
    /// The response that ends an asynchronous request.
    last: Option<Message>,
}

pub(super) fn set_of(message: &Message) -> Option<Set> {
    match &message.body {
        Body::ToolCallRequest(request) => Some(Set::of_calls(request.clone())),
        Body::Instruction(set) => Some(Set::of_instructions(set.clone())),
        Body::ModelResponse(response) => response.request().map(Set::of_calls),
        _ => None,
    }
}

/// Reports whether the calls of a message are answered one by one.
pub(super) fn is_async(message: &Message) -> bool {
    let mode = match &message.body {
        Body::ToolCallRequest(request) => request.execution_mode,
        Body::ModelResponse(response) => response.execution_mode,
        _ => None,
    };
    mode == Some(CallMode::Async)
}

impl Job {
    pub(super) fn forwarder(&self) -> Arc<Forwarder> {
        let (app, owner) = (&self.app, Arc::clone(&self.owner));
        let forwarder =
            Forwarder::of(app, owner, self.origin.clone(), &self.context, self.answers());
        Arc::new(forwarder.asked_by(&self.message.sender))
    }

    /// Returns the id of the message that is answered: that of the set, or that with the intent.
    pub(super) fn answers(&self) -> &str {
        &self.place.key.2
    }

    pub(super) fn is_async(&self) -> bool {
        is_async(&self.message)
    }

    pub(super) fn telling(&self, total: usize) -> Telling {
        let is_instructions = matches!(self.message.body, Body::Instruction(_));
        let is_async = self.is_async();
        Telling { is_async, is_instructions, told: HashSet::new(), total, last: None }
    }

    /// Runs the set to its end, and answers.
    pub(super) async fn run(self, run: String, checked: Checked, start: Start) {
        let answer = self.work(&run, checked, start).await;
        self.over(&run, answer).await;
    }

    /// Answers a set that has ended; one that only waits leaves its rows.
    pub(super) async fn over(self, run: &str, answer: Result<Option<Message>, Refusal>) {
        match answer {
            Ok(None) => self.park(run).await,
            Ok(Some(answer)) => self.close(Ok(answer)).await,
            Err(refused) => self.close(Err(refused)).await,
        }
    }

    /// Leaves a set that waits for clients alone: an answer wakes it.
    async fn park(self, run: &str) {
        let Self { app, place, .. } = self;
        app.calls.journal().park_waits(run, true);
        if app.is_ending() {
            // Who waits learns that the server ends.
            return;
        }
        place.park();
        let state = Some(WaitState::Answered);
        let filter = WaitFilter { run: Some(run.to_owned()), state, ..WaitFilter::default() };
        // It may have been answered meanwhile.
        let answered = app.calls.find(filter).await.unwrap_or_default();
        if let Some(wait) = answered.first() {
            resume::wake(&app, wait).await;
        }
    }

    /// Stores and sends the answer.
    pub(super) async fn close(self, answer: Result<Message, Refusal>) {
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

    pub(super) fn refusal(&self, refused: Refusal) -> Message {
        self.app.maker.refusal(Refusal {
            message_id: Some(self.answers().to_owned()),
            context_id: Some(self.context.clone()),
            ..refused
        })
    }

    /// Runs the set to its end; the answer is not stored yet.
    pub(super) async fn work(
        &self,
        run: &str,
        checked: Checked,
        start: Start,
    ) -> Result<Option<Message>, Refusal> {
        let began = Instant::now();
        let Checked { request, clients, warnings } = checked;
        let ended = Arc::clone(&clients);
        let (observer, changes) = progress::listen(self.is_async(), move |step| ended.ended(step));
        let request = FlowRequest {
            id: Some(run.to_owned()),
            journal: Some(self.app.flows.journals.journal()),
            observer: Some(observer),
            resume: start.resume,
            waits: Waits {
                steps: start.waiting.clone(),
                count: Arc::clone(&clients.steps.count),
                elapsed: start.elapsed,
            },
            ..request
        };
        let flow = self.prepared(request).await?;
        self.labels.get_or_init(|| flow.labels());
        self.keep_ack().await;
        let mut telling = self.telling(flow.set().steps.len());
        if start.is_paused {
            self.place.running.start_paused();
        }
        self.place.running.started(run, flow.control());
        let control = flow.control();
        let (app, waiting) = (Arc::clone(&self.app), start.waiting);
        let running = Aborted(tokio::spawn(async move { app.engine.run(flow, waiting).await }));
        // What this process told already is not told again.
        if self.place.is_again {
            telling.told.extend(start.ended.iter().map(|one| one.instruction_id.clone()));
        }
        for outcome in start.ended {
            self.tell_outcome(&clients, outcome, &mut telling).await;
        }
        let report = self.follow((running, control), changes, &clients, &mut telling).await;
        let report = report
            .ok_or_else(|| Refusal::new(ErrorCode::Internal, "the run failed inside the server"))?;
        if report.is_suspended() {
            return Ok(None);
        }
        if clients.steps.has_waited() {
            self.app.calls.journal().end_waits(run, Box::new(drop));
        }
        let ended = Ended::of(&report);
        self.log(&ended, run, began);
        let message = self.answered((run, ended), &clients, telling).await?;
        Ok(Some(noted(message, run, &warnings)))
    }

    /// Returns the ACK of an asynchronous request.
    pub(super) fn ack(&self, version: Option<u64>) -> Message {
        let (message_id, version) = (self.answers().to_owned(), version.map(Into::into));
        let ack = Ack { message_id, version, ..Ack::default() };
        let message = self.app.maker.message(Some(&self.context), Body::Ack(ack));
        answering(message, self.answers())
    }

    /// Stores the ACK as the answer of an asynchronous request whose run is in the journal: until then,
    /// a new server finds it without an answer, and begins it.
    pub(super) async fn keep_ack(&self) {
        if !self.is_async() {
            return;
        }
        if let Err(error) = self.writer().settle_only(&self.ack(None)).await {
            self.app.log.info("store", json!({ "error": error.to_string() }));
        }
    }

    /// Prepares the run, which is then in the journal.
    async fn prepared(&self, request: FlowRequest) -> Result<Flow, Refusal> {
        let project = self.app.project.clone();
        let prepare = move || Flow::prepare(&project, request);
        let broken = || Refusal::new(ErrorCode::Internal, "the work on the set failed");
        let prepared: Result<Flow, FlowError> =
            tokio::task::spawn_blocking(prepare).await.map_err(|_| broken())?;
        prepared.map_err(|error| self.unready(&error))
    }

    /// Reports the changes of the run until its end.
    async fn follow(
        &self,
        (mut running, control): (Aborted, Control),
        mut changes: UnboundedReceiver<StepChange>,
        clients: &Clients,
        telling: &mut Telling,
    ) -> Option<Report> {
        if telling.is_instructions && !self.place.is_again {
            self.progress(progress::whole(self.answers()));
        }
        let mut phase = self.app.phase.subscribe();
        // The first look comes after a while: what is answered at once need not be stored away.
        let mut tick = tokio::time::interval_at(tokio::time::Instant::now() + PARKED, PARKED);
        let mut is_ending = false;
        loop {
            let one = tokio::select! {
                one = changes.recv() => one,
                _ = phase.wait_for(|phase| *phase != Phase::Open), if !is_ending => {
                    is_ending = true;
                    tick = tokio::time::interval(ENDING);
                    continue;
                }
                // The set of an intent ends with its turn.
                _ = tick.tick(), if self.intent.is_none() => {
                    let is_waiting = match is_ending {
                        true => clients.steps.count.load(Ordering::SeqCst) > 0,
                        false => clients.steps.only_wait(),
                    };
                    if is_waiting {
                        control.suspend();
                    }
                    continue;
                }
            };
            let Some(one) = one else { break };
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

    /// Stores and sends the response to one call of an asynchronous request. The last one ends
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
        self.keep_part(&mut message, &id).await;
        let is_last = telling.told.len() >= telling.total;
        if is_last {
            telling.last = Some(message);
        } else {
            (self.tell)(&message);
        }
    }

    pub(super) async fn answered(
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
    pub(super) fn label_of(&self, answer: &Message) -> Label {
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

    fn log(&self, ended: &Ended, run: &str, began: Instant) {
        self.app.metrics.sets.count(self.message.kind().to_owned(), ended.status.as_str());
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
                "ms": millis(began),
            }),
        );
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
    pub(super) fn heard(&self) -> Option<Heard> {
        let is_model = matches!(self.message.body, Body::ModelResponse(_));
        let session = self.origin.as_ref().filter(|_| is_model);
        self.app.routed.of(&self.owner, session, &self.message).filter(|_| is_model)
    }

    /// Stores and sends the answer.
    pub(super) async fn settle(self, message: Message) {
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
pub(super) fn noted(mut message: Message, run: &str, warnings: &Warnings) -> Message {
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

/// A run that is aborted when this is dropped.
struct Aborted(JoinHandle<Report>);

impl Drop for Aborted {
    fn drop(&mut self) {
        self.0.abort();
    }
}
