//! Tools as a model sees them: their definition, and the calls it makes.

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
    /// A function with its description and the JSON Schema of its arguments.
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

    /// The function's name.
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
    /// What it does, for the model.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
    /// JSON Schema of its arguments.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parameters: Option<Value>,
    /// Whether the server holds the model to that schema.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strict: Option<bool>,
}

/// A call of a tool by the model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id that the answer has to carry.
    pub id: String,
    /// `function`.
    #[serde(rename = "type", default)]
    pub kind: ToolKind,
    /// What is called.
    pub function: FunctionCall,
}

impl ToolCall {
    /// A call of a function with its arguments as JSON text.
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

/// The function that is called and with what.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FunctionCall {
    /// Its name.
    pub name: String,
    /// Its arguments as the model wrote them: JSON text that may be broken.
    pub arguments: String,
}
