//! CONTEXT_UPDATE, and messages that are only kept (CP-7, CP-10, CP-11).

use super::failure::refusal_at;
use super::reply::Reply;
use super::rights::{check_name, check_sender, forbidden, speaker};
use crate::serve::app::App;
use crate::serve::caller::{Caller, Scope};
use crate::serve::flows::accept;
use crate::serve::message::{answering, digest, stored_answer};
use contexture::store::contexts::{
    Answer, Applied, ContextError, MessageKey, NewMessage, Operation, Repeated, Update,
};
use contexture_protocol::content::{Ack, ContextUpdate, UpdateOperation, UpdateStep};
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
    match asked(app, caller, message, update) {
        Ok(Asked { mut added, is_batch: false, .. }) if added.first().is_some_and(wants_tools) => {
            accept::added(app, caller, message, added.remove(0), reply);
        }
        Ok(asked) => {
            let base = update.base_version.as_ref().map(|version| version.get());
            submit(app, caller, message, asked, base, reply);
        }
        Err(refused) => reply.refuse(refused),
    }
}

/// Stores a message that needs no work, such as that of a model service.
pub(crate) fn keep(app: &Arc<App>, caller: &Caller, message: &Message, reply: Reply) {
    let operations = vec![Operation::AddMessage(NewMessage::of(message))];
    let asked = Asked { operations, added: vec![message.clone()], is_batch: false };
    submit(app, caller, message, asked, None, reply);
}

/// What an update asks for.
struct Asked {
    /// The operations, which take effect together.
    operations: Vec<Operation>,
    /// The messages that they add, in their order.
    added: Vec<Message>,
    /// True if the operations stand in `changes`.
    is_batch: bool,
}

impl Asked {
    /// Returns the place of an operation in the message.
    fn pointer(&self, operation: usize) -> String {
        if self.is_batch { format!("/content/changes/{operation}") } else { "/content".to_owned() }
    }

    /// Returns the place of the last operation that adds a message of this id.
    fn adds(&self, id: &str) -> Option<usize> {
        let adds = |one: &Operation| matches!(one, Operation::AddMessage(new) if new.id() == id);
        self.operations.iter().rposition(adds)
    }

    /// Creates the refusal for an error of the store, which names the operation at fault.
    fn refused(&self, error: ContextError, context: Option<&str>) -> Refusal {
        let place = match &error {
            ContextError::Path { operation, .. } => {
                Some(format!("{}/path", self.pointer(*operation)))
            }
            ContextError::Invalid { pointer, operation: Some(operation), .. } => {
                let within = pointer.strip_prefix("/metadata").unwrap_or_default();
                Some(format!("{}/value{within}", self.pointer(*operation)))
            }
            _ => None,
        };
        let taken = match &error {
            ContextError::MessageIdConflict(id) if self.is_batch => self.adds(id),
            _ => None,
        };
        let mut refused = refusal_at("/content/baseVersion", error, context);
        if let Some(place) = place {
            refused.violations.iter_mut().for_each(|one| place.clone_into(&mut one.pointer));
        }
        match taken {
            Some(operation) => {
                let place = format!("{}/message/messageId", self.pointer(operation));
                refused.violation(place, "an id that no message of the context has", "one in use")
            }
            None => refused,
        }
    }
}

/// Returns what an update asks for.
fn asked(
    app: &App,
    caller: &Caller,
    message: &Message,
    update: &ContextUpdate,
) -> Result<Asked, Refusal> {
    let steps = match (&update.changes, update.operation) {
        (Some(changes), _) => changes.clone(),
        (None, Some(operation)) => vec![UpdateStep {
            operation,
            message: update.message.clone(),
            path: update.path.clone(),
            value: update.value.clone(),
            filter: update.filter.clone(),
            extra: Map::new(),
        }],
        (None, None) => return Err(lacking()),
    };
    let is_batch = update.changes.is_some();
    let mut asked = Asked { operations: Vec::new(), added: Vec::new(), is_batch };
    for (place, step) in steps.into_iter().enumerate() {
        let operation = match step.operation {
            UpdateOperation::AddMessage => {
                let draft = step.message.ok_or_else(lacking)?;
                let at = format!("{}/message", asked.pointer(place));
                let whole = added(app, caller, message, *draft, &at)?;
                if is_batch && wants_tools(&whole) {
                    return Err(wish_in_batch(&at));
                }
                let new = NewMessage::of(&whole);
                asked.added.push(whole);
                Operation::AddMessage(new)
            }
            UpdateOperation::UpdateState => Operation::UpdateState {
                path: step.path.ok_or_else(lacking)?,
                value: step.value.ok_or_else(lacking)?,
            },
            UpdateOperation::RemoveState => {
                Operation::RemoveState { path: step.path.ok_or_else(lacking)? }
            }
            UpdateOperation::UpdateMetadata => match step.value {
                Some(Value::Object(patch)) => Operation::UpdateMetadata { patch },
                _ => return Err(lacking()),
            },
            UpdateOperation::ClearHistory => {
                let before = step.filter.map(|filter| filter.before_timestamp.as_str().to_owned());
                Operation::ClearHistory { before }
            }
        };
        asked.operations.push(operation);
    }
    Ok(asked)
}

