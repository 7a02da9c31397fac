//! Errors of the server and of calls, with the help to fix them.

use crate::mcp::said;
use contexture::context::fence::escape_open;
use contexture::diagnostic::Code;
use contexture::reference::LoadError;
use contexture::reference::syntax::redact;
use contexture::run::SetupError;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};
use std::fmt;

/// An error of the server or of a call. A failed call returns it as a result that
/// is an error: the model reads it, and the server continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Stable code.
    pub code: String,
    /// The expected and the found value, without credentials.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
    /// Further fields for programs.
    pub details: Map<String, Value>,
}

impl Fault {
    /// Creates an error.
    #[must_use]
    pub fn new(code: impl Into<String>, message: impl AsRef<str>) -> Self {
        Self {
            code: code.into(),
            message: redact(message.as_ref()).into_owned(),
            help: None,
            details: Map::new(),
        }
    }

    /// Creates an error with a registered code.
    #[must_use]
    pub fn of(code: Code, message: impl AsRef<str>) -> Self {
        Self::new(code.code, message)
    }

    /// Sets how to fix it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a detail.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the result of the call: text for a model, fields for a program.
    pub(crate) fn into_result(self) -> CallToolResult {
        // It may quote foreign text, and has no fence (KN-13).
        let said = self.to_string();
        let text = ContentBlock::text(escape_open(&said, &[]));
        let mut result = CallToolResult::error(vec![text]);
        let mut error = json!({ "code": self.code, "message": self.message, "help": self.help });
        if let Some(fields) = error.as_object_mut() {
            fields.extend(self.details);
        }
        result.structured_content = Some(json!({ "error": error }));
        result
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.code, self.message)?;
        match &self.help {
            Some(help) => write!(f, "\nhelp: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}

impl From<LoadError> for Fault {
    fn from(error: LoadError) -> Self {
        let fault = Self::new(error.code, said::line(&error.to_string()));
        Self { help: error.help.map(|help| said::line(&help)), ..fault }
    }
}

impl From<SetupError> for Fault {
    fn from(error: SetupError) -> Self {
        let fault = Self::new(error.code, error.message);
        Self { help: error.help, ..fault }
    }
}
