//! The journal of runs: a port (FL-11).
//!
//! Decision: the engine says what happened in order, and goes on thinking while it is being
//! written; only what has an effect outside waits for it. So the end of a step and the start of
//! the next are one commit even where steps run one after another, and those of many steps are one
//! commit where they run together.

use crate::run::Inbox;
use contexture_protocol::content::{Failure, Outcome, Reason, Status};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A change of a run.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
pub enum Event<'a> {
    /// A try of a step begins as soon as this is kept.
    Started {
        /// The step.
        id: &'a str,
        /// The action; another one when an alternative runs.
        action: &'a str,
        /// Which try it is, from 1.
        attempt: u32,
        /// The idempotency key.
        key: &'a str,
    },
    /// A step has ended.
    Ended(EndedStep<'a>),
    /// Nothing new is started.
    Paused,
    /// It goes on.
    Resumed,
    /// The run was cancelled.
    Cancelled,
    /// All steps have ended.
    Finished {
        /// How the whole ended.
        status: Status,
    },
}

/// How a step ended: the parts of an [`Outcome`].
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EndedStep<'a> {
    /// The step.
    #[serde(rename = "instructionId")]
    pub id: &'a str,
    /// How it ended.
    pub status: Status,
    /// What it gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<&'a Value>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a Failure>,
    /// Why it was not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a Reason>,
    /// How long it took, in milliseconds.
    pub execution_time: f64,
}

impl Event<'_> {
    /// The event as one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Of texts, numbers and values alone: nothing that JSON has not.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// An event that was read back.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "event", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
pub enum Entry {
    /// A try of a step began, or was about to.
    Started {
        /// The step.
        id: String,
        /// The action.
        action: String,
        /// Which try it was.
        attempt: u32,
        /// The idempotency key.
        key: String,
    },
    /// A step ended.
    Ended(Box<Outcome>),
    /// Nothing new was started.
    Paused,
    /// It went on.
    Resumed,
    /// The run was cancelled.
    Cancelled,
    /// All steps had ended.
    Finished {
        /// How the whole ended.
        status: Status,
    },
}

impl Entry {
    /// Reads a line that [`Event::to_json`] made.
    ///
    /// # Errors
    /// [`JournalError`] if it is none.
    pub fn parse(line: &str) -> Result<Self, JournalError> {
        serde_json::from_str(line).map_err(|error| JournalError::new(format!("bad entry: {error}")))
    }
}

/// A journal can't be written or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the journal failed: {message}")]
pub struct JournalError {
    /// Why.
    pub message: String,
}

impl JournalError {
    /// A failure in words.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// Where the events of runs are kept.
pub trait Journal: Send + Sync {
    /// Takes an event of a run. Events of one run are kept in the order of the calls; the call does
    /// not wait for the disk. [`Kept::done`] is called when the event is durable, or lost.
    fn record(&self, run: &str, event: &Event<'_>, kept: Kept);

    /// All events of a run, in their order; none if there is no such run.
    ///
    /// # Errors
    /// [`JournalError`] if they can't be read.
    fn entries(&self, run: &str) -> Result<Vec<Entry>, JournalError>;
}

/// Tells a run that an event is durable. Dropped without a word, it tells that the event is lost.
#[derive(Debug)]
pub struct Kept {
    inbox: Option<Arc<Inbox>>,
    pub(crate) step: Option<(u32, u32)>,
    pub(crate) is_start: bool,
}

impl Kept {
    pub(crate) fn new(inbox: &Arc<Inbox>, step: Option<(u32, u32)>, is_start: bool) -> Self {
        Self { inbox: Some(inbox.clone()), step, is_start }
    }

    /// The event is durable, or it could not be kept.
    pub fn done(mut self, result: Result<(), JournalError>) {
        if let Some(inbox) = self.inbox.take() {
            inbox.kept(self.step, self.is_start, result);
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(inbox) = self.inbox.take() {
            let lost = Err(JournalError::new("an event was dropped"));
            inbox.kept(self.step, self.is_start, lost);
        }
    }
}

/// A journal that keeps nothing: a run cannot be gone on with.
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

/// What a run had done before it was broken off.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    pub(crate) ended: HashMap<String, Outcome>,
    /// Steps that were running.
    pub(crate) running: HashMap<String, LastTry>,
    pub(crate) order: Vec<String>,
    pub(crate) is_cancelled: bool,
    /// How the whole ended, if it did.
    pub(crate) finished: Option<Status>,
}

/// The last try of a step that had not ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LastTry {
    pub(crate) attempt: u32,
    pub(crate) action: String,
}

impl Past {
    /// What the entries of a run say.
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
                Entry::Paused | Entry::Resumed => {}
            }
        }
        past.running.retain(|id, _| !past.ended.contains_key(id));
        past
    }
}
