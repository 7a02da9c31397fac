//! Programs as tools: each `main agent` of a folder (KN-16).
//!
//! Decision: a program is offered only when its check finds no errors, since its schema must be
//! known. The server reports the others at the start, with the reasons.

pub(super) mod found;
mod input;
mod person;
mod progress;
mod run;
pub(super) mod runner;
