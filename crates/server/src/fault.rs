//! What went wrong, in words that help whoever called to call otherwise.

use crate::mcp::said;
use contexture::context::fence::escape_open;
use contexture::diagnostic::Code;
use contexture::reference::LoadError;
use contexture::reference::syntax::redact;
use contexture::run::SetupError;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};
use std::fmt;

/// A failure of the server or of one call. A call that fails is answered with it, as a result that
/// is an error: the model reads it, and the server serves on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Stable code.
    pub code: String,
    /// What was expected, and what came; without credentials.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
    /// What else a program may want to know of it.
    pub details: Map<String, Value>,
}

impl Fault {
    /// A failure.
    #[must_use]
    pub fn new(code: impl Into<String>, message: impl AsRef<str>) -> Self {
        Self {
            code: code.into(),
            message: redact(message.as_ref()).into_owned(),
            help: None,
            details: Map::new(),
        }
    }

    /// A failure of a known kind.
    #[must_use]
    pub fn of(code: Code, message: impl AsRef<str>) -> Self {
        Self::new(code.code, message)
    }

    /// Says how to mend it.
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

    /// The answer to the call: the text for a model, the fields for a program.
    pub(crate) fn into_result(self) -> CallToolResult {
        // It may quote what somebody else wrote, and no fence stands around it (KN-13).
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
