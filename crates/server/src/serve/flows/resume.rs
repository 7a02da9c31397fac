//! Resumption of the sets of an earlier server (FL-11).

use super::answer::Ended;
use super::clients::Clients;
use super::earlier::earlier;
use super::intent_set::INTENT;
use super::job::{Checked, Job, Start, is_async, noted, set_of};
use super::journal::UnfinishedRun;
use super::place::{Entered, Place};
use super::settle;
use crate::fault::Fault;
use crate::serve::app::App;
use crate::serve::codes;
use crate::serve::exchange::failure::refusal;
use crate::serve::exchange::results::unkept;
use crate::serve::message::{digest, stored_answer};
use crate::serve::turn::earlier::{Turns, name_of};
use crate::serve::turn::parked;
use contexture::database::Left;
use contexture::durable;
use contexture::flows::{self, FlowRequest, Labels};
use contexture::store::contexts::{
    ContextError, Key, KeyName, PendingKey, Repeated, StoredMessage,
};
use contexture::store::flows::{FlowStoreError, Wait, WaitFilter, WaitId};
use contexture_flow::Set;
use contexture_flow::check::Report as Warnings;
use contexture_flow::journal::Entry;
use contexture_protocol::content::{Outcome, Status};
use contexture_protocol::{Body, ErrorCode, Limits, Message, Refusal};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The most messages at the end of a context that are searched for one without a run.
const LATEST: usize = 1_000;
/// The time that the identity of a wait is kept after its end, in milliseconds.
const KEPT_MS: u64 = 24 * 60 * 60 * 1_000;

/// A set to resume.
pub(crate) struct Found {
    pub(crate) owner: String,
    pub(crate) answers: KeyName,
    pub(crate) message: Message,
    pub(crate) run: Option<UnfinishedRun>,
    /// The immediate answer.
    pub(crate) ack: Option<Message>,
}

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
            Recovery::Resumed(found) => resume(app, *found)?,
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

pub(crate) fn unusable(error: &dyn std::fmt::Display) -> Fault {
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

fn last_of(
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
            resume(app, Found { owner, answers, message, run: Some(left), ack })
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
    resume(app, Found { owner, answers, message, run, ack: None })
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
pub(crate) fn resume(app: &Arc<App>, found: Found) -> Result<(), Fault> {
    let Some(context) = found.message.context_id.clone() else { return Ok(()) };
    let owner: Arc<str> = found.owner.as_str().into();
    let intent = found.message.meta(INTENT).and_then(Value::as_str).map(str::to_owned);
    let intent = intent.filter(|_| found.answers.message_id != found.message.message_id);
    let entries = match &found.run {
        Some(run) => app.flows.journals.entries(run).map_err(|error| unusable(&error))?,
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

impl Job {
    pub(super) async fn resume(self, run: Option<UnfinishedRun>, entries: Vec<Entry>) {
        let Some(set) = set_of(&self.message) else { return };
        match run {
            Some(run) if run.is_ended => {
                let answer = self.answer_again(&run.run, &set, entries).await;
                self.close(answer).await;
            }
            run => {
                let id = run.as_ref().map(|run| run.run.clone());
                let id = id.unwrap_or_else(|| self.app.maker.id("run"));
                let answer = self.resumed((&id, run.is_some()), set, entries).await;
                self.over(&id, answer).await;
            }
        }
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
        (run, was_begun): (&str, bool),
        set: Set,
        entries: Vec<Entry>,
    ) -> Result<Option<Message>, Refusal> {
        let earlier = earlier(&self.app, &self.owner, &self.context, &set).await;
        let mut earlier = earlier.map_err(|error| refusal(error, Some(&self.context)))?;
        self.hear(&mut earlier);
        let (waits, begun_ms) = self.waits(run).await?;
        let now = self.app.now();
        let start = Start {
            resume: was_begun.then(|| run.to_owned()),
            ended: entries.iter().filter_map(ended).collect(),
            is_paused: is_paused(&entries),
            waiting: waits.iter().map(|wait| wait.step.clone()).collect(),
            // The time of a set that only waited goes on; that of another begins anew.
            elapsed: match waits.is_empty() {
                true => Duration::ZERO,
                false => Duration::from_millis(now.saturating_sub(begun_ms)),
            },
        };
        let clients = || Clients::new(self.forwarder(), run, &set);
        // An action that is no longer known is a tool of a client that is not back yet.
        let gone = match self.checked(&set, clients(), earlier.clone()) {
            Ok(_) => Vec::new(),
            Err(refused) => unknown(&set, &refused),
        };
        let mut clients = clients().returning(gone);
        if !waits.is_empty() {
            clients = clients.going_on(waits, &set, begun_ms);
        }
        // The settings may have changed.
        let mut checked: Checked = self.checked(&set, clients, earlier)?;
        if start.resume.is_some() {
            // The stored document is used.
            checked.request = FlowRequest { document: Vec::new(), ..checked.request };
        }
        self.work(run, checked, start).await
    }

    /// Reads what the steps of a run wait for, and when it began.
    async fn waits(&self, run: &str) -> Result<(Vec<Wait>, u64), Refusal> {
        let (journal, run) = (Arc::clone(self.app.calls.journal()), run.to_owned());
        let read = move || {
            let waits =
                journal.waits(&WaitFilter { run: Some(run.clone()), ..Default::default() })?;
            let begun =
                if waits.is_empty() { 0 } else { journal.summary(&run)?.started_us / 1_000 };
            Ok((waits, begun))
        };
        let read = tokio::task::spawn_blocking(read).await;
        read.unwrap_or(Err(FlowStoreError::Closed)).map_err(|error| unkept(&self.app, &error))
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
