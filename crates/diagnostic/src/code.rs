use crate::{Diagnostic, Severity, Span};

/// A kind of fault, registered under a stable code. Each crate keeps a list of its own; who
/// explains codes looks through all of them.
///
/// ```
/// use contexture_diagnostic::{Code, Severity, Span};
///
/// const EMPTY: Code = Code::new("XX1001", "empty-name", Severity::Error, "A name is empty.");
/// let fault = EMPTY.at(Span::new(0, 2), "this name is empty").with_help("write a letter");
/// assert_eq!((fault.code, fault.severity), ("XX1001", Severity::Error));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The stable code.
    pub code: &'static str,
    /// The name of the fault; reads well after "allow".
    pub name: &'static str,
    /// What it says about a program.
    pub summary: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Why it is so, and how it is mended; empty where the summary says it all.
    pub explanation: &'static str,
}

impl Code {
    /// An entry of a list of codes.
    #[must_use]
    pub const fn new(
        code: &'static str,
        name: &'static str,
        severity: Severity,
        summary: &'static str,
    ) -> Self {
        Self { code, name, summary, severity, explanation: "" }
    }

    /// Adds why it is so, and how it is mended.
    #[must_use]
    pub const fn explained(self, explanation: &'static str) -> Self {
        Self { explanation, ..self }
    }

    /// A diagnostic of this kind.
    #[must_use]
    pub fn at(self, span: Span, message: impl Into<String>) -> Diagnostic {
        match self.severity {
            Severity::Error => Diagnostic::error(self.code, message, span),
            Severity::Warning => Diagnostic::warning(self.code, message, span),
            Severity::Hint => Diagnostic::hint(self.code, message, span),
        }
    }
}
