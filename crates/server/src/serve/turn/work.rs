//! The work on one turn, from the stored message to the stored answer.

use super::ended::Ended;
use super::history::{self, Wished};
use super::queues::Place;
use super::thread::{self, Running, TurnOptions};
use super::tools::{self, Round};
use super::turns::{Turn, TurnKey};
use crate::serve::agents::Agent;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::context_writer::ContextWriter;
use crate::serve::exchange::failure::refusal;
use crate::serve::exchange::input::AnswerOptions;
use crate::serve::exchange::reply::Reply;
use crate::serve::flows::intent_set::IntentSet;
use crate::serve::frontend::target::Forwarder;
use crate::serve::intent::{Picked, Target};
use crate::serve::message::{SYSTEM, answering};
use crate::serve::operations::log::millis;
use crate::serve::operations::parent::Parent;
use crate::serve::sensitive;
use contexture::context::{Label, Trust};
use contexture::llm::{CancelToken, ModelUri};
use contexture::observe::Progress::{Planned, Said};
use contexture::permission::Permission;
use contexture::store::contexts::{Applied, Key, StoredMessage};
use contexture::turn::{
    Attachment, AttachmentKind, Conversation, Finish, Hints, Past, Runtime, ToolFailure, TurnEvent,
    TurnReport,
};
use contexture_protocol::content::{
    FinishReason, ModelResponse, ModelResponseDelta, Progress, Status, Usage, UserInput,
};
use contexture_protocol::{Body, ErrorCode, Message, Refusal, SenderType};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;

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
    trace: Option<String>,
    /// The reason of a failure, for the log.
    reason: Map<String, Value>,
    /// The label of the answer.
    label: Label,
    /// True if the answer is in the context already.
    pub(super) is_stored: bool,
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
        let AnswerOptions { hints, agent, before, .. } = options;
        let owner = Arc::clone(caller.owner());
        let key = (owner, message.context_id.clone(), message.message_id.clone());
        let place = (kept.context_id.clone(), kept.incarnation);
        Self {
            app: Arc::clone(app),
            caller: caller.clone(),
            turn: app.turns.begin(key.clone(), Some(place)),
            seq: kept.seqs.last().copied().unwrap_or_default(),
            key,
            context: kept.context_id,
            incarnation: kept.incarnation,
            message,
            input,
            hints,
            agent,
            before,
            model: "model".to_owned(),
            writing: app.maker.id("msg"),
            deltas: 0,
            round: Round::default(),
            trace: None,
            reason: Map::new(),
            label: Label::default(),
            is_stored: false,
        }
    }

    /// Starts to work; `reply` gets the messages.
    pub(crate) fn start(self, reply: Reply) {
        self.turn.log.attach(reply);
        let handle = self.app.handle.clone();
        // At this point, messages come in the order in which they were stored.
        // Another owner may have a context of the same id.
        let queue = format!("{}\0{}", self.caller.owner(), self.context);
        let place = self.app.turns.queues.enter(&queue);
        handle.spawn(self.work(place));
    }

    async fn work(mut self, mut place: Place) {
        let began = Instant::now();
        let cancel = self.turn.cancel.clone();
        // The next turn of the context begins when this answer is stored and sent.
        let is_reached = tokio::select! {
            () = place.reached() => true,
            () = cancel.cancelled() => false,
        };
        let cancelled = || Refusal::new(ErrorCode::Cancelled, "the turn was cancelled");
        let answer = if is_reached { self.answer(&cancel).await } else { Err(cancelled()) };
        let message = match answer {
            Ok(message) => message,
            Err(refused) => {
                let refused = refused.about(&self.message);
                self.app.maker.refusal_in(refused, self.trace.take())
            }
        };
        let app = Arc::clone(&self.app);
        self.log(&message, began);
        self.settle(message).await;
        drop(place);
        app.turns.ended();
    }

    fn log(&self, answer: &Message, began: Instant) {
        let outcome = match &answer.body {
            Body::ErrorResponse(error) => error.error_code.as_str(),
            Body::ModelResponse(response) => {
                response.finish_reason.map_or("STOP", FinishReason::as_str)
            }
            _ => "STOP",
        };
        let mut fields = json!({
            "agent": self.model,
            "owner": &**self.caller.owner(),
            "contextId": self.context,
            "messageId": self.message.message_id,
            "outcome": outcome,
            "run": answer.meta("run"),
            "ms": millis(began),
        });
        if let Some(fields) = fields.as_object_mut() {
            fields.extend(self.reason.clone());
        }
        self.app.log.info("turn", fields);
    }

    /// Runs the turn; its answer is not stored yet.
    async fn answer(&mut self, cancel: &CancelToken) -> Stored<Message> {
        let picked = self.pick().await?;
        let agent = match &picked.target {
            Target::Agent(agent) => agent.clone(),
            Target::Set(set) => return self.run_set(set, cancel).await,
            Target::Service(service) => return self.ask_service(service, cancel).await,
        };
        let conversation = self.conversation().await?;
        let permit = self.app.turns.permit(cancel).await?;
        self.model.clone_from(&agent.name);
        let mut running = self.run(&agent, conversation, permit);
        self.trace = running.trace_id().map(str::to_owned);
        while let Some(event) = running.next().await {
            self.tell(event).await?;
        }
        self.flush().await?;
        let ended = running.end().await?;
        self.reason = ended.reason();
        self.close(ended, &picked)
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
        self.run(&router, conversation, permit).end().await
    }

    fn run(
        &self,
        agent: &Agent,
        conversation: Conversation,
        permit: OwnedSemaphorePermit,
    ) -> Running {
        let (context, message) = (&self.context, &self.message.message_id);
        let frontend = Arc::new(Forwarder::new(&self.app, &self.caller, context, message));
        let options = TurnOptions {
            agent: agent.clone(),
            owner: self.caller.owner().to_string(),
            ledger: self.app.ledger(&self.caller.grant),
            conversation,
            hints: self.hints.clone(),
            permission: Arc::clone(&frontend) as Arc<dyn Permission>,
            frontend: Some(frontend),
            parent: Parent::of_message(&self.message).or(self.caller.trace),
        };
        thread::start(&self.app, options, self.turn.cancel.clone(), permit)
    }

    /// Returns the message with the history and the state of its context.
    async fn conversation(&mut self) -> Stored<Conversation> {
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

    async fn tell(&mut self, event: TurnEvent) -> Stored<()> {
        match event {
            TurnEvent::Delta { text } => {
                let delta = ModelResponseDelta {
                    message_id: self.writing.clone(),
                    index: self.deltas.into(),
                    text,
                    extra: Map::new(),
                };
                self.deltas += 1;
                let body = Body::ModelResponseDelta(delta);
                let message = self.say(&self.model, SenderType::Model, body);
                self.turn.log.pass(&message);
            }
            TurnEvent::ToolCalls { text, calls, usage, label, .. } => {
                self.flush().await?;
                self.round = Round::new(&calls);
                let response = ModelResponse {
                    text: Some(text),
                    tool_calls: Some(calls.into_iter().map(tools::call).collect()),
                    finish_reason: Some(FinishReason::ToolCalls),
                    usage: Some(spent(usage)),
                    ..ModelResponse::default()
                };
                let message = self.written(Body::ModelResponse(response));
                self.keep(message, &label).await?;
            }
            TurnEvent::ToolResult { call_id, name, runtime, outcome, execution_ms } => {
                let outcome = outcome.map_err(|failure| match runtime {
                    Runtime::Frontend => failure,
                    Runtime::Backend => {
                        self.log_tool(&name, &failure);
                        ToolFailure::new(failure.code, tools::FAILED)
                    }
                });
                let result = tools::result(call_id, outcome, execution_ms);
                let results = self.round.take(result);
                self.results(results).await?;
            }
            TurnEvent::Progress(Said(text)) => self.report(text),
            TurnEvent::Progress(Planned { picture, .. }) => {
                self.report(format!("plan:\n{picture}"))
            }
            _ => {}
        }
        Ok(())
    }

    /// Tells clients how far the turn is.
    fn report(&self, text: String) {
        let extra = Map::from_iter([("message".to_owned(), text.into())]);
        let id = self.message.message_id.clone();
        let body = Body::Progress(Progress { id, status: Status::Running, extra });
        self.turn.log.pass(&self.say(SYSTEM, SenderType::System, body));
    }

    /// Logs why a tool of this side failed: the client is told that it did.
    fn log_tool(&self, tool: &str, failure: &ToolFailure) {
        self.app.log.info(
            "tool_failed",
            json!({
                "tool": tool,
                "agent": self.model,
                "contextId": self.context,
                "messageId": self.message.message_id,
                "code": failure.code,
                "reason": failure.message,
            }),
        );
    }

    /// Sends the results of an incomplete round.
    async fn flush(&mut self) -> Stored<()> {
        let results = self.round.flush();
        self.results(results).await
    }

    async fn results(&mut self, results: Vec<tools::Results>) -> Stored<()> {
        for tools::Results { runtime, content } in results {
            let message = match runtime {
                Runtime::Backend => self.say(SYSTEM, SenderType::System, content.into()),
                Runtime::Frontend => {
                    let client = self.app.calls.client_of(&content);
                    let client = client.unwrap_or_else(|| "client".to_owned());
                    self.say(&client, SenderType::Tool, content.into())
                }
            };
            self.keep(message, &Label::default()).await?;
        }
        Ok(())
    }

    /// Returns the MODEL_RESPONSE that was being written; the next one gets an id of its own.
    fn written(&mut self, body: Body) -> Message {
        let mut message = self.say(&self.model, SenderType::Model, body);
        message.message_id = std::mem::replace(&mut self.writing, self.app.maker.id("msg"));
        self.deltas = 0;
        message
    }

    fn say(&self, sender: &str, kind: SenderType, body: Body) -> Message {
        let message = self.app.maker.message_of(sender, kind, Some(&self.context), body);
        answering(message, &self.message.message_id)
    }

    /// Stores and sends an intermediate message.
    async fn keep(&self, mut message: Message, label: &Label) -> Stored<()> {
        let added = self.writer().add(&mut message, label, None, None).await;
        added.map_err(|error| refusal(error, Some(&self.context)))?;
        self.turn.log.pass(&message);
        Ok(())
    }

    fn writer(&self) -> ContextWriter<'_> {
        let Self { app, key, context, incarnation, .. } = self;
        ContextWriter { app, key, context, incarnation: Some(*incarnation) }
    }

    /// Returns the answer of a report.
    fn close(&mut self, ended: Ended, picked: &Picked) -> Stored<Message> {
        let error = ended.error();
        let report = ended.report;
        self.label = report.label.clone();
        let text = report.text.clone();
        let mut metadata = metadata_of(&report);
        if let Some(intent) = &picked.intent {
            metadata.insert("intent".to_owned(), intent.as_str().into());
        }
        let finish = match (&error, report.finish) {
            (_, Finish::Length) => FinishReason::Length,
            (_, Finish::ToolCalls) => FinishReason::ToolCalls,
            (Some(_), _) => FinishReason::Error,
            (None, _) => FinishReason::Stop,
        };
        if finish == FinishReason::ToolCalls {
            metadata.insert(history::CALLER.to_owned(), true.into());
        }
        if let Some(refused) = error {
            if text.is_empty() && finish != FinishReason::Length {
                return Err(refused);
            }
            let code = match finish {
                FinishReason::Length => contexture::llm::Ended::CutOff.code(),
                _ => refused.code.as_str(),
            };
            let mut told = json!({ "code": code, "message": refused.message });
            if let (Some(trace), Some(told)) = (&self.trace, told.as_object_mut()) {
                told.insert("traceId".to_owned(), trace.as_str().into());
            }
            metadata.insert("error".to_owned(), told);
        }
        let calls = tools::identified(&self.app, report.calls).into_iter().map(tools::left);
        let response = ModelResponse {
            usage: Some(spent(report.usage)),
            tool_calls: (finish == FinishReason::ToolCalls).then(|| calls.collect()),
            ..ModelResponse::new(text, finish)
        };
        let mut message = self.written(Body::ModelResponse(response));
        message.metadata.get_or_insert_default().extend(metadata);
        Ok(message)
    }

    /// Stores and sends the answer.
    async fn settle(self, message: Message) {
        if self.is_stored {
            if let Err(error) = self.writer().settle_only(&message).await {
                self.app.log.info("store", json!({ "error": error.to_string() }));
            }
            return self.turn.log.finish(message);
        }
        let message = self.writer().settle(message, &self.label).await.unwrap_or_else(|error| {
            let refused = refusal(error, Some(&self.context)).about(&self.message);
            self.app.maker.refusal(refused)
        });
        self.turn.log.finish(message);
    }
}

