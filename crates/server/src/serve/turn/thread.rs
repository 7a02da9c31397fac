//! A turn while it runs.

use super::ended::Ended;
use crate::serve::agents::Agent;
use crate::serve::app::App;
use crate::serve::flows::job::{ENDING, PARKED};
use crate::serve::frontend::step::TurnCalls;
use crate::serve::operations::parent::Parent;
use crate::serve::operations::telemetry::TurnSpan;
use crate::serve::phase::Phase;
use contexture::durable::Durable;
use contexture::frontend::Frontend;
use contexture::llm::CancelToken;
use contexture::llm::Ledger;
use contexture::observe::Progress;
use contexture::permission::Permission;
use contexture::run::RunRequest;
use contexture::store::masker::Masker;
use contexture::turn::{Contexts, Conversation, Hints, TurnEvent, TurnReport, TurnRequest};
use contexture_protocol::{ErrorCode, Refusal};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, oneshot, watch};
use tokio::time::{Interval, Sleep, interval, interval_at};

pub(crate) struct TurnOptions {
    pub(crate) agent: Agent,
    pub(crate) owner: String,
    /// The account of the client's token, if it has a limit.
    pub(crate) ledger: Option<Arc<Ledger>>,
    pub(crate) conversation: Conversation,
    pub(crate) hints: Hints,
    pub(crate) frontend: Option<Arc<dyn Frontend>>,
    pub(crate) permission: Arc<dyn Permission>,
    pub(crate) parent: Option<Parent>,
    /// Its calls of clients, if it has a journal.
    pub(crate) calls: Option<Arc<TurnCalls>>,
}

/// A turn that runs. It is cancelled when this is dropped.
pub(crate) struct Running {
    app: Arc<App>,
    agent: String,
    events: UnboundedReceiver<TurnEvent>,
    report: oneshot::Receiver<TurnReport>,
    /// Cancels its run.
    cancel: CancelToken,
    /// Cancels the turn.
    cancelled: CancelToken,
    late: Pin<Box<Sleep>>,
    is_late: bool,
    watch: Option<Watch>,
    began: Instant,
    models: HashMap<u64, String>,
    span: TurnSpan,
    private: Masker,
    /// The id of the run, once it has begun.
    run: Option<String>,
    /// The outcome, once it has ended.
    outcome: Option<&'static str>,
}

/// Looks whether a turn only waits for people.
struct Watch {
    calls: Arc<TurnCalls>,
    tick: Interval,
    phase: watch::Receiver<Phase>,
    is_ending: bool,
    only_waited: bool,
    is_left: bool,
}

impl Watch {
    fn new(app: &App, calls: Arc<TurnCalls>) -> Self {
        let tick = interval_at(Instant::now().into(), PARKED);
        let phase = app.phase.subscribe();
        Self { calls, tick, phase, is_ending: false, only_waited: false, is_left: false }
    }

    /// Waits until the run does nothing but wait, for a while or on a server that is about to end.
    async fn stands(&mut self) {
        loop {
            tokio::select! {
                _ = self.tick.tick() => {}
                _ = self.phase.wait_for(|phase| *phase != Phase::Open), if !self.is_ending => {
                    self.is_ending = true;
                    self.tick = interval(ENDING);
                }
            }
            let only_waits = self.calls.only_waits();
            if only_waits && (self.only_waited || self.is_ending) {
                return;
            }
            self.only_waited = only_waits;
        }
    }
}

pub(crate) fn start(
    app: &Arc<App>,
    options: TurnOptions,
    cancelled: CancelToken,
    permit: OwnedSemaphorePermit,
) -> Running {
    let cancel = CancelToken::new();
    let watch = options.calls.clone().map(|calls| Watch::new(app, calls));
    let agent = options.agent.name.clone();
    let span = app.telemetry.turn(&agent, options.parent.as_ref(), &options.conversation);
    let private = Masker::of_values(options.conversation.private.iter().cloned());
    let request = request(app, options);
    let (tell, events) = unbounded_channel();
    let (ended, report) = oneshot::channel();
    let turn = contexture::Runtime::of(app.project.clone())
        .turn(request)
        .cancel(cancel.clone())
        .events(move |event| {
            // Each one wakes the turn. Nobody listens when the server ends.
            if concerns_turn(&event) {
                let _ = tell.send(event);
            }
        });
    tokio::spawn(async move {
        let _permit = permit;
        let _ = ended.send(turn.await);
    });
    let patience = Duration::from_secs(app.project.config.serve.turn_timeout.get());
    Running {
        app: Arc::clone(app),
        agent,
        events,
        report,
        cancel,
        cancelled,
        late: Box::pin(tokio::time::sleep(patience)),
        is_late: false,
        watch,
        began: Instant::now(),
        models: HashMap::new(),
        span,
        private,
        run: None,
        outcome: None,
    }
}

