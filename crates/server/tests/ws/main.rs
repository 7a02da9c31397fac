//! The WebSocket door and the event stream of a server that runs: frames, sessions, turns, replays,
//! subscriptions, front-end calls (CP-4…CP-8, CP-11, CP-14).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed"
)]
#![allow(unreachable_pub, reason = "rooms of one test")]

mod asking;
mod batches;
mod chance;
mod client;
mod converge;
mod deleted;
mod events;
mod frames;
mod frontend;
mod further;
mod hello;
mod intents;
mod load;
mod over;
mod replays;
mod resume;
mod sets;
mod sides;
mod site;
mod trouble;
mod turns;
