//! CONTROL: what runs is steered (CP-8, FL-12).

use super::acknowledge;
use super::reply::Reply;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use contexture::store::contexts::Update;
use contexture_protocol::content::{Control, ControlAction};
use contexture_protocol::{ErrorCode, Message, Refusal};
use std::sync::Arc;

/// Steers a turn by the messageId that began it, a set by that of its request or its run. What ended
/// meanwhile stays as it is.
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
    if let Some(set) = app.flows.named(owner, &asked.target) {
        set.wish(asked.action);
        return acknowledge(app, message, reply);
    }
    let Some(turn) = app.turns.of_message(owner, &asked.target) else {
        let text = format!("nothing that runs has the id `{}`", asked.target);
        return reply.refuse(Refusal::new(ErrorCode::UnknownId, text));
    };
    match asked.action {
        ControlAction::Cancel => {
            turn.cancel.cancel();
            acknowledge(app, message, reply);
        }
        ControlAction::Pause | ControlAction::Resume => {
            let text = "a turn can be cancelled, not paused";
            reply.refuse(Refusal::new(ErrorCode::ValidationFailed, text));
        }
    }
}
