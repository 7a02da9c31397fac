//! CONTROL: cancels, pauses and resumes running work (CP-8, FL-12).

use super::reply::Reply;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::flows::resume;
use crate::serve::flows::running::Running;
use crate::serve::flows::sets::Target;
use crate::serve::neighbours;
use crate::serve::turn::parked;
use contexture::store::contexts::Update;
use contexture::store::flows::{Ask, WaitFilter};
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

fn now(app: &Arc<App>, owner: &str, message: &Message, asked: &Control, reply: Reply) {
    let (context, target) = (message.context_id.as_deref(), &asked.target);
    match app.flows.named(owner, context, target) {
        Target::Whole(set) => {
            set.steer(asked.action);
            wake(app, owner, &set);
            return reply.acknowledge();
        }
        // A message that began a turn takes precedence over a step of this id.
        Target::Step(set, step) if app.turns.find_in(owner, context, target).is_none() => {
            if asked.action != ControlAction::Cancel {
                return reply.refuse(only_cancelled("a single call or instruction"));
            }
            set.cancel_step(step);
            wake(app, owner, &set);
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
        let (app, owner) = (Arc::clone(app), owner.to_owned());
        let (context, asked) = (context.map(str::to_owned), asked.clone());
        app.handle.clone().spawn(async move {
            if steered(&app, &owner, context.as_deref(), &asked).await
                || neighbours::steer(&app, &owner, context.as_deref(), &asked).await
            {
                return reply.acknowledge();
            }
            reply.refuse(unknown(context.as_deref(), &asked.target));
        });
        return;
    };
    match asked.action {
        ControlAction::Cancel => {
            parked::cancel(app, &turn);
            reply.acknowledge();
        }
        ControlAction::Pause | ControlAction::Resume => {
            reply.refuse(only_cancelled("a turn"));
        }
    }
}

fn unknown(context: Option<&str>, target: &str) -> Refusal {
    let place = context.map(|context| format!(" in the context `{context}`"));
    let text = format!("nothing that runs{} has the id `{target}`", place.unwrap_or_default());
    Refusal::new(ErrorCode::UnknownId, text)
}

/// Steers the set of a run, if this process knows it.
pub(crate) async fn steer_run(
    app: &Arc<App>,
    owner: &Arc<str>,
    run: &str,
    action: ControlAction,
) -> bool {
    if let Target::Whole(set) = app.flows.named(owner, None, run) {
        set.steer(action);
        wake(app, owner, &set);
        return true;
    }
    let asked = Control { action, target: run.to_owned(), extra: Default::default() };
    steered(app, owner, None, &asked).await
}

/// Returns the request to the journal that an action is.
pub(crate) const fn ask(action: ControlAction) -> Ask {
    match action {
        ControlAction::Cancel => Ask::Cancel,
        ControlAction::Pause => Ask::Pause,
        ControlAction::Resume => Ask::Resume,
    }
}

/// Takes up a set that only waits, so that it does what was asked of it.
fn wake(app: &Arc<App>, owner: &str, set: &Running) {
    let Some(run) = set.parked_run() else { return };
    let (app, owner) = (Arc::clone(app), owner.to_owned());
    app.handle.clone().spawn(async move {
        let filter = WaitFilter { owner: Some(owner), run: Some(run), ..WaitFilter::default() };
        if let Some(wait) = app.calls.find(filter).await.unwrap_or_default().first() {
            resume::wake(&app, wait).await;
        }
    });
}

/// Steers a set that only waits, and that nothing of this process knows: by its message, by its run,
/// or by a step that waits.
async fn steered(app: &Arc<App>, owner: &str, context: Option<&str>, asked: &Control) -> bool {
    if !app.calls.has_open(owner) {
        return false;
    }
    let target = Some(asked.target.clone());
    let (by_message, by_run, by_call) =
        (WaitFilter::default(), WaitFilter::default(), WaitFilter::default());
    let filters = [
        WaitFilter { message: target.clone(), ..by_message },
        WaitFilter { run: target.clone(), ..by_run },
        WaitFilter { call: target, ..by_call },
    ];
    for filter in filters {
        let (owner_of, context_of) = (Some(owner.to_owned()), context.map(str::to_owned));
        let filter =
            WaitFilter { owner: owner_of, context: context_of, parked: true, limit: 1, ..filter };
        let found = app.calls.find(filter).await.unwrap_or_default();
        let Some(wait) = found.first() else { continue };
        resume::wake(app, wait).await;
        match app.flows.named(owner, context, &asked.target) {
            Target::Whole(set) => set.steer(asked.action),
            Target::Step(set, step) if asked.action == ControlAction::Cancel => {
                set.cancel_step(step);
            }
            _ => return false,
        }
        return true;
    }
    false
}

fn only_cancelled(what: &str) -> Refusal {
    let text = format!("{what} can be cancelled, not paused");
    let refused = Refusal::new(ErrorCode::ValidationFailed, text);
    refused.violation("/content/action", "CANCEL", "PAUSE or RESUME")
}
