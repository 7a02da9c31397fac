//! The sets that an earlier server left: this one goes on with them (FL-11).

use super::accept::set_of;
use super::answer::Ended;
use super::checked::Checked;
use super::clients::Clients;
use super::earlier::earlier;
use super::job::{Begins, Job, noted};
use super::journal::Left;
use super::{Entered, Flows};
use crate::fault::Fault;
use crate::serve::app::App;
use crate::serve::codes;
use crate::serve::digest::digest;
use crate::serve::exchange::refusal;
use contexture::flows::FlowRequest;
use contexture::store::contexts::{ContextError, Key, KeyName, PendingKey, Repeated};
use contexture_flow::Set;
use contexture_flow::check::Report as Warnings;
use contexture_flow::journal::Entry;
use contexture_protocol::content::{CallMode, Outcome, Status};
use contexture_protocol::{Body, ErrorCode, Limits, Message, Refusal};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// Messages at the end of a context among which one is looked for whose run was not noted yet.
const LATEST: usize = 1_000;
/// The name under which the INSTRUCTION of an intent says which one it is.
pub(super) const INTENT: &str = "intent";

/// A set to go on with, and what is known of its run.
struct Found {
    owner: String,
    /// The message that is answered.
    answers: KeyName,
    message: Message,
    run: Option<Left>,
    /// The immediate answer.
    ack: Option<Message>,
}

/// The handling of a message without an answer.
enum Fate {
    GoesOn(Box<Found>),
    /// Another process does it.
    Held,
    /// No set was made of it.
    Unknown,
}

/// Goes on with all sets that were left. Gives the pending messages that no set was made of.
///
/// # Errors
/// A [`Fault`] when what was kept can't be read.
pub(crate) fn take_up(app: &Arc<App>) -> Result<Vec<PendingKey>, Fault> {
    let mut rest = Vec::new();
    let mut seen = HashSet::new();
    for pending in app.store.pending().map_err(|error| unusable(&error))? {
        match fate(app, &pending, &mut seen)? {
            Fate::GoesOn(found) => go_on(app, *found)?,
            Fate::Held => {}
            Fate::Unknown => rest.push(pending),
        }
    }
    // What was acknowledged is no longer pending, and may have to be gone on with all the same.
    for left in app.flows.journals.left().map_err(|error| unusable(&error))? {
        if !left.is_held && !seen.contains(&left.run) {
            acknowledged(app, left)?;
        }
    }
    Ok(rest)
}

fn unusable(error: &dyn std::fmt::Display) -> Fault {
    Fault::of(codes::BAD_DATA, error.to_string())
}

fn fate(app: &App, pending: &PendingKey, seen: &mut HashSet<String>) -> Result<Fate, Fault> {
    let Some(context) = pending.context_id.as_deref() else { return Ok(Fate::Unknown) };
    let (owner, id) = (&pending.owner, &pending.key.message_id);
    let run = app.flows.journals.of_message(owner, context, id);
    let run = run.map_err(|error| unusable(&error))?;
    if run.as_ref().is_some_and(|run| run.is_held) {
        return Ok(Fate::Held);
    }
    let message = match &run {
        Some(run) => {
            seen.insert(run.run.clone());
            app.flows.journals.message(&run.run).map_err(|error| unusable(&error))?
        }
        None => None,
    };
    // Without a run it was accepted just before the end: nothing of it ran.
    let message = match message {
        Some(message) => Some(message),
        None => kept(app, owner, context, id).map_err(|error| unusable(&error))?,
    };
    Ok(match message.filter(|message| set_of(message).is_some()) {
        Some(message) => {
            let (owner, answers) = (owner.clone(), pending.key.clone());
            Fate::GoesOn(Box::new(Found { owner, answers, message, run, ack: None }))
        }
        None => Fate::Unknown,
    })
}

/// A message among the last of a context.
fn kept(app: &App, owner: &str, context: &str, id: &str) -> Result<Option<Message>, ContextError> {
    let last = match app.store.last(Key { owner, context }, LATEST) {
        Err(ContextError::NotFound(_)) => return Ok(None),
        other => other?,
    };
    let read = |text: &str| Message::parse(text.as_bytes(), &Limits::FILE).ok();
    let mut messages = last.iter().rev().filter_map(|kept| read(&kept.text));
    Ok(messages.find(|message| message.message_id == id))
}

/// A run whose message has its answer: only asynchronous requests have more to tell.
fn acknowledged(app: &Arc<App>, left: Left) -> Result<(), Fault> {
    let message = app.flows.journals.message(&left.run).map_err(|error| unusable(&error))?;
    let is_async = |message: &Message| matches!(&message.body, Body::ToolCallRequest(r) if r.mode() == CallMode::Async);
    let message = message.filter(is_async);
    let ack = message.as_ref().and_then(|message| ack(app, &left.owner, message));
    match message {
        Some(message) if ack.is_some() => {
            let owner = left.owner.clone();
            let answers =
                KeyName { context_id: message.context_id.clone(), message_id: left.name.clone() };
            go_on(app, Found { owner, answers, message, run: Some(left), ack })
        }
        _ if left.is_ended => Ok(()),
        _ => {
            // Its answer was kept, or it was never accepted.
            let finished = app.flows.journals.finish(&left.run, Status::Failed);
            finished.map_err(|error| unusable(&error))
        }
    }
}

