//! The events of runs, and the port that takes them (FL-11).
//!
//! Decision: the engine records what happened in order, and continues while it is being written;
//! only effects outside wait for it. So the end of a step and the start of the next are one commit
//! even where steps run one after another, and those of many steps are one commit where they run
//! together.

use contexture_context::Label;
use contexture_protocol::content::{Failure, Outcome, Reason, Status};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
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
        /// The number of the try, from 1.
        attempt: u32,
        /// The idempotency key.
        key: &'a str,
    },
    /// The label of a step's result, just before its end (GU-4). It stays in the journal: the clients
    /// of a run get results without labels.
    Labelled {
        /// The step.
        id: &'a str,
        /// The label.
        label: &'a Label,
    },
    /// The decision of the policy about what a step is about to do, before it is done (GU-6).
    Decided {
        /// The step.
        id: &'a str,
        /// The effect, its class, the decision, who made it, and the influence on it.
        decision: &'a Value,
    },
    /// A step has ended.
    Ended(EndedStep<'a>),
    /// Nothing new is started.
    Paused,
    /// The run continues.
    Resumed,
    /// The run was cancelled.
    Cancelled,
    /// A person said what came of a step whose outcome was not known (WA-4). If it was done, its end
    /// follows.
    Settled {
        /// The step.
        id: &'a str,
        /// What came of it.
        verdict: Verdict,
    },
    /// All steps have ended.
    Finished {
        /// The status of the whole.
        status: Status,
    },
}

/// What came of a step whose outcome was not known, as a person says (WA-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// It was done.
    Done,
    /// It was not done, and is to be run again.
    Again,
    /// Nobody knows: its recovery decides.
    Failed,
}

/// The end of a step: the parts of an [`Outcome`].
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EndedStep<'a> {
    /// The step.
    #[serde(rename = "instructionId")]
    pub id: &'a str,
    /// Its status.
    pub status: Status,
    /// Its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<&'a Value>,
    /// Its failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a Failure>,
    /// The reason why it was not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a Reason>,
    /// Its duration in milliseconds.
    pub execution_time: f64,
}

impl Event<'_> {
    /// Returns the event as one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Only texts, numbers and values: JSON can hold all of them.
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
        /// The number of the try.
        attempt: u32,
        /// The idempotency key.
        key: String,
    },
    /// The label of a step's result.
    Labelled {
        /// The step.
        id: String,
        /// The label.
        label: Label,
    },
    /// The decision of the policy about an effect of a step.
    Decided {
        /// The step.
        id: String,
        /// The effect, its class, the decision, who made it, and the influence on it.
        decision: Value,
    },
    /// A step ended.
    Ended(Box<Outcome>),
    /// Nothing new was started.
    Paused,
    /// The run continued.
    Resumed,
    /// The run was cancelled.
    Cancelled,
    /// A person said what came of a step whose outcome was not known (WA-4).
    Settled {
        /// The step.
        id: String,
        /// What came of it.
        verdict: Verdict,
    },
    /// All steps had ended.
    Finished {
        /// The status of the whole.
        status: Status,
    },
}

impl Entry {
    /// Reads a line that [`Event::to_json`] made.
    ///
    /// # Errors
    /// [`JournalError`] if it is not such a line.
    pub fn parse(line: &str) -> Result<Self, JournalError> {
        serde_json::from_str(line).map_err(|error| JournalError::new(format!("bad entry: {error}")))
    }

    /// Returns the word for the event of a line if this version does not know it: a newer one wrote it.
    #[must_use]
    pub fn unknown_event(line: &str) -> Option<String> {
        let line: Value = serde_json::from_str(line).ok()?;
        let word = line.get("event")?.as_str()?;
        let known = [
            "STARTED",
            "LABELLED",
            "DECIDED",
            "ENDED",
            "PAUSED",
            "RESUMED",
            "CANCELLED",
            "SETTLED",
            "FINISHED",
        ];
        (!known.contains(&word)).then(|| word.to_owned())
    }
}

/// A failure to write or read a journal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the journal failed: {message}")]
pub struct JournalError {
    /// The cause.
    pub message: String,
}

impl JournalError {
    /// Creates a failure from its cause.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// Keeps the events of runs.
pub trait Journal: Send + Sync {
    /// Takes an event of a run. Events of one run are kept in the order of the calls; the call does
    /// not wait for the disk. [`Kept::done`] is called when the event is durable, or lost.
    fn record(&self, run: &str, event: &Event<'_>, kept: Kept);

    /// Returns all events of a run, in their order; none if there is no such run.
    ///
    /// # Errors
    /// [`JournalError`] if they can't be read.
    fn entries(&self, run: &str) -> Result<Vec<Entry>, JournalError>;
}

/// The listener of a run, which gets the results of its events.
pub trait Listener: Send + Sync {
    /// Takes the result of an event: it is durable, or lost.
    fn kept(&self, ticket: Ticket, result: Result<(), JournalError>);
}

/// The event that a [`Kept`] is for, as its run names it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ticket {
    /// A step, by its place, and its try.
    pub step: Option<(u32, u32)>,
    /// True if the step waits to start.
    pub is_start: bool,
}

/// The answer that a run waits for: its event is durable, or lost. Dropped without a result, it
/// reports that the event is lost.
pub struct Kept {
    listener: Option<Arc<dyn Listener>>,
    ticket: Ticket,
}

impl Kept {
    /// Creates an answer for a listener.
    #[must_use]
    pub fn new(listener: Arc<dyn Listener>, ticket: Ticket) -> Self {
        Self { listener: Some(listener), ticket }
    }

    /// Creates an answer that calls a function, once.
    #[must_use]
    pub fn call(done: impl FnOnce(Result<(), JournalError>) + Send + 'static) -> Self {
        Self::new(Arc::new(Call(Mutex::new(Some(done)))), Ticket::default())
    }

    /// Returns the event as its run names it.
    #[must_use]
    pub const fn ticket(&self) -> Ticket {
        self.ticket
    }

    /// Reports that the event is durable, or that it could not be kept.
    pub fn done(mut self, result: Result<(), JournalError>) {
        if let Some(listener) = self.listener.take() {
            listener.kept(self.ticket, result);
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(listener) = self.listener.take() {
            listener.kept(self.ticket, Err(JournalError::new("an event was dropped")));
        }
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").field("ticket", &self.ticket).finish_non_exhaustive()
    }
}

struct Call<F>(Mutex<Option<F>>);

impl<F: FnOnce(Result<(), JournalError>) + Send> Listener for Call<F> {
    fn kept(&self, _: Ticket, result: Result<(), JournalError>) {
        let done = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(done) = done {
            done(result);
        }
    }
}
