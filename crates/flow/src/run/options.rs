use super::cell::Ended;
use crate::journal::{Journal, Past, Unkept};
use contexture_protocol::content::{Outcome, Status};
use std::sync::Arc;

/// How a run is done.
#[derive(Clone)]
pub struct Options {
    /// The id of the run, in the journal and in idempotency keys.
    pub run: String,
    /// Steps that may run at the same time.
    pub concurrency: usize,
    /// What is too much.
    pub limits: Limits,
    /// Where every change is kept before it counts.
    pub journal: Arc<dyn Journal>,
    /// Who is told of every change, once it is kept.
    pub observer: Option<Observer>,
    /// What the run had done before it was broken off.
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

/// The bounds of a run. A breach fails the step with TOO_LARGE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one result, near enough as JSON.
    pub result_bytes: usize,
    /// Bytes of all results together.
    pub results_bytes: usize,
    /// Lists and objects of a result that stand in each other.
    pub result_depth: usize,
    /// Bytes that references put into the parameters of one step.
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

/// Who is told of every change. It is called on the task that thinks: it must be quick.
pub type Observer = Arc<dyn Fn(&Notice<'_>) + Send + Sync>;

/// News of a step (FL-12).
#[derive(Debug, Clone, Copy)]
pub struct Notice<'a> {
    /// The step.
    pub id: &'a str,
    /// Where it stands now.
    pub status: Status,
    /// Which try it is in, from 1; 0 if it was not run.
    pub attempt: u32,
    /// Steps that have ended.
    pub done: usize,
    /// All steps.
    pub total: usize,
    pub(crate) ended: Option<&'a Ended>,
}

impl Notice<'_> {
    /// The outcome of a step that has ended.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.ended.map(|ended| ended.outcome(self.id, self.status))
    }
}
