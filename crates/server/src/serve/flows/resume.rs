//! Resumption of the sets of an earlier server (FL-11).

use super::intent_set::INTENT;
use super::job::{Job, set_of};
use super::journal::UnfinishedRun;
use super::place::{Entered, Place};
use crate::fault::Fault;
use crate::serve::app::App;
use crate::serve::codes;
use crate::serve::message::digest;
use crate::serve::turn::parked;
use contexture::store::contexts::{ContextError, Key, KeyName, StoredMessage};
use contexture::store::flows::{FlowStoreError, Wait, WaitFilter, WaitId};
use contexture_protocol::content::Status;
use contexture_protocol::{Limits, Message};
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

/// The most messages at the end of a context that are searched for one without a run.
const LATEST: usize = 1_000;

/// A set to resume.
#[derive(Clone)]
pub(crate) struct Found {
    pub(crate) owner: String,
    pub(crate) answers: KeyName,
    pub(crate) message: Message,
    pub(crate) run: Option<UnfinishedRun>,
    /// The immediate answer.
    pub(crate) ack: Option<Message>,
}

pub(crate) fn unusable(error: &dyn std::fmt::Display) -> Fault {
    Fault::of(codes::BAD_DATA, error.to_string())
}

pub(super) fn last_of(
    app: &App,
    owner: &str,
    context: &str,
    id: &str,
) -> Result<Option<Message>, ContextError> {
    Ok(kept(app, owner, context, id)?.map(|(message, _)| message))
}

/// Finds a message among the last of a context, with its number.
pub(crate) fn kept(
    app: &App,
    owner: &str,
    context: &str,
    id: &str,
) -> Result<Option<(Message, u64)>, ContextError> {
    let last = match app.store.last(Key { owner, context }, LATEST) {
        Err(ContextError::NotFound(_)) => return Ok(None),
        other => other?,
    };
    let read = |kept: &StoredMessage| {
        Some((Message::parse(kept.text.as_bytes(), &Limits::FILE).ok()?, kept.seq))
    };
    let mut messages = last.iter().rev().filter_map(read);
    Ok(messages.find(|(message, _)| message.message_id == id))
}

/// Takes up the set of a wait that was answered, or whose time is over, unless something works on it.
pub(crate) async fn wake(app: &Arc<App>, wait: &Wait) {
    if app.is_ending() {
        // The next server takes it up.
        return;
    }
    if wait.step.is_empty() {
        return parked::wake(app, &wait.run);
    }
    let (app, wait) = (Arc::clone(app), wait.clone());
    let log = Arc::clone(&app.log);
    if !app.calls.take_parked(&wait.run).await {
        return;
    }
    let woken = tokio::task::spawn_blocking(move || wake_now(&app, wait)).await;
    if let Ok(Err(fault)) = woken {
        log.info("store_failed", json!({ "outcome": "wait", "reason": fault.to_string() }));
    }
}

fn wake_now(app: &Arc<App>, wait: Wait) -> Result<(), Fault> {
    let WaitId { owner, context, message: name, .. } = wait.id.clone();
    let kept_message = app.flows.journals.message(&wait.run).map_err(|error| unusable(&error))?;
    let message = match kept_message {
        Some(message) => Some(message),
        None => last_of(app, &owner, &context, &name).map_err(|error| unusable(&error))?,
    };
    let Some(message) = message else { return Ok(()) };
    let answers = KeyName { context_id: message.context_id.clone(), message_id: name };
    let run = Some(UnfinishedRun::parked(wait));
    let found = Found { owner, answers, message, run, ack: None };
    resume(app, found).map_err(|error| unusable(&error))
}

/// Ends the sets that wait in a context that was deleted.
pub(crate) async fn deleted(app: &Arc<App>, owner: &str, context: &str) {
    if !app.calls.has_open(owner) {
        return;
    }
    let (owner, context) = (Some(owner.to_owned()), Some(context.to_owned()));
    let filter = WaitFilter { owner, context, parked: true, ..WaitFilter::default() };
    let waits = app.calls.find(filter).await.unwrap_or_default();
    // Turns are cancelled.
    for wait in waits.into_iter().filter(|wait| !wait.step.is_empty()) {
        let (app, run) = (Arc::clone(app), wait.run.clone());
        let end = move || {
            // What is taken up at this moment ends by its control.
            if app.flows.journals.finish(&run, Status::Failed).is_ok() {
                app.calls.journal().end_waits(&run, Box::new(drop));
            }
        };
        let _ = tokio::task::spawn_blocking(end).await;
    }
}

/// Returns the incarnation of a context: pending messages are deleted with theirs.
pub(crate) fn incarnation(app: &App, owner: &str, context: &str) -> Option<u64> {
    app.store.head(Key { owner, context }).ok().map(|head| head.incarnation)
}

/// Resumes a set, unless something works on it.
///
/// # Errors
/// What the journal reports.
pub(crate) fn resume(app: &Arc<App>, found: Found) -> Result<(), FlowStoreError> {
    let Some(context) = found.message.context_id.clone() else { return Ok(()) };
    let owner: Arc<str> = found.owner.as_str().into();
    let intent = found.message.meta(INTENT).and_then(Value::as_str).map(str::to_owned);
    let intent = intent.filter(|_| found.answers.message_id != found.message.message_id);
    let entries = match &found.run {
        Some(run) => app.flows.journals.entries(run)?,
        None => Vec::new(),
    };
    let (context_id, message_id) = (&found.answers.context_id, &found.answers.message_id);
    let key = (Arc::clone(&owner), context_id.clone(), message_id.clone());
    // Accepted sets are not refused: repeated messages are attached to them.
    let place = match Place::enter(app, key, digest(&found.message), true) {
        Ok(Entered::New(place)) => place,
        Ok(Entered::Known(known)) if !known.log.has_ended() => {
            // A message that was sent again has the place, and has not seen yet that nothing works on the set.
            app.flows.put_off.add(found);
            return Ok(());
        }
        Ok(Entered::Known(_)) | Err(_) => return Ok(()),
    };
    if let Some(set) = set_of(&found.message) {
        place.running.identify(&context, &set);
    }
    if !place.is_again {
        place.running.mark_resumed();
    }
    let (app, message, tell) = (Arc::clone(app), found.message, place.tell());
    let incarnation = incarnation(&app, &owner, &context);
    if let Some(incarnation) = incarnation {
        place.running.set_kept_in(incarnation);
    }
    // Which token asked for it is not kept, so it counts for one of its owner that has a limit.
    let limited = app.tokens.limited(&owner);
    let ledger = limited.and_then(|grant| app.ledger(&grant));
    let origin = None;
    let labels = OnceLock::new();
    let job = Job {
        app,
        owner,
        ledger,
        origin,
        context,
        incarnation,
        message,
        intent,
        labels,
        place,
        tell,
    };
    if job.is_async() && !job.place.is_again {
        (job.tell)(&found.ack.unwrap_or_else(|| job.ack(None)));
    }
    let (handle, running) = (job.app.handle.clone(), Arc::clone(&job.place.running));
    let task = handle.spawn(job.resume(found.run, entries));
    running.set_task(task.abort_handle());
    Ok(())
}
