//! Answers of models.

use super::chat::{OpenaiChatMessage, Role};
use super::part::{ContentField, OpenaiContentPart};
use super::tool::ToolCall;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// An answer of a model, of any provider.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChatResponse {
    /// The server's id of the answer, empty when it has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The model that answered, by its own name.
    pub model: String,
    /// The text, empty when there is none.
    pub text: String,
    /// The model's reasoning, if the server returns it. Never part of `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The tools it calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The reason why it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<FinishReason>,
    /// The tokens used.
    pub usage: Usage,
}

impl ChatResponse {
    /// Returns the answer as a message, to continue the conversation.
    #[must_use]
    pub fn to_message(&self) -> OpenaiChatMessage {
        let calls = (!self.tool_calls.is_empty()).then(|| self.tool_calls.clone());
        let silent = self.text.is_empty() && calls.is_some();
        let said = (!silent).then(|| vec![OpenaiContentPart::text(self.text.clone())]);
        OpenaiChatMessage {
            role: Role::Assistant,
            content: said.map(ContentField::Array),
            tool_calls: calls,
            ..OpenaiChatMessage::default()
        }
    }
}

/// The reason why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// It was complete.
    Stop,
    /// It reached a limit of tokens.
    Length,
    /// It calls tools.
    ToolCalls,
    /// The server withheld a part of it.
    ContentFilter,
    /// The model declined to answer.
    Refusal,
    /// Another reason, as the server names it.
    #[serde(untagged)]
    Other(String),
}

impl FinishReason {
    /// Returns OpenAI's name of the reason.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
            Self::ContentFilter => "content_filter",
            Self::Refusal => "refusal",
            Self::Other(word) => word,
        }
    }

    /// Reports whether the answer ended because something failed: whatever came is not an answer.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        const FAILURES: [&str; 11] = [
            "error",
            "failed",
            "abort",
            "aborted",
            "cancelled",
            "network_error",
            "insufficient_system_resource",
            "malformed_function_call",
            "pause_turn",
            "load",
            "unload",
        ];
        matches!(self, Self::Other(word) if FAILURES.contains(&word.to_ascii_lowercase().as_str()))
    }
}

impl From<&str> for FinishReason {
    fn from(word: &str) -> Self {
        // Servers that speak OpenAI's form have words of their own.
        match word.to_ascii_lowercase().as_str() {
            "stop" => Self::Stop,
            "length" | "max_tokens" | "model_length" => Self::Length,
            "tool_calls" => Self::ToolCalls,
            "content_filter" | "safety" | "recitation" | "blocklist" | "prohibited_content" => {
                Self::ContentFilter
            }
            "refusal" => Self::Refusal,
            _ => Self::Other(word.to_owned()),
        }
    }
}

/// The tokens of a call. `total_tokens` is the server's own figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the answer, reasoning included.
    pub completion_tokens: u64,
    /// Both.
    pub total_tokens: u64,
    /// Tokens of the reasoning, if reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    /// Tokens of the prompt in the server's cache, if reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
}

impl Usage {
    /// Creates a usage of so many tokens of prompt and answer.
    #[must_use]
    pub const fn new(prompt_tokens: u64, completion_tokens: u64) -> Self {
        Self {
            prompt_tokens,
            completion_tokens,
            total_tokens: prompt_tokens.saturating_add(completion_tokens),
            reasoning_tokens: None,
            cached_tokens: None,
        }
    }
}

impl AddAssign for Usage {
    /// Adds up; a figure of only one side is kept.
    fn add_assign(&mut self, other: Self) {
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
        self.total_tokens = self.total_tokens.saturating_add(other.total_tokens);
        self.reasoning_tokens = sum(self.reasoning_tokens, other.reasoning_tokens);
        self.cached_tokens = sum(self.cached_tokens, other.cached_tokens);
    }
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (one, other) => one.or(other),
    }
}
