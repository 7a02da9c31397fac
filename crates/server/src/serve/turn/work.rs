//! The work of one turn, from the message that was kept to the answer that is kept.

use super::ended::Ended;
use super::lanes::Place;
use super::thread::{self, Running, Wanted};
use super::tools::{self, Round};
use super::{Turn, TurnKey, history};
use crate::serve::agents::Agent;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::exchange::{Reply, refusal};
use crate::serve::flows::IntentSet;
use crate::serve::frontend::Forwarder;
use crate::serve::intent::{Picked, Target};
use crate::serve::message::answering;
use crate::serve::operations::parent::Parent;
use crate::serve::sensitive;
use contexture::llm::CancelToken;
use contexture::permission::Permission;
use contexture::store::contexts::{
    Answer, Applied, ContextError, Key, KeyName, NewMessage, Operation, Settlement, StoredMessage,
    Update,
};
use contexture::turn::{
    Attachment, AttachmentKind, Conversation, Finish, Hints, Runtime, TurnEvent,
};
use contexture_protocol::content::{
    FinishReason, ModelResponse, ModelResponseDelta, Usage, UserInput,
};
use contexture_protocol::{Body, ErrorCode, Message, Refusal, SenderType};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;

/// Why the store can't give a message its place.
type Stored<T> = Result<T, Refusal>;

/// A turn whose message was kept.
pub(crate) struct Begun {
    app: Arc<App>,
    caller: Caller,
    key: TurnKey,
    context: String,
    /// Which context of this id.
    incarnation: u64,
    message: Message,
    input: UserInput,
    hints: Hints,
    /// The agent that was asked for by name; the intents decide when absent.
    agent: Option<Agent>,
    turn: Arc<Turn>,
    /// The place of the message in the context.
    seq: u64,
    /// Who answers, as the sender of MODEL_RESPONSE.
    model: String,
    /// The message that is being written.
    writing: String,
    deltas: u64,
    round: Round,
    /// The id of the trace.
    trace: Option<String>,
}

impl Begun {
    /// Begins the turn of a message that was kept.
    pub(crate) fn new(
        app: &Arc<App>,
        caller: &Caller,
        kept: Applied,
        message: Message,
        input: UserInput,
        (hints, agent): (Hints, Option<Agent>),
    ) -> Self {
        let owner = Arc::clone(caller.owner());
        let key = (owner, message.context_id.clone(), message.message_id.clone());
        let place = (kept.context_id.clone(), kept.incarnation);
        Self {
            app: Arc::clone(app),
            caller: caller.clone(),
            turn: app.turns.begin(key.clone(), Some(place)),
            seq: kept.seqs.first().copied().unwrap_or_default(),
            key,
            context: kept.context_id,
            incarnation: kept.incarnation,
            message,
            input,
            hints,
            agent,
            model: "model".to_owned(),
            writing: app.maker.id("msg"),
            deltas: 0,
            round: Round::default(),
            trace: None,
        }
    }

    /// Goes to work; `reply` hears of it.
    pub(crate) fn start(self, reply: Reply) {
        self.turn.log.attach(reply);
        let handle = self.app.handle.clone();
        // Here, where messages come in the order in which they were kept.
        // Another owner may have a context of the same id.
        let lane = format!("{}\0{}", self.caller.owner(), self.context);
        let place = self.app.turns.lanes.enter(&lane);
        handle.spawn(self.work(place));
    }

