//! The work of one turn, from the message that was kept to the answer that is kept.

use super::tools::{self, Round};
use super::{Turn, TurnKey, history, thread};
use crate::serve::agents::Agent;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::exchange::{Reply, refusal};
use crate::serve::frontend::Forwarder;
use crate::serve::intent::Picked;
use crate::serve::message::answering;
use contexture::store::contexts::{
    ContextError, Key, KeyName, NewMessage, Operation, Settlement, StoredMessage, Update,
};
use contexture::turn::{
    Attachment, AttachmentKind, Contexts, Conversation, Finish, Hints, Runtime, TurnError,
    TurnEvent, TurnReport, TurnRequest,
};
use contexture_protocol::content::{
    FinishReason, ModelResponse, ModelResponseDelta, Usage, UserInput,
};
use contexture_protocol::{Body, ErrorCode, Message, Refusal, SenderType};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Why the store can't give a message its place.
type Stored<T> = Result<T, Refusal>;

/// A turn whose message was kept.
pub(crate) struct Begun {
    app: Arc<App>,
    caller: Caller,
    key: TurnKey,
    context: String,
    message: Message,
    input: UserInput,
    hints: Hints,
    /// The agent that was asked for by name; the intents decide when absent.
    agent: Option<Agent>,
    turn: Arc<Turn>,
    /// Who answers, as the sender of MODEL_RESPONSE.
    model: String,
    /// The message that is being written.
    writing: String,
    deltas: u64,
    round: Round,
}

impl Begun {
    /// Begins the turn of a message that was kept in `context`.
    pub(crate) fn new(
        app: &Arc<App>,
        caller: &Caller,
        context: String,
        message: Message,
        input: UserInput,
        (hints, agent): (Hints, Option<Agent>),
    ) -> Self {
        let owner = Arc::clone(caller.owner());
        let key = (owner, message.context_id.clone(), message.message_id.clone());
        Self {
            app: Arc::clone(app),
            caller: caller.clone(),
            turn: app.turns.begin(key.clone()),
            key,
            context,
            message,
            input,
            hints,
            agent,
            model: "model".to_owned(),
            writing: app.maker.id("msg"),
            deltas: 0,
            round: Round::default(),
        }
    }

    /// Goes to work; `reply` hears of it.
    pub(crate) fn start(self, reply: Reply) {
        self.turn.log.attach(reply);
        let handle = self.app.handle.clone();
        handle.spawn(self.work());
    }

    async fn work(mut self) {
        let message = match self.answer().await {
            Ok(message) => message,
            Err(refused) => self.app.maker.refusal(refused.about(&self.message)),
        };
        let app = Arc::clone(&self.app);
        self.settle(message).await;
        app.turns.ended();
    }

    /// Runs the turn; its answer is not kept yet.
    async fn answer(&mut self) -> Stored<Message> {
        let lane = self.app.turns.lanes.enter(&self.context);
        let cancel = self.turn.cancel.clone();
        let cancelled = || Refusal::new(ErrorCode::Cancelled, "the turn was cancelled");
        let _lane = tokio::select! {
            lane = lane => lane,
            () = cancel.cancelled() => return Err(cancelled()),
        };
        let picked = self.pick().await?;
        let conversation = self.conversation().await?;
        let permit = tokio::select! {
            permit = Arc::clone(&self.app.turns.permits).acquire_owned() => {
                permit.map_err(|_| cancelled())?
            }
            () = cancel.cancelled() => return Err(cancelled()),
        };
        self.model.clone_from(&picked.agent.name);
        let request = self.request(&picked.agent, conversation);
        let mut running = thread::start(self.app.project.clone(), request, cancel.clone(), permit);
        let patience = Duration::from_secs(self.app.project.config.serve.turn_timeout.get());
        let late = tokio::time::sleep(patience);
        let mut late = std::pin::pin!(late);
        let mut is_late = false;
        loop {
            tokio::select! {
                event = running.events.recv() => match event {
                    Some(event) => self.tell(event).await?,
                    None => break,
                },
                () = &mut late, if !is_late => {
                    is_late = true;
                    cancel.cancel();
                }
            }
        }
        self.flush().await?;
        let broke = || Refusal::new(ErrorCode::Internal, "the turn broke off inside the server");
        let report = running.report.await.map_err(|_| broke())?;
        self.close(report, &picked, is_late)
    }

