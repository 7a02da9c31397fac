//! Front-end tools: the server asks a client, the client asks its user (CP-13…CP-15).
//!
//! Decision: a call belongs to the client it was sent to. One that is gone and comes back in time,
//! in its session or with its clientId in a new one, is asked again with the same callId, and runs
//! it once; one that stays away, or is back without the tool, leaves CLIENT_UNAVAILABLE.

pub(crate) mod calls;
mod declared;
pub(crate) mod forwarder;
mod masking;
mod permission;
mod sending;
pub(crate) mod target;
mod terms;
mod waiting;
