//! The journal of runs (FL-11): its port is in [`contexture_core`]; here are two simple
//! journals, and the state that a run reads from its own.

pub use contexture_core::store::flows::{
    EndedStep, Entry, Event, Journal, JournalError, Kept, Listener, Ticket,
};

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
                    let last = LastTry { attempt, action };
                    if past.running.insert(id.clone(), last).is_none() {
                        past.order.push(id);
                    }
                }
                Entry::Ended(outcome) => {
                    past.ended.insert(outcome.instruction_id.clone(), *outcome);
                }
                Entry::Cancelled => past.is_cancelled = true,
                Entry::Finished { status } => past.finished = Some(status),
                Entry::Labelled { .. } | Entry::Decided { .. } | Entry::Paused | Entry::Resumed => {
                }
            }
        }
        past.running.retain(|id, _| !past.ended.contains_key(id));
        past
    }

    /// Adds the steps whose attempt waits for a person, before any effect (WA-1).
    #[must_use]
    pub fn waiting(mut self, steps: impl IntoIterator<Item = String>) -> Self {
        self.waiting.extend(steps);
        self
    }
}
