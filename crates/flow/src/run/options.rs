use super::cell::Ended;
use crate::journal::{Journal, Past, Unkept};
use contexture_protocol::content::{Outcome, Status};
use std::sync::Arc;

/// The options of a run.
#[derive(Clone)]
pub struct Options {
    /// The id of the run, in the journal and in idempotency keys.
    pub run: String,
    /// The greatest number of concurrent steps.
    pub concurrency: usize,
    /// The limits.
    pub limits: Limits,
    /// The journal that stores every change before it takes effect.
    pub journal: Arc<dyn Journal>,
    /// The observer of every stored change.
    pub observer: Option<Observer>,
    /// The state of an interrupted run to resume.
    pub past: Option<Past>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            run: "run".to_owned(),
            concurrency: 64,
            limits: Limits::default(),
            journal: Arc::new(Unkept),
            observer: None,
            past: None,
        }
    }
}

/// The limits of a run. A breach fails the step with TOO_LARGE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The greatest size of one result, in approximate bytes of JSON.
    pub result_bytes: usize,
    /// The greatest size of all results together.
    pub results_bytes: usize,
    /// The greatest nesting of lists and objects in a result.
    pub result_depth: usize,
    /// The greatest number of bytes that references insert into the parameters of one step.
    pub parameter_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            result_bytes: 16 << 20,
            results_bytes: 1 << 30,
            result_depth: 90,
            parameter_bytes: 64 << 20,
        }
    }
}

/// An observer of every change. It is called in the driver task, so it must be quick.
pub type Observer = Arc<dyn Fn(&Notice<'_>) + Send + Sync>;

/// A notification about a step (FL-12).
#[derive(Debug, Clone, Copy)]
pub struct Notice<'a> {
    /// The step.
    pub id: &'a str,
    /// Its current status.
    pub status: Status,
    /// The number of its attempt, from 1; 0 if it was not run.
    pub attempt: u32,
    /// The number of steps that have ended.
    pub done: usize,
    /// The number of all steps.
    pub total: usize,
    pub(crate) ended: Option<&'a Ended>,
}

impl Notice<'_> {
    /// Returns the outcome of a step that has ended.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.ended.map(|ended| ended.outcome(self.id, self.status))
    }
}
