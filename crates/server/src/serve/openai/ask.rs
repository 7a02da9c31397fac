//! The turn of a chat request: one that is not stored, or one in a context.

use super::request::Chat;
use super::stored;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::exchange::input::AnswerOptions;
use crate::serve::exchange::receive_with;
use crate::serve::exchange::reply::{Reply, ReplySink};
use crate::serve::frontend::target::Forwarder;
use crate::serve::operations::audit::{AuditEvent, AuditRecord};
use crate::serve::operations::log::millis;
use crate::serve::sensitive;
use crate::serve::turn::history;
use crate::serve::turn::parked;
use crate::serve::turn::thread::{TurnOptions, start};
use crate::serve::turn::tools;
use crate::serve::turn::turns::UnstoredTurn;
use crate::serve::turn::work::metadata_of;
use contexture::prompt::ToolCall;
use contexture::store::contexts::Update;
use contexture::turn::{Conversation, Finish, Form, Past, Role, TurnEvent};
use contexture_protocol::content::{Call, CallResult, FinishReason, ModelResponse, UserInput};
use contexture_protocol::{Body, ErrorCode, Message, Refusal};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// An event of the stream of a request.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "the large one comes once, at the end")]
pub(crate) enum ChatEvent {
    /// A piece of the answer.
    Text(String),
    /// The text so far is complete in itself: the agent calls tools, and continues afterwards.
    Break(Vec<Call>),
    /// The results of calls.
    Results(Vec<CallResult>),
    End(Result<ChatAnswer, Refusal>),
}

#[derive(Debug, Default)]
pub(crate) struct ChatAnswer {
    pub(crate) text: String,
    /// True if the answer was cut at its limit.
    pub(crate) is_cut: bool,
    /// The calls of the client's tools that ended it.
    pub(crate) calls: Vec<ToolCall>,
    /// True if its text is the JSON that was asked for.
    pub(crate) is_formed: bool,
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
    /// The fields beyond OpenAI: context, run, model, value.
    pub(crate) more: Map<String, Value>,
}

impl ChatAnswer {
    /// Returns the text after what was sent of it.
    ///
    /// # Errors
    /// A refusal, if JSON was sent that the answer does not begin with.
    pub(super) fn rest(&self, sent: &str) -> Result<String, Refusal> {
        match self.text.strip_prefix(sent) {
            None if self.is_formed && !self.is_cut => {
                let text = "the answer was corrected after a part of it was sent";
                let refused = Refusal::new(ErrorCode::ExecutionFailed, text);
                Err(refused.suggest("Ask again without `stream`."))
            }
            rest => Ok(rest.unwrap_or_default().to_owned()),
        }
    }
}

/// The turn of a request. It is cancelled when this is dropped.
pub(crate) struct ChatTurn {
    pub(crate) events: UnboundedReceiver<ChatEvent>,
    form: Option<Form>,
    cancel: Cancel,
}

impl ChatTurn {
    /// Cancels the turn; its end comes as an event.
    pub(crate) fn cancel(&self) {
        self.cancel.now();
    }

    /// Checks that an answer has the form that was asked for.
    ///
    /// # Errors
    /// A refusal, if it has another one.
    pub(crate) fn checked(&self, mut answer: ChatAnswer) -> Result<ChatAnswer, Refusal> {
        let Some(form) = self.form.as_ref().filter(|_| answer.calls.is_empty()) else {
            return Ok(answer);
        };
        answer.is_formed = true;
        if answer.is_cut {
            return Ok(answer);
        }
        let value = serde_json::from_str::<Value>(&answer.text);
        let faults = value.as_ref().map(|value| form.faults(value)).unwrap_or_default();
        if value.is_ok() && faults.is_empty() {
            return Ok(answer);
        }
        let text = "the answer of the agent does not have the form that is asked for";
        let refused = Refusal::new(ErrorCode::ExecutionFailed, text).detail("code", "answer_form");
        Err(match faults.first() {
            Some(fault) => refused.suggest(format!("At `{}`: {}", fault.path, fault.found)),
            None => {
                refused.suggest("Ask an agent whose answer a model gives, or for another form.")
            }
        })
    }
}

/// The cancellation of a turn, also when this is dropped.
struct Cancel {
    app: Arc<App>,
    owner: Arc<str>,
    id: String,
    /// True if the message is stored in a context.
    is_stored: bool,
}

impl Drop for Cancel {
    fn drop(&mut self) {
        self.now();
    }
}

