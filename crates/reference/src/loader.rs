//! From a reference to what it names (REF-7 to REF-14).
//!
//! Decision: loading has two halves. A [`Route`] is worked out without touching anything: which
//! registries were followed, which protocol reads, which processors work on what it gave, and which
//! level takes which parameter. Then the route is walked from the inside out. `explain` shows the
//! first half alone.

mod assign;
mod route;
mod setup;
mod walk;
mod ways;

pub(crate) use route::Mode;
pub use route::{Route, Step, StepKind};
pub use setup::{LoadLimits, Loader};
