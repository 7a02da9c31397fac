//! The handling of messages, for all transports (CP-5, CP-6).
//!
//! Decision: taking a message never waits. Updates are sent to the store at once, so
//! that messages of one connection take effect in their order; answers are sent
//! through [`Reply`] when they are ready.

pub(crate) mod answer_log;
pub(crate) mod availability;
mod capabilities;
pub(crate) mod control;
pub(crate) mod failure;
mod further;
pub(crate) mod input;
pub(crate) mod offered;
pub(crate) mod reply;
pub(crate) mod results;
pub(crate) mod rights;
mod subscription;
pub(crate) mod update;

use super::app::App;
use super::caller::Caller;
use super::flows::accept;
use super::limits::Pace;
use super::operations::audit::{AuditEvent, AuditRecord};
use answer_log::AnswerLog;
use contexture_protocol::content::UserInput;
use contexture_protocol::{Body, ErrorCode, Message, Refusal};
use input::AnswerOptions;
use reply::Reply;
use std::sync::Arc;

/// Takes a message; the answers are sent through `reply`, now or later.
pub(crate) fn receive(app: &Arc<App>, caller: &Caller, message: Message, reply: Reply) {
    receive_with(app, caller, message, AnswerOptions::default(), reply);
}

/// Takes a message with options for its answer.
pub(crate) fn receive_with(
    app: &Arc<App>,
    caller: &Caller,
    message: Message,
    options: AnswerOptions,
    reply: Reply,
) {
    let reply = reply.logged(AnswerLog::new(&app.audit, &app.log, caller));
    let Some(reply) = paced(app, caller, reply) else { return };
    if let Err(refused) = rights::check(app, caller, &message) {
        return reply.refuse(refused);
    }
    let context = message.context_id.as_deref();
    match &message.body {
        Body::ToolAvailabilityRequest(request) => {
            let answer = availability::answer(&app.sessions.clients(caller.owner()), request);
            reply.finish_with(answer.map(|answer| app.maker.message(context, answer.into())));
        }
        Body::ToolListRequest(_) => offered::list(app, caller, context, reply),
        Body::UserInput(input) => {
            let input = input.clone();
            input::begin(app, caller, message, input, options, reply);
        }
        Body::ContextUpdate(asked) => update::begin(app, caller, &message, asked, reply),
        Body::ModelResponse(response) if response.request().is_some() => {
            accept::receive(app, caller, message, reply);
        }
        Body::ModelResponse(_) | Body::SystemMessage(_) if context.is_some() => {
            update::keep(app, caller, &message, reply);
        }
        Body::ClientCapabilities(client) => capabilities::announce(app, caller, client, reply),
        Body::ToolRegistration(service) => capabilities::register(app, caller, service, reply),
        // Results of a client of OpenAI's doors, which go to the agent that it names.
        Body::ToolCallResponse(_) if options.agent.is_some() => {
            input::begin(app, caller, message, UserInput::default(), options, reply);
        }
        Body::ToolCallResponse(response) => {
            let results = response.results.clone();
            results::take(app, caller, message, results, reply);
        }
        Body::Control(asked) => control::steer(app, caller, &message, asked, reply),
        Body::Subscribe(asked) => subscription::begin(app, caller, &message, asked, reply),
        Body::Unsubscribe(asked) => subscription::end(app, caller, asked, reply),
        Body::ModelResponse(_) | Body::SystemMessage(_) | Body::ErrorResponse(_) | Body::Ack(_) => {
            reply.acknowledge()
        }
        Body::ToolCallRequest(_) | Body::Instruction(_) => {
            accept::receive(app, caller, message, reply);
        }
        Body::Other { .. } => further::run(app, caller, message, reply),
        Body::ModelResponseDelta(_) => {
            match app.routed.of(caller.owner(), caller.session.as_ref(), &message) {
                Some(heard) => {
                    heard.pass(&message);
                    reply.acknowledge();
                }
                None => reply.refuse(not_accepted(&message)),
            }
        }
        Body::InstructionResponse(_)
        | Body::Progress(_)
        | Body::ToolAvailabilityResponse(_)
        | Body::ToolListResponse(_)
        | Body::ContextDelta(_)
        | Body::Hello(_)
        | Body::Welcome(_) => reply.refuse(not_accepted(&message)),
    }
}

/// Counts a message; `None` when the client sent too many and got a refusal.
fn paced(app: &App, caller: &Caller, reply: Reply) -> Option<Reply> {
    match caller.meter.take() {
        Pace::Free => {}
        Pace::Near(warning) => {
            reply.pass(app.maker.message(None, Body::SystemMessage(*warning)));
        }
        Pace::Over(breach) => {
            app.breached(&breach, AuditRecord::new(AuditEvent::Limit).by(caller));
            reply.refuse(breach.refusal);
            return None;
        }
    }
    Some(reply)
}

/// Handles an invalid message, which counts like any other.
pub(crate) fn unread(app: &App, caller: &Caller, refused: Refusal) -> Message {
    let Pace::Over(breach) = caller.meter.take() else { return app.maker.refusal(refused) };
    app.breached(&breach, AuditRecord::new(AuditEvent::Limit).by(caller));
    let Refusal { message_id, context_id, .. } = refused;
    app.maker.refusal(Refusal { message_id, context_id, ..breach.refusal })
}

/// Creates the refusal of a type that only servers send, or that is not supported here.
fn not_accepted(message: &Message) -> Refusal {
    let kind = message.kind();
    Refusal::new(ErrorCode::ValidationFailed, format!("the server takes no {kind} here")).violation(
        "/type",
        "a type that clients send",
        kind,
    )
}
