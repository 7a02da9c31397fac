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
use contexture::durable::{self, Settlement, StoredRun, Turn, UNCERTAIN};
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
    let (turn, stored) = turn_of(app, run, owner).await?;
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
    Parked::asked(app, key, begun, &stored.id).take_up(app);
    Ok(turn)
}

/// Says what came of a call of a turn, of an owner or of anybody; the turn goes on if nothing else of it is
/// in doubt. Returns the calls that still are (WA-4).
///
/// # Errors
/// A [`Refusal`] when it is unknown or another's, or the outcome of the call is known.
pub(crate) async fn settle(
    app: &Arc<App>,
    run: &str,
    owner: Option<&str>,
    (call, settlement): (&str, Settlement),
) -> Result<Vec<String>, Refusal> {
    let stored = turn_of(app, run, owner).await?.1;
    let (project, name) = (app.project.clone(), call.to_owned());
    let left = stored.in_doubt().map(|past| past.call.key.clone()).filter(|key| key != call);
    let left: Vec<String> = left.collect();
    let settled = move || durable::settle(&project, &stored, &name, settlement);
    let settled = tokio::task::spawn_blocking(settled).await;
    if let Ok(Err(error)) = &settled {
        let refused = Refusal::new(ErrorCode::UnknownId, error.message.clone());
        return Err(error.help.clone().into_iter().fold(refused, Refusal::suggest));
    }
    if settled.is_err() {
        return Err(Refusal::new(ErrorCode::Internal, "the journal of the run can't be written"));
    }
    if left.is_empty() {
        go_on(app, run, owner).await?;
    }
    Ok(left)
}

/// Finds a turn with a journal that nothing works on.
async fn turn_of(
    app: &Arc<App>,
    run: &str,
    owner: Option<&str>,
) -> Result<(Turn, StoredRun), Refusal> {
    if app.turns.has_run(run) {
        return Err(under_way(run));
    }
    let stored = parked::read(app, run).await.ok();
    let own = stored.and_then(|stored| Some((stored.turn()?.clone(), stored)));
    let own = own.filter(|(turn, _)| owner.is_none_or(|owner| turn.owner == owner));
    own.ok_or_else(|| {
        let text = format!("there is no turn of the run `{run}` to go on with");
        Refusal::new(ErrorCode::UnknownId, text)
    })
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
