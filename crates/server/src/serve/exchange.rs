//! The handling of messages, for all transports (CP-5, CP-6).
//!
//! Decision: taking a message never waits. Updates are sent to the store at once, so
//! that messages of one connection take effect in their order; answers are sent
//! through [`Reply`] when they are ready.

mod availability;
mod capabilities;
mod control;
mod failure;
mod input;
mod reply;
mod subscription;
mod update;
mod witness;

pub(crate) use availability::judge;
pub(crate) use failure::{forbidden, is_trouble, refusal, refusal_at};
pub(crate) use input::{Wishes, draining};
pub(crate) use reply::{Outlet, Reply};
pub(crate) use update::{about, once};

use super::app::App;
use super::caller::{Caller, Scope};
use super::flows;
use super::guard::Pace;
use super::handler;
use super::operations::audit::{Deed, Record};
use contexture_protocol::content::Ack;
use contexture_protocol::{Body, ErrorCode, Message, Refusal, SenderType, Violation};
use std::sync::Arc;

/// Takes a message; the answers are sent through `reply`, now or later.
pub(crate) fn receive(app: &Arc<App>, caller: &Caller, message: Message, reply: Reply) {
    receive_with(app, caller, message, Wishes::default(), reply);
}

/// Takes a message with wishes for its answer.
pub(crate) fn receive_with(
    app: &Arc<App>,
    caller: &Caller,
    message: Message,
    wishes: Wishes,
    reply: Reply,
) {
    let reply = reply.witnessed(app, caller);
    let reply = match paced(app, caller, reply) {
        Some(reply) => reply,
        None => return,
    };
    if let Err(refused) = admitted(caller, &message) {
        return reply.refuse(refused);
    }
    match &message.body {
        Body::ToolAvailabilityRequest(request) => {
            match availability::answer(&app.sessions.clients(caller.owner()), request) {
                Ok(answer) => {
                    reply.finish(app.maker.message(message.context_id.as_deref(), answer.into()));
                }
                Err(refused) => reply.refuse(refused),
            }
        }
        Body::UserInput(said) => {
            let said = said.clone();
            input::begin(app, caller, message, said, wishes, reply);
        }
        Body::ContextUpdate(asked) => update::begin(app, caller, &message, asked, reply),
        Body::ModelResponse(_) | Body::SystemMessage(_) => {
            if message.context_id.is_some() {
                update::keep(app, caller, &message, reply);
            } else {
                acknowledge(app, &message, reply);
            }
        }
        Body::ClientCapabilities(client) => {
            capabilities::announce(app, caller, &message, client, reply);
        }
        Body::ToolCallResponse(response) => {
            app.calls.answered(app, caller, &message, response, reply);
        }
        Body::Control(asked) => control::steer(app, caller, &message, asked, reply),
        Body::Subscribe(asked) => subscription::begin(app, caller, &message, asked, reply),
        Body::Unsubscribe(asked) => subscription::end(app, caller, &message, asked, reply),
        Body::ErrorResponse(_) | Body::Ack(_) => acknowledge(app, &message, reply),
        Body::ToolCallRequest(_) | Body::Instruction(_) => {
            flows::receive(app, caller, message, reply);
        }
        Body::Other { .. } => handler::run(app, caller, message, reply),
        Body::ModelResponseDelta(_)
        | Body::InstructionResponse(_)
        | Body::Progress(_)
        | Body::ToolAvailabilityResponse(_)
        | Body::ContextDelta(_)
        | Body::Hello(_)
        | Body::Welcome(_) => reply.refuse(not_taken(&message)),
    }
}

/// Counts a message; `None` when the client sent too many and got a refusal.
pub(crate) fn paced(app: &App, caller: &Caller, reply: Reply) -> Option<Reply> {
    match caller.meter.take() {
        Pace::Free => Some(reply),
        Pace::Near(warning) => {
            reply.pass(app.maker.message(None, Body::SystemMessage(*warning)));
            Some(reply)
        }
        Pace::Over(breach) => {
            app.breached(&breach, Record::new(Deed::Limit).by(caller));
            reply.refuse(breach.refusal);
            None
        }
    }
}

