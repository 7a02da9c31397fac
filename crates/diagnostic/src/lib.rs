//! Spans, positions and diagnostics: the vocabulary of every front end of Contexture (language,
//! templates, references, flows) for faults, their places and their fixes.
//!
//! Decision: a [`Diagnostic`] is data; [`render`] formats it for terminals, one-line logs and JSON,
//! so that all surfaces show the same.
//!
//! ```
//! use contexture_diagnostic::{Diagnostic, SourceFile, Span};
//!
//! let file = SourceFile::new("a.as", "x = y\n");
//! let fault = Diagnostic::error("AS2001", "unknown name `y`", Span::new(4, 5))
//!     .with_help("assign it before this line");
//! assert_eq!(file.position(fault.span.start).column, 5);
//! ```

mod code;
mod codes;
mod fixes;
mod missing_feature;
mod source;
mod span;
mod suggest;

pub mod render;

pub use code::Code;
pub use codes::Codes;
pub use fixes::apply;
pub use missing_feature::MissingFeature;
pub use source::{LineColumn, SourceFile};
pub use span::Span;
pub use suggest::{nearest, suggestion};

use serde::{Deserialize, Serialize};

/// The severity of a diagnostic. Only [`Severity::Error`] refuses a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A suggestion.
    Hint,
    /// Probably a mistake.
    Warning,
    /// An error: the source is refused.
    Error,
}

/// A secondary place with its relation to the fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The place, in the same file as the diagnostic.
    pub span: Span,
    /// Its relation to the fault.
    pub message: String,
}

/// A replacement that fixes the fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The span to replace; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

/// A fault with its place, reason and fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, one per kind of fault.
    pub code: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// The headline; it is complete in one-line form.
    pub message: String,
    /// The file, by the name of its [`SourceFile`]; empty for the current file.
    pub file: String,
    /// The primary place.
    pub span: Span,
    /// Further places.
    pub labels: Vec<Label>,
    /// The way to fix it.
    pub help: Option<String>,
    /// What else is to be known, each a sentence (TY-4).
    pub notes: Vec<String>,
    /// The fix as edits, if it can be applied by a machine; no two overlap.
    pub fix: Vec<Edit>,
    /// True if the fix is right whatever was meant, so that it may be applied unseen (TY-4).
    pub safe: bool,
}

impl Diagnostic {
    /// Creates a diagnostic that refuses the source.
    #[must_use]
    pub fn error(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self::new(code, Severity::Error, message, span)
    }

    /// Creates a diagnostic for a probable mistake.
    #[must_use]
    pub fn warning(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self::new(code, Severity::Warning, message, span)
    }

    /// Creates a diagnostic of a severity.
    #[must_use]
    pub fn new(
        code: &'static str,
        severity: Severity,
        message: impl Into<String>,
        span: Span,
    ) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            file: String::new(),
            span,
            labels: Vec::new(),
            help: None,
            notes: Vec::new(),
            fix: Vec::new(),
            safe: false,
        }
    }

    /// Sets the help.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the help, if there is one.
    #[must_use]
    pub fn with_optional_help(self, help: Option<impl Into<String>>) -> Self {
        Self { help: help.map(Into::into), ..self }
    }

    /// Adds a secondary place.
    #[must_use]
    pub fn with_label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Adds an edit to the fix.
    #[must_use]
    pub fn with_edit(mut self, span: Span, replacement: impl Into<String>) -> Self {
        self.fix.push(Edit { span, replacement: replacement.into() });
        self
    }

    /// Adds an edit to a fix that may be applied unseen.
    #[must_use]
    pub fn with_safe_edit(self, span: Span, replacement: impl Into<String>) -> Self {
        Self { safe: true, ..self.with_edit(span, replacement) }
    }

    /// Adds a note.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets the file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = file.into();
        self
    }
}
