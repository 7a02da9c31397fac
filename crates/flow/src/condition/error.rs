use contexture_diagnostic::{Diagnostic, SourceFile, Span, render};

/// What is wrong with the text of a condition or of a `${…}`, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} at offset {}", .span.start)]
pub struct SyntaxError {
    /// What was expected and what came.
    pub message: String,
    /// The place, in bytes of the text; its start is the offset of FL-9.
    pub span: Span,
    /// How to mend it.
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

    /// The offset of the fault in bytes.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.span.start as usize
    }

    /// The fault as a diagnostic about the text.
    #[must_use]
    pub fn to_diagnostic(&self) -> Diagnostic {
        let fault = crate::codes::CONDITION_SYNTAX.at(self.span, self.to_string());
        match &self.help {
            Some(help) => fault.with_help(help),
            None => fault,
        }
    }

    /// The fault with the text and a caret below the place, for a terminal.
    #[must_use]
    pub fn render(&self, name: &str, text: &str, colour: bool) -> String {
        render::terminal(&self.to_diagnostic(), &SourceFile::new(name, text), colour)
    }
}
