//! Why a reference could not be loaded.

use crate::syntax::SyntaxError;

/// A failure to load; it names the reference and the cause and never shows user info.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{reference}`: {message}")]
pub struct LoadError {
    /// Stable code, such as `REF2001`.
    pub code: &'static str,
    /// The reference, canonical and without user info.
    pub reference: String,
    /// The cause, in one line.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
}

impl LoadError {
    /// A failure with its cause.
    #[must_use]
    pub fn new(code: &'static str, reference: &str, message: impl Into<String>) -> Self {
        Self { code, reference: reference.to_owned(), message: message.into(), help: None }
    }

    /// What is written like a reference and is none.
    #[must_use]
    pub fn of_syntax(text: &str, error: &SyntaxError) -> Self {
        let message = format!("{} at offset {}", error.message(), error.offset);
        Self::new(error.code, &error.public(text), message).with_help(error.help.clone())
    }

    /// Says how to mend it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