impl Cancel {
    fn now(&self) {
        if let Some(turn) = self.app.turns.of_message(&self.owner, &self.id) {
            parked::cancel(&self.app, &turn);
        } else if self.is_stored {
            // The message may not be stored yet: after that, its turn has begun.
            let after = Update { owner: self.owner.to_string(), ..Update::default() };
            let (owner, id) = (Arc::clone(&self.owner), self.id.clone());
            self.app.update(after, move |app, _| {
                if let Some(turn) = app.turns.of_message(&owner, &id) {
                    parked::cancel(app, &turn);
                }
            });
        }
    }
}

/// Begins the turn.
pub(crate) fn ask(app: &Arc<App>, caller: &Caller, chat: Chat) -> ChatTurn {
    let (tell, events) = unbounded_channel();
    let id = app.maker.id("msg");
    let cancel = Cancel {
        app: Arc::clone(app),
        owner: Arc::clone(caller.owner()),
        id: id.clone(),
        is_stored: chat.context.is_some(),
    };
    let form = chat.hints.form.clone();
    match chat.context.clone() {
        Some(context) => in_context(app, caller, chat, context, id, tell),
        None => alone(app, caller, chat, id, tell),
    }
    ChatTurn { events, form, cancel }
}

/// Runs a turn that is not stored.
fn alone(
    app: &Arc<App>,
    caller: &Caller,
    chat: Chat,
    id: String,
    tell: UnboundedSender<ChatEvent>,
) {
    if let Some(refused) = app.draining() {
        let _ = tell.send(ChatEvent::End(Err(refused)));
        return;
    }
    let record = AuditRecord::new(AuditEvent::TurnBegun).by(caller);
    app.audit.note(&record.with("messageId", id.as_str()));
    let turn = app.turns.begin_unstored(Arc::clone(caller.owner()), id.clone());
    let caller = caller.clone();
    let (app, handle) = (Arc::clone(app), app.handle.clone());
    handle.spawn(async move {
        let (began, agent) = (Instant::now(), chat.agent.name.clone());
        let mut reason = Map::new();
        let outcome = run(&app, &turn, &caller, chat, (&tell, &mut reason)).await;
        let mut fields = json!({
            "agent": agent,
            "owner": &**caller.owner(),
            "messageId": id,
            "outcome": match &outcome {
                Ok(answer) if !answer.calls.is_empty() => "TOOL_CALLS",
                Ok(answer) => if answer.is_cut { "LENGTH" } else { "STOP" },
                Err(refused) => refused.code.as_str(),
            },
            "run": outcome.as_ref().ok().and_then(|answer| answer.more.get("run")),
            "ms": millis(began),
        });
        if let Some(fields) = fields.as_object_mut() {
            fields.extend(reason);
        }
        app.log.info("turn", fields);
        let _ = tell.send(ChatEvent::End(outcome));
    });
}

/// Returns the sensitive texts of the messages.
fn private(app: &App, chat: &Chat) -> Vec<String> {
    let declared = &app.project.config.serve.sensitive;
    if declared.is_empty() {
        return Vec::new();
    }
    let said = |role: Role, text: &str| {
        let body = match role {
            Role::Model => ModelResponse::new(text, FinishReason::Stop).into(),
            _ => UserInput { text: text.to_owned(), ..UserInput::default() }.into(),
        };
        sensitive::texts(declared, &Value::Null, &[], &app.maker.message(None, body))
    };
    let past = chat.past.iter().flat_map(|past| said(past.role, &past.text));
    let past = past.chain(chat.instructions.iter().flat_map(|text| said(Role::System, text)));
    past.chain(said(Role::User, &chat.text)).collect()
}

async fn run(
    app: &Arc<App>,
    turn: &UnstoredTurn,
    caller: &Caller,
    chat: Chat,
    (tell, reason): (&UnboundedSender<ChatEvent>, &mut Map<String, Value>),
) -> Result<ChatAnswer, Refusal> {
    let permit = app.turns.permit(&turn.cancel).await?;
    let private = private(app, &chat);
    let mut past: Vec<Past> = instructed(chat.instructions);
    past.extend(chat.past);
    let conversation = Conversation {
        text: chat.text,
        attachments: chat.attachments,
        messages: past,
        metadata: chat.metadata,
        private,
        ..Conversation::default()
    };
    let (agent, hints, owner) = (chat.agent, chat.hints, caller.owner().to_string());
    let permission = Arc::new(Forwarder::new(app, caller, turn.id(), turn.id()));
    let parent = caller.trace;
    let ledger = app.ledger(&caller.grant);
    let options = TurnOptions {
        agent,
        owner,
        ledger,
        conversation,
        hints,
        frontend: None,
        permission,
        parent,
        calls: None,
    };
    let mut running = start(app, options, turn.cancel.clone(), permit);
    while let Some(event) = running.next().await {
        let said = match event {
            TurnEvent::Delta { text } => ChatEvent::Text(text),
            TurnEvent::ToolCalls { .. } => ChatEvent::Break(Vec::new()),
            _ => continue,
        };
        let _ = tell.send(said);
    }
    let ended = running.end().await?;
    *reason = ended.reason();
    let is_cut = ended.report.finish == Finish::Length;
    if let Some(refused) = ended.error().filter(|_| !is_cut) {
        return Err(refused);
    }
    let report = ended.report;
    let more = metadata_of(&report);
    let calls = tools::identified(app, report.calls);
    Ok(ChatAnswer {
        text: report.text,
        is_cut,
        calls,
        is_formed: false,
        prompt_tokens: report.usage.prompt_tokens,
        completion_tokens: report.usage.completion_tokens,
        more,
    })
}

