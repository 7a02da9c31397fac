//! The failure to load a file.

/// The failure to load a source file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LoadError {
    /// The cause.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
}
