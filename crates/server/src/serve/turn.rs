//! Turns: a user sends a message, an agent answers (CP-5, CP-8).
//!
//! Decision: a turn belongs to the server, not to the connection that began it. A client that sends the
//! same message again gets the same turn from its start; a lost connection ends
//! nothing. The message and the answer are durable before they are sent.

pub(crate) mod again;
pub(crate) mod earlier;
pub(crate) mod ended;
pub(crate) mod history;
pub(crate) mod log;
pub(crate) mod parked;
mod queues;
pub(crate) mod resumed;
mod service;
pub(crate) mod thread;
pub(crate) mod tools;
pub(crate) mod turns;
pub(crate) mod work;
