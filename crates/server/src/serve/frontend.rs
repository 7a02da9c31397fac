//! Front-end tools: the server asks a client, the client asks its user (CP-13…CP-15).
//!
//! Decision: a call belongs to the client it was sent to, and is a promise that a restart keeps. A
//! client that comes back, in its session or with its clientId in a new one, is asked again with the
//! same callId, and runs it once. A call that has another way to go on, and that of a turn without a
//! journal, wait a while for a client that is gone, and are CLIENT_UNAVAILABLE then.

pub(crate) mod calls;
mod declared;
pub(crate) mod forwarder;
mod permission;
mod sending;
pub(crate) mod step;
pub(crate) mod target;
mod terms;
mod waiting;
