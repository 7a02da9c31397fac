use contexture_diagnostic::{Diagnostic, SourceFile, Span, render};

/// A syntax error in a condition or a `${…}`, with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} at offset {}", .span.start)]
pub struct SyntaxError {
    /// The expected and the found text.
    pub message: String,
    /// The place, in bytes of the text; its start is the offset of FL-9.
    pub span: Span,
    /// The fix.
    pub help: Option<String>,
}

impl SyntaxError {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), span, help: None }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the offset of the fault in bytes.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.span.start as usize
    }

    /// Returns the fault as a diagnostic of the text.
    #[must_use]
    pub fn to_diagnostic(&self) -> Diagnostic {
        let fault = crate::codes::CONDITION_SYNTAX.at(self.span, self.to_string());
        match &self.help {
            Some(help) => fault.with_help(help),
            None => fault,
        }
    }

    /// Formats the fault with the text and a caret below the place, for a terminal.
    #[must_use]
    pub fn render(&self, name: &str, text: &str, colour: bool) -> String {
        render::terminal(&self.to_diagnostic(), &SourceFile::new(name, text), colour)
    }
}
