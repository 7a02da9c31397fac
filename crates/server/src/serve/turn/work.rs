//! The work on one turn, from the stored message to the stored answer.

mod answer;
mod events;
mod way;

pub(crate) use answer::{metadata_of, model_name};

use super::ended::Ended;
use super::history::{self, Wished};
use super::parked::{self, Parked, queue_of};
use super::queues::Place;
use super::resumed::{Resumed, Told};
use super::thread::{self, Running, TurnOptions};
use super::tools::Round;
use super::turns::{Turn, TurnKey};
use crate::serve::agents::Agent;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::exchange::failure::refusal;
use crate::serve::exchange::input::AnswerOptions;
use crate::serve::exchange::reply::Reply;
use crate::serve::flows::intent_set::IntentSet;
use crate::serve::frontend::step::TurnCalls;
use crate::serve::frontend::target::Forwarder;
use crate::serve::intent::{Picked, Target};
use crate::serve::message::answering;
use crate::serve::operations::parent::Parent;
use crate::serve::sensitive;
use contexture::context::Label;
use contexture::durable;
use contexture::frontend::FrontendTool;
use contexture::llm::CancelToken;
use contexture::permission::Permission;
use contexture::store::contexts::{Applied, Key, StoredMessage};
use contexture::store::flows::Wait;
use contexture::turn::{Attachment, AttachmentKind, Conversation, Hints, Past};
use contexture_protocol::content::UserInput;
use contexture_protocol::{Body, ErrorCode, Message, Refusal};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;
use way::Begins;

/// The result of work that may be refused.
pub(super) type Stored<T> = Result<T, Refusal>;

/// The most messages back to the one that calls of the client's tools belong to.
const ROUNDS: usize = 200;

/// The work on a turn whose message is stored.
pub(crate) struct TurnWork {
    pub(super) app: Arc<App>,
    pub(super) caller: Caller,
    key: TurnKey,
    pub(super) context: String,
    incarnation: u64,
    pub(super) message: Message,
    input: UserInput,
    hints: Hints,
    /// The requested agent; the intents decide when absent.
    agent: Option<Agent>,
    /// What is said before the history, for this answer alone.
    before: Vec<Past>,
    pub(super) turn: Arc<Turn>,
    /// The number of the message in the context.
    seq: u64,
    /// The sender of MODEL_RESPONSE.
    pub(super) model: String,
    /// The id of the message that is being written.
    writing: String,
    deltas: u64,
    round: Round,
    /// The calls and results that an earlier run stored.
    pub(super) told: Told,
    trace: Option<String>,
    /// The reason of a failure, for the log.
    pub(super) reason: Map<String, Value>,
    /// The label of the answer.
    label: Label,
    /// True if the answer is in the context already.
    pub(super) is_stored: bool,
    /// What an earlier run of the turn left.
    pub(super) resumes: Option<Resumed>,
    /// The run that has a journal from before.
    pub(super) earlier: Option<String>,
    /// The journal of the run, and its calls of clients.
    calls: Option<Arc<TurnCalls>>,
    /// The reports that an earlier run passed on.
    skipped: usize,
}

/// How a run of a turn begins.
pub(super) struct Begun {
    pub(super) agent: Agent,
    pub(super) intent: Option<String>,
    pub(super) conversation: Conversation,
    /// The run that is taken up again, and what it waits for.
    pub(super) resumes: Option<String>,
    pub(super) waits: Vec<Wait>,
    /// The tools of clients that it knew.
    pub(super) tools: Vec<FrontendTool>,
}

impl TurnWork {
    /// Registers the turn of a stored message.
    pub(crate) fn new(
        app: &Arc<App>,
        caller: &Caller,
        kept: Applied,
        message: Message,
        input: UserInput,
        options: AnswerOptions,
    ) -> Self {
        let owner = Arc::clone(caller.owner());
        let key = (owner, message.context_id.clone(), message.message_id.clone());
        let place = (kept.context_id.clone(), kept.incarnation);
        let turn = app.turns.begin(key.clone(), Some(place.clone()));
        let seq = kept.seqs.last().copied().unwrap_or_default();
        Self::of(app, caller, (key, turn), (place, seq), message, (input, options))
    }

