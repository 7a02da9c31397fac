//! Why a pack could not be used.

use crate::codes;
use contexture_diagnostic::Code;
use contexture_tools::FileError;
use std::path::PathBuf;

/// Why a pack could not be opened, read or approved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// No pack of that name was found.
    #[error("there is no knowledge pack `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// The nearest name that was found.
        similar: Option<String>,
    },
    /// The folder of a pack, or a file in it, can't be read.
    #[error("knowledge pack `{pack}`: {error}")]
    Unreadable {
        /// The pack.
        pack: String,
        /// What is wrong; its paths are relative to the pack's folder.
        error: FileError,
    },
    /// There are more files or deeper folders than can be handled.
    #[error("knowledge pack `{pack}` has more than {limit} {what}")]
    TooLarge {
        /// The pack.
        pack: String,
        /// The limit.
        limit: usize,
        /// What there is too much of.
        what: &'static str,
    },
    /// What the pack says now can't be used any more.
    #[error("knowledge pack `{pack}` can't be used any more: {reason}")]
    Changed {
        /// The pack.
        pack: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The record of approvals is damaged.
    #[error("`{}` is no record of approvals: {reason}", path.display())]
    BadApprovals {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// An approval could not be written down.
    #[error("the approval could not be written to `{}`: {reason}", path.display())]
    ApprovalsNotWritten {
        /// The file.
        path: PathBuf,
        /// What the system reports.
        reason: String,
    },
}

impl PackError {
    /// A file or folder of a pack that can't be read.
    pub(crate) fn unreadable(pack: &str, error: FileError) -> Self {
        Self::Unreadable { pack: pack.to_owned(), error }
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> Code {
        match self {
            Self::Unknown { .. } => codes::UNKNOWN_PACK,
            Self::Unreadable { .. } => codes::PACK_UNREADABLE,
            Self::TooLarge { .. } => codes::PACK_TOO_LARGE,
            Self::Changed { .. } => codes::PACK_CHANGED,
            Self::BadApprovals { .. } => codes::BAD_APPROVALS,
            Self::ApprovalsNotWritten { .. } => codes::APPROVALS_NOT_WRITTEN,
        }
    }

    /// Its stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.kind().code
    }

    /// How to mend it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Unknown { similar: Some(similar), .. } => format!("did you mean `{similar}`?"),
            other => other.kind().explanation.to_owned(),
        }
    }
}
