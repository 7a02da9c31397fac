//! Loading through the whole crate: files, patterns, parameters, registries, plans, the tool.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests"
)]

#[path = "load/bad_input.rs"]
mod bad_input;
#[path = "load/contract.rs"]
mod contract;
#[path = "load/expand.rs"]
mod expand;
#[path = "load/files.rs"]
mod files;
#[path = "load/levels.rs"]
mod levels;
#[path = "load/plans.rs"]
mod plans;
#[path = "load/registered.rs"]
mod registered;
#[path = "load/support.rs"]
mod support;
#[path = "load/tool.rs"]
mod tool;
