//! Spans, positions and diagnostics: the vocabulary in which every front end of Contexture
//! (language, templates, references, flows) says what is wrong, where, and how to mend it.
//!
//! Decision: a [`Diagnostic`] is data; wording for terminals, one-line logs and JSON is made from
//! it in [`render`], so that all surfaces say the same.
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
mod source;
mod span;
mod suggest;

pub mod render;

pub use code::Code;
pub use codes::Codes;
pub use source::{LineColumn, SourceFile};
pub use span::Span;
pub use suggest::{nearest, suggestion};

use serde::{Deserialize, Serialize};

/// How bad it is. Only [`Severity::Error`] refuses a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Hint,
    /// Probably not meant.
    Warning,
    /// The source is refused.
    Error,
}

/// A further place that matters, with what it has to do with the fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The place, in the same file as the diagnostic.
    pub span: Span,
    /// Why it matters.
    pub message: String,
}

/// A replacement that mends the fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty for an insertion.
    pub span: Span,
    /// What stands there afterwards.
    pub replacement: String,
}

/// One fault: what, where, why, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, one per kind of fault.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The headline; it stands alone in one-line form.
    pub message: String,
    /// The file, by the name its [`SourceFile`] has; empty for the file at hand.
    pub file: String,
    /// The primary place.
    pub span: Span,
    /// Further places.
    pub labels: Vec<Label>,
    /// How to mend it.
    pub help: Option<String>,
    /// The mend as edits, when a machine can make it.
    pub fix: Vec<Edit>,
}

impl Diagnostic {
    /// A diagnostic that refuses the source.
    #[must_use]
    pub fn error(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self::new(code, Severity::Error, message, span)
    }

    /// A diagnostic for what is probably not meant.
    #[must_use]
    pub fn warning(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self::new(code, Severity::Warning, message, span)
    }

    /// A diagnostic worth knowing.
    #[must_use]
    pub fn hint(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self::new(code, Severity::Hint, message, span)
    }

    fn new(code: &'static str, severity: Severity, message: impl Into<String>, span: Span) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            file: String::new(),
            span,
            labels: Vec::new(),
            help: None,
            fix: Vec::new(),
        }
    }

    /// Says how to mend it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Points at a further place.
    #[must_use]
    pub fn with_label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Adds an edit to the mend.
    #[must_use]
    pub fn with_edit(mut self, span: Span, replacement: impl Into<String>) -> Self {
        self.fix.push(Edit { span, replacement: replacement.into() });
        self
    }

    /// Names the file it is about.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = file.into();
        self
    }
}
