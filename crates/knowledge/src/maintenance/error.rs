//! Errors that keep a chore from being done.

use crate::codes;
use contexture_diagnostic::Code;
use std::path::PathBuf;

/// The reason why nothing could be checked or made: a wrong argument or a refusal of the system. What is wrong
/// with a pack or record is a [`Finding`](crate::Finding) and no error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MaintenanceError {
    /// A file can't be read.
    #[error("can't read `{}`: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        reason: String,
    },
    /// There is no pack at a place.
    #[error("there is no knowledge pack at `{}`{}", path.display(), because(reason))]
    NoPack {
        /// The place.
        path: PathBuf,
        /// The reason why it is not a pack.
        reason: Option<String>,
    },
    /// There are no cases to run.
    #[error("there are no selection evals in {place}")]
    NoSuite {
        /// The place that was searched.
        place: String,
    },
    /// A new pack can't have that name.
    #[error("a pack can't be named {name:?}: {reason}")]
    BadName {
        /// The name.
        name: String,
        /// The fault in it.
        reason: &'static str,
    },
    /// A new pack would be left out by whoever looks for packs.
    #[error("a pack like this would be left out: {reason}")]
    LeftOut {
        /// The fault in it.
        reason: String,
    },
    /// There is something where a new pack should be.
    #[error("`{}` is already there", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// A new pack could not be written.
    #[error("can't write `{}`: {reason}", path.display())]
    NotWritten {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        reason: String,
    },
}

fn because(reason: &Option<String>) -> String {
    reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default()
}

impl MaintenanceError {
    /// Returns its kind.
    #[must_use]
    pub fn kind(&self) -> Code {
        match self {
            Self::Unreadable { .. } => codes::UNREADABLE_RECORD,
            Self::NoPack { .. } => codes::NO_PACK,
            Self::NoSuite { .. } => codes::NO_SUITE,
            Self::BadName { .. } => codes::BAD_PACK_NAME,
            Self::LeftOut { .. } => codes::BAD_NEW_PACK,
            Self::Exists { .. } => codes::PLACE_TAKEN,
            Self::NotWritten { .. } => codes::NOT_WRITTEN,
        }
    }

    /// Returns its stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.kind().code
    }

    /// Returns how to fix it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        self.kind().explanation
    }
}
