//! The state of a step during and after a run. A million of these must fit into memory, so rarely
//! used fields are boxed.

use crate::action::ActionFailure;
use contexture_protocol::Millis;
use contexture_protocol::content::{Failure, Outcome, Reason, Status};
use serde_json::{Number, Value, json};
use std::sync::OnceLock;
use std::time::Duration;

#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) status: Status,
    /// True if an alternative runs in its place.
    pub(crate) is_replaced: bool,
    /// True if it was running when an earlier run was interrupted, and must not simply be run
    /// again.
    pub(crate) is_uncertain: bool,
    /// True if its last attempt waits for a person, before any effect: it goes on as the same.
    pub(crate) is_waiting: bool,
    /// True if its last attempt has ended, and the journal does not have that yet: only this process knows it.
    pub(crate) has_unkept_end: bool,
    /// The failure of its last attempt, until the next one begins.
    pub(crate) last_failure: Option<Box<ActionFailure>>,
    /// The number of dependencies that have not ended.
    pub(crate) waiting: u32,
    pub(crate) attempt: u32,
    /// When its first attempt was started.
    pub(crate) started: Option<Duration>,
    pub(crate) phase: Phase,
    pub(crate) ended: Option<Box<Ended>>,
}

impl Cell {
    pub(crate) fn new() -> Self {
        Self {
            status: Status::Pending,
            is_replaced: false,
            is_uncertain: false,
            is_waiting: false,
            has_unkept_end: false,
            last_failure: None,
            waiting: 0,
            attempt: 0,
            started: None,
            phase: Phase::Idle,
            ended: None,
        }
    }
}

/// What an attempt of a running step does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// There is none: it is due again, or has ended.
    #[default]
    Idle,
    /// Its start is being journalled.
    Starting,
    /// It was told to act.
    Told,
    /// It acts.
    Acting,
}

#[derive(Debug, Default)]
pub(crate) struct Ended {
    pub(crate) result: Option<Value>,
    pub(crate) error: Option<Box<Failure>>,
    pub(crate) reason: Option<Box<Reason>>,
    pub(crate) took: Duration,
    /// The error as a value, created when something reads it.
    error_value: OnceLock<Box<Value>>,
    /// The outcome as a value, created when something reads all of it.
    whole: OnceLock<Box<Value>>,
}

impl Ended {
    pub(crate) fn completed(result: Value) -> Self {
        Self { result: Some(result), ..Self::default() }
    }

    pub(crate) fn failed(error: Failure) -> Self {
        Self { error: Some(Box::new(error)), ..Self::default() }
    }

    pub(crate) fn skipped(code: &str, message: String) -> Self {
        let reason = Reason { code: code.to_owned(), message, ..Reason::default() };
        Self { reason: Some(Box::new(reason)), ..Self::default() }
    }

    pub(crate) fn of(outcome: Outcome) -> Self {
        Self {
            result: outcome.result,
            error: outcome.error.map(Box::new),
            reason: outcome.reason.map(Box::new),
            took: outcome.execution_time.map(|time| time.duration()).unwrap_or_default(),
            ..Self::default()
        }
    }

    /// Returns the duration in milliseconds, to the thousandth.
    pub(crate) fn millis(&self) -> f64 {
        (self.took.as_secs_f64() * 1_000_000.0).round() / 1_000.0
    }

    pub(crate) fn outcome(&self, id: &str, status: Status) -> Outcome {
        let mut outcome = Outcome::new(id, status);
        outcome.result.clone_from(&self.result);
        outcome.error = self.error.as_deref().cloned();
        outcome.reason = self.reason.as_deref().cloned();
        outcome.execution_time = Number::from_f64(self.millis()).and_then(Millis::of);
        outcome
    }

    pub(crate) fn error_value(&self) -> Option<&Value> {
        let error = self.error.as_ref()?;
        Some(self.error_value.get_or_init(|| Box::new(json!(error))))
    }

    pub(crate) fn whole(&self, id: &str, status: Status) -> &Value {
        self.whole.get_or_init(|| Box::new(json!(self.outcome(id, status))))
    }
}
