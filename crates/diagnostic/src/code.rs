use crate::{Diagnostic, Severity, Span};

/// A kind of fault, registered under a stable code. Each crate has a list of its own; a caller that
/// explains codes searches all of them.
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
    /// The meaning of the fault.
    pub summary: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// The reason and the fix; empty if the summary is enough.
    pub explanation: &'static str,
}

impl Code {
    /// Creates an entry of a list of codes.
    #[must_use]
    pub const fn new(
        code: &'static str,
        name: &'static str,
        severity: Severity,
        summary: &'static str,
    ) -> Self {
        Self { code, name, summary, severity, explanation: "" }
    }

    /// Adds the reason and the fix.
    #[must_use]
    pub const fn explained(self, explanation: &'static str) -> Self {
        Self { explanation, ..self }
    }

    /// Creates a diagnostic of this kind.
    #[must_use]
    pub fn at(self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.code, self.severity, message, span)
    }
}
