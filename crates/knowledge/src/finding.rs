//! What is said about packs and places: a code, how bad it is, where, what (KN-3, KN-5).

use contexture_diagnostic::Severity;
use serde::Serialize;
use std::path::PathBuf;

/// Something found while looking for packs, reading or checking them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Stable code, see [`codes`](crate::codes).
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The file or folder that it is about.
    pub path: PathBuf,
    /// The line in that file, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What was expected and what was found.
    pub message: String,
    /// How to mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}
