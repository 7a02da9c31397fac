//! CONTROL: what runs is steered (CP-8, FL-12).

use super::acknowledge;
use super::reply::Reply;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::flows::Named;
use contexture::store::contexts::Update;
use contexture_protocol::content::{Control, ControlAction};
use contexture_protocol::{ErrorCode, Message, Refusal, Violation};
use std::sync::Arc;

/// Steers a turn by the messageId that began it, a set by that of its request or its run, and a step
/// of a set by its own id; a contextId says where that is. What ended meanwhile stays as it is.
pub(crate) fn steer(
    app: &Arc<App>,
    caller: &Caller,
    message: &Message,
    asked: &Control,
    reply: Reply,
) {
    let (owner, message, asked) = (Arc::clone(caller.owner()), message.clone(), asked.clone());
    // Behind what the connection sent before: that may be what begins the turn.
    let behind = Update { owner: owner.to_string(), ..Update::default() };
    app.update(behind, move |app, _| now(app, &owner, &message, &asked, reply));
}

fn now(app: &App, owner: &str, message: &Message, asked: &Control, reply: Reply) {
    let (context, target) = (message.context_id.as_deref(), &asked.target);
    match app.flows.named(owner, context, target) {
        Named::Whole(set) => {
            set.wish(asked.action);
            return acknowledge(app, message, reply);
        }
        // A message that began a turn is meant before a step of this id.
        Named::Step(set, step) if app.turns.meant(owner, context, target).is_none() => {
            if asked.action != ControlAction::Cancel {
                return reply.refuse(only_cancelled("a single call or instruction"));
            }
            set.cancel_step(step);
            return acknowledge(app, message, reply);
        }
        Named::Several => {
            let text =
                format!("several sets have a step `{target}`: name the contextId, or the set");
            return reply.refuse(Refusal::new(ErrorCode::UnknownId, text));
        }
        Named::Step(..) | Named::Nothing => {}
    }
    let Some(turn) = app.turns.meant(owner, context, target) else {
        let place = context.map(|context| format!(" in the context `{context}`"));
        let text = format!("nothing that runs{} has the id `{target}`", place.unwrap_or_default());
        return reply.refuse(Refusal::new(ErrorCode::UnknownId, text));
    };
    match asked.action {
        ControlAction::Cancel => {
            turn.cancel.cancel();
            acknowledge(app, message, reply);
        }
        ControlAction::Pause | ControlAction::Resume => {
            reply.refuse(only_cancelled("a turn"));
        }
    }
}

fn only_cancelled(what: &str) -> Refusal {
    let text = format!("{what} can be cancelled, not paused");
    let mut refused = Refusal::new(ErrorCode::ValidationFailed, text);
    refused.violations.push(Violation {
        pointer: "/content/action".to_owned(),
        expected: "CANCEL".to_owned(),
        found: "PAUSE or RESUME".to_owned(),
    });
    refused
}
