//! The one error that leaves this crate, and how names from outside are shown in it.

use std::fmt::Write as _;

/// The longest piece of a foreign text that an error repeats, in characters.
const SHOWN_CHARS: usize = 200;

/// The reason why a tool call failed. A program sees `code` and `message` in `try … else err` (AS-9).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct ToolError {
    /// Stable, such as `file_not_found`.
    pub code: &'static str,
    /// The expected and the found value, in one line, without secrets.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
}

impl ToolError {
    /// Returns a failure with a code and a message.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: None }
    }

    /// Adds the way to fix it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Returns a text from outside as it may stand in a one-line message: without control characters,
/// and its beginning alone when it is long.
#[must_use]
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN_CHARS {
            out.push('…');
            break;
        }
        if character.is_control() {
            // Writing to a string cannot fail.
            let _ = write!(out, "{}", character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_25_what_error_repeats_is_one_short_line() {
        assert_eq!(shown("a\nb\0c\u{1b}[0m中"), "a\\nb\\u{0}c\\u{1b}[0m中");
        assert_eq!(shown(&"x".repeat(1000)).chars().count(), 201);
    }
}
