//! The phases of a server.

use std::time::Duration;

/// The time that a session waits for its client, and that an ended turn is kept for repeated requests.
pub(crate) const GRACE: Duration = Duration::from_secs(5 * 60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The server accepts work.
    Open,
    /// Running work is finished.
    Draining,
    Closed,
}
