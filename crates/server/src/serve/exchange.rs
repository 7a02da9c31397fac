//! What happens with a message, whichever door it came in by (CP-5, CP-6).
//!
//! Decision: taking a message never waits. What has to be kept is handed to the store at once, so
//! that messages of one connection take effect in the order in which they came; answers go out
//! through [`Reply`] when they are there.

mod availability;
mod control;
mod failure;
mod input;
mod reply;
mod subscription;
mod update;

pub(crate) use availability::judge;
pub(crate) use failure::{forbidden, refusal};
pub(crate) use input::Wishes;
pub(crate) use reply::{Outlet, Reply};

use super::app::App;
use super::caller::{Caller, Scope};
use contexture_protocol::content::Ack;
use contexture_protocol::{Body, ErrorCode, Message, Refusal, SenderType, Violation};
use std::sync::Arc;

/// Takes a message. What answers it goes out through `reply`, now or later.
pub(crate) fn receive(app: &Arc<App>, caller: &Caller, message: Message, reply: Reply) {
    if let Err(refused) = admitted(caller, &message) {
        return reply.refuse(refused);
    }
    match &message.body {
        Body::ToolAvailabilityRequest(request) => {
            let answer = availability::answer(&app.sessions.clients(caller.owner()), request);
            reply.finish(app.maker.message(message.context_id.as_deref(), answer.into()));
        }
        Body::UserInput(said) => {
            let said = said.clone();
            input::begin(app, caller, message, said, Wishes::default(), reply);
        }
        Body::ContextUpdate(asked) => update::begin(app, caller, &message, asked, reply),
        Body::ModelResponse(_) | Body::SystemMessage(_) => {
            if message.context_id.is_some() {
                update::keep(app, caller, &message, reply);
            } else {
                acknowledge(app, &message, reply);
            }
        }
        Body::ClientCapabilities(client) => match &caller.session {
            Some(session) => {
                app.sessions.announce(session, client.clone());
                acknowledge(app, &message, reply);
            }
            None => reply.refuse(Refusal::new(
                ErrorCode::ClientUnavailable,
                "tools are announced over a WebSocket, where they can be called",
            )),
        },
        Body::ToolCallResponse(response) => {
            app.calls.answered(app, caller, &message, response, reply);
        }
        Body::Control(asked) => control::steer(app, caller, &message, asked, reply),
        Body::Subscribe(asked) => subscription::begin(app, caller, &message, asked, reply),
        Body::Unsubscribe(asked) => subscription::end(app, caller, &message, asked, reply),
        Body::ErrorResponse(_) | Body::Ack(_) => acknowledge(app, &message, reply),
        Body::ToolCallRequest(_) | Body::Instruction(_) => {
            app.runner.run(app, caller, message, reply)
        }
        Body::Other { kind, .. } => {
            let text = format!("messages of the type `{kind}` are not known here");
            reply.refuse(Refusal::new(ErrorCode::UnknownType, text));
        }
        _ => reply.refuse(not_taken(&message)),
    }
}

/// The answer to a message that was read and asks for nothing.
pub(crate) fn acknowledge(app: &App, message: &Message, reply: Reply) {
    let ack = Ack { message_id: message.message_id.clone(), ..Ack::default() };
    reply.finish(app.maker.message(message.context_id.as_deref(), ack.into()));
}

/// Whether the caller may send this.
fn admitted(caller: &Caller, message: &Message) -> Result<(), Refusal> {
    let kind = message.sender.kind;
    if !caller.grant.senders.allow(kind) && !is_own_tool(caller, message) {
        return Err(update::sender_forbidden(kind));
    }
    let scope = match &message.body {
        Body::UserInput(_) | Body::ToolCallRequest(_) | Body::Instruction(_) => Scope::Run,
        Body::ContextUpdate(_) | Body::ModelResponse(_) => Scope::Write,
        Body::Subscribe(_) | Body::Unsubscribe(_) => Scope::Read,
        _ => return Ok(()),
    };
    if caller.grant.scopes.allow(scope) { Ok(()) } else { Err(forbidden(scope.as_str())) }
}

/// Whether a client speaks for a tool that it runs itself (CP-14).
fn is_own_tool(caller: &Caller, message: &Message) -> bool {
    let is_answer = matches!(message.body, Body::ToolCallResponse(_));
    let client = caller.session.as_ref().and_then(|session| session.client());
    let is_own = client.is_some_and(|client| client.client_id == message.sender.id);
    is_answer && message.sender.kind == SenderType::Tool && is_own
}

/// A message of a type that only servers send, or that has no place here.
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
