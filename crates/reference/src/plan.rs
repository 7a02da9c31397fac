//! Loading plans: what the references of a text are, and what became of each (REF-7 to REF-9).
//!
//! Decision: a plan loads in two rounds. Hot references come first, all at once; a default one is
//! then loaded while the budget lasts, in the order of the text, so that the same text gives the
//! same plan. What stands twice is loaded once. What a plan did not load is in it as pending or
//! failed: nothing is dropped.

mod entry;
mod inner;
mod make;
mod rounds;

pub use entry::{Plan, PlanEntry, PlanOptions, Policy, Sizes, State};
