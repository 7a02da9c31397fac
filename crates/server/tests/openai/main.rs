//! The door for clients of OpenAI, and what those who run a server see of it: status, figures,
//! traces, its end (CP-5, CP-6, CP-8, CP-17, CP-20).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed"
)]

mod chat;
mod drain;
mod model;
mod site;
mod status;
mod traces;