    /// Creates the work on a turn that is registered.
    pub(super) fn of(
        app: &Arc<App>,
        caller: &Caller,
        (key, turn): (TurnKey, Arc<Turn>),
        ((context, incarnation), seq): ((String, u64), u64),
        message: Message,
        (input, options): (UserInput, AnswerOptions),
    ) -> Self {
        let AnswerOptions { hints, agent, before, .. } = options;
        Self {
            app: Arc::clone(app),
            caller: caller.clone(),
            skipped: turn.reports.load(Ordering::Relaxed),
            turn,
            seq,
            key,
            context,
            incarnation,
            message,
            input,
            hints,
            agent,
            before,
            resumes: None,
            earlier: None,
            calls: None,
            model: "model".to_owned(),
            writing: app.maker.id("msg"),
            deltas: 0,
            round: Round::default(),
            told: Told::default(),
            trace: None,
            reason: Map::new(),
            label: Label::default(),
            is_stored: false,
        }
    }

    /// Starts to work; `reply` gets the messages.
    pub(crate) fn start(self, reply: Reply) {
        self.turn.log.attach(reply);
        self.enter();
    }

    /// Starts to work in the order of the context: now, messages come as they were stored.
    pub(super) fn enter(self) {
        let place = self.app.turns.queues.enter(&self.queue());
        self.app.handle.clone().spawn(self.work(place));
    }

    fn queue(&self) -> String {
        queue_of(self.caller.owner(), &self.context)
    }

    pub(super) async fn work(mut self, mut place: Place) {
        let began = Instant::now();
        let cancel = self.turn.cancel.clone();
        let is_reached = match self.begins(&mut place).await {
            Begins::Now => true,
            Begins::Cancelled => false,
            Begins::Elsewhere => return self.turn_to_next_server(),
        };
        let cancelled = || Refusal::new(ErrorCode::Cancelled, "the turn was cancelled");
        let answer = if is_reached { self.answer(&cancel).await } else { Err(cancelled()) };
        let message = match answer {
            Ok(Some(message)) => message,
            // What comes after the run is in a place of its own: a turn may wait for long before.
            Ok(None) => return Box::pin(self.park(place)).await,
            Err(refused) => {
                let refused = refused.about(&self.message);
                self.app.maker.refusal_in(refused, self.trace.take())
            }
        };
        let app = Arc::clone(&self.app);
        self.log(&message, began);
        let kept = self.calls.as_ref().filter(|calls| calls.journal.is_kept());
        let own = kept.and_then(|calls| calls.journal.run()).map(str::to_owned);
        let run = self.earlier.take().or(own);
        let is_certain = !parked::is_uncertain(&message);
        Box::pin(self.settle(message)).await;
        if let Some(run) = run {
            parked::forget(&app, &run, is_certain).await;
        }
        drop(place);
        app.turns.ended();
    }

    /// Leaves the turn to those who answer what it waits for.
    async fn park(self, place: Place) {
        let run = self.calls.as_ref().and_then(|calls| calls.journal.run()).map(str::to_owned);
        let Some(run) = run else { return };
        let parked =
            Parked { key: self.key, run: run.into(), turn: self.turn, place, asks_again: false };
        parked.leave(&self.app).await;
    }

    /// Runs the turn; its answer is not stored yet. `None` if it waits for people.
    async fn answer(&mut self, cancel: &CancelToken) -> Stored<Option<Message>> {
        let begun = match self.resumes.take() {
            Some(resumed) => self.taken_up(resumed).await?,
            None => {
                let Picked { target, intent } = self.pick().await?;
                let agent = match target {
                    Target::Agent(agent) => agent,
                    // In its own place: it is larger than all else, and most turns have none.
                    Target::Set(set) => {
                        return Box::pin(self.run_set(&set, cancel)).await.map(Some);
                    }
                    Target::Service(service) => {
                        return self.ask_service(&service, cancel).await.map(Some);
                    }
                };
                let conversation = self.conversation().await?;
                let (waits, tools) = (Vec::new(), Vec::new());
                Begun { agent, intent, conversation, resumes: None, waits, tools }
            }
        };
        let permit = self.app.turns.permit(cancel).await?;
        self.model.clone_from(&begun.agent.name);
        self.calls = self.keeping(&begun);
        let Begun { agent, intent, conversation, .. } = begun;
        let mut running = self.run(&agent, conversation, permit, self.calls.clone());
        self.trace = running.trace_id().map(str::to_owned);
        while let Some(event) = running.next().await {
            self.tell(event).await?;
        }
        let is_left = running.is_left();
        let ended = running.end().await?;
        if is_left && ended.is_cancelled() {
            return Ok(None);
        }
        self.flush().await?;
        self.reason = ended.reason();
        self.close(ended, intent).map(Some)
    }