/// Returns what an app says to the system, as messages.
fn instructed(instructions: Vec<String>) -> Vec<Past> {
    instructions.into_iter().map(|text| Past::new(Role::System, text)).collect()
}

/// Sends what is new in a context: the message of the user, or the results of calls.
fn in_context(
    app: &Arc<App>,
    caller: &Caller,
    mut chat: Chat,
    context: String,
    id: String,
    tell: UnboundedSender<ChatEvent>,
) {
    let before = instructed(std::mem::take(&mut chat.instructions));
    let agent = Some(chat.agent.clone());
    let (message, earlier, hints) = match stored::messages(app, caller, chat, &context, id) {
        Ok(all) => all,
        Err(refused) => {
            let _ = tell.send(ChatEvent::End(Err(*refused)));
            return;
        }
    };
    let reply = Reply::new(Arc::new(ChatSink(tell)), app.maker.clone(), &message);
    let options = AnswerOptions { hints, agent, before, earlier };
    receive_with(app, caller, message, options, reply);
}

/// The sink of the answers in a context.
struct ChatSink(UnboundedSender<ChatEvent>);

impl ReplySink for ChatSink {
    fn passing(&self, message: Message) {
        let said = match message.body {
            Body::ModelResponseDelta(delta) => ChatEvent::Text(delta.text),
            Body::ModelResponse(said) => ChatEvent::Break(said.tool_calls.unwrap_or_default()),
            Body::ToolCallResponse(response) => ChatEvent::Results(response.results),
            _ => return,
        };
        let _ = self.0.send(said);
    }

    fn last(&self, message: Message) {
        let _ = self.0.send(ChatEvent::End(answer(message)));
    }
}

fn answer(message: Message) -> Result<ChatAnswer, Refusal> {
    let mut more = message.metadata.unwrap_or_default();
    for name in ["inReplyTo", "seq", "intent", history::CALLER] {
        more.shift_remove(name);
    }
    more.insert("messageId".to_owned(), message.message_id.into());
    if let Some(context) = message.context_id {
        more.insert("contextId".to_owned(), context.into());
    }
    match message.body {
        Body::ModelResponse(response) if response.finish_reason == Some(FinishReason::Error) => {
            let told = more.get("error").cloned().unwrap_or_default();
            let text = |name: &str| told.get(name).and_then(Value::as_str).unwrap_or_default();
            let code = ErrorCode::parse(text("code")).unwrap_or(ErrorCode::Internal);
            Err(Refusal::new(code, text("message")))
        }
        Body::ModelResponse(response) => {
            let usage = response.usage.clone().unwrap_or_default();
            let tokens =
                |count: Option<contexture_protocol::Count>| count.map_or(0, |count| count.get());
            Ok(ChatAnswer {
                text: response.text().to_owned(),
                is_cut: response.finish_reason == Some(FinishReason::Length),
                is_formed: false,
                calls: response
                    .tool_calls
                    .unwrap_or_default()
                    .into_iter()
                    .map(tools::of_client)
                    .collect(),
                prompt_tokens: tokens(usage.prompt_tokens),
                completion_tokens: tokens(usage.completion_tokens),
                more,
            })
        }
        Body::ErrorResponse(error) => {
            let code = ErrorCode::parse(&error.error_code).unwrap_or(ErrorCode::Internal);
            let mut refused = Refusal::new(code, error.message);
            refused.recoverable = error.recoverable.unwrap_or(refused.recoverable);
            refused.suggested_action = error.suggested_action.unwrap_or_default();
            if let Some(details) = error.details {
                refused.violated_policies = details.violated_policies.unwrap_or_default();
                refused.details = details.extra;
            }
            Err(refused)
        }
        _ => Err(Refusal::new(ErrorCode::Internal, "the message has no answer")),
    }
}
