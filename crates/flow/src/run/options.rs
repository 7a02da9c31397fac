use crate::journal::{Journal, Past, Unkept};
use crate::machine::{Limits, Notice};
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

/// An observer of every change. It is called in the driver task, so it must be quick.
pub type Observer = Arc<dyn Fn(&Notice<'_>) + Send + Sync>;
