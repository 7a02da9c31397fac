//! Front-end tools: the server asks a client, the client asks its user (CP-13…CP-15).
//!
//! Decision: a call belongs to the session it was sent in. A client that is gone and comes back in
//! time finds the request among what it missed, with the same callId, and runs it once; one that is
//! gone for good leaves CLIENT_UNAVAILABLE.

mod calls;
mod declared;
mod forwarder;

pub(crate) use calls::Calls;
pub(crate) use forwarder::Forwarder;

use std::time::Duration;

/// How long a client may take when nothing else is said.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
/// How long a person may take to allow a call, or to choose something.
pub(crate) const PERSON: Duration = Duration::from_secs(90);
