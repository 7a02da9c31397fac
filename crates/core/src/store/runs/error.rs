//! The errors of runs.

use super::RunId;

/// The reason why a run could not be written, found or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// No run was kept yet.
    #[error("no run was kept yet")]
    None,
    /// No run has this id or part of an id.
    #[error("there is no run `{asked}`")]
    Unknown {
        /// The text that was asked for.
        asked: String,
        /// The nearest id.
        similar: Option<RunId>,
    },
    /// Several runs have this part of an id.
    #[error("`{asked}` may be {}", list(.candidates))]
    Ambiguous {
        /// The text that was asked for.
        asked: String,
        /// The runs that it may be, the newest first; at most five.
        candidates: Vec<RunId>,
    },
    /// The trace was written by a newer version.
    #[error("the run {run} has trace format {found}, this program knows up to {known}")]
    Newer {
        /// The run.
        run: RunId,
        /// Its version.
        found: u64,
        /// The newest that is known.
        known: u32,
    },
    /// The trace is larger than the limit.
    #[error("the trace of run {run} has more than {limit} bytes")]
    TooLarge {
        /// The run.
        run: RunId,
        /// The limit.
        limit: u64,
    },
    /// The file of larger texts can't be used.
    #[error("{path}: {reason}")]
    Unusable {
        /// The file.
        path: String,
        /// The reason.
        reason: String,
        /// How to fix it.
        help: &'static str,
    },
    /// The system reports something.
    #[error("{path}: {reason}")]
    Io {
        /// The file or folder.
        path: String,
        /// The reason that the system reports.
        reason: String,
    },
}

impl RunError {
    /// Returns the stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::None => "run_none",
            Self::Unknown { .. } => "run_unknown",
            Self::Ambiguous { .. } => "run_ambiguous",
            Self::Newer { .. } => "run_newer",
            Self::TooLarge { .. } => "run_too_large",
            Self::Unusable { .. } | Self::Io { .. } => "run_failed",
        }
    }

    /// Returns how to fix it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::None => "run a program first".to_owned(),
            Self::Unknown { similar: Some(similar), .. } => format!("did you mean `{similar}`?"),
            Self::Unknown { similar: None, .. } => {
                "give an id, its beginning or end, `latest`, or `latest~1` for the one before"
                    .to_owned()
            }
            Self::Ambiguous { .. } => "give more of the id".to_owned(),
            Self::Newer { .. } => "use the version of this program that wrote it".to_owned(),
            Self::TooLarge { .. } => "read the file with a tool for JSON lines".to_owned(),
            Self::Unusable { help, .. } => (*help).to_owned(),
            Self::Io { .. } => "see what the system reports".to_owned(),
        }
    }

    /// Returns the error in one line, with how to fix it where that is known.
    #[must_use]
    pub fn line(&self) -> String {
        match self {
            Self::Unusable { help, .. } => format!("{self}; {help}"),
            _ => self.to_string(),
        }
    }
}

fn list(candidates: &[RunId]) -> String {
    let names: Vec<_> = candidates.iter().map(RunId::as_str).collect();
    names.join(" or ")
}
