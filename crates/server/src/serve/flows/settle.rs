//! Sets that have ended with a step in doubt, and that a person settles (WA-4).
//!
//! Decision: a set goes on when nothing of it is in doubt any more, and its answer comes into the context
//! after the one that it had, as with turns ([`again`](crate::serve::turn::again)). A set whose results were
//! sent one by one, or which answers an intent, has told its outcomes elsewhere, and stays as it is.

use super::job::is_async;
use super::journal::UnfinishedRun;
use super::resume::{Found, incarnation, resume, unusable};
use crate::serve::app::App;
use crate::serve::context_writer::ContextWriter;
use crate::serve::exchange::failure::refusal;
use contexture::durable::Settlement;
use contexture::flows::{self, FlowError};
use contexture::store::contexts::KeyName;
use contexture::store::flows::FlowStoreError;
use contexture_protocol::{ErrorCode, Message, Refusal};
use serde_json::json;
use std::sync::Arc;

/// Says what came of a step of a set, which goes on if nothing else of it is in doubt. Returns the steps
/// that still are.
///
/// # Errors
/// A [`Refusal`] when the set can't go on, or the outcome of the step is known.
pub(crate) async fn settle(
    app: &Arc<App>,
    run: &str,
    step: &str,
    settlement: Settlement,
) -> Result<Vec<String>, Refusal> {
    let (journal, id) = (app.flows.journals.journal(), run.to_owned());
    let (asked, step) = (Arc::clone(app), step.to_owned());
    let work = move || {
        message_of(&asked, &id)?;
        let left = flows::settle(&*journal, &id, &step, settlement);
        let left = left.map_err(|error| refused(&asked, &error))?;
        // One that ended with this outcome stays as it is.
        let is_open = journal.entries(&id).is_ok_and(|entries| flows::is_settled(&entries));
        Ok((left, is_open))
    };
    let settled = tokio::task::spawn_blocking(work).await;
    let (left, is_open) = settled.unwrap_or_else(|_| Err(broken()))?;
    if left.is_empty() && is_open {
        take_up(app, run).await?;
    }
    Ok(left)
}

/// Goes on with a set that a person has settled.
///
/// # Errors
/// A [`Refusal`] when its context is gone, or it is under way.
pub(super) async fn take_up(app: &Arc<App>, run: &str) -> Result<(), Refusal> {
    let (asked, id) = (Arc::clone(app), run.to_owned());
    let read = tokio::task::spawn_blocking(move || message_of(&asked, &id)).await;
    let (message, left) = read.unwrap_or_else(|_| Err(broken()))?;
    let (owner, context) = (left.owner.clone(), message.context_id.clone().unwrap_or_default());
    let is_there = incarnation(app, &owner, &context);
    if is_there.is_none() {
        let text = format!("the context of the run `{run}` was deleted");
        return Err(Refusal::new(ErrorCode::ContextNotFound, text));
    }
    let key = (owner.as_str().into(), message.context_id.clone(), left.name.clone());
    if !app.flows.forget_ended(&key) {
        let text = format!("the run `{run}` is under way");
        return Err(Refusal::new(ErrorCode::RunUnderWay, text));
    }
    let writer = ContextWriter { app, key: &key, context: &context, incarnation: is_there };
    writer.reopen().await.map_err(|error| refusal(error, Some(&context)))?;
    let answers = KeyName { context_id: message.context_id.clone(), message_id: left.name.clone() };
    let found = Found { owner, answers, message, run: Some(left), ack: None };
    let (asked, id) = (Arc::clone(app), run.to_owned());
    let resumed = tokio::task::spawn_blocking(move || resume(&asked, found)).await;
    match resumed {
        Ok(Ok(())) => Ok(()),
        Ok(Err(fault)) => {
            let told = json!({ "run": id, "reason": fault.to_string() });
            app.log.info("set_not_resumed", told);
            Err(broken())
        }
        Err(_) => Err(broken()),
    }
}

/// Returns the message of a set that can go on, with its run as one that has not ended.
fn message_of(app: &App, run: &str) -> Result<(Message, UnfinishedRun), Refusal> {
    let stays = |text: String| {
        let refused = Refusal::new(ErrorCode::ValidationFailed, text);
        refused.suggest("Look whether the step was done, and send what is left to do as a new set.")
    };
    if !app.engine.is_local() {
        return Err(stays(format!("the engine of the run `{run}` has ended it for good")));
    }
    let journals = &app.flows.journals;
    let unreadable = |error: FlowStoreError| {
        let fault = unusable(&error);
        app.log.info("flow_unreadable", json!({ "reason": fault.to_string() }));
        Refusal::new(ErrorCode::Internal, "the run can't be read")
    };
    let summary = journals.journal().summary(run).map_err(unreadable)?;
    let left = UnfinishedRun { is_ended: false, ..UnfinishedRun::from(summary) };
    let message = journals.message(run).map_err(unreadable)?;
    let message = message
        .ok_or_else(|| stays(format!("secrets in the set of the run `{run}` were masked")))?;
    if is_async(&message) {
        return Err(stays(format!("the results of the run `{run}` were sent one by one")));
    }
    if message.message_id != left.name {
        return Err(stays(format!("the run `{run}` is that of an intent, which has its answer")));
    }
    Ok((message, left))
}

fn refused(app: &App, error: &FlowError) -> Refusal {
    let code = match error.code() {
        "call_unknown" => ErrorCode::UnknownId,
        "flow_run_within" => ErrorCode::ValidationFailed,
        "flow_run_held" => ErrorCode::RunUnderWay,
        code => {
            let told = json!({ "outcome": code, "reason": error.to_string() });
            app.log.info("store_failed", told);
            return Refusal::new(ErrorCode::Internal, "the server could not keep the outcome");
        }
    };
    let refused = Refusal::new(code, error.to_string());
    error.help().into_iter().fold(refused, Refusal::suggest)
}

fn broken() -> Refusal {
    Refusal::new(ErrorCode::Internal, "the work on the set failed")
}
