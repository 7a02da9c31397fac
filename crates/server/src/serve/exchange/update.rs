//! CONTEXT_UPDATE, and messages that are only kept (CP-7, CP-10, CP-11).

use super::failure::refusal_at;
use super::reply::Reply;
use super::rights::{check_name, check_sender, forbidden, speaker};
use crate::serve::app::App;
use crate::serve::caller::{Caller, Scope};
use crate::serve::flows::accept;
use crate::serve::message::{answering, digest, stored_answer};
use contexture::store::contexts::{
    Answer, Applied, MessageKey, NewMessage, Operation, Repeated, Update,
};
use contexture_protocol::content::{Ack, ContextUpdate, StateChange, UpdateOperation};
use contexture_protocol::{Body, Draft, ErrorCode, Message, Refusal};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The types of messages that open and steer a connection, or report progress: contexts do not store
/// them (CP-5).
const NOT_STORED: &[&str] = &[
    "HELLO",
    "WELCOME",
    "ACK",
    "MODEL_RESPONSE_DELTA",
    "PROGRESS",
    "CONTROL",
    "SUBSCRIBE",
    "UNSUBSCRIBE",
    "CONTEXT_DELTA",
    "TOOL_REGISTRATION",
];

/// Applies a CONTEXT_UPDATE; its answer is an ACK with the new version.
pub(crate) fn begin(
    app: &Arc<App>,
    caller: &Caller,
    message: &Message,
    update: &ContextUpdate,
    reply: Reply,
) {
    match operations(app, caller, message, update) {
        Ok((_, Some(wish))) if wants_tools(&wish) => {
            accept::added(app, caller, message, wish, reply);
        }
        Ok((operations, said)) => {
            let base = update.base_version.as_ref().map(|version| version.get());
            submit(app, caller, message, (operations, said), base, reply);
        }
        Err(refused) => reply.refuse(refused),
    }
}

/// Stores a message that needs no work, such as that of a model service.
pub(crate) fn keep(app: &Arc<App>, caller: &Caller, message: &Message, reply: Reply) {
    let added = Operation::AddMessage(NewMessage::of(message));
    submit(app, caller, message, (vec![added], said(message)), None, reply);
}

/// Returns the operations of an update, which take effect together, and what a model says by it.
fn operations(
    app: &App,
    caller: &Caller,
    message: &Message,
    update: &ContextUpdate,
) -> Result<(Vec<Operation>, Option<Message>), Refusal> {
    let absent = || Refusal::new(ErrorCode::ValidationFailed, "the update lacks what it needs");
    if let Some(changes) = &update.changes {
        let change = |change: &StateChange| match change.operation {
            UpdateOperation::RemoveState => {
                Ok(Operation::RemoveState { path: change.path.clone() })
            }
            _ => Ok(Operation::UpdateState {
                path: change.path.clone(),
                value: change.value.clone().ok_or_else(absent)?,
            }),
        };
        return Ok((changes.iter().map(change).collect::<Result<_, Refusal>>()?, None));
    }
    let operation = match update.operation.ok_or_else(absent)? {
        UpdateOperation::AddMessage => {
            let draft = update.message.as_ref().ok_or_else(absent)?;
            let whole = added(app, caller, message, (**draft).clone())?;
            return Ok((vec![Operation::AddMessage(NewMessage::of(&whole))], said(&whole)));
        }
        UpdateOperation::UpdateState => Operation::UpdateState {
            path: update.path.clone().ok_or_else(absent)?,
            value: update.value.clone().ok_or_else(absent)?,
        },
        UpdateOperation::RemoveState => {
            Operation::RemoveState { path: update.path.clone().ok_or_else(absent)? }
        }
        UpdateOperation::ClearHistory => {
            let filter = update.filter.as_ref();
            let before = filter.map(|filter| filter.before_timestamp.as_str().to_owned());
            Operation::ClearHistory { before }
        }
    };
    Ok((vec![operation], None))
}

/// Returns what a model says, which may be the answer of a turn or a wish for tools.
fn said(message: &Message) -> Option<Message> {
    matches!(message.body, Body::ModelResponse(_)).then(|| message.clone())
}

/// Returns the message to add. Missing fields come from the outer message, and the
/// caller must be allowed to send as its sender.
fn added(app: &App, caller: &Caller, outer: &Message, inner: Draft) -> Result<Message, Refusal> {
    let rest = Message {
        message_id: String::new(),
        context_id: None,
        timestamp: outer.timestamp.clone(),
        sender: outer.sender.clone(),
        body: Body::Ack(Ack::default()),
        metadata: None,
        extra: Map::new(),
    };
    let mut whole = inner.complete(rest);
    check_context(outer, &whole)?;
    if whole.message_id.is_empty() {
        whole.message_id = app.maker.id("msg");
    }
    if outer.context_id.is_some() {
        whole.context_id.clone_from(&outer.context_id);
    }
    check_name(app, caller, "/content/message/sender/id", &whole.sender.id)?;
    check_sender(caller, whole.sender.kind)?;
    if let Some(speaker) = speaker(whole.kind()) {
        check_sender(caller, speaker)?;
    }
    check_type(app, &whole)?;
    if wants_tools(&whole) && !caller.grant.scopes.contains(&Scope::Run) {
        return Err(forbidden(Scope::Run));
    }
    Ok(whole)
}

