//! Errors of sources and syncs.

use super::report::Skipped;
use crate::codes;
use crate::files::told;
use crate::maintenance::MaintenanceError;
use crate::pack::PackError;
use contexture_diagnostic::Code;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why a pack could not be made of its source or brought in step with it. The pack is as
/// it was before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// A source is not there or can't be read.
    #[error("the source `{source_path}` can't be read: {reason}")]
    Source {
        /// The source.
        source_path: String,
        /// Why.
        reason: String,
    },
    /// Nothing of the source can be read.
    #[error("nothing in the source can be read{}", first_of(skipped))]
    Nothing {
        /// What was found there instead.
        skipped: Vec<Skipped>,
    },
    /// A pack has no record of a source.
    #[error("`{}` does not stand on a source", path.display())]
    NotSynced {
        /// The folder of the pack.
        path: PathBuf,
    },
    /// Another process syncs the pack.
    #[error("another process has been syncing `{}` for {seconds} seconds", path.display())]
    Busy {
        /// The folder of the pack.
        path: PathBuf,
        /// The time that was waited.
        seconds: u64,
    },
    /// The record of the sources can't be read.
    #[error("the record `{}` can't be used: {reason}", path.display())]
    BadRecord {
        /// The record.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// There is more in a source than a pack can hold.
    #[error("the source `{source_path}` has more than {limit} {what}")]
    TooMuch {
        /// The source.
        source_path: String,
        /// The limit.
        limit: u64,
        /// The quantity that exceeds it.
        what: &'static str,
    },
    /// A source is the pack itself, or two sources have one name.
    #[error("{reason}")]
    BadSource {
        /// The fault.
        reason: String,
    },
    /// A source outside the project was not named by a person.
    #[error("the source `{}` of `{pack}` lies outside the project, and you did not name it", place.display())]
    NotNamed {
        /// The pack.
        pack: String,
        /// The source.
        place: PathBuf,
    },
    /// The record of approvals can't be read or written.
    #[error(transparent)]
    Approvals(#[from] PackError),
    /// The pack has a wrong name or can't be written.
    #[error(transparent)]
    Pack(#[from] MaintenanceError),
}

/// Returns the beginning of what was skipped.
fn first_of(skipped: &[Skipped]) -> String {
    match skipped {
        [] => ": it is empty".to_owned(),
        [only] => format!(": `{}`: {}", only.path, only.reason),
        [first, rest @ ..] => {
            format!(": `{}`: {}; and {} more", first.path, first.reason, rest.len())
        }
    }
}

impl SyncError {
    pub(super) fn source(place: &Path, reason: impl Into<String>) -> Self {
        Self::Source { source_path: place.display().to_string(), reason: reason.into() }
    }

    pub(super) fn not_written(path: &Path, error: &io::Error) -> Self {
        MaintenanceError::NotWritten { path: path.to_owned(), reason: told(error) }.into()
    }

    /// Returns its kind.
    #[must_use]
    pub fn kind(&self) -> Code {
        match self {
            Self::Source { .. } => codes::SOURCE_UNREADABLE,
            Self::Nothing { .. } => codes::SOURCE_EMPTY,
            Self::NotSynced { .. } => codes::PACK_WITHOUT_SOURCE,
            Self::Busy { .. } => codes::SYNC_BUSY,
            Self::BadRecord { .. } => codes::BAD_SOURCE_RECORD,
            Self::TooMuch { .. } => codes::SOURCE_LIMIT,
            Self::BadSource { .. } => codes::BAD_SOURCE,
            Self::NotNamed { .. } => codes::SOURCE_NOT_NAMED,
            Self::Approvals(error) => error.kind(),
            Self::Pack(error) => error.kind(),
        }
    }

    /// Reports whether an argument is wrong; else something failed.
    #[must_use]
    pub const fn is_input(&self) -> bool {
        matches!(self, Self::NotSynced { .. } | Self::BadSource { .. } | Self::NotNamed { .. })
            || matches!(
                self,
                Self::Pack(
                    MaintenanceError::BadName { .. }
                        | MaintenanceError::LeftOut { .. }
                        | MaintenanceError::Exists { .. }
                )
            )
    }
}
