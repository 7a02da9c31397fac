//! Resumption of the sets of an earlier server (FL-11).

use super::answer::Ended;
use super::clients::Clients;
use super::earlier::earlier;
use super::intent_set::INTENT;
use super::job::{Checked, Job, Start, noted, set_of};
use super::journal::UnfinishedRun;
use super::place::{Entered, Place};
use crate::fault::Fault;
use crate::serve::app::App;
use crate::serve::codes;
use crate::serve::exchange::failure::refusal;
use crate::serve::message::{digest, stored_answer};
use contexture::flows::{FlowRequest, Labels};
use contexture::store::contexts::{ContextError, Key, KeyName, PendingKey, Repeated};
use contexture_flow::Set;
use contexture_flow::check::Report as Warnings;
use contexture_flow::journal::Entry;
use contexture_protocol::content::{CallMode, Outcome, Status};
use contexture_protocol::{Body, ErrorCode, Limits, Message, Refusal};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

/// The most messages at the end of a context that are searched for one without a run.
const LATEST: usize = 1_000;
struct Found {
    owner: String,
    answers: KeyName,
    message: Message,
    run: Option<UnfinishedRun>,
    /// The immediate answer.
    ack: Option<Message>,
}

/// The handling of a message without an answer.
enum Recovery {
    Resumed(Box<Found>),
    /// Another process runs it.
    Held,
    /// The message has no set.
    Unknown,
}

/// Resumes all unfinished sets. Returns the other pending messages.
///
/// # Errors
/// A [`Fault`] when stored data can't be read.
pub(crate) fn resume_all(app: &Arc<App>) -> Result<Vec<PendingKey>, Fault> {
    let mut rest = Vec::new();
    let mut seen = HashSet::new();
    for pending in app.store.pending().map_err(|error| unusable(&error))? {
        match recovery(app, &pending, &mut seen)? {
            Recovery::Resumed(found) => resume(app, *found)?,
            Recovery::Held => {}
            Recovery::Unknown => rest.push(pending),
        }
    }
    // Acknowledged requests are no longer pending, and may be unfinished.
    for left in app.flows.journals.unfinished().map_err(|error| unusable(&error))? {
        if !left.is_held && !seen.contains(&left.run) {
            acknowledged(app, left)?;
        }
    }
    Ok(rest)
}

fn unusable(error: &dyn std::fmt::Display) -> Fault {
    Fault::of(codes::BAD_DATA, error.to_string())
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
        None => kept(app, owner, context, id).map_err(|error| unusable(&error))?,
    };
    Ok(match message.filter(|message| set_of(message).is_some()) {
        Some(message) => {
            let (owner, answers) = (owner.clone(), pending.key.clone());
            Recovery::Resumed(Box::new(Found { owner, answers, message, run, ack: None }))
        }
        None => Recovery::Unknown,
    })
}

/// Finds a message among the last of a context.
fn kept(app: &App, owner: &str, context: &str, id: &str) -> Result<Option<Message>, ContextError> {
    let last = match app.store.last(Key { owner, context }, LATEST) {
        Err(ContextError::NotFound(_)) => return Ok(None),
        other => other?,
    };
    let read = |text: &str| Message::parse(text.as_bytes(), &Limits::FILE).ok();
    let mut messages = last.iter().rev().filter_map(|kept| read(&kept.text));
    Ok(messages.find(|message| message.message_id == id))
}

