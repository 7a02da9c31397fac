//! The port of tools that an application adds (HO-2).
//!
//! A program imports one by its name, `import tool Weather from "rust://weather"`, and calls its
//! methods; `check` knows their parameters and effects; models are offered them as they are offered
//! every other tool; a flow calls one as the action `rust:weather/now`.
//!
//! Decision: the port takes and returns JSON, so that it stays object-safe; [`RustTool`] makes one
//! of typed functions.

mod typed;

pub use typed::RustTool;

use crate::policy::Demands;
use crate::provider::BoxFuture;
use crate::secret::Secret;
use crate::signature::Effect;
use contexture_context::Trust;
use serde_json::{Map, Value};

/// The scheme of the URIs by which programs import tools of the application.
pub const SCHEME: &str = "rust";

/// A tool of the application.
///
/// Calls may run at the same time. Dropping the future ends the call; a future must not block its
/// thread, because the run that waits for it could not be cancelled then.
pub trait Tool: Send + Sync {
    /// Returns the name that stands behind `rust://`: letters, digits, `-`, `_` and `.`.
    fn name(&self) -> &str;

    /// Returns its methods, the same at every call.
    fn methods(&self) -> Vec<ToolMethod>;

    /// Calls a method. The arguments were checked against its parameters on the first level:
    /// names, presence and types.
    fn call<'a>(&'a self, call: ToolRequest<'a>) -> BoxFuture<'a, Result<ToolReply, ToolFailure>>;
}

/// A method of a [`Tool`].
#[derive(Debug, Clone, PartialEq)]
pub struct ToolMethod {
    /// Its name, such as `now`.
    pub name: String,
    /// One or two sentences for a model.
    pub description: String,
    /// Its effect: a dry run calls only what reads, a `parallel for` nothing that writes.
    pub effect: Effect,
    /// The trust level of every text of its results; texts below [`Trust::Model`] are fenced in
    /// prompts.
    pub trust: Trust,
    /// The JSON Schema of its argument object.
    pub parameters: Value,
    /// The lowest trust levels of its arguments, where they are not the user's (GU-5).
    pub demands: Demands,
    /// The reason why its results count as the user's word, whatever it was given: it validates its
    /// argument, and fails or returns what it vouches for (GU-4). None for a method that doesn't.
    pub validates: Option<String>,
}

/// A call of a method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ToolRequest<'a> {
    /// The method.
    pub method: &'a str,
    /// Its argument.
    pub arguments: &'a Map<String, Value>,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolReply {
    /// The value for the program.
    pub value: Value,
    /// Remarks for the record and the person who runs the program, one line each.
    pub notes: Vec<String>,
    /// Texts that are masked wherever something of the run is written down.
    pub secrets: Vec<Secret>,
}

impl From<Value> for ToolReply {
    fn from(value: Value) -> Self {
        Self { value, ..Self::default() }
    }
}

/// The reason why a call failed. A program sees `code` and `message` in `try … else err`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolFailure {
    /// A stable code, such as `city_unknown`.
    pub code: String,
    /// One line, without secrets.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
}

impl ToolFailure {
    /// Creates a failure.
    #[must_use]
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), help: None }
    }

    /// Adds how to fix it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