/// The ACK with which a request was answered, and not yet by its results.
fn ack(app: &App, owner: &str, message: &Message) -> Option<Message> {
    let key =
        KeyName { context_id: message.context_id.clone(), message_id: message.message_id.clone() };
    let Ok(Some(Repeated::Done(answer))) = app.store.repeated(owner, &key, &digest(message)) else {
        return None;
    };
    app.kept(&answer).ok().filter(|answer| matches!(answer.body, Body::Ack(_)))
}

/// The context whose message waits for its answer: what waited in one that is gone went with it.
fn incarnation(app: &App, owner: &str, context: &str) -> Option<u64> {
    app.store.head(Key { owner, context }).ok().map(|head| head.incarnation)
}

fn go_on(app: &Arc<App>, found: Found) -> Result<(), Fault> {
    let Some(context) = found.message.context_id.clone() else { return Ok(()) };
    let owner: Arc<str> = found.owner.into();
    let intent = found.message.meta(INTENT).and_then(Value::as_str).map(str::to_owned);
    let intent = intent.filter(|_| found.answers.message_id != found.message.message_id);
    let entries = match &found.run {
        Some(run) => app.flows.journals.entries(run).map_err(|error| unusable(&error))?,
        None => Vec::new(),
    };
    let key = (Arc::clone(&owner), found.answers.context_id, found.answers.message_id);
    // They were accepted, so none is refused: whoever asks again hears of it.
    let place = Flows::enter_again(app, key, digest(&found.message));
    let Entered::New(place) = place else { return Ok(()) };
    if let Some(set) = set_of(&found.message) {
        place.running().is_of(&context, &set);
    }
    place.running().begins_taken_up();
    let (app, message, tell) = (Arc::clone(app), found.message, place.tell());
    let incarnation = incarnation(&app, &owner, &context);
    if let Some(incarnation) = incarnation {
        place.running().is_kept_in(incarnation);
    }
    let origin = None;
    let job = Job { app, owner, origin, context, incarnation, message, intent, place, tell };
    if job.is_async() {
        (job.tell)(&found.ack.unwrap_or_else(|| job.ack(None)));
    }
    let handle = job.app.handle.clone();
    let running = Arc::clone(job.place.running());
    let task = handle.spawn(job.take_up(found.run, entries));
    running.worked_on_by(task.abort_handle());
    Ok(())
}

impl Job {
    async fn take_up(self, run: Option<Left>, entries: Vec<Entry>) {
        let Some(set) = set_of(&self.message) else { return };
        let answer = match run {
            Some(run) if run.is_ended => self.told_again(&run.run, &set, entries).await,
            run => self.taken_up(run.map(|run| run.run), set, entries).await,
        };
        self.close(answer).await;
    }

    /// The answer of a run that has ended: only its answer was not kept.
    async fn told_again(
        &self,
        run: &str,
        set: &Set,
        entries: Vec<Entry>,
    ) -> Result<Message, Refusal> {
        self.keep_ack().await;
        let clients = Clients::new(self.forwarder(), run, set);
        let ended = Ended::read(set, entries);
        let telling = self.telling(set.steps.len());
        let message = self.answered(ended, &clients, telling).await?;
        Ok(noted(message, run, &Warnings::default()))
    }

    async fn taken_up(
        &self,
        run: Option<String>,
        set: Set,
        entries: Vec<Entry>,
    ) -> Result<Message, Refusal> {
        let earlier = earlier(&self.app, &self.owner, &self.context, &set).await;
        let mut earlier = earlier.map_err(|error| refusal(error, Some(&self.context)))?;
        self.hear(&mut earlier);
        let begins = Begins {
            resume: run.clone(),
            ended: entries.iter().filter_map(ended).collect(),
            is_paused: is_paused(&entries),
        };
        let run = run.unwrap_or_else(|| self.app.maker.id("run"));
        let clients = || Clients::new(self.forwarder(), &run, &set);
        // What was known then and is not now is a tool of a client that is not back yet.
        let gone = match self.checked(&set, clients(), earlier.clone()) {
            Ok(_) => Vec::new(),
            Err(refused) => unknown(&set, &refused),
        };
        let clients = clients().returning(gone);
        // What the settings allow may have changed.
        let mut checked: Checked = self.checked(&set, clients, earlier)?;
        if begins.resume.is_some() {
            // The kept document says what it was begun with.
            checked.request = FlowRequest { document: Vec::new(), ..checked.request };
        }
        self.work(&run, checked, begins).await
    }
}

/// The actions that a refusal says are not there.
fn unknown(set: &Set, refused: &Refusal) -> Vec<String> {
    let diagnostics = refused.details.get("diagnostics").and_then(Value::as_array);
    let mut names = Vec::new();
    for fault in diagnostics.into_iter().flatten() {
        let code = fault.get("code").and_then(Value::as_str).and_then(ErrorCode::parse);
        let path = fault.get("path").and_then(Value::as_str).unwrap_or_default();
        let place = path.split('/').nth(3).and_then(|place| place.parse::<usize>().ok());
        let is_unknown = code == Some(ErrorCode::UnknownAction);
        if let Some(step) = place.filter(|_| is_unknown).and_then(|place| set.steps.get(place)) {
            names.push(step.action.clone());
        }
    }
    names
}

fn ended(entry: &Entry) -> Option<Outcome> {
    match entry {
        Entry::Ended(outcome) => Some((**outcome).clone()),
        _ => None,
    }
}

/// Reports whether it was paused when it was broken off.
fn is_paused(entries: &[Entry]) -> bool {
    let mut steered = entries.iter().rev().filter_map(|entry| match entry {
        Entry::Paused => Some(true),
        Entry::Resumed => Some(false),
        _ => None,
    });
    steered.next().unwrap_or_default()
}
