//! Errors of archives of packs.

use crate::codes;
use contexture_diagnostic::Code;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why an archive could not be used.
#[derive(Debug, thiserror::Error)]
#[error("{archive}: {problem}")]
pub struct OrganizationError {
    /// The archive or folder, as it was named.
    pub archive: String,
    /// The fault in it.
    pub problem: ArchiveError,
}

/// A fault in an archive or its place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// It is not an archive, or a damaged one.
    #[error("can't be read as an archive: {0}")]
    Bad(String),
    /// An entry could do harm.
    #[error("refused because of its entry `{entry}`: {reason}")]
    Unsafe {
        /// The path of the entry, with what is not plain text escaped.
        entry: String,
        /// The fault in it.
        reason: &'static str,
    },
    /// There is too much of something.
    #[error("has more than {limit} {what}")]
    TooLarge {
        /// The limit.
        limit: u64,
        /// The quantity that exceeds its limit.
        what: &'static str,
    },
    /// There is no pack where one should be.
    #[error("{0}")]
    NoPack(String),
    /// A pack is there already.
    #[error("there is a pack `{name}` in `{}` already", place.display())]
    Exists {
        /// The pack.
        name: String,
        /// The folder.
        place: PathBuf,
    },
    /// The system refused.
    #[error("can't {action} `{}`: {source}", path.display())]
    Files {
        /// The operation that failed.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl OrganizationError {
    /// Returns the kind of fault.
    #[must_use]
    pub const fn code(&self) -> Code {
        self.problem.code()
    }

    /// Returns how to fix it.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        self.code().explanation
    }
}

impl ArchiveError {
    /// Returns the kind of fault.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Bad(_) => codes::BAD_ARCHIVE,
            Self::Unsafe { .. } => codes::UNSAFE_ARCHIVE,
            Self::TooLarge { .. } => codes::ARCHIVE_TOO_LARGE,
            Self::NoPack(_) => codes::NO_PACK_IN_ARCHIVE,
            Self::Exists { .. } => codes::PACK_EXISTS,
            Self::Files { .. } => codes::ORGANIZATION_FILES,
        }
    }

    /// Returns a step that the system refused.
    pub(super) fn files<'p>(
        action: &'static str,
        path: &'p Path,
    ) -> impl FnOnce(io::Error) -> Self + 'p {
        move |source| Self::Files { action, path: path.to_owned(), source }
    }

    /// Returns the fault of the archive of that name.
    pub(super) fn of(self, archive: impl Into<String>) -> OrganizationError {
        OrganizationError { archive: archive.into(), problem: self }
    }
}
