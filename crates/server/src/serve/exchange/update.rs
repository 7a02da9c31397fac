//! CONTEXT_UPDATE, and messages that are only kept (CP-7, CP-10, CP-11).

use super::failure::refusal_at;
use super::reply::Reply;
use super::speaker;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::digest::digest;
use crate::serve::message::answering;
use contexture::store::contexts::{
    Answer, Applied, MessageKey, NewMessage, Operation, Repeated, Update,
};
use contexture_protocol::content::{Ack, ContextUpdate, UpdateOperation};
use contexture_protocol::{Body, Draft, ErrorCode, Message, Refusal, SenderType, Violation};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Types of messages that open and steer a connection, or tell what goes on: they pass, and no context
/// keeps them (CP-5).
const PASSING: &[&str] = &[
    "HELLO",
    "WELCOME",
    "ACK",
    "MODEL_RESPONSE_DELTA",
    "PROGRESS",
    "CONTROL",
    "SUBSCRIBE",
    "UNSUBSCRIBE",
    "CONTEXT_DELTA",
];

/// Does what a CONTEXT_UPDATE asks for; its answer is an ACK with the version after it.
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

/// Keeps a message that asks for nothing, such as what a model service said.
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

/// The message to add: what it lacks comes from the message that brings it, and it speaks for
/// nobody whom its sender may not speak for.
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
    if let Some(refused) = elsewhere(outer, &whole) {
        return Err(refused);
    }
    if whole.message_id.is_empty() {
        whole.message_id = app.maker.id("msg");
    }
    if outer.context_id.is_some() {
        whole.context_id.clone_from(&outer.context_id);
    }
    if !caller.grant.senders.allow(whole.sender.kind) {
        return Err(sender_forbidden(whole.sender.kind));
    }
    if let Some(speaker) = speaker(whole.kind())
        && !caller.grant.senders.allow(speaker)
    {
        return Err(sender_forbidden(speaker));
    }
    known(app, &whole)?;
    Ok(Operation::AddMessage(NewMessage::of(&whole)))
}

/// The refusal of a message that says it belongs to another context than that of its update.
fn elsewhere(outer: &Message, inner: &Message) -> Option<Refusal> {
    let found = inner.context_id.as_ref().filter(|id| outer.context_id.as_ref() != Some(*id))?;
    let text = "the message that is added belongs to another context than the update";
    let mut refused = Refusal::new(ErrorCode::ValidationFailed, text);
    refused.violations.push(Violation {
        pointer: "/content/message/contextId".to_owned(),
        expected: match &outer.context_id {
            Some(context) => format!("`{context}`, the context of the update, or none"),
            None => "none: the update makes a context of its own".to_owned(),
        },
        found: found.clone(),
    });
    Some(refused)
}

/// A message that is added is of a type that the server takes, as on the wire, and that contexts keep.
fn known(app: &App, inner: &Message) -> Result<(), Refusal> {
    if PASSING.contains(&inner.kind()) {
        let text = format!("no context keeps a {}", inner.kind());
        let mut refused = Refusal::new(ErrorCode::ValidationFailed, text);
        refused.violations.push(Violation {
            pointer: "/content/message/type".to_owned(),
            expected: "a type of messages that are kept, such as USER_INPUT".to_owned(),
            found: inner.kind().to_owned(),
        });
        return Err(refused);
    }
    let Err(mut refused) = app.handlers.check(inner, &app.limits) else { return Ok(()) };
    // It is the outer message that is refused.
    (refused.message_id, refused.context_id) = (None, None);
    if refused.violations.is_empty() {
        refused.violations.push(Violation {
            pointer: "/type".to_owned(),
            expected: "a type that the server knows".to_owned(),
            found: inner.kind().to_owned(),
        });
    }
    for violation in &mut refused.violations {
        violation.pointer.insert_str(0, "/content/message");
    }
    Err(*refused)
}

pub(crate) fn sender_forbidden(kind: SenderType) -> Refusal {
    let message = format!("the token does not allow to send as {kind}");
    Refusal::new(ErrorCode::SenderForbidden, message).policy("sender_type")
}

fn submit(
    app: &Arc<App>,
    caller: &Caller,
    message: &Message,
    operations: Vec<Operation>,
    base_version: Option<u64>,
    reply: Reply,
) {
    let ack = Acknowledge {
        template: app.maker.message(message.context_id.as_deref(), Body::Ack(Ack::default())),
        message_id: message.message_id.clone(),
    };
    let made = ack.clone();
    let answer = Answer::Made(Arc::new(move |applied| made.for_update(applied).to_json()));
    let update = Update { base_version, ..once(caller, message, answer, operations) };
    let context = message.context_id.clone();
    app.update(update, move |app, outcome| match outcome {
        Ok(Applied { repeated: Some(Repeated::Done(answer)), .. }) => match app.kept(&answer) {
            Ok(message) => reply.finish(message),
            Err(refused) => reply.refuse(refused),
        },
        Ok(applied) => reply.finish(ack.for_update(&applied)),
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
        metadata: about(caller),
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

/// The ACK of an update.
#[derive(Clone)]
struct Acknowledge {
    template: Message,
    message_id: String,
}

impl Acknowledge {
    fn for_update(&self, applied: &Applied) -> Message {
        let ack = Ack {
            message_id: self.message_id.clone(),
            version: Some(applied.version.into()),
            ..Ack::default()
        };
        let mut message = Message { body: Body::Ack(ack), ..self.template.clone() };
        message.context_id = Some(applied.context_id.clone());
        answering(message, &self.message_id)
    }
}

/// Returns the metadata about the creator of a context.
pub(crate) fn about(caller: &Caller) -> Map<String, Value> {
    let mut metadata = Map::new();
    metadata.insert("userId".to_owned(), Value::from(&**caller.owner()));
    if let Some(session) = &caller.session {
        metadata.insert("sessionId".to_owned(), Value::from(session.id()));
        if let Some(client) = session.client() {
            let mut info = Map::new();
            for (name, value) in [
                ("device", &client.device_type),
                ("platform", &client.platform),
                ("version", &client.version),
            ] {
                if let Some(value) = value {
                    info.insert(name.to_owned(), Value::from(value.as_str()));
                }
            }
            metadata.insert("clientInfo".to_owned(), Value::Object(info));
        }
    }
    metadata
}