    /// Returns the journal that the run keeps. What a caller of OpenAI's doors asked for is not kept,
    /// as it waits for its answer on its connection.
    fn keeping(&self, begun: &Begun) -> Option<Arc<TurnCalls>> {
        let is_plain = self.hints == Hints::default() && self.before.is_empty();
        if !is_plain || !matches!(self.message.body, Body::UserInput(_)) {
            return None;
        }
        let turn = durable::Turn {
            owner: self.caller.owner().to_string(),
            context: self.context.clone(),
            incarnation: self.incarnation,
            message: self.message.to_value(),
            seq: self.seq,
            agent: begun.agent.name.clone(),
            intent: begun.intent.clone(),
            tools: begun.tools.clone(),
        };
        let journal = durable::TurnJournal::new(turn, begun.resumes.clone());
        Some(Arc::new(TurnCalls::new(journal, begun.waits.clone(), begun.tools.clone())))
    }

    /// Chooses who answers.
    async fn pick(&mut self) -> Stored<Picked> {
        if let Some(agent) = &self.agent {
            return Ok(Picked { target: Target::Agent(agent.clone()), intent: None });
        }
        if let Some(picked) = self.app.intents.by_rule(&self.input.text) {
            return Ok(picked);
        }
        if let Some(router) = self.app.intents.router().cloned() {
            let ended = self.ask_router(router.clone()).await?;
            if let Some(error) = ended.error() {
                self.model.clone_from(&router.name);
                self.reason = ended.reason();
                return Err(error);
            }
            let value = ended.report.outcome.as_ref().ok();
            let named = value.and_then(|value| self.app.intents.by_name(value));
            if let Some(picked) = named {
                return Ok(picked);
            }
        }
        if let Some(service) = self.app.project.config.serve.model_service.clone() {
            return Ok(Picked { target: Target::Service(service), intent: None });
        }
        let first = self.app.agents.first().cloned();
        let none = || Refusal::new(ErrorCode::UnknownAction, "no agent is served");
        let target = first.map(Target::Agent).ok_or_else(none)?;
        Ok(Picked { target, intent: None })
    }

    /// Runs the instruction set that answers.
    async fn run_set(&mut self, set: &IntentSet, cancel: &CancelToken) -> Stored<Message> {
        let permit = self.app.turns.permit(cancel).await?;
        let message = set.message(&self.app, &self.context, &self.input);
        let message = answering(message, &self.message.message_id);
        self.keep(message.clone(), &Label::default()).await?;
        let turn = Arc::clone(&self.turn);
        let tell = Arc::new(move |message: &Message| turn.log.pass(message));
        let patience = Duration::from_secs(self.app.project.config.serve.turn_timeout.get());
        let (app, caller) = (&self.app, &self.caller);
        let place = (self.key.clone(), self.incarnation);
        let answer = tokio::select! {
            answer = set.answer(app, caller, place, message, tell) => answer,
            () = cancel.cancelled() => {
                Err(Refusal::new(ErrorCode::Cancelled, "the turn was cancelled"))
            }
            () = tokio::time::sleep(patience) => {
                let text = "the turn took longer than the server allows";
                Err(Refusal::new(ErrorCode::Timeout, text))
            }
        };
        drop(permit);
        let (answer, label) = answer?;
        self.label = label;
        Ok(answer)
    }

