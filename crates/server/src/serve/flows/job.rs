//! The work on one set, from the accepted message to the stored answer.

mod answering;
mod resumed;

use super::answer::Ended;
use super::clients::Clients;
use super::faults;
use super::place::Place;
use super::progress::{self, StepChange};
use super::resume;
use crate::serve::app::App;
use crate::serve::frontend::target::Forwarder;
use crate::serve::message::answering;
use crate::serve::operations::log::millis;
use crate::serve::phase::Phase;
use crate::serve::session::Session;
use answering::{Telling, noted};
use contexture::flows::{Flow, FlowError, FlowRequest, Labels, Waits};
use contexture::llm::Ledger;
use contexture::store::flows::{FlowStoreError, WaitFilter, WaitState};
use contexture_flow::Set;
use contexture_flow::check::Report as Warnings;
use contexture_flow::run::{Control, Report};
use contexture_protocol::content::{CallMode, Outcome, Progress, Status};
use contexture_protocol::{Body, ErrorCode, Message, Refusal};
use serde_json::json;
use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;

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

/// Why a set has no answer of its own.
pub(super) enum Unanswered {
    /// It is refused.
    Refused(Refusal),
    /// The store failed, and the set can be resumed as after the end of a server. The refusal is for a caller
    /// that does not wait for that.
    Unkept(Refusal),
}

impl From<Refusal> for Unanswered {
    fn from(refused: Refusal) -> Self {
        Self::Refused(refused)
    }
}

impl Unanswered {
    pub(super) fn into_refusal(self) -> Refusal {
        match self {
            Self::Refused(refused) | Self::Unkept(refused) => refused,
        }
    }
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
    pub(super) async fn over(self, run: &str, answer: Result<Option<Message>, Unanswered>) {
        match answer {
            Ok(None) => self.park(run).await,
            Ok(Some(answer)) => self.close(Ok(answer)).await,
            Err(Unanswered::Refused(refused)) => self.close(Err(refused)).await,
            Err(Unanswered::Unkept(refused)) => self.unkept(refused),
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

    /// Runs the set to its end; the answer is not stored yet.
    pub(super) async fn work(
        &self,
        run: &str,
        checked: Checked,
        start: Start,
    ) -> Result<Option<Message>, Unanswered> {
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
        // An engine has ended the run for good.
        if report.is_resumable() && self.app.engine.is_local() {
            self.log(&Ended::of(&report), run, began);
            return Err(Unanswered::Unkept(faults::unkept()));
        }
        if clients.steps.has_waited() {
            self.app.calls.journal().end_waits(run, Box::new(drop));
        }
        let ended = Ended::of(&report);
        self.log(&ended, run, began);
        let message = self.answered((run, ended), &clients, telling).await?;
        Ok(Some(noted(message, run, &warnings)))
    }

    /// Prepares the run, which is then in the journal.
    async fn prepared(&self, request: FlowRequest) -> Result<Flow, Unanswered> {
        let project = self.app.project.clone();
        let prepare = move || Flow::prepare(&project, request);
        let broken = || Refusal::new(ErrorCode::Internal, "the work on the set failed");
        let prepared: Result<Flow, FlowError> =
            tokio::task::spawn_blocking(prepare).await.map_err(|_| broken())?;
        prepared.map_err(|error| match FlowStoreError::is_passing(error.code()) {
            true => Unanswered::Unkept(self.unready(&error)),
            false => Unanswered::Refused(self.unready(&error)),
        })
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
}

/// A run that is aborted when this is dropped.
struct Aborted(JoinHandle<Report>);

impl Drop for Aborted {
    fn drop(&mut self) {
        self.0.abort();
    }
}
