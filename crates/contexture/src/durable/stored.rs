//! The journals of a workspace, and what people do with them.

use super::files::JournalFiles;
use super::head::Head;
use super::kept::unusable;
use super::{RUN, UNCERTAIN, wish};
use crate::host::durable::settled;
use crate::project::Project;
use crate::run::SetupError;
use contexture_context::Digest;
use contexture_core::store::journals::{JournalError, JournalPlace, Journals};
use contexture_diagnostic::suggestion;
use contexture_llm::{Journal, Past};
use contexture_store::masker::Masker;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;

/// The most ids in a message.
const NAMED: usize = 5;

/// The codes of failures after which the same request may succeed.
const PASSING: [&str; 8] =
    ["network", "disconnected", "timeout", "rate_limited", "server", "cut_stream", "auth", "quota"];

/// The state of a run with a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// A process runs it.
    Running,
    /// Its process is gone; it can be taken up again.
    Interrupted,
    /// Its process is gone, and the outcome of a call is not known.
    InDoubt,
    /// It has reached the limit of what it may spend.
    Stopped,
    /// It has a value.
    Done,
    /// It has failed.
    Failed,
    /// A person has ended it.
    Cancelled,
}

impl State {
    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::InDoubt => "in_doubt",
            Self::Stopped => "stopped",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What came of a call whose outcome is not known, as a person says.
#[derive(Debug, Clone, PartialEq)]
pub enum Settlement {
    /// It was done, and gave this.
    Done(Value),
    /// It was not done, and is to be made again.
    Again,
    /// Nobody knows: the program sees the error.
    Failed,
}

/// A run with a journal.
#[derive(Debug, Clone)]
pub struct StoredRun {
    /// Its id.
    pub id: String,
    /// Its state.
    pub state: State,
    /// Its beginning, in microseconds since 1970-01-01 UTC.
    pub began_us: u64,
    /// The number of times that it was begun or taken up.
    pub lives: usize,
    /// The ids of their traces.
    pub traces: Vec<String>,
    /// Its calls, in the order of their beginning.
    pub calls: Vec<Past>,
    /// Its end: `{state, value}` or `{state, code, message}`.
    pub end: Value,
    /// The key of the cell of an eval that it is.
    pub cell: Option<String>,
    pub(super) head: Head,
    pub(super) input_digest: Digest,
    pub(super) is_masked: bool,
}

impl StoredRun {
    pub(super) fn of(id: String, past: Vec<Past>, is_held: bool) -> Result<Self, SetupError> {
        let (lives, calls): (Vec<Past>, Vec<Past>) =
            past.into_iter().partition(|past| past.call.key == RUN);
        let Some(last) = lives.last() else {
            let message = format!("the journal of the run {id} has no beginning");
            return Err(SetupError::new("journal_unusable", message, None));
        };
        let heads = lives.iter().map(|life| serde_json::from_value(life.call.request.clone()));
        let heads: Vec<Head> = heads.filter_map(Result::ok).collect();
        let end = last.value().cloned().unwrap_or(Value::Null);
        let is_doubtful = |past: &Past| past.is_open() && !past.is_model;
        let state = match end.get("state").and_then(Value::as_str) {
            _ if is_held => State::Running,
            Some("done") => State::Done,
            Some("stopped") => State::Stopped,
            Some("cancelled") => State::Cancelled,
            Some(_) => State::Failed,
            None if calls.iter().any(is_doubtful) => State::InDoubt,
            None => State::Interrupted,
        };
        Ok(Self {
            id,
            state,
            began_us: lives.first().map_or(0, |first| first.at_us),
            lives: lives.len(),
            traces: heads.iter().filter_map(|head| head.trace.clone()).collect(),
            cell: heads.iter().find_map(|head| head.cell.clone()),
            input_digest: last.call.digest.clone(),
            is_masked: last.masked,
            head: heads.into_iter().next_back().unwrap_or_default(),
            calls,
            end,
        })
    }

    /// Returns the path of the program.
    #[must_use]
    pub fn program(&self) -> String {
        self.head.program.display().to_string()
    }

    /// Returns the calls whose outcome is not known, models aside.
    pub fn in_doubt(&self) -> impl Iterator<Item = &Past> {
        let is_over = self.state != State::InDoubt;
        self.calls.iter().filter(move |past| !is_over && past.is_open() && !past.is_model)
    }

    /// Reports whether the run can be taken up again as it is.
    #[must_use]
    pub fn is_resumable(&self) -> bool {
        self.can_go_on(false).is_ok()
    }

    /// Checks that the run can be taken up again as it is.
    ///
    /// # Errors
    /// [`SetupError`] that says why it can't.
    pub fn check_resumable(&self) -> Result<(), SetupError> {
        self.can_go_on(false)
    }

    /// Returns what to do instead of going on.
    const fn begin_anew(&self) -> &'static str {
        match self.head.turn {
            Some(_) => "send its message to the server again, under a new messageId",
            None => "begin a new run with `contexture run --durable`",
        }
    }

