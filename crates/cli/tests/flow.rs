//! `contexture flow` end to end: what it reads, prints and exits with (FL-1 to FL-13).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    reason = "a test may fail"
)]

#[path = "flow/bad_input.rs"]
mod bad_input;
#[path = "flow/check.rs"]
mod check;
#[path = "flow/eval.rs"]
mod eval;
#[path = "flow/graph.rs"]
mod graph;
#[path = "flow/kept.rs"]
mod kept;
#[path = "flow/place.rs"]
mod place;
#[path = "flow/run.rs"]
mod run;
#[path = "flow/signals.rs"]
mod signals;
mod support;

use serde_json::Value;
use support::{Done, Sandbox};

/// Runs `contexture flow …`.
fn flow(sandbox: &Sandbox, arguments: &[&str]) -> Done {
    sandbox.run(["flow"].iter().chain(arguments))
}

/// The diagnostics of a JSON answer: code and path of each.
fn found(done: &Done) -> Vec<(String, String)> {
    let list = done.json()["diagnostics"].as_array().unwrap().clone();
    let text = |fault: &Value, name: &str| fault[name].as_str().unwrap().to_owned();
    list.iter().map(|fault| (text(fault, "code"), text(fault, "path"))).collect()
}
