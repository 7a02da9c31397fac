//! A request for a completion.

use super::chat::OpenaiChatMessage;
use super::tool::{ToolDefinition, ToolKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A request to a chat model (PT-8). The composer fills `model` and `messages`; the rest is added
/// by struct update.
///
/// ```
/// use contexture_prompt::{OpenaiChatRequest, ToolDefinition};
///
/// let req = OpenaiChatRequest { model: "gpt-4o".into(), ..Default::default() };
/// let tool = ToolDefinition::function("now", "The time", serde_json::json!({"type": "object"}));
/// let req = OpenaiChatRequest { tools: Some(vec![tool]), temperature: Some(0.2), ..req };
/// assert_eq!(req.model, "gpt-4o");
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OpenaiChatRequest {
    /// The model's name at its server.
    pub model: String,
    /// The conversation so far.
    pub messages: Vec<OpenaiChatMessage>,
    /// Tools that the model may call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tools: Option<Vec<ToolDefinition>>,
    /// The rule for its tool calls.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool_choice: Option<ToolChoice>,
    /// True if several tools may be called at once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parallel_tool_calls: Option<bool>,
    /// Sampling temperature, 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub temperature: Option<f64>,
    /// Nucleus sampling, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub top_p: Option<f64>,
    /// The greatest number of tokens of the answer, by the older name that compatible servers use.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_tokens: Option<u64>,
    /// The greatest number of tokens of the answer, including reasoning, by the newer name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_completion_tokens: Option<u64>,
    /// The form the answer must have.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub response_format: Option<ResponseFormat>,
    /// The reasoning effort: `minimal`, `low`, `medium`, `high` or another word that the model
    /// accepts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reasoning_effort: Option<String>,
    /// True if the answer is streamed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stream: Option<bool>,
    /// Options of a stream.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stream_options: Option<StreamOptions>,
    /// The seed of the sampling, if the server supports one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seed: Option<i64>,
    /// Texts that end the answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stop: Option<Stop>,
    /// The number of answers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub n: Option<u32>,
    /// The penalty on tokens by their number of occurrences, -2 to 2.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub frequency_penalty: Option<f64>,
    /// The penalty on tokens that occurred at all, -2 to 2.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub presence_penalty: Option<f64>,
    /// All other fields, unchanged.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A rule for the model's tool calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ToolChoice {
    /// It must not.
    None,
    /// It may.
    Auto,
    /// It must call one or more.
    Required,
    /// It must call this one.
    #[serde(untagged)]
    Function {
        /// `function`.
        #[serde(rename = "type", default)]
        kind: ToolKind,
        /// Its name.
        function: NamedFunction,
    },
}

impl ToolChoice {
    /// Forces a call of the function.
    #[must_use]
    pub fn function(name: impl Into<String>) -> Self {
        Self::Function { kind: ToolKind::Function, function: NamedFunction { name: name.into() } }
    }
}

/// A function by its name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NamedFunction {
    /// The name.
    pub name: String,
}

/// The form an answer must have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResponseFormat {
    /// Any text.
    Text,
    /// Any JSON object.
    JsonObject,
    /// JSON of a schema.
    JsonSchema {
        /// The schema and its name.
        json_schema: JsonSchemaFormat,
    },
}

impl ResponseFormat {
    /// Returns the format for JSON of `schema`, which the server enforces.
    #[must_use]
    pub fn schema(name: impl Into<String>, schema: Value) -> Self {
        Self::JsonSchema {
            json_schema: JsonSchemaFormat {
                name: name.into(),
                description: None,
                schema: Some(schema),
                strict: Some(true),
            },
        }
    }
}

/// A named JSON Schema.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct JsonSchemaFormat {
    /// Its name: letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// Its purpose.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
    /// The schema.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub schema: Option<Value>,
    /// True if the server enforces it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strict: Option<bool>,
}

/// Options of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StreamOptions {
    /// True if the last piece reports the usage.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub include_usage: Option<bool>,
    /// All other fields, unchanged.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Texts that end an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Stop {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}
