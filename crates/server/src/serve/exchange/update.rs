//! CONTEXT_UPDATE, and messages that are only kept (CP-7, CP-10, CP-11).

use super::failure::refusal;
use super::reply::Reply;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::digest::digest;
use crate::serve::message::answering;
use contexture::store::contexts::{
    Answer, Applied, MessageKey, NewMessage, Operation, Repeated, Update,
};
use contexture_protocol::content::{Ack, ContextUpdate, UpdateOperation};
use contexture_protocol::{Body, ErrorCode, Limits, Message, Refusal, SenderType};
use serde_json::{Map, Value};
use std::sync::Arc;

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
    match NewMessage::new(&message.to_value()) {
        Ok(new) => submit(app, caller, message, vec![Operation::AddMessage(new)], None, reply),
        Err(error) => reply.refuse(refusal(error, message.context_id.as_deref())),
    }
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
            added(app, caller, message, draft.to_value())?
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
fn added(app: &App, caller: &Caller, outer: &Message, inner: Value) -> Result<Operation, Refusal> {
    let Value::Object(mut fields) = inner else {
        return Err(Refusal::new(ErrorCode::ValidationFailed, "the message is no object"));
    };
    fields.entry("messageId").or_insert_with(|| Value::from(app.maker.id("msg")));
    let whole = outer.to_value();
    for name in ["timestamp", "sender"] {
        let filled = || whole.get(name).cloned().unwrap_or_default();
        fields.entry(name).or_insert_with(filled);
    }
    if let Some(context) = &outer.context_id {
        fields.insert("contextId".to_owned(), Value::from(context.as_str()));
    }
    let value = Value::Object(fields);
    let whole =
        Message::from_value(value.clone(), &Limits::WIRE).map_err(|refused| inside(*refused))?;
    if !caller.grant.senders.allow(whole.sender.kind) {
        return Err(sender_forbidden(whole.sender.kind));
    }
    let new = NewMessage::new(&value);
    new.map(Operation::AddMessage).map_err(|error| refusal(error, outer.context_id.as_deref()))
}

/// Places in the message that is added, from the top of the update.
fn inside(mut refused: Refusal) -> Refusal {
    for violation in &mut refused.violations {
        violation.pointer.insert_str(0, "/content/message");
    }
    refused.message_id = None;
    refused.context_id = None;
    refused
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
    let update = Update {
        owner: caller.owner().to_string(),
        context_id: message.context_id.clone(),
        create: true,
        metadata: about(caller),
        key: Some(MessageKey {
            message_id: message.message_id.clone(),
            digest: digest(message),
            answer,
        }),
        base_version,
        operations,
        cause: Some(message.message_id.clone()),
        settles: None,
    };
    let context = message.context_id.clone();
    app.update(update, move |app, outcome| match outcome {
        Ok(Applied { repeated: Some(Repeated::Done(answer)), .. }) => match app.kept(&answer) {
            Ok(message) => reply.finish(message),
            Err(refused) => reply.refuse(refused),
        },
        Ok(applied) => reply.finish(ack.for_update(&applied)),
        Err(error) => reply.refuse(refusal(error, context.as_deref())),
    });
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

/// What a context that is created learns of who created it.
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
