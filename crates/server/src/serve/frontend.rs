//! Front-end tools: the server asks a client, the client asks its user (CP-13…CP-15).
//!
//! Decision: a call belongs to the client it was sent to. One that is gone and comes back in time,
//! in its session or with its clientId in a new one, is asked again with the same callId, and runs
//! it once; one that stays away, or is back without the tool, leaves CLIENT_UNAVAILABLE.

mod calls;
mod declared;
mod forwarder;
mod terms;
mod waiting;

pub(crate) use calls::Calls;
pub(crate) use forwarder::Forwarder;

use super::app::App;
use std::time::Duration;

/// How long a client may take when nothing else is said.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
/// How long a person may take to allow a call, or to choose something.
pub(crate) const PERSON: Duration = Duration::from_secs(90);

/// How long a client that is gone is waited for, unless it works in the background.
pub(crate) fn returning(app: &App) -> Duration {
    Duration::from_secs(app.project.config.serve.limits.return_seconds.get())
}
