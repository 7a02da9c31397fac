//! Errors of paths and files: each kind names the path, the cause and the fix.

use crate::error::{ToolError, shown};
use contexture_core::policy::paths::{PATH_PROTECTED, PathRefusal};
use std::io::{Error, ErrorKind};

/// The reason why a file of the workspace could not be used. `path` is as the program wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The path is empty.
    #[error("expected a path, found an empty string")]
    Empty,
    /// The path has a NUL character.
    #[error("the path `{}` has a NUL character, which no file name can have", shown(.0))]
    Nul(String),
    /// The path names a place outside the workspace.
    #[error("`{}` lies outside the workspace", shown(.0))]
    Outside(String),
    /// A symlink on the way leads outside the workspace.
    #[error("`{}` leads outside the workspace through a symlink", shown(.0))]
    LeadsOut(String),
    /// Symlinks on the way lead to each other.
    #[error("`{}` goes through symlinks that lead to each other", shown(.0))]
    Loop(String),
    /// A symlink leads to nothing.
    #[error("`{}` is a symlink to a file that is not there", shown(.0))]
    Dangling(String),
    /// Nothing is there.
    #[error("there is no `{}` in the workspace", shown(path))]
    NotFound {
        /// The path.
        path: String,
        /// The nearest name in the same folder.
        similar: Option<String>,
    },
    /// A folder is where a file is meant.
    #[error("`{}` is a folder, expected a file", shown(.0))]
    IsFolder(String),
    /// A file is where a folder is meant.
    #[error("`{}` is not a folder, or has a file where a folder is meant", shown(.0))]
    NotFolder(String),
    /// A device, a pipe or a socket is where a file is meant.
    #[error("`{}` is {kind}, expected a regular file", shown(path))]
    Special {
        /// The path.
        path: String,
        /// Its kind, with an article.
        kind: &'static str,
    },
    /// The file is larger than the limit.
    #[error("`{}` has {bytes} bytes, the limit is {limit}", shown(path))]
    TooLarge {
        /// The path.
        path: String,
        /// Its size in bytes, as far as it was read.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file is not UTF-8 text.
    #[error("`{}` is not UTF-8 text: byte {offset} is invalid", shown(path))]
    NotText {
        /// The path.
        path: String,
        /// The first invalid byte, counted from 0.
        offset: usize,
    },
    /// A name on the way is not UTF-8 text.
    #[error("`{}` leads to a name that is not UTF-8 text", shown(.0))]
    NameNotText(String),
    /// A folder has more entries than the limit.
    #[error("`{}` has more than {limit} entries", shown(path))]
    TooMany {
        /// The folder.
        path: String,
        /// The limit.
        limit: usize,
    },
    /// The policy about paths refuses the use.
    #[error("{0}")]
    Refused(PathRefusal),
    /// The file has other names, so that a change might reach out of the workspace.
    #[error(
        "`{}` has {names} names (hard links), and the others may lie outside the workspace",
        shown(path)
    )]
    HardLinked {
        /// The path.
        path: String,
        /// How many names it has.
        names: u64,
    },
    /// The file is marked read-only.
    #[error("`{}` is read-only", shown(.0))]
    ReadOnly(String),
    /// The system does not permit it.
    #[error("no permission for `{}`", shown(.0))]
    Denied(String),
    /// Anything else that the system reports.
    #[error("`{}`: {reason}", shown(path))]
    Io {
        /// The path.
        path: String,
        /// The reason that the system gives.
        reason: String,
    },
}

impl FileError {
    /// Returns the error of the system, by its kind.
    pub(crate) fn from_io(error: Error, path: &str) -> Self {
        let path = path.to_owned();
        match error.kind() {
            ErrorKind::NotFound => Self::NotFound { path, similar: None },
            // cap-std reports an escape with this kind and, unlike the system, without a number.
            ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Self::LeadsOut(path),
            ErrorKind::PermissionDenied => Self::Denied(path),
            ErrorKind::NotADirectory => Self::NotFolder(path),
            ErrorKind::IsADirectory => Self::IsFolder(path),
            _ if is_link_loop(&error) => Self::Loop(path),
            _ => Self::Io { path, reason: in_words(&error) },
        }
    }

    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty | Self::Nul(_) | Self::NameNotText(_) => "path_invalid",
            Self::Outside(_) | Self::LeadsOut(_) => "path_outside_workspace",
            Self::Loop(_) | Self::Dangling(_) => "path_symlink",
            Self::NotFound { .. } => "file_not_found",
            Self::IsFolder(_) => "file_is_folder",
            Self::NotFolder(_) => "not_a_folder",
            Self::Special { .. } => "file_special",
            Self::TooLarge { .. } => "file_too_large",
            Self::NotText { .. } => "file_not_text",
            Self::TooMany { .. } => "folder_too_large",
            Self::Refused(_) | Self::HardLinked { .. } => PATH_PROTECTED,
            Self::ReadOnly(_) | Self::Denied(_) => "file_denied",
            Self::Io { .. } => "file_failed",
        }
    }

    /// Returns how to fix it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Empty => "name a file relative to the workspace, or `.` for the workspace".into(),
            Self::Nul(_) => "take the NUL character out of the path".into(),
            Self::Outside(_) => {
                "name a path relative to the workspace; files outside it can't be reached".into()
            }
            Self::LeadsOut(_) => {
                "copy what the symlink leads to into the workspace, or name another file".into()
            }
            Self::Loop(_) | Self::Dangling(_) => "fix or remove the symlink".into(),
            Self::NotFound { similar: Some(similar), .. } => format!("did you mean `{similar}`?"),
            Self::NotFound { similar: None, .. } => {
                "paths are relative to the workspace; list the folder to see what is there".into()
            }
            Self::IsFolder(_) => "name a file in it; list the folder to see its files".into(),
            Self::NotFolder(_) => "name the folder the file is in".into(),
            Self::Special { .. } => "name a regular file".into(),
            Self::TooLarge { .. } => {
                "read a part of it with sh://sed, search it with sh://grep, or raise `file_bytes` under [limits] in contexture.toml".into()
            }
            Self::NotText { .. } => "convert it to UTF-8 first, or name a text file".into(),
            Self::NameNotText(_) => "rename the file so that its name is UTF-8 text".into(),
            Self::TooMany { .. } => "use sh://find with a `name` and a `max`".into(),
            Self::Refused(refused) => refused.help(),
            Self::HardLinked { .. } => "write to another place, or put a copy in its place".into(),
            Self::ReadOnly(_) | Self::Denied(_) => {
                "change its permissions, or name another file".into()
            }
            Self::Io { .. } => "see what the system reports".into(),
        }
    }
}

impl From<FileError> for ToolError {
    fn from(error: FileError) -> Self {
        Self::new(error.code(), error.to_string()).with_help(error.help())
    }
}

/// `FilesystemLoop` is not a stable kind on every system; the number is.
fn is_link_loop(error: &Error) -> bool {
    #[cfg(unix)]
    return error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    #[cfg(not(unix))]
    return false;
}

/// Returns the system's message, without Rust's `(os error 36)`.
fn in_words(error: &Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}
