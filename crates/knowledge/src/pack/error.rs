//! Errors of packs.

use crate::codes;
use crate::said;
use contexture_diagnostic::Code;
use contexture_tools::FileError;
use std::path::PathBuf;

/// The reason why a pack could not be opened, read or approved.
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
    #[error("knowledge pack `{pack}`: {}", said::line(&located(error)))]
    Unreadable {
        /// The pack.
        pack: String,
        /// The fault; its paths are relative to the pack's folder.
        error: FileError,
    },
    /// There are more files or deeper folders than can be handled.
    #[error("knowledge pack `{pack}` has more than {limit} {what}")]
    TooLarge {
        /// The pack.
        pack: String,
        /// The limit.
        limit: usize,
        /// The quantity that exceeds its limit.
        what: &'static str,
    },
    /// The pack has changed and can't be used any more.
    #[error("knowledge pack `{pack}` can't be used any more: {}", said::line(reason))]
    Changed {
        /// The pack.
        pack: String,
        /// The fault in it.
        reason: String,
    },
    /// The record of approvals is damaged.
    #[error("`{}` is not a record of approvals: {reason}", path.display())]
    BadApprovals {
        /// The file.
        path: PathBuf,
        /// The fault in it.
        reason: String,
    },
    /// An approval could not be written down.
    #[error("the approval could not be written to `{}`: {reason}", path.display())]
    ApprovalsNotWritten {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        reason: String,
    },
}

/// Returns the fault of a file, where the folder that its path is confined to is that of a pack.
fn located(error: &FileError) -> String {
    match error {
        FileError::Outside(path) => format!("`{path}` lies outside the pack"),
        FileError::LeadsOut(path) => format!("`{path}` leads outside the pack through a symlink"),
        FileError::NotFound { path, .. } => format!("there is no `{path}` in the pack"),
        other => other.to_string(),
    }
}

/// Returns the reason why a part of a pack is left out, where its path is shown already.
pub(super) fn told(error: &FileError) -> String {
    let reason = match error {
        FileError::Outside(_) | FileError::LeadsOut(_) => {
            "it leads outside the pack, or by an absolute path"
        }
        FileError::NotFound { .. } => "it leads to what is not part of the pack",
        FileError::Dangling(_) => "it leads to a file that is not there",
        FileError::Loop(_) => "it leads in a circle",
        FileError::IsFolder(_) => "it leads to a folder, and symlinks to folders are not followed",
        FileError::Denied(_) => "there is no permission to read it",
        FileError::Io { reason, .. } => reason,
        other => return other.to_string(),
    };
    reason.to_owned()
}

impl PackError {
    /// Returns a file or folder of a pack that can't be read.
    pub(crate) fn unreadable(pack: &str, error: FileError) -> Self {
        Self::Unreadable { pack: pack.to_owned(), error }
    }

    /// Returns its kind.
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

    /// Returns its stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.kind().code
    }

    /// Returns how to fix it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Unknown { similar: Some(similar), .. }
            | Self::Unreadable {
                error: FileError::NotFound { similar: Some(similar), .. }, ..
            } => {
                format!("did you mean `{}`?", said::quote(similar))
            }
            other => other.kind().explanation.to_owned(),
        }
    }
}
