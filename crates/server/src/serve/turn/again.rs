//! Turns that people ask to go on with, although the outcome of a model call is not known (WA-3).
//!
//! Decision: the message waits for its answer again, so that all is as with a turn under way: a repeated
//! message is attached to it, a restart finds it. The refusal that it had stays in the context; the answer
//! comes after it.

use super::parked::{self, Parked};
use crate::serve::app::App;
use crate::serve::context_writer::ContextWriter;
use crate::serve::exchange::failure::refusal;
use crate::serve::flows::resume::incarnation;
use contexture::durable::{self, StoredRun, Turn, UNCERTAIN};
use contexture_protocol::{ErrorCode, Refusal};
use serde_json::json;
use std::sync::Arc;

/// Goes on with the turns that people ask for by the command line.
pub(crate) async fn look(app: &Arc<App>) {
    let project = app.project.clone();
    let wished = tokio::task::spawn_blocking(move || durable::take_wishes(&project)).await;
    for run in wished.unwrap_or_default() {
        if let Err(refused) = go_on(app, &run, None).await {
            let told =
                json!({ "run": run, "code": refused.code.as_str(), "reason": refused.message });
            app.log.info("turn_not_resumed", told);
        }
    }
}

/// Goes on with a turn, of an owner or of anybody; returns it.
///
/// # Errors
/// A [`Refusal`] when it is unknown or another's, is not over, or has calls in doubt that are not of models.
pub(crate) async fn go_on(app: &Arc<App>, run: &str, owner: Option<&str>) -> Result<Turn, Refusal> {
    if app.turns.has_run(run) {
        return Err(under_way(run));
    }
    let stored = parked::read(app, run).await.ok();
    let own = stored.and_then(|stored| Some((stored.turn()?.clone(), stored)));
    let own = own.filter(|(turn, _)| owner.is_none_or(|owner| turn.owner == owner));
    let Some((turn, stored)) = own else {
        let text = format!("there is no turn of the run `{run}` to go on with");
        return Err(Refusal::new(ErrorCode::UnknownId, text));
    };
    check(&stored)?;
    let place = (turn.context.clone(), turn.incarnation);
    let is_there = incarnation(app, &turn.owner, &turn.context) == Some(turn.incarnation);
    let context_id = turn.message.get("contextId").and_then(|id| id.as_str().map(str::to_owned));
    let key = (turn.owner.as_str().into(), context_id, turn.message_id().to_owned());
    if !is_there {
        let text = format!("the context of the run `{run}` was deleted");
        return Err(Refusal::new(ErrorCode::ContextNotFound, text));
    }
    let Some(begun) = app.turns.begin_again(&key, place) else {
        return Err(under_way(run));
    };
    let writer = ContextWriter {
        app,
        key: &key,
        context: &turn.context,
        incarnation: Some(turn.incarnation),
    };
    if let Err(error) = writer.reopen().await {
        let refused = refusal(error, Some(&turn.context));
        begun.log.finish(app.maker.refusal(refused.clone()));
        app.turns.ended();
        return Err(refused);
    }
    Parked::asked(app, key, begun, stored.id).take_up(app);
    Ok(turn)
}

fn under_way(run: &str) -> Refusal {
    let text = format!("the turn of the run `{run}` is under way, or waits for an answer");
    Refusal::new(ErrorCode::RunUnderWay, text)
}

/// Checks that a run can go on, whatever came of its models.
fn check(stored: &StoredRun) -> Result<(), Refusal> {
    let Err(error) = stored.check_resumable() else { return Ok(()) };
    let code = match error.code.as_str() {
        UNCERTAIN => ErrorCode::OutcomeUncertain,
        "run_under_way" => return Err(under_way(&stored.id)),
        _ => ErrorCode::UnknownId,
    };
    let calls: Vec<&str> = stored.in_doubt().map(|past| past.call.key.as_str()).collect();
    let refused = Refusal::new(code, format!("the run `{}` can't go on as it is", stored.id));
    Err(refused.detail("code", error.code.as_str()).detail("calls", json!(calls)))
}