/// Reports whether a turn tells, counts or notes an event.
const fn concerns_turn(event: &TurnEvent) -> bool {
    use Progress::{GenerateEnded, GenerateStarted, Planned, Said};
    match event {
        TurnEvent::Progress(progress) => matches!(
            progress,
            Said(_) | Planned { .. } | GenerateStarted { .. } | GenerateEnded { .. }
        ),
        _ => true,
    }
}

fn request(app: &App, options: TurnOptions) -> TurnRequest {
    let contexts = Contexts { store: Arc::clone(&app.store), owner: options.owner };
    let run = RunRequest {
        program: options.agent.program,
        text: options.agent.text,
        agent: options.agent.agent,
        frontend: options.frontend,
        permission: Some(options.permission),
        contexts: Some(contexts),
        ledger: options.ledger,
        durable: options.calls.map(|calls| Durable::Turn(calls.journal.clone())),
        ..app.turn_request.clone()
    };
    TurnRequest { run, conversation: options.conversation, hints: options.hints }
}

impl Running {
    /// Waits for the next event; `None` at the end. A turn that takes too long is cancelled, and one that
    /// only waits for people is left.
    pub(crate) async fn next(&mut self) -> Option<TurnEvent> {
        loop {
            let stands = async {
                match &mut self.watch {
                    Some(watch) if !watch.is_left => watch.stands().await,
                    _ => std::future::pending().await,
                }
            };
            tokio::select! {
                event = self.events.recv() => {
                    match &event {
                        Some(TurnEvent::Progress(progress)) => self.count(progress),
                        Some(TurnEvent::Started { run: Some(run) }) => self.begun(run),
                        _ => {}
                    }
                    if let Some(event) = &event {
                        self.span.event(event);
                    }
                    return event;
                }
                () = self.cancelled.cancelled(), if !self.cancel.is_cancelled() => {
                    self.cancel.cancel();
                }
                () = stands => self.leave(),
                () = &mut self.late, if !self.is_late => {
                    self.is_late = true;
                    self.cancel.cancel();
                }
            }
        }
    }

    fn leave(&mut self) {
        if let Some(watch) = self.watch.as_mut().filter(|_| !self.cancel.is_cancelled()) {
            watch.calls.leave();
            watch.is_left = true;
            self.cancel.cancel();
        }
    }

    /// Reports whether the run was ended since all that it did was to wait.
    pub(crate) fn is_left(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.is_left)
    }

    pub(crate) fn trace_id(&self) -> Option<&str> {
        self.span.trace_id()
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// INTERNAL when the thread failed.
    pub(crate) async fn end(mut self) -> Result<Ended, Refusal> {
        while self.next().await.is_some() {}
        let report = (&mut self.report)
            .await
            .map_err(|_| Refusal::new(ErrorCode::Internal, "the turn failed inside the server"))?;
        let id = report.run.clone().unwrap_or_else(|| self.app.maker.id("turn"));
        let private = std::mem::take(&mut self.private);
        let ended = Ended { report, is_late: self.is_late, id, private };
        self.outcome = Some(if self.is_left() { "waits" } else { ended.word() });
        self.span.end(&ended);
        Ok(ended)
    }

    fn begun(&mut self, run: &str) {
        self.app.turns.run_began(run, &self.cancel);
        self.run = Some(run.to_owned());
    }

    fn count(&mut self, progress: &Progress) {
        match progress {
            Progress::GenerateStarted { event, model, .. } => {
                self.models.insert(*event, model.clone());
            }
            Progress::GenerateEnded { event, usage, .. } => {
                let Some(model) = self.models.remove(event) else { return };
                let tokens = &self.app.metrics.tokens;
                tokens.add(model.clone(), "input", usage.prompt_tokens);
                tokens.add(model, "output", usage.completion_tokens);
            }
            _ => {}
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(run) = &self.run {
            self.app.turns.run_ended(run);
        }
        let outcome = self.outcome.unwrap_or_else(|| {
            self.cancel.cancel();
            "broken_off"
        });
        self.app.metrics.turns.count(self.agent.clone(), outcome);
        self.app.metrics.turn_seconds.note(self.began.elapsed());
    }
}