    async fn ask_router(&self, router: Agent) -> Stored<Ended> {
        let permit = self.app.turns.permit(&self.turn.cancel).await?;
        let text = self.input.text.clone();
        let conversation = Conversation { text, ..Conversation::default() };
        self.run(&router, conversation, permit, None).end().await
    }

    fn run(
        &self,
        agent: &Agent,
        conversation: Conversation,
        permit: OwnedSemaphorePermit,
        calls: Option<Arc<TurnCalls>>,
    ) -> Running {
        let (context, message) = (&self.context, &self.message.message_id);
        let frontend = Forwarder::new(&self.app, &self.caller, context, message);
        let frontend = frontend.asked_by(&self.message.sender);
        let frontend = Arc::new(match &calls {
            Some(calls) => frontend.of_turn(Arc::clone(calls)),
            None => frontend,
        });
        let options = TurnOptions {
            agent: agent.clone(),
            owner: self.caller.owner().to_string(),
            ledger: self.app.ledger(&self.caller.grant),
            conversation,
            hints: self.hints.clone(),
            permission: Arc::clone(&frontend) as Arc<dyn Permission>,
            frontend: Some(frontend),
            parent: Parent::of_message(&self.message).or(self.caller.trace),
            calls,
        };
        thread::start(&self.app, options, self.turn.cancel.clone(), permit)
    }

    /// Returns the message with the history and the state of its context.
    pub(super) async fn conversation(&mut self) -> Stored<Conversation> {
        let (owner, context) = (self.caller.owner().to_string(), self.context.clone());
        let own = self.app.project.config.serve.history;
        let goes_on = matches!(self.message.body, Body::ToolCallResponse(_));
        // The message that the calls belong to is among them.
        let most = if goes_on { own.max(ROUNDS) } else { own };
        let read = self.app.read(move |store| {
            let key = Key { owner: &owner, context: &context };
            let last =
                if most == 0 { Vec::new() } else { store.last(key, most.saturating_add(1))? };
            Ok((last, store.state(key)?.value))
        });
        let (last, state): (Vec<StoredMessage>, Value) =
            read.await.map_err(|error| refusal(error, Some(&self.context)))?;
        let mut seq = self.seq;
        if goes_on {
            seq = self.go_on(&last)?;
        }
        let mut past = std::mem::take(&mut self.before);
        let before = last.iter().filter(|message| !goes_on || message.seq < seq);
        let before: Vec<StoredMessage> = before.cloned().collect();
        let skipped = before.len().saturating_sub(own.saturating_add(1));
        past.extend(history::past(before.get(skipped..).unwrap_or_default(), &self.context, seq));
        let declared = &self.app.project.config.serve.sensitive;
        let private = sensitive::texts(declared, &state, &last, &self.message);
        let attachments = self.input.attachments.as_deref().unwrap_or_default();
        let attachments = attachments.iter().filter_map(|attachment| {
            let metadata = attachment.metadata.as_ref().map(serde_json::to_value);
            Some(Attachment {
                kind: AttachmentKind::parse(attachment.kind.as_str())?,
                url: attachment.url.clone(),
                metadata: match metadata {
                    Some(Ok(Value::Object(fields))) => fields,
                    _ => Map::new(),
                },
            })
        });
        Ok(Conversation {
            context_id: Some(self.context.clone()),
            text: self.input.text.clone(),
            attachments: attachments.collect(),
            messages: past,
            state,
            metadata: self.message.metadata.clone().unwrap_or_default(),
            private,
        })
    }

    /// Takes the message that calls of the client's tools belong to, and their results. Returns its
    /// place.
    fn go_on(&mut self, last: &[StoredMessage]) -> Stored<u64> {
        let found = history::wished(last, &self.context, self.seq);
        let Some(Wished { input, seq, rounds, .. }) = found.filter(|one| !one.rounds.is_empty())
        else {
            let text = "the context does not hold the calls that these results belong to";
            return Err(Refusal::new(ErrorCode::ValidationFailed, text));
        };
        self.input = input;
        self.hints.tools.get_or_insert_default().rounds = rounds;
        Ok(seq)
    }
}
