//! Tools of a model: their definitions and calls.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The kind of a tool; functions are the only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolKind {
    /// A function with a name and JSON arguments.
    #[default]
    Function,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// `function`.
    #[serde(rename = "type", default)]
    pub kind: ToolKind,
    /// The function.
    pub function: FunctionDefinition,
}

impl ToolDefinition {
    /// Creates a function with its description and the JSON Schema of its arguments.
    #[must_use]
    pub fn function(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Value,
    ) -> Self {
        Self {
            kind: ToolKind::Function,
            function: FunctionDefinition {
                name: name.into(),
                description: Some(description.into()),
                parameters: Some(parameters),
                strict: None,
            },
        }
    }

    /// Returns the function's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.function.name
    }
}

/// A function that a model may call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FunctionDefinition {
    /// Its name.
    pub name: String,
    /// Its purpose, for the model.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
    /// JSON Schema of its arguments.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parameters: Option<Value>,
    /// True if the server enforces that schema.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strict: Option<bool>,
}

/// A call of a tool by the model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id for the answer.
    pub id: String,
    /// `function`.
    #[serde(rename = "type", default)]
    pub kind: ToolKind,
    /// The function and its arguments.
    pub function: FunctionCall,
}

impl ToolCall {
    /// Creates a call of a function with its arguments as JSON text.
    #[must_use]
    pub fn function(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            kind: ToolKind::Function,
            function: FunctionCall { name: name.into(), arguments: arguments.into() },
        }
    }
}

/// The called function with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FunctionCall {
    /// Its name.
    pub name: String,
    /// Its arguments as the model wrote them: JSON text that may be malformed.
    pub arguments: String,
}