    pub(super) fn can_go_on(&self, changed: bool) -> Result<(), SetupError> {
        let id = &self.id;
        let refused = |code: &str, message: String, help: String| {
            Err(SetupError::new(code, message, Some(help)))
        };
        let code = self.end.get("code").and_then(Value::as_str).unwrap_or_default();
        match self.state {
            State::Interrupted | State::Stopped => Ok(()),
            State::Failed if changed || PASSING.contains(&code) => Ok(()),
            State::InDoubt => {
                let doubtful: Vec<&Past> = self.in_doubt().collect();
                let named = doubtful.iter().take(NAMED).map(|past| {
                    let site = past.call.request.get("site").and_then(Value::as_str);
                    let site = site.map(|site| format!(" at {site}")).unwrap_or_default();
                    format!("call {}, {}{site}", past.call.key, past.call.name)
                });
                let named: Vec<String> = named.collect();
                let message = format!(
                    "the run {id} ended in the midst of {}, and what came of it is not known",
                    named.join("; ")
                );
                let key = doubtful.first().map_or("CALL", |past| &*past.call.key);
                refused(
                    UNCERTAIN,
                    message,
                    format!(
                        "look whether it was done, then: `contexture runs settle {id} {key} --done JSON` with its result, or `--again`"
                    ),
                )
            }
            State::Running => refused(
                "run_under_way",
                format!("the run {id} is under way in another process"),
                format!("wait for its end, or `contexture runs cancel {id}`"),
            ),
            State::Failed => refused(
                "run_ended",
                format!("the run {id} has failed: {code}"),
                match self.head.turn {
                    Some(_) => self.begin_anew().to_owned(),
                    None => {
                        "begin a new run; or correct the program, and resume the run with `--changed`"
                            .to_owned()
                    }
                },
            ),
            State::Done | State::Cancelled => refused(
                "run_ended",
                format!("the run {id} is {}", self.state.as_str()),
                self.begin_anew().to_owned(),
            ),
        }
    }
}

/// Returns the journals of a project.
pub(super) fn journals(project: &Project) -> Arc<dyn Journals> {
    let given = project.stores.journals.clone();
    given.unwrap_or_else(|| Arc::new(JournalFiles(project.state_folder().join("journals"))))
}

/// Returns the place of a journal.
pub(crate) fn place_of(project: &Project, id: &str) -> Arc<dyn JournalPlace> {
    journals(project).place(id)
}

/// Returns the ids of the journals, newest first.
fn ids(project: &Project) -> Result<Vec<String>, SetupError> {
    journals(project).ids().map_err(|error| unlisted(&error))
}

fn unlisted(error: &JournalError) -> SetupError {
    SetupError::new("journal_unusable", error, None)
}

/// The fewest journals for which a thread is worth its start.
const PART: usize = 64;

/// Reads the journal of a run.
///
/// # Errors
/// [`SetupError`] when it can't be read.
pub fn read(project: &Project, id: &str) -> Result<StoredRun, SetupError> {
    read_in(&*place_of(project, id), id)
}

pub(super) fn read_in(place: &dyn JournalPlace, id: &str) -> Result<StoredRun, SetupError> {
    let is_held = place.is_open();
    let past = Journal::read(place).map_err(|error| unusable(&error))?;
    StoredRun::of(id.to_owned(), past, is_held)
}

/// Returns the runs with a journal.
///
/// # Errors
/// [`SetupError`] when they can't be listed.
pub fn with_journal(project: &Project) -> Result<HashSet<String>, SetupError> {
    Ok(ids(project)?.into_iter().collect())
}

/// Removes the journal of a run that has told its outcome.
pub fn forget(project: &Project, id: &str) {
    place_of(project, id).remove();
    wish::forget(project, id);
}

/// Returns the turns of servers among runs with a journal. One that can't be read is left out.
#[must_use]
pub fn turns(project: &Project, runs: &HashSet<String>) -> Vec<StoredRun> {
    let runs = runs.iter().filter_map(|id| read(project, id).ok());
    runs.filter(|run| run.head.turn.is_some() && run.state != State::Running).collect()
}

/// Returns the runs of turns of servers; those whose journal can't be read are left out.
#[cfg(feature = "postgres")]
pub(crate) fn ids_of_turns(project: &Project) -> Result<Vec<String>, SetupError> {
    let is_turn = |id: &String| read(project, id).is_ok_and(|run| run.head.turn.is_some());
    Ok(ids(project)?.into_iter().filter(is_turn).collect())
}

/// Returns the runs with a journal, newest first, and what is wrong with journals that can't be read.
///
/// # Errors
/// [`SetupError`] when the folder can't be read.
pub fn list(project: &Project) -> Result<(Vec<StoredRun>, Vec<String>), SetupError> {
    let (mut runs, mut faults) = (Vec::new(), Vec::new());
    for run in each(project, |id, place| read_in(place, id))? {
        match run {
            Ok(run) => runs.push(run),
            Err(error) => faults.push(error.message),
        }
    }
    Ok((runs, faults))
}

