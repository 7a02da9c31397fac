//! CONTROL: cancels, pauses and resumes running work (CP-8, FL-12).

use super::reply::Reply;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::flows::sets::Target;
use contexture::store::contexts::Update;
use contexture_protocol::content::{Control, ControlAction};
use contexture_protocol::{ErrorCode, Message, Refusal};
use std::sync::Arc;

/// Steers a turn by the messageId that began it, a set by that of its request or its run, and a step
/// of a set by its own id; a contextId narrows that down. Ended work stays as it is.
pub(crate) fn steer(
    app: &Arc<App>,
    caller: &Caller,
    message: &Message,
    asked: &Control,
    reply: Reply,
) {
    let (owner, message, asked) = (Arc::clone(caller.owner()), message.clone(), asked.clone());
    // After the earlier messages of the connection: one of them may begin the turn.
    let after = Update { owner: owner.to_string(), ..Update::default() };
    app.update(after, move |app, _| now(app, &owner, &message, &asked, reply));
}

fn now(app: &App, owner: &str, message: &Message, asked: &Control, reply: Reply) {
    let (context, target) = (message.context_id.as_deref(), &asked.target);
    match app.flows.named(owner, context, target) {
        Target::Whole(set) => {
            set.steer(asked.action);
            return reply.acknowledge();
        }
        // A message that began a turn takes precedence over a step of this id.
        Target::Step(set, step) if app.turns.find_in(owner, context, target).is_none() => {
            if asked.action != ControlAction::Cancel {
                return reply.refuse(only_cancelled("a single call or instruction"));
            }
            set.cancel_step(step);
            return reply.acknowledge();
        }
        Target::Several => {
            let text =
                format!("several sets have a step `{target}`: name the contextId, or the set");
            return reply.refuse(Refusal::new(ErrorCode::UnknownId, text));
        }
        Target::Step(..) | Target::None => {}
    }
    let Some(turn) = app.turns.find_in(owner, context, target) else {
        let place = context.map(|context| format!(" in the context `{context}`"));
        let text = format!("nothing that runs{} has the id `{target}`", place.unwrap_or_default());
        return reply.refuse(Refusal::new(ErrorCode::UnknownId, text));
    };
    match asked.action {
        ControlAction::Cancel => {
            turn.cancel.cancel();
            reply.acknowledge();
        }
        ControlAction::Pause | ControlAction::Resume => {
            reply.refuse(only_cancelled("a turn"));
        }
    }
}

fn only_cancelled(what: &str) -> Refusal {
    let text = format!("{what} can be cancelled, not paused");
    let refused = Refusal::new(ErrorCode::ValidationFailed, text);
    refused.violation("/content/action", "CANCEL", "PAUSE or RESUME")
}
