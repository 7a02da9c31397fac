//! A request for a completion.

use super::{OpenaiChatMessage, ToolDefinition, ToolKind};
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
    /// Whether it may, must or must not call one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool_choice: Option<ToolChoice>,
    /// Whether several tools may be called at once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parallel_tool_calls: Option<bool>,
    /// Sampling temperature, 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub temperature: Option<f64>,
    /// Nucleus sampling, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub top_p: Option<f64>,
    /// The most tokens of the answer, by the older name that compatible servers know.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_tokens: Option<u64>,
    /// The most tokens of the answer, reasoning included, by the newer name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_completion_tokens: Option<u64>,
    /// The form the answer must have.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub response_format: Option<ResponseFormat>,
    /// How much to reason: `minimal`, `low`, `medium`, `high` or what else the model knows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reasoning_effort: Option<String>,
    /// Whether the answer comes in pieces.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stream: Option<bool>,
    /// What else a stream carries.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stream_options: Option<StreamOptions>,
    /// Seed of the sampling, where the server has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seed: Option<i64>,
    /// Texts that end the answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stop: Option<Stop>,
    /// How many answers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub n: Option<u32>,
    /// Penalty on tokens by how often they came, -2 to 2.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub frequency_penalty: Option<f64>,
    /// Penalty on tokens that came at all, -2 to 2.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub presence_penalty: Option<f64>,
    /// All other fields, as they are.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Whether the model may, must or must not call a tool.
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
        /// Which one.
        function: NamedFunction,
    },
}

impl ToolChoice {
    /// The function that must be called.
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
    /// JSON of `schema`, to which the server holds the model.
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
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
    /// The schema.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub schema: Option<Value>,
    /// Whether the server holds the model to it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strict: Option<bool>,
}

/// What a stream carries beside the text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StreamOptions {
    /// Whether the last piece tells the usage.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub include_usage: Option<bool>,
    /// All other fields, as they are.
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
