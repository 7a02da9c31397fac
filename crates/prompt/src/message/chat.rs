//! A message and its sender.

use super::part::{ContentField, OpenaiContentPart};
use super::tool::ToolCall;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The speaker of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions above the conversation.
    System,
    /// The same for reasoning models.
    Developer,
    /// The person or program that asks.
    #[default]
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

impl Role {
    /// Returns the role's name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One message of a conversation (PT-9).
///
/// ```
/// use contexture_prompt::{OpenaiChatMessage, Role};
///
/// let message: OpenaiChatMessage =
///     serde_json::from_str(r#"{"role":"user","content":"Hello"}"#)?;
/// assert_eq!(message.role, Role::User);
/// assert_eq!(message.text(), "Hello");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OpenaiChatMessage {
    /// The sender.
    pub role: Role,
    /// The content. Absent only in an assistant message that calls tools.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub content: Option<ContentField>,
    /// The name of the speaker, among several of this role.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// The tools an assistant message calls.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool_calls: Option<Vec<ToolCall>>,
    /// The call that a tool message answers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool_call_id: Option<String>,
    /// Unknown fields of a server, unchanged.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A message, by its short name.
pub type Message = OpenaiChatMessage;

impl OpenaiChatMessage {
    /// Creates a message of these parts. Without any it has no content, as providers refuse an
    /// empty list.
    #[must_use]
    pub fn new(role: Role, parts: Vec<OpenaiContentPart>) -> Self {
        let content = (!parts.is_empty()).then_some(ContentField::Array(parts));
        Self { role, content, ..Self::default() }
    }

    /// Creates a message of one text, as [`ContentField::Array`] like all text messages here.
    #[must_use]
    pub fn of_text(role: Role, text: impl Into<String>) -> Self {
        Self::new(role, vec![OpenaiContentPart::text(text)])
    }

    /// Creates an answer to the tool call `tool_call_id`.
    #[must_use]
    pub fn tool(tool_call_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { tool_call_id: Some(tool_call_id.into()), ..Self::of_text(Role::Tool, text) }
    }

    /// Returns all texts of the message, concatenated. Other parts are left out; see
    /// [`ContentField::is_text_only`].
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        self.content.as_ref().map_or(Cow::Borrowed(""), ContentField::text)
    }

    /// Returns the parts of the content; a plain string has none.
    #[must_use]
    pub fn parts(&self) -> &[OpenaiContentPart] {
        match &self.content {
            Some(ContentField::Array(parts)) => parts,
            _ => &[],
        }
    }

    /// Returns the tool calls; empty if there are none.
    #[must_use]
    pub fn calls(&self) -> &[ToolCall] {
        self.tool_calls.as_deref().unwrap_or_default()
    }
}