/// Handles an invalid message, which counts like any other.
pub(crate) fn unread(app: &App, caller: &Caller, refused: Refusal) -> Message {
    match caller.meter.take() {
        Pace::Free | Pace::Near(_) => app.maker.refusal(refused),
        Pace::Over(breach) => {
            app.breached(&breach, Record::new(Deed::Limit).by(caller));
            let mut limit = breach.refusal;
            (limit.message_id, limit.context_id) = (refused.message_id, refused.context_id);
            app.maker.refusal(limit)
        }
    }
}

/// Acknowledges a message that needs no answer.
pub(crate) fn acknowledge(app: &App, message: &Message, reply: Reply) {
    let ack = Ack { message_id: message.message_id.clone(), ..Ack::default() };
    reply.finish(app.maker.message(message.context_id.as_deref(), ack.into()));
}

/// Reports whether the caller may send this.
fn admitted(caller: &Caller, message: &Message) -> Result<(), Refusal> {
    let kind = message.sender.kind;
    if !caller.grant.senders.allow(kind) && !is_own_tool(caller, message) {
        return Err(update::sender_forbidden(kind));
    }
    // Messages of models and of the system need a sender of that type.
    if let Some(speaker) = speaker(message.kind())
        && !caller.grant.senders.allow(speaker)
    {
        return Err(update::sender_forbidden(speaker));
    }
    let scope = match &message.body {
        Body::UserInput(_)
        | Body::ToolCallRequest(_)
        | Body::Instruction(_)
        | Body::Control(_)
        | Body::Other { .. } => Scope::Run,
        Body::ContextUpdate(_) | Body::ModelResponse(_) | Body::SystemMessage(_) => Scope::Write,
        Body::Subscribe(_) | Body::Unsubscribe(_) => Scope::Read,
        Body::ModelResponseDelta(_)
        | Body::ToolCallResponse(_)
        | Body::InstructionResponse(_)
        | Body::Progress(_)
        | Body::ClientCapabilities(_)
        | Body::ToolAvailabilityRequest(_)
        | Body::ToolAvailabilityResponse(_)
        | Body::ContextDelta(_)
        | Body::Hello(_)
        | Body::Welcome(_)
        | Body::Ack(_)
        | Body::ErrorResponse(_) => return Ok(()),
    };
    if caller.grant.scopes.allow(scope) { Ok(()) } else { Err(forbidden(scope.as_str())) }
}

/// Returns the only sender type of a message type, if there is one.
pub(crate) fn speaker(kind: &str) -> Option<SenderType> {
    match kind {
        "MODEL_RESPONSE" | "MODEL_RESPONSE_DELTA" => Some(SenderType::Model),
        "SYSTEM_MESSAGE" => Some(SenderType::System),
        _ => None,
    }
}

/// Reports whether a client speaks for a tool that it runs itself (CP-14).
fn is_own_tool(caller: &Caller, message: &Message) -> bool {
    let is_answer = matches!(message.body, Body::ToolCallResponse(_));
    let client = caller.session.as_ref().and_then(|session| session.client());
    let is_own = client.is_some_and(|client| client.client_id == message.sender.id);
    is_answer && message.sender.kind == SenderType::Tool && is_own
}

/// Refuses a message of a type that only servers send, or that is not supported here.
fn not_taken(message: &Message) -> Refusal {
    let kind = message.kind();
    let mut refused =
        Refusal::new(ErrorCode::ValidationFailed, format!("the server takes no {kind} here"));
    refused.violations.push(Violation {
        pointer: "/type".to_owned(),
        expected: "a type that clients send".to_owned(),
        found: kind.to_owned(),
    });
    refused
}
