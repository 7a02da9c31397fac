//! Failures to load a reference.

/// A failure to load. It names the reference and the cause, and never shows user info.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{reference}`: {message}")]
pub struct LoadError {
    /// Stable code, such as `REF2001`.
    pub code: &'static str,
    /// The reference, canonical and without user info.
    pub reference: String,
    /// The cause, in one line.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
}

impl LoadError {
    /// Makes a failure with its cause.
    #[must_use]
    pub fn new(code: &'static str, reference: &str, message: impl Into<String>) -> Self {
        Self { code, reference: reference.to_owned(), message: message.into(), help: None }
    }

    /// Adds the way to fix it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
