//! Faults of a template's text.

use crate::codes::Code;
use crate::error::PromptError;
use contexture_diagnostic::{Diagnostic, SourceFile, Span};

#[derive(Debug, Clone)]
pub(super) struct Problem {
    pub(super) code: Code,
    pub(super) span: Span,
    message: String,
    help: String,
    related: Option<Related>,
}

#[derive(Debug, Clone)]
pub(super) struct Related {
    /// Its relation to the fault, such as "opened".
    pub(super) what: &'static str,
    pub(super) span: Span,
}

impl Problem {
    pub(super) const fn new(code: Code, span: Span, message: String) -> Self {
        Self { code, span, message, help: String::new(), related: None }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    pub(super) const fn related(mut self, what: &'static str, span: Span) -> Self {
        self.related = Some(Related { what, span });
        self
    }

    /// Formats `line 3, column 5: message (opened at line 1, column 1); help`.
    pub(super) fn to_error(&self, file: &SourceFile) -> PromptError {
        let at = file.position(self.span.start);
        let mut text = format!("line {}, column {}: {}", at.line, at.column, self.message);
        if let Some(Related { what, span }) = &self.related {
            let at = file.position(span.start);
            text.push_str(&format!(" ({what} at line {}, column {})", at.line, at.column));
        }
        if !self.help.is_empty() {
            text.push_str("; ");
            text.push_str(&self.help);
        }
        PromptError::Parse(text)
    }

    pub(super) fn to_diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.code.code, self.message.clone(), self.span);
        if !self.help.is_empty() {
            diagnostic = diagnostic.with_help(self.help.clone());
        }
        match &self.related {
            Some(Related { what, span }) => diagnostic.with_label(*span, format!("{what} here")),
            None => diagnostic,
        }
    }
}
