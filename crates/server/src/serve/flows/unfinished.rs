//! What servers that are gone left unfinished, at the start of a server (FL-11).

use super::job::{is_async, set_of};
use super::journal::UnfinishedRun;
use super::resume::{Found, last_of, resume, unusable};
use super::settle;
use crate::fault::Fault;
use crate::serve::app::App;
use crate::serve::message::{digest, stored_answer};
use crate::serve::turn::earlier::{Turns, name_of};
use contexture::database::Left;
use contexture::durable;
use contexture::flows;
use contexture::store::contexts::{KeyName, PendingKey, Repeated};
use contexture_protocol::content::Status;
use contexture_protocol::{Body, Message};
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;

/// The time that the identity of a wait is kept after its end, in milliseconds.
const KEPT_MS: u64 = 24 * 60 * 60 * 1_000;

/// The handling of a message without an answer.
enum Recovery {
    Resumed(Box<Found>),
    /// Another process runs it.
    Held,
    /// The message has no set.
    Unknown,
}

/// What servers left that are gone.
pub(crate) struct Unfinished {
    pub(crate) pending: Vec<PendingKey>,
    /// The runs of sets; none means all that no process does.
    pub(crate) runs: Option<HashSet<String>>,
    /// The runs of turns with a journal.
    pub(crate) journals: HashSet<String>,
}

impl Unfinished {
    /// Returns what other servers on the database left.
    pub(crate) fn of(left: Left) -> Self {
        let Left { pending, runs, journals, .. } = left;
        let (runs, journals) = (runs.into_iter().collect(), journals.into_iter().collect());
        Self { pending, runs: Some(runs), journals }
    }

    /// Returns what the last server left that had the folder.
    ///
    /// # Errors
    /// A [`Fault`] when stored data can't be read.
    pub(crate) fn of_folder(app: &App) -> Result<Self, Fault> {
        // What turns waited for nobody goes on with.
        app.calls.journal().end_waits("", Box::new(drop));
        let pending = app.store.pending().map_err(|error| unusable(&error))?;
        let journals = durable::with_journal(&app.project);
        let journals = journals.map_err(|error| unusable(&error.message))?;
        Ok(Self { pending, runs: None, journals })
    }
}

/// Resumes all unfinished sets. Returns the other pending messages.
///
/// # Errors
/// A [`Fault`] when stored data can't be read.
pub(crate) fn resume_all(app: &Arc<App>, left: &Unfinished) -> Result<Vec<PendingKey>, Fault> {
    let mut rest = Vec::new();
    let mut seen = HashSet::new();
    let waits = app.calls.journal();
    waits.forget_waits(app.now().saturating_sub(KEPT_MS));
    let parked = waits.parked_runs().map_err(|error| unusable(&error))?;
    let mut waiting = HashSet::new();
    let mut turns = Turns::default();
    for (owner, context, message, run) in &parked {
        let name = (&**owner, &**context, &**message);
        if left.journals.contains(run) {
            turns.waits(name, run);
            continue;
        }
        seen.insert(run.clone());
        waiting.insert(name);
    }
    for pending in &left.pending {
        if name_of(pending).is_some_and(|name| waiting.contains(&name)) {
            continue;
        }
        if turns.is_parked(app, pending) {
            continue;
        }
        match recovery(app, pending, &mut seen)? {
            Recovery::Resumed(found) => resume(app, *found).map_err(|error| unusable(&error))?,
            Recovery::Held => {}
            Recovery::Unknown => rest.push(pending),
        }
    }
    let rest = turns.take_up(app, rest, &left.journals)?;
    // Acknowledged requests are no longer pending, and may be unfinished.
    let unfinished = app.flows.journals.unfinished(left.runs.as_ref());
    for run in unfinished.map_err(|error| unusable(&error))? {
        if !run.is_held && !seen.contains(&run.run) {
            acknowledged(app, run)?;
        }
    }
    Ok(rest)
}

fn recovery(
    app: &App,
    pending: &PendingKey,
    seen: &mut HashSet<String>,
) -> Result<Recovery, Fault> {
    let Some(context) = pending.context_id.as_deref() else { return Ok(Recovery::Unknown) };
    let (owner, id) = (&pending.owner, &pending.key.message_id);
    let run = app.flows.journals.of_message(owner, context, id);
    let run = run.map_err(|error| unusable(&error))?;
    if run.as_ref().is_some_and(|run| run.is_held) {
        return Ok(Recovery::Held);
    }
    let message = match &run {
        Some(run) => {
            seen.insert(run.run.clone());
            app.flows.journals.message(&run.run).map_err(|error| unusable(&error))?
        }
        None => None,
    };
    // Without a run, it was accepted just before the end: no step ran.
    let message = match message {
        Some(message) => Some(message),
        None => last_of(app, owner, context, id).map_err(|error| unusable(&error))?,
    };
    Ok(match message.filter(|message| set_of(message).is_some()) {
        Some(message) => {
            let (owner, answers) = (owner.clone(), pending.key.clone());
            Recovery::Resumed(Box::new(Found { owner, answers, message, run, ack: None }))
        }
        None => Recovery::Unknown,
    })
}

/// Resumes a run whose message has its answer: only asynchronous requests have more to send.
fn acknowledged(app: &Arc<App>, left: UnfinishedRun) -> Result<(), Fault> {
    let message = app.flows.journals.message(&left.run).map_err(|error| unusable(&error))?;
    let message = message.filter(is_async);
    let ack = message.as_ref().and_then(|message| ack(app, &left.owner, message));
    match message {
        Some(message) if ack.is_some() => {
            let owner = left.owner.clone();
            let answers =
                KeyName { context_id: message.context_id.clone(), message_id: left.name.clone() };
            let found = Found { owner, answers, message, run: Some(left), ack };
            resume(app, found).map_err(|error| unusable(&error))
        }
        _ if left.is_ended => Ok(()),
        _ if is_settled(app, &left)? => Ok(()),
        _ => {
            // Its answer was stored, or it was never accepted.
            let finished = app.flows.journals.finish(&left.run, Status::Failed);
            finished.map_err(|error| unusable(&error))
        }
    }
}

/// Reports whether a person has settled a run, which then goes on unless more of it is in doubt.
fn is_settled(app: &Arc<App>, left: &UnfinishedRun) -> Result<bool, Fault> {
    let entries = app.flows.journals.entries(left).map_err(|error| unusable(&error))?;
    if !flows::is_settled(&entries) {
        return Ok(false);
    }
    let doubtful = flows::in_doubt(&*app.flows.journals.journal(), &left.run);
    if doubtful.map_err(|error| unusable(&error))?.is_empty() {
        let (app, run) = (Arc::clone(app), left.run.clone());
        app.handle.clone().spawn(async move {
            if let Err(refused) = settle::take_up(&app, &run).await {
                let told = json!({ "run": run, "reason": refused.message });
                app.log.info("set_not_resumed", told);
            }
        });
    }
    Ok(true)
}

/// Returns the ACK of a request that has no other answer yet.
fn ack(app: &App, owner: &str, message: &Message) -> Option<Message> {
    let key =
        KeyName { context_id: message.context_id.clone(), message_id: message.message_id.clone() };
    let Ok(Some(Repeated::Done(answer))) = app.store.repeated(owner, &key, &digest(message)) else {
        return None;
    };
    stored_answer(&answer).ok().filter(|answer| matches!(answer.body, Body::Ack(_)))
}
