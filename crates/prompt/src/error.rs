//! Errors of prompts (PT-14).
//!
//! Decision: the variants and their shapes are fixed, so a place in a template has no field of its
//! own. A [`PromptError::Parse`] has it at the beginning of its text, where people see it, and
//! [`PromptError::position`] reads it from there. An error of rendering is located by
//! [`PromptTemplate::render_located`](crate::PromptTemplate::render_located), which wraps it in a
//! [`LocatedError`].

use crate::codes;
use crate::limits::MAX_DEPTH;
use thiserror::Error;

/// An error of a prompt.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PromptError {
    /// The text of a template, or of its variables, can't be parsed. The message begins with the
    /// place: `line 3, column 5: …`.
    #[error("parse error: {0}")]
    Parse(String),

    /// A variable that `{{ }}` or `#each` needs is missing. Contains the path as written.
    #[error("variable `{0}` not found: pass a value, or test it with {{{{#if {0}}}}} first")]
    VariableNotFound(String),

    /// A partial, or a template of the registry, is missing. Contains its name.
    #[error("template `{0}` is not registered")]
    PartialNotFound(String),

    /// The value of `#each` is not an array. Contains the path as written.
    #[error("`{0}` is not an array, so {{{{#each {0}}}}} can't iterate over it")]
    NotAnArray(String),

    /// Blocks and partials are nested deeper than this limit.
    #[error("blocks and partials are nested more than {0} deep")]
    MaxDepthReached(u8),

    /// Rendering failed for another reason: a cycle of partials, a limit, a sink that failed.
    #[error("rendering failed: {0}")]
    Render(String),

    /// Messages are in an order that providers refuse. Names the index and the rule.
    #[error("invalid message sequence: {0}")]
    InvalidSequence(String),

    /// A reference that a template includes has no text.
    #[error("`{reference}` can't be included: {error}")]
    Reference {
        /// The reference as written, without user info.
        reference: String,
        /// The reason.
        error: ReferenceError,
    },

    /// A file can't be read.
    #[error("file error: {0}")]
    Io(#[from] std::io::Error),
}

impl PromptError {
    /// Line and column, both from 1, columns in characters, of a [`PromptError::Parse`].
    ///
    /// ```
    /// use contexture_prompt::PromptTemplate;
    ///
    /// let error = PromptTemplate::compile("你好\n世界 {{/if}}").unwrap_err();
    /// assert_eq!(error.position(), Some((2, 4)));
    /// ```
    #[must_use]
    pub fn position(&self) -> Option<(usize, usize)> {
        let Self::Parse(message) = self else {
            return None;
        };
        message.match_indices("line ").find_map(|(at, word)| {
            let (line, rest) = number(message.get(at + word.len()..)?)?;
            let (column, rest) = number(rest.strip_prefix(", column ")?)?;
            rest.starts_with(':').then_some((line, column))
        })
    }

    /// Returns the stable code of its kind, one of [`codes::ALL`]. A [`PromptError::Parse`] has the
    /// general code of parse errors; [`check`](crate::check) distinguishes the faults of a text.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Parse(_) => codes::UNREADABLE.code,
            Self::VariableNotFound(_) => codes::VARIABLE_NOT_FOUND.code,
            Self::PartialNotFound(_) => codes::UNKNOWN_PARTIAL.code,
            Self::NotAnArray(_) => codes::NOT_AN_ARRAY.code,
            Self::MaxDepthReached(_) => codes::TOO_DEEP.code,
            Self::Render(_) => codes::RENDER_LIMIT.code,
            Self::InvalidSequence(_) => codes::MESSAGE_SEQUENCE.code,
            Self::Reference { .. } => codes::REFERENCE_FAILED.code,
            Self::Io(_) => codes::FILE_ERROR.code,
        }
    }

    /// Returns the help, if the message does not include it.
    ///
    /// ```
    /// use contexture_prompt::{PromptComposer, validate_messages};
    ///
    /// let messages = PromptComposer::new().user("one").user("two").build();
    /// let error = validate_messages(&messages).unwrap_err();
    /// assert_eq!(error.help(), Some("join the two messages, or put one of another role between them"));
    /// ```
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Parse(_) | Self::VariableNotFound(_) | Self::Io(_) | Self::Render(_) => None,
            Self::PartialNotFound(_) => Some("register it under this name, or remove the tag"),
            Self::NotAnArray(_) => Some("pass an array; it may be empty"),
            Self::MaxDepthReached(_) => Some("move the inner blocks out of the outer ones"),
            Self::InvalidSequence(message) => crate::sequence::fix(message),
            Self::Reference { error, .. } => error.help.as_deref(),
        }
    }

    pub(crate) fn reference(reference: &str, error: ReferenceError) -> Self {
        Self::Reference { reference: crate::redact::reference(reference), error }
    }

    pub(crate) const fn too_deep() -> Self {
        Self::MaxDepthReached(MAX_DEPTH)
    }
}

fn number(text: &str) -> Option<(usize, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    Some((digits.parse().ok()?, rest))
}

/// The reason why a reference has no text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ReferenceError {
    /// The cause, in one line, without secrets.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
}

impl ReferenceError {
    /// Creates a failure with its cause.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }

    /// Sets the help.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Creates the error for a rendering without a provider of texts.
    pub(crate) fn no_resolver() -> Self {
        Self::new("no references are loaded here")
            .with_help("pass their texts: `template.render_with(&variables, &texts)`")
    }

    pub(crate) fn not_given() -> Self {
        Self::new("its text is missing").with_help(
            "`references()` lists the references of a template; load them before rendering",
        )
    }
}

/// An error of rendering with its place.
#[derive(Debug, Error)]
#[error("line {line}, column {column}{}: {error}", in_partial(.partial.as_deref()))]
pub struct LocatedError {
    /// The error.
    #[source]
    pub error: PromptError,
    /// The partial that contains the place; none for the template itself.
    pub partial: Option<String>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl From<LocatedError> for PromptError {
    /// Returns the error without its place.
    fn from(located: LocatedError) -> Self {
        located.error
    }
}

fn in_partial(name: Option<&str>) -> String {
    name.map(|name| format!(" of partial `{name}`")).unwrap_or_default()
}
