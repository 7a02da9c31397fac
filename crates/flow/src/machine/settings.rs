use crate::journal::Past;
use std::time::Duration;

/// The settings of a machine.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The id of the run, for idempotency keys.
    pub run: String,
    /// The greatest number of concurrent steps.
    pub concurrency: usize,
    /// The limits.
    pub limits: Limits,
    /// The state of an interrupted run to resume.
    pub past: Option<Past>,
    /// The time that an interrupted run took before, of the timeout of its set.
    pub elapsed: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            run: "run".to_owned(),
            concurrency: 64,
            limits: Limits::default(),
            past: None,
            elapsed: Duration::ZERO,
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
