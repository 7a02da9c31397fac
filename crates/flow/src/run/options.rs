use crate::journal::{Journal, Past, Unkept};
use crate::machine::{Limits, Notice};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

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
    /// The time that an interrupted run took before.
    pub elapsed: Duration,
    /// The number of its running steps that wait for a person alone ([`Control::suspend`]).
    ///
    /// [`Control::suspend`]: super::Control::suspend
    pub waiting: Arc<AtomicUsize>,
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
            elapsed: Duration::ZERO,
            waiting: Arc::default(),
        }
    }
}

/// An observer of every change. It is called in the driver task, so it must be quick.
pub type Observer = Arc<dyn Fn(&Notice<'_>) + Send + Sync>;
