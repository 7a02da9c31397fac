//! Findings about packs and places: code, severity, place, message (KN-3, KN-5).

use crate::said;
use contexture_diagnostic::{Code, Severity};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Something found while looking for packs, reading or checking them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Stable code, see [`codes`](crate::codes).
    pub code: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// The file or folder that it is about.
    pub path: PathBuf,
    /// The line in that file, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The expected and the found value.
    pub message: String,
    /// The way to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Finding {
    /// Returns a finding of that kind about a file or folder. A path that is not UTF-8 or no plain
    /// line is shown with replacement characters, and the message is one harmless line, whatever it
    /// quotes, so that every finding can be written as JSON and printed as a line (KN-13).
    #[must_use]
    pub fn new(code: Code, path: &Path, message: impl Into<String>) -> Self {
        Self {
            code: code.code,
            severity: code.severity,
            path: PathBuf::from(said::path(&path.to_string_lossy())),
            line: None,
            message: said::line(&message.into()),
            help: None,
        }
    }

    /// Returns the same with the help that stands for its code.
    #[must_use]
    pub fn explained(code: Code, path: &Path, message: impl Into<String>) -> Self {
        Self::new(code, path, message).with_help(code.explanation)
    }

    /// Says in which line, counted from 1.
    #[must_use]
    pub fn at_line(mut self, line: u32) -> Self {
        self.line = Some(line);
        self
    }

    /// Adds the way to fix it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(said::line(&help.into()));
        self
    }
}
