//! CONTEXT_UPDATE, and messages that are only kept (CP-7, CP-10, CP-11).

use super::failure::refusal_at;
use super::reply::Reply;
use super::rights::{check_name, check_sender, speaker};
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::message::{answering, digest, stored_answer};
use contexture::store::contexts::{
    Answer, Applied, MessageKey, NewMessage, Operation, Repeated, Update,
};
use contexture_protocol::content::{Ack, ContextUpdate, UpdateOperation};
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
    match operation(app, caller, message, update) {
        Ok(operation) => {
            let base = update.base_version.as_ref().map(|version| version.get());
            submit(app, caller, message, vec![operation], base, reply);
        }
        Err(refused) => reply.refuse(refused),
    }
}

/// Stores a message that needs no work, such as that of a model service.
pub(crate) fn keep(app: &Arc<App>, caller: &Caller, message: &Message, reply: Reply) {
    let added = Operation::AddMessage(NewMessage::of(message));
    submit(app, caller, message, vec![added], None, reply);
}

fn operation(
    app: &App,
    caller: &Caller,
    message: &Message,
    update: &ContextUpdate,
) -> Result<Operation, Refusal> {
    let absent = || Refusal::new(ErrorCode::ValidationFailed, "the update lacks what it needs");
    Ok(match update.operation {
        UpdateOperation::AddMessage => {
            let draft = update.message.as_ref().ok_or_else(absent)?;
            added(app, caller, message, (**draft).clone())?
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
    })
}

/// Returns the operation that adds a message. Missing fields come from the outer message, and the
/// caller must be allowed to send as its sender.
fn added(app: &App, caller: &Caller, outer: &Message, inner: Draft) -> Result<Operation, Refusal> {
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
    Ok(Operation::AddMessage(NewMessage::of(&whole)))
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
    operations: Vec<Operation>,
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
    app.update(update, move |_, outcome| match outcome {
        Ok(Applied { repeated: Some(Repeated::Done(answer)), .. }) => {
            reply.finish_with(stored_answer(&answer));
        }
        Ok(applied) => reply.finish(ack(&template, &id, &applied)),
        Err(error) => {
            reply.refuse(refusal_at("/content/baseVersion", error, context.as_deref()));
        }
    });
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