/// Returns the metadata of an answer: run, model and value. Warnings name files and hosts, so they
/// stay in the record of the run.
pub(crate) fn metadata_of(report: &TurnReport) -> Map<String, Value> {
    let mut metadata = Map::new();
    let model = report.model.as_deref().map(model_name);
    for (name, text) in [("run", report.run.as_deref()), ("model", model.as_deref())] {
        if let Some(text) = text {
            metadata.insert(name.to_owned(), text.into());
        }
    }
    if let Some(value) = report.value() {
        metadata.insert("value".to_owned(), value.clone());
    }
    if report.label.trust > Trust::Model {
        metadata.insert("trust".to_owned(), report.label.trust.as_str().into());
    }
    metadata
}

/// Returns the name of a model without the host or file where it is.
pub(crate) fn model_name(uri: &str) -> String {
    match uri.parse::<ModelUri>() {
        Ok(
            known @ (ModelUri::Replay { .. }
            | ModelUri::Compatible { .. }
            | ModelUri::Ollama { .. }),
        ) => known.model().to_owned(),
        _ => uri.to_owned(),
    }
}

fn spent(usage: contexture::prompt::Usage) -> Usage {
    Usage {
        prompt_tokens: Some(usage.prompt_tokens.into()),
        completion_tokens: Some(usage.completion_tokens.into()),
        total_tokens: Some(usage.total_tokens.into()),
        ..Usage::default()
    }
}