fn lacking() -> Refusal {
    Refusal::new(ErrorCode::ValidationFailed, "the update lacks what it needs")
}

/// Refuses a wish for tools among other operations: its calls are checked and run on their own.
fn wish_in_batch(at: &str) -> Refusal {
    let text = "a MODEL_RESPONSE that requests tool calls is added alone";
    let refused = Refusal::new(ErrorCode::ValidationFailed, text);
    refused.violation(format!("{at}/content/toolCalls"), "none among `changes`", "tool calls")
}

/// Returns the message to add. Missing fields come from the outer message, and the
/// caller must be allowed to send as its sender.
fn added(
    app: &App,
    caller: &Caller,
    outer: &Message,
    inner: Draft,
    at: &str,
) -> Result<Message, Refusal> {
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
    check_context(outer, &whole, at)?;
    if whole.message_id.is_empty() {
        whole.message_id = app.maker.id("msg");
    }
    if outer.context_id.is_some() {
        whole.context_id.clone_from(&outer.context_id);
    }
    check_name(app, caller, &format!("{at}/sender/id"), &whole.sender.id)?;
    let placed = |refused: Refusal| refused.detail("pointer", at);
    check_sender(caller, whole.sender.kind).map_err(placed)?;
    if let Some(speaker) = speaker(whole.kind()) {
        check_sender(caller, speaker).map_err(placed)?;
    }
    check_type(app, &whole, at)?;
    if wants_tools(&whole) && !caller.grant.scopes.contains(&Scope::Run) {
        return Err(forbidden(Scope::Run));
    }
    Ok(whole)
}

fn wants_tools(message: &Message) -> bool {
    matches!(&message.body, Body::ModelResponse(response) if response.request().is_some())
}

/// Checks that an added message does not belong to another context than its update.
fn check_context(outer: &Message, inner: &Message, at: &str) -> Result<(), Refusal> {
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
    Err(refused.violation(format!("{at}/contextId"), expected, found))
}

/// Checks that an added message has a type that the server accepts and that contexts store.
fn check_type(app: &App, inner: &Message, at: &str) -> Result<(), Refusal> {
    let kind = inner.kind();
    if NOT_STORED.contains(&kind) {
        let expected = "a type of messages that are kept, such as USER_INPUT";
        let refused =
            Refusal::new(ErrorCode::ValidationFailed, format!("a context does not keep {kind}"));
        return Err(refused.violation(format!("{at}/type"), expected, kind));
    }
    let Err(refused) = app.handlers.check(inner, &app.limits) else { return Ok(()) };
    // The outer message is refused.
    let mut refused = Refusal { message_id: None, context_id: None, ..*refused };
    if refused.violations.is_empty() {
        refused = refused.violation("/type", "a type that the server knows", kind);
    }
    for violation in &mut refused.violations {
        violation.pointer.insert_str(0, at);
    }
    Err(refused)
}

fn submit(
    app: &Arc<App>,
    caller: &Caller,
    message: &Message,
    asked: Asked,
    base_version: Option<u64>,
    reply: Reply,
) {
    let ids = || asked.added.iter().map(|one| one.message_id.clone()).collect();
    let empty = Ack { message_ids: asked.is_batch.then(ids), ..Ack::default() };
    let template = app.maker.message(message.context_id.as_deref(), Body::Ack(empty));
    let id = message.message_id.clone();
    let (stored, stored_id) = (template.clone(), id.clone());
    let stored = move |applied: &Applied| ack(&stored, &stored_id, applied).to_json();
    let answer = Answer::Made(Arc::new(stored));
    let operations = asked.operations.clone();
    let update = Update { base_version, ..once(caller, message, answer, operations) };
    let context = message.context_id.clone();
    let caller = caller.clone();
    app.update(update, move |app, outcome| match outcome {
        Ok(Applied { repeated: Some(Repeated::Done(answer)), .. }) => {
            reply.finish_with(stored_answer(&answer));
        }
        Ok(applied) => {
            reply.finish(ack(&template, &id, &applied));
            for (said, seq) in asked.added.into_iter().zip(applied.seqs) {
                hear(app, &caller, said, seq);
            }
        }
        Err(error) => reply.refuse(asked.refused(error, context.as_deref())),
    });
}

/// Tells the turn that waits for a model service what it said.
fn hear(app: &Arc<App>, caller: &Caller, mut said: Message, seq: u64) {
    if !matches!(said.body, Body::ModelResponse(_)) {
        return;
    }
    if let Some(heard) = app.routed.of(caller.owner(), caller.session.as_ref(), &said) {
        said.set_meta("seq", seq);
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

/// Completes the ACK of an update.
fn ack(template: &Message, message_id: &str, applied: &Applied) -> Message {
    let mut message = template.clone();
    if let Body::Ack(ack) = &mut message.body {
        message_id.clone_into(&mut ack.message_id);
        ack.version = Some(applied.version.into());
    }
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
