//! The errors of memories.

use contexture_diagnostic::MissingFeature;

/// The reason why a memory could not do something. Paths are as the caller gave them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The URI names no memory.
    #[error("`{uri}` names no memory: {reason}")]
    Uri {
        /// The URI.
        uri: String,
        /// The fault in it.
        reason: &'static str,
    },
    /// This build has no such memories.
    #[error(transparent)]
    Missing(#[from] MissingFeature),
    /// There is no such method.
    #[error("a memory has no method `{name}`")]
    Method {
        /// The name.
        name: String,
        /// The nearest name.
        similar: Option<&'static str>,
    },
    /// An argument is missing, unknown or of the wrong type.
    #[error("{message}")]
    Argument {
        /// The expected and the found argument.
        message: String,
        /// The way to fix it.
        help: String,
    },
    /// A record is larger or deeper than the limit.
    #[error("the record has {found} {unit}, the limit is {limit}")]
    RecordTooLarge {
        /// The size found.
        found: usize,
        /// The unit of both sizes.
        unit: &'static str,
        /// The largest size allowed.
        limit: usize,
    },
    /// There is no record with this id.
    #[error("the memory has no record `{0}`")]
    NoRecord(String),
    /// The file is larger than the limit.
    #[error("the memory {path} has {bytes} bytes, the limit is {limit}")]
    FileTooLarge {
        /// The file.
        path: String,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// Another process held the file for too long.
    #[error("the memory {0} is in use by another process")]
    Busy(String),
    /// The file is not a SQLite file, or is one of another program.
    #[error("{path} is not a memory: {reason}")]
    Foreign {
        /// The file.
        path: String,
        /// The kind of file it is instead.
        reason: &'static str,
    },
    /// The file was written by a newer version.
    #[error("the memory {path} has format {found}, this program knows up to {known}")]
    Newer {
        /// The file.
        path: String,
        /// Its version.
        found: i64,
        /// The newest that is known.
        known: i64,
    },
    /// The file is damaged.
    #[error("the memory {path} is damaged: {reason}")]
    Damaged {
        /// The file.
        path: String,
        /// The damage found.
        reason: String,
    },
    /// Anything else that the system reports.
    #[error("the memory {path}: {reason}")]
    Io {
        /// The file.
        path: String,
        /// The reason that the system reports.
        reason: String,
    },
}

impl MemoryError {
    /// Returns the error of a build without memories in SQLite files.
    #[must_use]
    pub const fn without_sqlite() -> Self {
        let (part, feature) = ("memories in SQLite files", "store-sqlite");
        Self::Missing(MissingFeature { part, feature })
    }

    /// Returns the stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Uri { .. } => "memory_uri",
            Self::Missing(_) => MissingFeature::CODE,
            Self::Method { .. } => "method_unknown",
            Self::Argument { .. } => "bad_argument",
            Self::RecordTooLarge { .. } => "record_too_large",
            Self::NoRecord(_) => "record_not_found",
            Self::FileTooLarge { .. } => "memory_too_large",
            Self::Busy(_) => "memory_busy",
            Self::Foreign { .. } => "memory_foreign",
            Self::Newer { .. } => "memory_newer",
            Self::Damaged { .. } => "memory_damaged",
            Self::Io { .. } => "memory_failed",
        }
    }

    /// Returns how to fix it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Uri { .. } => {
                "write \"file://notes.jsonl\" or \"sqlite://notes.db#name\"".to_owned()
            }
            Self::Missing(missing) => missing.help(),
            Self::Method { similar: Some(similar), .. } => format!("did you mean `{similar}`?"),
            Self::Method { similar: None, .. } => "it has add, query, update, delete".to_owned(),
            Self::Argument { help, .. } => help.clone(),
            Self::RecordTooLarge { .. } => "keep a summary, or several records".to_owned(),
            Self::NoRecord(_) => "ids are those that add and query return".to_owned(),
            Self::FileTooLarge { .. } => "move it to \"sqlite://…\", which has no limit".to_owned(),
            Self::Busy(_) => "try again when that process is done".to_owned(),
            Self::Foreign { .. } => "name another file".to_owned(),
            Self::Newer { .. } => "use the version of this program that wrote it".to_owned(),
            Self::Damaged { .. } => "restore it from a copy, or name another file".to_owned(),
            Self::Io { .. } => "see what the system reports".to_owned(),
        }
    }
}
