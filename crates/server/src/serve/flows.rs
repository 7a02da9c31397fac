//! Tool calls and instruction sets of clients (FL-1…FL-12).
//!
//! Decision: a set belongs to the server, not to the connection that sent it, like a turn. In addition,
//! each of its steps is journalled: a server that starts resumes the sets
//! of its predecessor. Nothing of a set is stored, and nothing runs, before all of it was
//! checked.

pub(crate) mod accept;
pub(crate) mod allowed;
mod answer;
mod checked;
mod clients;
mod earlier;
mod faults;
mod intent;
pub(crate) mod intent_set;
pub(crate) mod job;
pub(crate) mod journal;
mod place;
mod progress;
pub(crate) mod put_off;
pub(crate) mod resume;
pub(crate) mod running;
pub(crate) mod sets;
pub(crate) mod settle;
pub(crate) mod unfinished;
