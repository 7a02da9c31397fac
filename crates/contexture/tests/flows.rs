//! Instruction sets and tool calls with everything that a project offers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::too_many_lines,
    reason = "a test that can't go on has failed"
)]

mod common;

#[path = "flows/agents.rs"]
mod agents;
#[path = "flows/clients.rs"]
mod clients;
#[path = "flows/generations.rs"]
mod generations;
#[path = "flows/kept.rs"]
mod kept;
#[path = "flows/nested.rs"]
mod nested;
#[path = "flows/servers.rs"]
mod servers;
#[path = "flows/support.rs"]
mod support;