/// Resumes a run whose message has its answer: only asynchronous requests have more to send.
fn acknowledged(app: &Arc<App>, left: UnfinishedRun) -> Result<(), Fault> {
    let message = app.flows.journals.message(&left.run).map_err(|error| unusable(&error))?;
    let is_async = |message: &Message| matches!(&message.body, Body::ToolCallRequest(r) if r.mode() == CallMode::Async);
    let message = message.filter(is_async);
    let ack = message.as_ref().and_then(|message| ack(app, &left.owner, message));
    match message {
        Some(message) if ack.is_some() => {
            let owner = left.owner.clone();
            let answers =
                KeyName { context_id: message.context_id.clone(), message_id: left.name.clone() };
            resume(app, Found { owner, answers, message, run: Some(left), ack })
        }
        _ if left.is_ended => Ok(()),
        _ => {
            // Its answer was stored, or it was never accepted.
            let finished = app.flows.journals.finish(&left.run, Status::Failed);
            finished.map_err(|error| unusable(&error))
        }
    }
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

/// Returns the incarnation of a context: pending messages are deleted with theirs.
fn incarnation(app: &App, owner: &str, context: &str) -> Option<u64> {
    app.store.head(Key { owner, context }).ok().map(|head| head.incarnation)
}

fn resume(app: &Arc<App>, found: Found) -> Result<(), Fault> {
    let Some(context) = found.message.context_id.clone() else { return Ok(()) };
    let owner: Arc<str> = found.owner.into();
    let intent = found.message.meta(INTENT).and_then(Value::as_str).map(str::to_owned);
    let intent = intent.filter(|_| found.answers.message_id != found.message.message_id);
    let entries = match &found.run {
        Some(run) => app.flows.journals.entries(run).map_err(|error| unusable(&error))?,
        None => Vec::new(),
    };
    let key = (Arc::clone(&owner), found.answers.context_id, found.answers.message_id);
    // Accepted sets are not refused: repeated messages are attached to them.
    let entered = Place::enter(app, key, digest(&found.message), true);
    let Ok(Entered::New(place)) = entered else { return Ok(()) };
    if let Some(set) = set_of(&found.message) {
        place.running.identify(&context, &set);
    }
    place.running.mark_resumed();
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
    if job.is_async() {
        (job.tell)(&found.ack.unwrap_or_else(|| job.ack(None)));
    }
    let (handle, running) = (job.app.handle.clone(), Arc::clone(&job.place.running));
    let task = handle.spawn(job.resume(found.run, entries));
    running.set_task(task.abort_handle());
    Ok(())
}

impl Job {
    async fn resume(self, run: Option<UnfinishedRun>, entries: Vec<Entry>) {
        let Some(set) = set_of(&self.message) else { return };
        let answer = match run {
            Some(run) if run.is_ended => self.answer_again(&run.run, &set, entries).await,
            run => self.resumed(run.map(|run| run.run), set, entries).await,
        };
        self.close(answer).await;
    }

    /// Answers for a run that has ended without a stored answer.
    async fn answer_again(
        &self,
        run: &str,
        set: &Set,
        entries: Vec<Entry>,
    ) -> Result<Message, Refusal> {
        self.keep_ack().await;
        let clients = Clients::new(self.forwarder(), run, set);
        self.labels.get_or_init(|| Labels::kept(&entries));
        let ended = Ended::read(set, entries);
        let telling = self.telling(set.steps.len());
        let message = self.answered((run, ended), &clients, telling).await?;
        Ok(noted(message, run, &Warnings::default()))
    }

    async fn resumed(
        &self,
        run: Option<String>,
        set: Set,
        entries: Vec<Entry>,
    ) -> Result<Message, Refusal> {
        let earlier = earlier(&self.app, &self.owner, &self.context, &set).await;
        let mut earlier = earlier.map_err(|error| refusal(error, Some(&self.context)))?;
        self.hear(&mut earlier);
        let start = Start {
            resume: run.clone(),
            ended: entries.iter().filter_map(ended).collect(),
            is_paused: is_paused(&entries),
        };
        let run = run.unwrap_or_else(|| self.app.maker.id("run"));
        let clients = || Clients::new(self.forwarder(), &run, &set);
        // An action that is no longer known is a tool of a client that is not back yet.
        let gone = match self.checked(&set, clients(), earlier.clone()) {
            Ok(_) => Vec::new(),
            Err(refused) => unknown(&set, &refused),
        };
        let clients = clients().returning(gone);
        // The settings may have changed.
        let mut checked: Checked = self.checked(&set, clients, earlier)?;
        if start.resume.is_some() {
            // The stored document is used.
            checked.request = FlowRequest { document: Vec::new(), ..checked.request };
        }
        self.work(&run, checked, start).await
    }
}

/// Returns the actions that a refusal names as unknown.
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

/// Reports whether the run was paused when it was interrupted.
fn is_paused(entries: &[Entry]) -> bool {
    let mut steered = entries.iter().rev().filter_map(|entry| match entry {
        Entry::Paused => Some(true),
        Entry::Resumed => Some(false),
        _ => None,
    });
    steered.next().unwrap_or_default()
}