/// Returns what `of` reads of each journal, by the id of its run, newest first. All cores read.
pub(super) fn each<T: Send>(
    project: &Project,
    of: impl Fn(&str, &dyn JournalPlace) -> T + Sync,
) -> Result<Vec<T>, SetupError> {
    let (journals, ids) = (journals(project), ids(project)?);
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let part = ids.len().div_ceil(cores).max(PART);
    let one = |id: &String| of(id, &*journals.place(id));
    let made = |ids: &[String]| ids.iter().map(one).collect::<Vec<T>>();
    Ok(std::thread::scope(|scope| {
        let parts: Vec<_> = ids.chunks(part).map(|ids| scope.spawn(move || made(ids))).collect();
        let joined = |part: ScopedJoinHandle<'_, Vec<T>>| {
            part.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        parts.into_iter().flat_map(joined).collect()
    }))
}

/// Finds the run that `asked` names: an id, its unique beginning or end, `latest`, or `latest~2` for
/// the second before the latest.
///
/// # Errors
/// [`SetupError`] when there is none or several, or when its journal can't be read.
pub fn find(project: &Project, asked: &str) -> Result<StoredRun, SetupError> {
    let ids = ids(project)?;
    let refused =
        |code: &str, message: String, help: String| SetupError::new(code, message, Some(help));
    let unknown = |help: String| refused("run_unknown", format!("unknown run `{asked}`"), help);
    let list = || "`contexture runs list` shows the runs with a journal".to_owned();
    if let Some(id) = ids.iter().find(|id| *id == asked) {
        return read(project, id);
    }
    let back = asked.strip_prefix("latest").map(|rest| match rest.strip_prefix('~') {
        Some(number) => number.parse().ok(),
        None => rest.is_empty().then_some(0),
    });
    if let Some(Some(back)) = back {
        let id: Option<&String> = ids.get::<usize>(back);
        return read(project, id.ok_or_else(|| unknown(list()))?);
    }
    let is_part =
        |id: &&String| !asked.is_empty() && (id.starts_with(asked) || id.ends_with(asked));
    let fitting: Vec<&String> = ids.iter().filter(is_part).collect();
    match fitting.as_slice() {
        [only] => read(project, only),
        [] => {
            let help = suggestion(asked, ids.iter().map(String::as_str));
            Err(unknown(help.unwrap_or_else(list)))
        }
        several => {
            let named: Vec<&str> = several.iter().take(NAMED).map(|id| id.as_str()).collect();
            let message = format!("`{asked}` matches {} runs", several.len());
            Err(refused(
                "run_ambiguous",
                message,
                format!("give more of the id: {}", named.join(", ")),
            ))
        }
    }
}

/// Says what came of a call that is in doubt.
///
/// # Errors
/// [`SetupError`] when the run has no such call in doubt, or its journal can't be written.
pub fn settle(
    project: &Project,
    run: &StoredRun,
    call: &str,
    settlement: Settlement,
) -> Result<(), SetupError> {
    let Some(past) = run.in_doubt().find(|past| past.call.key == call) else {
        let message = format!("the run {} has no call `{call}` in doubt", run.id);
        let open: Vec<&str> = run.in_doubt().map(|past| &*past.call.key).collect();
        let help =
            suggestion(call, open.iter().copied()).unwrap_or_else(|| match open.as_slice() {
                [] => "nothing of it is in doubt".to_owned(),
                open => format!("in doubt are {}", open.join(", ")),
            });
        return Err(SetupError::new("call_unknown", message, Some(help)));
    };
    let opened = Journal::open(place_of(project, &run.id), Arc::new(Masker::of_values([])));
    let (journal, _) = opened.map_err(|error| unusable(&error))?;
    let name = &past.call.name;
    let outcome = match settlement {
        Settlement::Done(value) => Some(settled(name, Ok(value))),
        Settlement::Failed => {
            let error = super::uncertain(name);
            Some(settled(name, Err((UNCERTAIN, error.message))))
        }
        Settlement::Again => None,
    };
    if run.head.turn.is_some() {
        wish::note_settled(project, &run.id)?;
    }
    journal.settle(past, outcome).map_err(|error| unusable(&error))
}

/// Ends a run for good. True if a process runs it: it ends at its next call.
///
/// # Errors
/// [`SetupError`] when it has ended, or its journal can't be written.
pub fn cancel(project: &Project, run: &StoredRun) -> Result<bool, SetupError> {
    let place = place_of(project, &run.id);
    match run.state {
        State::Done | State::Cancelled => {
            let message = format!("the run {} is {}", run.id, run.state.as_str());
            return Err(SetupError::new("run_ended", message, None));
        }
        State::Running => {
            place.cancel().map_err(|error| unlisted(&error))?;
            return Ok(true);
        }
        _ => {}
    }
    let (journal, past) =
        Journal::open(place, Arc::new(Masker::of_values([]))).map_err(|error| unusable(&error))?;
    wish::forget(project, &run.id);
    let Some(last) = past.iter().rfind(|past| past.call.key == RUN) else { return Ok(false) };
    journal
        .settle(last, Some(json!({ "state": "cancelled" })))
        .map_err(|error| unusable(&error))?;
    Ok(false)
}