    /// Who answers.
    async fn pick(&self) -> Stored<Picked> {
        if let Some(agent) = &self.agent {
            return Ok(Picked { agent: agent.clone(), intent: None });
        }
        if let Some(picked) = self.app.intents.by_rule(&self.input.text) {
            return Ok(picked);
        }
        if let Some(router) = self.app.intents.router() {
            let report = self.ask_router(router.clone()).await?;
            if let Some(error) = report.error() {
                let message = format!("the router `{}` failed: {}", router.name, error.message);
                return Err(Refusal::new(code(&error), message));
            }
            let named =
                report.outcome.as_ref().ok().and_then(|value| self.app.intents.by_name(value));
            if let Some(picked) = named {
                return Ok(picked);
            }
        }
        let first = self.app.agents.first().cloned();
        let none = || Refusal::new(ErrorCode::UnknownAction, "no agent is served");
        first.map(|agent| Picked { agent, intent: None }).ok_or_else(none)
    }

    async fn ask_router(&self, router: Agent) -> Stored<TurnReport> {
        let permit = Arc::clone(&self.app.turns.permits).acquire_owned().await;
        let broke = || Refusal::new(ErrorCode::Internal, "the router broke off inside the server");
        let text = self.input.text.clone();
        let conversation = Conversation { text, ..Conversation::default() };
        let request = self.request(&router, conversation);
        let permit = permit.map_err(|_| broke())?;
        let cancel = self.turn.cancel.clone();
        let running = thread::start(self.app.project.clone(), request, cancel, permit);
        running.report.await.map_err(|_| broke())
    }

    fn request(&self, agent: &Agent, conversation: Conversation) -> TurnRequest {
        let app = &self.app;
        let contexts =
            Contexts { store: Arc::clone(&app.store), owner: self.caller.owner().to_string() };
        TurnRequest {
            program: agent.program.clone(),
            agent: agent.agent.clone(),
            conversation,
            hints: self.hints,
            frontend: Some(Arc::new(Forwarder::new(
                app,
                &self.caller,
                &self.context,
                &self.message.message_id,
            ))),
            contexts: Some(contexts),
            ..app.turn_request.clone()
        }
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
        let attachments = self.input.attachments.as_deref().unwrap_or_default();
        let attachments = attachments.iter().filter_map(|attachment| {
            let metadata = attachment.metadata.as_ref().map(|known| serde_json::to_value(known));
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
            messages: history::past(&last, &self.context, &self.message.message_id),
            state,
            metadata: self.message.metadata.clone().unwrap_or_default(),
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
        let new = NewMessage::new(&message.to_value())?;
        let update = Update {
            owner: self.caller.owner().to_string(),
            context_id: Some(self.context.clone()),
            operations: vec![Operation::AddMessage(new)],
            cause: Some(self.message.message_id.clone()),
            settles,
            ..Update::default()
        };
        Ok(self.app.updated(update).await?.seqs.first().copied())
    }

    /// The answer that a report is.
    fn close(&mut self, report: TurnReport, picked: &Picked, is_late: bool) -> Stored<Message> {
        let error = report.error().map(|error| failure(error, is_late));
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
            let told = json!({ "code": refused.code.as_str(), "message": refused.message });
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
        let settles = Settlement { key, answer: message.to_json() };
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

/// What went wrong, with a code of the protocol.
fn failure(error: TurnError, is_late: bool) -> Refusal {
    if is_late && error.cancelled {
        return Refusal::new(ErrorCode::Timeout, "the turn took longer than the server allows");
    }
    let mut refused = Refusal::new(code(&error), error.message);
    if refused.code.as_str() != error.code {
        refused = refused.detail("code", error.code);
    }
    if let Some(details) = error.details {
        refused = refused.detail("cause", details);
    }
    match error.help {
        Some(help) => refused.suggest(help),
        None => refused,
    }
}

fn code(error: &TurnError) -> ErrorCode {
    match error.code.as_str() {
        _ if error.cancelled => ErrorCode::Cancelled,
        "timeout" => ErrorCode::Timeout,
        other => ErrorCode::parse(other).unwrap_or(ErrorCode::ExecutionFailed),
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