fn wants_tools(message: &Message) -> bool {
    matches!(&message.body, Body::ModelResponse(response) if response.request().is_some())
}

/// Checks that an added message does not belong to another context than its update.
fn check_context(outer: &Message, inner: &Message) -> Result<(), Refusal> {
    let Some(found) = inner.context_id.as_ref().filter(|id| outer.context_id.as_ref() != Some(*id))
    else {
        return Ok(());
    };
    let expected = match &outer.context_id {
        Some(context) => format!("`{context}`, the context of the update, or none"),
        None => "none: the update makes a context of its own".to_owned(),
    };
    let text = "the message that is added belongs to another context than the update";
    let refused = Refusal::new(ErrorCode::ValidationFailed, text);
    Err(refused.violation("/content/message/contextId", expected, found))
}

/// Checks that an added message has a type that the server accepts and that contexts store.
fn check_type(app: &App, inner: &Message) -> Result<(), Refusal> {
    let kind = inner.kind();
    if NOT_STORED.contains(&kind) {
        let expected = "a type of messages that are kept, such as USER_INPUT";
        let refused =
            Refusal::new(ErrorCode::ValidationFailed, format!("no context keeps a {kind}"));
        return Err(refused.violation("/content/message/type", expected, kind));
    }
    let Err(refused) = app.handlers.check(inner, &app.limits) else { return Ok(()) };
    // The outer message is refused.
    let mut refused = Refusal { message_id: None, context_id: None, ..*refused };
    if refused.violations.is_empty() {
        refused = refused.violation("/type", "a type that the server knows", kind);
    }
    for violation in &mut refused.violations {
        violation.pointer.insert_str(0, "/content/message");
    }
    Err(refused)
}

fn submit(
    app: &Arc<App>,
    caller: &Caller,
    message: &Message,
    (operations, said): (Vec<Operation>, Option<Message>),
    base_version: Option<u64>,
    reply: Reply,
) {
    let template = app.maker.message(message.context_id.as_deref(), Body::Ack(Ack::default()));
    let id = message.message_id.clone();
    let (stored, stored_id) = (template.clone(), id.clone());
    let stored = move |applied: &Applied| ack(&stored, &stored_id, applied).to_json();
    let answer = Answer::Made(Arc::new(stored));
    let update = Update { base_version, ..once(caller, message, answer, operations) };
    let context = message.context_id.clone();
    let caller = caller.clone();
    app.update(update, move |app, outcome| match outcome {
        Ok(Applied { repeated: Some(Repeated::Done(answer)), .. }) => {
            reply.finish_with(stored_answer(&answer));
        }
        Ok(applied) => {
            reply.finish(ack(&template, &id, &applied));
            if let Some(said) = said {
                hear(app, &caller, said, &applied);
            }
        }
        Err(error) => {
            reply.refuse(refusal_at("/content/baseVersion", error, context.as_deref()));
        }
    });
}

/// Tells the turn that waits for a model service what it said.
fn hear(app: &Arc<App>, caller: &Caller, mut said: Message, applied: &Applied) {
    if let Some(heard) = app.routed.of(caller.owner(), caller.session.as_ref(), &said) {
        if let Some(seq) = applied.seqs.first() {
            said.set_meta("seq", *seq);
        }
        heard.answer(said);
    }
}

/// Returns the update of a context by a message, with effect once (CP-7).
pub(crate) fn once(
    caller: &Caller,
    message: &Message,
    answer: Answer,
    operations: Vec<Operation>,
) -> Update {
    Update {
        owner: caller.owner().to_string(),
        context_id: message.context_id.clone(),
        create: true,
        metadata: creation_metadata(caller),
        key: Some(MessageKey {
            message_id: message.message_id.clone(),
            digest: digest(message),
            answer,
        }),
        operations,
        cause: Some(message.message_id.clone()),
        ..Update::default()
    }
}

/// Creates the ACK of a message that is in its context.
pub(crate) fn acknowledged(app: &App, message: &Message, applied: &Applied) -> Message {
    let template = app.maker.message(message.context_id.as_deref(), Body::Ack(Ack::default()));
    ack(&template, &message.message_id, applied)
}

/// Creates the ACK of an update from a message without content.
fn ack(template: &Message, message_id: &str, applied: &Applied) -> Message {
    let version = Some(applied.version.into());
    let ack = Ack { message_id: message_id.to_owned(), version, ..Ack::default() };
    let mut message = Message { body: Body::Ack(ack), ..template.clone() };
    message.context_id = Some(applied.context_id.clone());
    answering(message, message_id)
}

/// Returns the metadata about the creator of a context.
pub(crate) fn creation_metadata(caller: &Caller) -> Map<String, Value> {
    let mut metadata = Map::new();
    metadata.insert("userId".to_owned(), Value::from(&**caller.owner()));
    if let Some(session) = &caller.session {
        metadata.insert("sessionId".to_owned(), Value::from(session.id()));
        if let Some(client) = session.client() {
            let fields = [
                ("device", &client.device_type),
                ("platform", &client.platform),
                ("version", &client.version),
            ];
            let fields = fields.into_iter().filter_map(|(name, value)| {
                Some((name.to_owned(), Value::from(value.as_deref()?)))
            });
            let info: Map<String, Value> = fields.collect();
            metadata.insert("clientInfo".to_owned(), Value::Object(info));
        }
    }
    metadata
}
