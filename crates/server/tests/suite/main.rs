//! The server as its clients meet it: MCP, HTTP, WebSocket, the OpenAI door. One binary, because each
//! one links the whole of the server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed"
)]
#![allow(unreachable_pub, reason = "rooms of one test")]

mod acp;
#[path = "../../../protocol/tests/common/mod.rs"]
mod examples;
mod http_bad_input;
mod http_contexts;
mod http_metadata;
mod http_runs;
mod inspector;
mod mcp;
mod openai;
mod serve;
mod serve_contexts;
mod serve_guard;
mod serve_safety;
mod serve_wire;
mod ws;
