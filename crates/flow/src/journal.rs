//! The journal of runs (FL-11): its port is in [`contexture_core`]; here are two simple
//! journals, and the state that a run reads from its own.

pub use contexture_core::store::flows::{
    EndedStep, Entry, Event, Journal, JournalError, Kept, Listener, Ticket, Verdict,
};

use crate::machine::STEP_CANCELLED;
use contexture_protocol::ErrorCode;
use contexture_protocol::content::{Outcome, Status};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// A journal that stores nothing: a run can't be resumed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unkept;

impl Journal for Unkept {
    fn record(&self, _: &str, _: &Event<'_>, kept: Kept) {
        kept.done(Ok(()));
    }

    fn entries(&self, _: &str) -> Result<Vec<Entry>, JournalError> {
        Ok(Vec::new())
    }
}

/// A journal in memory.
#[derive(Debug, Default)]
pub struct Volatile {
    lines: Mutex<HashMap<String, Vec<String>>>,
}

impl Volatile {
    /// The lines of a run.
    #[must_use]
    pub fn lines(&self, run: &str) -> Vec<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.get(run).cloned().unwrap_or_default()
    }
}

impl Journal for Volatile {
    fn record(&self, run: &str, event: &Event<'_>, kept: Kept) {
        let line = event.to_json();
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.entry(run.to_owned()).or_default().push(line);
        drop(lines);
        kept.done(Ok(()));
    }

    fn entries(&self, run: &str) -> Result<Vec<Entry>, JournalError> {
        self.lines(run).iter().map(|line| Entry::parse(line)).collect()
    }
}

/// The state of a run before it was interrupted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    pub(crate) ended: HashMap<String, Outcome>,
    /// Steps that were running.
    pub(crate) running: HashMap<String, LastTry>,
    /// The steps among them whose attempt waits for a person, before any effect.
    pub(crate) waiting: HashSet<String>,
    /// The steps among them that are to be run again, or fail as uncertain, as a person said.
    pub(crate) settled: HashMap<String, Verdict>,
    pub(crate) order: Vec<String>,
    pub(crate) is_cancelled: bool,
    /// The final status, if the run ended.
    pub(crate) finished: Option<Status>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LastTry {
    pub(crate) attempt: u32,
    pub(crate) action: String,
}

impl Past {
    /// Creates the state from the entries of a run.
    #[must_use]
    pub fn of(entries: impl IntoIterator<Item = Entry>) -> Self {
        let mut past = Self::default();
        for entry in entries {
            match entry {
                Entry::Started { id, attempt, action, .. } => {
                    past.settled.remove(&id);
                    let last = LastTry { attempt, action };
                    if past.running.insert(id.clone(), last).is_none() {
                        past.order.push(id);
                    }
                }
                Entry::Ended(outcome) => {
                    past.ended.insert(outcome.instruction_id.clone(), *outcome);
                }
                Entry::Cancelled => past.is_cancelled = true,
                Entry::Settled { id, verdict } => past.settle(id, verdict),
                Entry::Finished { status } => past.finished = Some(status),
                Entry::Labelled { .. } | Entry::Decided { .. } | Entry::Paused | Entry::Resumed => {
                }
            }
        }
        past.running.retain(|id, _| !past.ended.contains_key(id));
        past
    }

    /// Takes what a person says of a step. What was not run because of its outcome is decided again.
    fn settle(&mut self, id: String, verdict: Verdict) {
        if verdict != Verdict::Failed {
            self.ended.retain(|step, outcome| *step != id && !is_skipped(outcome));
            self.finished = None;
        }
        self.settled.insert(id, verdict);
    }

    /// Returns the steps whose outcome is not known: those that were running, and do not wait for a
    /// person, and those that failed for that reason (WA-4).
    #[must_use]
    pub fn in_doubt(&self) -> Vec<&str> {
        let is_open = |id: &str| !self.waiting.contains(id) && !self.settled.contains_key(id);
        let is_doubtful = |id: &&String| match self.ended.get(*id) {
            Some(outcome) => is_uncertain(outcome),
            None => self.running.contains_key(*id),
        };
        let steps = self.order.iter().filter(is_doubtful).map(String::as_str);
        steps.filter(|id| is_open(id)).collect()
    }

    /// Adds the steps whose attempt waits for a person, before any effect (WA-1).
    #[must_use]
    pub fn waiting(mut self, steps: impl IntoIterator<Item = String>) -> Self {
        self.waiting.extend(steps);
        self
    }
}

/// Returns the places of the ends that do not count any more when a step is settled: its own, and those
/// of steps that were not run, which is decided again (WA-4).
#[must_use]
pub fn void_ends(entries: &[Entry], step: &str) -> Vec<usize> {
    let is_void = |id: &str, outcome: &Outcome| outcome.instruction_id == id || is_skipped(outcome);
    let mut valid: Vec<(usize, &Outcome)> = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        match entry {
            Entry::Ended(outcome) => {
                valid.retain(|(_, other)| other.instruction_id != outcome.instruction_id);
                valid.push((place, outcome));
            }
            Entry::Settled { id, verdict } if *verdict != Verdict::Failed => {
                valid.retain(|(_, outcome)| !is_void(id, outcome));
            }
            _ => {}
        }
    }
    valid
        .into_iter()
        .filter(|(_, outcome)| is_void(step, outcome))
        .map(|(place, _)| place)
        .collect()
}

/// Reports whether a step was not run because of the outcomes of others; one that a person cancelled
/// stays so.
fn is_skipped(outcome: &Outcome) -> bool {
    let reason = outcome.reason.as_ref().map(|reason| reason.message.as_str());
    outcome.status == Status::Skipped && reason != Some(STEP_CANCELLED)
}

fn is_uncertain(outcome: &Outcome) -> bool {
    let code = outcome.error.as_ref().map(|error| error.code.as_str());
    code == Some(ErrorCode::OutcomeUncertain.as_str())
}