    async fn work(mut self, mut place: Place) {
        let began = Instant::now();
        let cancel = self.turn.cancel.clone();
        // The next turn of the context begins when this one's answer is kept and told.
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

    /// Says in the log how the turn went.
    fn log(&self, answer: &Message, began: Instant) {
        let outcome = match &answer.body {
            Body::ErrorResponse(error) => error.error_code.as_str(),
            Body::ModelResponse(response) => {
                response.finish_reason.map_or("STOP", FinishReason::as_str)
            }
            _ => "STOP",
        };
        let run = answer.meta("run");
        self.app.log.info(
            "turn",
            json!({
                "agent": self.model,
                "owner": &**self.caller.owner(),
                "contextId": self.context,
                "messageId": self.message.message_id,
                "outcome": outcome,
                "run": run,
                "ms": u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            }),
        );
    }

    /// Runs the turn; its answer is not kept yet.
    async fn answer(&mut self, cancel: &CancelToken) -> Stored<Message> {
        let picked = self.pick().await?;
        let agent = match &picked.target {
            Target::Agent(agent) => agent.clone(),
            Target::Set(set) => return self.run_set(set, cancel).await,
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
        self.close(ended, &picked)
    }

    /// Who answers.
    async fn pick(&self) -> Stored<Picked> {
        if let Some(agent) = &self.agent {
            return Ok(Picked { target: Target::Agent(agent.clone()), intent: None });
        }
        if let Some(picked) = self.app.intents.by_rule(&self.input.text) {
            return Ok(picked);
        }
        if let Some(router) = self.app.intents.router() {
            let ended = self.ask_router(router.clone()).await?;
            if let Some(error) = ended.error() {
                let message = format!("the router `{}` failed: {}", router.name, error.message);
                return Err(Refusal::new(error.code, message));
            }
            let value = ended.report.outcome.as_ref().ok();
            let named = value.and_then(|value| self.app.intents.by_name(value));
            if let Some(picked) = named {
                return Ok(picked);
            }
        }
        let first = self.app.agents.first().cloned();
        let none = || Refusal::new(ErrorCode::UnknownAction, "no agent is served");
        let target = first.map(Target::Agent).ok_or_else(none)?;
        Ok(Picked { target, intent: None })
    }

    /// Has an instruction set answer, by its results.
    async fn run_set(&mut self, set: &IntentSet, cancel: &CancelToken) -> Stored<Message> {
        let permit = self.app.turns.permit(cancel).await?;
        let message = set.message(&self.app, &self.context, &self.input);
        let message = answering(message, &self.message.message_id);
        self.keep(message.clone()).await?;
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
        answer
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
        let wanted = Wanted {
            agent: agent.clone(),
            owner: self.caller.owner().to_string(),
            conversation,
            hints: self.hints,
            permission: Arc::clone(&frontend) as Arc<dyn Permission>,
            frontend: Some(frontend),
            parent: Parent::of_message(&self.message).or(self.caller.trace),
        };
        thread::start(&self.app, wanted, self.turn.cancel.clone(), permit)
    }

    /// What is said, and what was said and is known before.
    async fn conversation(&self) -> Stored<Conversation> {
        let (owner, context) = (self.caller.owner().to_string(), self.context.clone());
        let most = self.app.project.config.serve.history;
        let read = self.app.read(move |store| {
            let key = Key { owner: &owner, context: &context };
            let last =
                if most == 0 { Vec::new() } else { store.last(key, most.saturating_add(1))? };
            Ok((last, store.state(key)?.value))
        });
        let (last, state): (Vec<StoredMessage>, Value) =
            read.await.map_err(|error| refusal(error, Some(&self.context)))?;
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
            messages: history::past(&last, &self.context, self.seq),
            state,
            metadata: self.message.metadata.clone().unwrap_or_default(),
            private,
        })
    }

