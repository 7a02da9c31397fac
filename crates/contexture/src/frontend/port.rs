//! The port to the tools of a front end.

use contexture_core::policy::{Class, Demands};
use contexture_llm::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The code of a call for which there is no client, or no longer (CP-14).
pub const CLIENT_UNAVAILABLE: &str = "CLIENT_UNAVAILABLE";
/// The code of a call that the user refused (CP-14).
pub const PERMISSION_DENIED: &str = "PERMISSION_DENIED";
/// The code of a call that was not answered in time (CP-14).
pub const TIMEOUT: &str = "TIMEOUT";

/// A runner of the tools of a front end.
///
/// One value serves a turn. A program may call several tools at the same time.
pub trait Frontend: Send + Sync {
    /// Returns the tools that the clients of this conversation announced, as they are now.
    fn definitions(&self) -> Vec<FrontendTool>;

    /// Returns the tools that services of this side registered, as they are now (WA-6).
    fn services(&self) -> Vec<FrontendTool> {
        Vec::new()
    }

    /// Reports whether a call was made in an earlier life of the run, and has not given its result yet:
    /// it was checked and allowed then.
    fn has_open(&self, _call_id: &str) -> bool {
        false
    }

    /// Asks a client, or a service, to run a tool. The parameters were checked against the announced schema.
    ///
    /// The future is dropped when the turn is cancelled: what is behind the port notifies the
    /// client.
    fn call(&self, call: FrontendCall) -> BoxFuture<'_, Result<Value, FrontendFailure>>;
}

/// A tool that a client announced (CP-13), as far as a program and a model need to know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FrontendTool {
    /// The id by which it is called.
    pub tool_id: String,
    /// The description for the model.
    pub description: String,
    /// Its version; empty when the client gave none.
    pub version: String,
    /// The JSON Schema of its parameters, an object.
    pub parameters: Value,
    /// True if the client asks the user before each call.
    pub asks_user: bool,
    /// What it does to the world, as the page says; the settings may say otherwise (GU-5).
    pub class: Class,
    /// The lowest trust levels of its arguments, where they are not the user's.
    pub demands: Demands,
}

impl FrontendTool {
    /// Notes that the client asks the user before each call.
    #[must_use]
    pub fn asks_user(mut self) -> Self {
        self.asks_user = true;
        self
    }

    /// Creates a tool with the JSON Schema of its parameters.
    #[must_use]
    pub fn new(tool_id: impl Into<String>, parameters: Value) -> Self {
        Self {
            tool_id: tool_id.into(),
            description: String::new(),
            version: String::new(),
            parameters: if parameters.is_object() { parameters } else { json!({}) },
            asks_user: false,
            class: Class::Execute,
            demands: Demands::new(),
        }
    }

    /// Sets its class and what it demands of its arguments.
    #[must_use]
    pub fn with_class(self, class: Class, demands: Demands) -> Self {
        Self { class, demands, ..self }
    }

    /// Sets the description.
    #[must_use]
    pub fn describe(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Sets the version.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }
}

/// One call of a tool of a front end.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontendCall {
    /// The id of the call; no other call of any turn has it.
    pub call_id: String,
    /// The tool.
    pub tool_id: String,
    /// Its parameters.
    pub parameters: Map<String, Value>,
    /// True if a model asks for it, which [`TurnEvent::ToolCalls`](crate::turn::TurnEvent) reported
    /// under the same id; false for the program itself.
    pub from_model: bool,
    /// The step of a flow that asks; none when a program or a model does.
    pub flow: Option<Box<FlowCall>>,
}

/// The step of a flow that asks for a tool of a front end.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowCall {
    /// The run of the set.
    pub run: String,
    /// The step: the callId of a call.
    pub id: String,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// True if a service runs the tool, and no client.
    pub of_service: bool,
    /// The data of the set for the client: the question to the user, and the like (4.5.3).
    #[cfg(feature = "flow")]
    pub says: Option<Box<contexture_flow::FrontendCall>>,
}

/// A failure of a front end's tool.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct FrontendFailure {
    /// A code of the protocol (CP-17), such as [`PERMISSION_DENIED`].
    pub code: String,
    /// The message, in one line.
    pub message: String,
    /// Further data of the client.
    pub details: Option<Value>,
}

impl FrontendFailure {
    /// Creates a failure with its code and message.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), details: None }
    }
}
