//! Runs with tasks, timers and a journal (FL-2, FL-4, FL-10 to FL-12).
//!
//! Decision: one driver task does what the [machine](crate::machine) decides, and an attempt of a
//! step is a task of its own, unless its action is known to complete at once. The driver receives
//! messages from the other tasks through one inbox that it empties at once; so nothing is locked
//! while it works, an action that panics or hangs affects no other, and a thousand completions at
//! the same time are one wake-up.
//!
//! ```
//! use contexture_flow::action::{ActionInfo, Registry};
//! use contexture_flow::check::{Earlier, check};
//! use contexture_flow::run::{Options, Run};
//! use contexture_flow::Set;
//! use contexture_protocol::{Limits, content::Status};
//! use std::sync::Arc;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), contexture_flow::check::Report> {
//! let set = Set::parse(
//!     br#"{"instructions": [
//!         {"instructionId": "a", "action": "echo", "parameters": {"n": 5}},
//!         {"instructionId": "b", "action": "echo", "dependencies": ["a"],
//!          "condition": "dependencies.a.result.n > 3",
//!          "parameters": {"n": "${dependencies.a.result.n}"}}]}"#,
//!     &Limits::FILE,
//! )?;
//! let mut actions = Registry::default();
//! actions.add("echo", ActionInfo::default(), |call| async move { Ok(call.parameters.into()) });
//! let plan = check(set, &actions, &Earlier::default())?;
//! let report = Run::new(plan, Arc::new(actions), Options::default()).run().await;
//! assert_eq!(report.status(), Status::Completed);
//! assert_eq!(report.outcome(1).unwrap().result.unwrap(), serde_json::json!({"n": 5}));
//! # Ok(())
//! # }
//! ```

mod control;
mod driver;
mod inbox;
mod options;
mod parts;
mod profile;
mod work;

pub use crate::machine::{Limits, Notice, Report, call_result};
pub use control::Control;
pub use options::{Observer, Options};
pub use parts::{Parts, Request, Requests};
pub use work::attempt;

use crate::action::Actions;
use crate::check::Plan;
use driver::Driver;
use inbox::Inbox;
use std::sync::Arc;

/// A run of a plan.
pub struct Run {
    plan: Arc<Plan>,
    actions: Arc<dyn Actions>,
    options: Options,
    inbox: Arc<Inbox>,
}

impl Run {
    /// Creates a run that has not begun.
    #[must_use]
    pub fn new(plan: Plan, actions: Arc<dyn Actions>, options: Options) -> Self {
        Self { plan: Arc::new(plan), actions, options, inbox: Arc::default() }
    }

    /// Returns the plan of the run.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the handle that pauses, resumes and cancels it; it can be used from anywhere, at any
    /// time.
    #[must_use]
    pub fn control(&self) -> Control {
        Control::new(&self.inbox)
    }

    /// Runs it to its end, within a tokio runtime with timers. Dropping the run before cancels its
    /// running steps.
    pub async fn run(self) -> Report {
        Driver::new(self).run().await
    }

    /// Takes the run apart, for a driver of another kind.
    #[must_use]
    pub fn into_parts(self) -> Parts {
        let Self { plan, actions, options, inbox } = self;
        Parts { plan, actions, options, requests: Requests::new(inbox) }
    }
}