    /// Passes on what happens.
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
            TurnEvent::ToolCalls { text, calls, usage, .. } => {
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
                self.keep(message).await?;
            }
            TurnEvent::ToolResult { call_id, outcome, execution_ms, .. } => {
                let result = tools::result(call_id, outcome, execution_ms);
                let results = self.round.take(result);
                self.results(results).await?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Tells the results of a round that did not become whole.
    async fn flush(&mut self) -> Stored<()> {
        let results = self.round.flush();
        self.results(results).await
    }

    async fn results(&mut self, results: Vec<tools::Results>) -> Stored<()> {
        for tools::Results { runtime, content } in results {
            let body = Body::ToolCallResponse(content);
            let message = match runtime {
                Runtime::Backend => self.say("system", SenderType::System, body),
                Runtime::Frontend => {
                    let client =
                        self.app.calls.client_of(&body).unwrap_or_else(|| "client".to_owned());
                    self.say(&client, SenderType::Tool, body)
                }
            };
            self.keep(message).await?;
        }
        Ok(())
    }

    /// The MODEL_RESPONSE that was being written; the next one gets an id of its own.
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

    /// Keeps a message on the way, then tells it.
    async fn keep(&self, mut message: Message) -> Stored<()> {
        let applied = self.add(&message, None).await;
        let applied = applied.map_err(|error| refusal(error, Some(&self.context)))?;
        if let Some(seq) = applied {
            message.set_meta("seq", seq);
        }
        self.turn.log.pass(&message);
        Ok(())
    }

    /// Adds a message to the context; its place.
    async fn add(
        &self,
        message: &Message,
        settles: Option<Settlement>,
    ) -> Result<Option<u64>, ContextError> {
        let new = NewMessage::of(message);
        let update = Update {
            owner: self.caller.owner().to_string(),
            context_id: Some(self.context.clone()),
            incarnation: Some(self.incarnation),
            operations: vec![Operation::AddMessage(new)],
            cause: Some(self.message.message_id.clone()),
            settles,
            ..Update::default()
        };
        Ok(self.app.updated(update).await?.seqs.first().copied())
    }

    /// The answer that a report is.
    fn close(&mut self, ended: Ended, picked: &Picked) -> Stored<Message> {
        let error = ended.error();
        let report = ended.report;
        let text = report.text.clone();
        let mut metadata = Map::new();
        if let Some(run) = &report.run {
            metadata.insert("run".to_owned(), run.as_str().into());
        }
        if let Some(intent) = &picked.intent {
            metadata.insert("intent".to_owned(), intent.as_str().into());
        }
        if let Some(model) = &report.model {
            metadata.insert("model".to_owned(), model.as_str().into());
        }
        if let Some(value) = report.value() {
            metadata.insert("value".to_owned(), value.clone());
        }
        if !report.warnings.is_empty() {
            metadata.insert("warnings".to_owned(), report.warnings.clone().into());
        }
        let finish = match (&error, report.finish) {
            (Some(_), _) => FinishReason::Error,
            (None, Finish::Length) => FinishReason::Length,
            (None, _) => FinishReason::Stop,
        };
        if let Some(refused) = error {
            if text.is_empty() {
                return Err(refused);
            }
            let mut told = json!({ "code": refused.code.as_str(), "message": refused.message });
            if let (Some(trace), Some(told)) = (&self.trace, told.as_object_mut()) {
                told.insert("traceId".to_owned(), trace.as_str().into());
            }
            metadata.insert("error".to_owned(), told);
        }
        let response =
            ModelResponse { usage: Some(spent(report.usage)), ..ModelResponse::new(text, finish) };
        let mut message = self.written(Body::ModelResponse(response));
        message.metadata.get_or_insert_default().extend(metadata);
        Ok(message)
    }

    /// Keeps the answer together with the message's key, then tells it.
    async fn settle(self, mut message: Message) {
        message = answering(message, &self.message.message_id);
        message.context_id = Some(self.context.clone());
        let (_, context_id, message_id) = self.key.clone();
        let key = KeyName { context_id, message_id };
        // What is told again is what is told now, its place in the context too.
        let made = message.clone();
        let answer = Answer::Made(Arc::new(move |applied| placed(made.clone(), &applied.seqs)));
        let settles = Settlement { key, answer };
        match self.add(&message, Some(settles)).await {
            Ok(seq) => {
                if let Some(seq) = seq {
                    message.set_meta("seq", seq);
                }
                self.turn.log.finish(message);
            }
            Err(error) => {
                let refused = refusal(error, Some(&self.context)).about(&self.message);
                self.turn.log.finish(self.app.maker.refusal(refused));
            }
        }
    }
}

/// The text of a message that got a place in its context.
fn placed(mut message: Message, seqs: &[u64]) -> String {
    if let Some(seq) = seqs.first() {
        message.set_meta("seq", *seq);
    }
    message.to_json()
}

fn spent(usage: contexture::prompt::Usage) -> Usage {
    Usage {
        prompt_tokens: Some(usage.prompt_tokens.into()),
        completion_tokens: Some(usage.completion_tokens.into()),
        total_tokens: Some(usage.total_tokens.into()),
        ..Usage::default()
    }
}
