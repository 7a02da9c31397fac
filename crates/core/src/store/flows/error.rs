//! The errors of stored runs of flows.

use super::journal::JournalError;
use crate::store::contexts::SealError;
use contexture_protocol::content::Status;

/// The reason why a run of a flow could not be kept, claimed or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FlowStoreError {
    /// No run has this id.
    #[error("there is no run `{0}` of a flow")]
    NotFound(String),
    /// A run has this id already.
    #[error("there is a run `{0}` already")]
    Exists(String),
    /// The run is being done, by another process or by this one.
    #[error("the run `{run}` is being done by {by}")]
    Held {
        /// The run.
        run: String,
        /// The holder.
        by: &'static str,
    },
    /// The run has ended: nothing of it is left to do.
    #[error("the run `{run}` has ended {status}")]
    Ended {
        /// The run.
        run: String,
        /// The status it ended with.
        status: Status,
    },
    /// An id has no characters, or too many.
    #[error("the id of a run has 1 to {limit} bytes, this one has {found}")]
    Id {
        /// Its number of bytes.
        found: usize,
        /// The most bytes it may have.
        limit: usize,
    },
    /// The disk is full; what was there before is as it was.
    #[error("the disk is full: {0}")]
    Full(String),
    /// Another process held the file for too long.
    #[error("the runs in {0} are in use by another process")]
    Busy(String),
    /// The file is not a SQLite file, or is one of another program.
    #[error("{path} is not a file of runs of flows: {reason}")]
    Foreign {
        /// The file.
        path: String,
        /// The kind of file it is instead.
        reason: &'static str,
    },
    /// The file was written by a newer version.
    #[error("the runs in {path} have format {found}, this program knows up to {known}")]
    Newer {
        /// The file.
        path: String,
        /// Its version.
        found: i64,
        /// The newest that is known.
        known: i64,
    },
    /// A run has an event that only a newer version knows.
    #[error(
        "the run `{run}` in {path} has an event `{event}`, which version {} does not know: a newer one wrote it",
        env!("CARGO_PKG_VERSION")
    )]
    UnknownEvent {
        /// The file.
        path: String,
        /// The run.
        run: String,
        /// The event.
        event: String,
    },
    /// The file is damaged. It is left as it is.
    #[error("the runs in {path} are damaged: {reason}")]
    Damaged {
        /// The file.
        path: String,
        /// The damage found.
        reason: String,
    },
    /// Something sealed can't be read, or something can't be sealed (CP-19).
    #[error("the runs in {path}: {error}")]
    Sealed {
        /// The file.
        path: String,
        /// The cause.
        error: SealError,
    },
    /// Anything else that the system reports.
    #[error("{path}: {reason}")]
    Io {
        /// The file.
        path: String,
        /// The reason that the system reports.
        reason: String,
    },
    /// A panic in the write: of a sealer, for example.
    #[error("a write of the journal panicked")]
    Panicked,
    /// The journal is being closed.
    #[error("the journal of flows was closed")]
    Closed,
}

impl FlowStoreError {
    /// Returns the stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "flow_run_not_found",
            Self::Exists(_) => "flow_run_exists",
            Self::Held { .. } => "flow_run_held",
            Self::Ended { .. } => "flow_run_ended",
            Self::Id { .. } => "flow_run_id",
            Self::Full(_) => "disk_full",
            Self::Busy(_) => "flows_busy",
            Self::Foreign { .. } => "flows_foreign",
            Self::Newer { .. } | Self::UnknownEvent { .. } => "flows_newer",
            Self::Damaged { .. } => "flows_damaged",
            Self::Sealed { .. } => "flows_sealed",
            Self::Io { .. } => "flows_failed",
            Self::Panicked => "flows_panicked",
            Self::Closed => "flows_closed",
        }
    }

    /// Reports whether a code is that of a store that may take the same later: it is away, busy or full.
    #[must_use]
    pub fn is_passing(code: &str) -> bool {
        matches!(code, "disk_full" | "flows_busy" | "flows_failed" | "flows_closed")
    }

    /// Returns how to fix it.
    #[must_use]
    pub fn help(&self) -> String {
        let help = match self {
            Self::NotFound(_) => "see the runs there are with `flow list`",
            Self::Exists(_) => "choose another id, or resume that run",
            Self::Held { .. } => "wait until it is done, or cancel it",
            Self::Ended { .. } => "look at it with `flow show`, or begin a new run",
            Self::Id { .. } => "give a shorter id",
            Self::Full(_) => "make room, then resume the run",
            Self::Busy(_) => "try again when that process is done",
            Self::Foreign { .. } => "name another file",
            Self::Newer { .. } => "use the version of this program that wrote it",
            Self::UnknownEvent { .. } => {
                "look at it or go on with it in the version of this program that wrote it; other runs are not affected"
            }
            Self::Damaged { .. } => {
                "see what is missing with `contexture context verify`, then restore a backup, or accept the loss with `contexture serve --accept-loss`"
            }
            Self::Sealed { .. } => "give the key that it was sealed with",
            Self::Io { .. } => "see what the system reports",
            Self::Panicked => "see which part panicked, then resume the run",
            Self::Closed => "open it again",
        };
        help.to_owned()
    }
}

impl From<FlowStoreError> for JournalError {
    fn from(error: FlowStoreError) -> Self {
        Self::new(error.to_string())
    }
}
