//! MODEL_RESPONSE and its deltas.

use super::Call;
use crate::node::Fields;
use crate::number::Count;
use crate::record::{record, words};
use crate::report::{Place, Report};
use serde_json::Value;

record! {
    /// What a model answers (3.2). `text` may be absent only where there are `toolCalls`.
    #[derive(Default)]
    pub struct ModelResponse, check = text_or_calls, transform = schema_of_response {
        /// The text.
        optional text: Option<String> = "text",
        /// The tools that the model wishes to be called (4.1).
        optional tool_calls: Option<Vec<Call>> = "toolCalls",
        /// Why the model stopped.
        optional finish_reason: Option<FinishReason> = "finishReason",
        /// Tokens that it took.
        optional usage: Option<Usage> = "usage",
    }
}

impl ModelResponse {
    /// A text with the reason why it ended.
    #[must_use]
    pub fn new(text: impl Into<String>, finish: FinishReason) -> Self {
        Self { text: Some(text.into()), finish_reason: Some(finish), ..Self::default() }
    }

    /// The text; empty when there are tool calls alone.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }
}

fn text_or_calls(map: &Fields<'_>, at: &Place<'_>, report: &mut Report<'_>) {
    if !map.has("text") && !map.has("toolCalls") {
        report.missing(at, "text", "a string");
    }
}

fn schema_of_response(schema: &mut schemars::Schema) {
    let has = |name: &str, kind: &str| serde_json::json!({"required": [name], "properties": {name: {"type": kind}}});
    let either = [has("text", "string"), has("toolCalls", "array")];
    schema.insert("anyOf".to_owned(), Value::from(either.to_vec()));
}

words! {
    /// Why a model stopped.
    pub enum FinishReason {
        /// It had said all.
        Stop = "STOP",
        /// It reached the greatest length.
        Length = "LENGTH",
        /// It wishes tools to be called.
        ToolCalls = "TOOL_CALLS",
        /// Something failed; `metadata.error.code` says what (CP-8).
        Error = "ERROR",
    }
}

record! {
    /// Tokens that an answer took.
    #[derive(Default)]
    pub struct Usage {
        /// Tokens of the prompt.
        optional prompt_tokens: Option<Count> = "promptTokens",
        /// Tokens of the answer.
        optional completion_tokens: Option<Count> = "completionTokens",
        /// Both.
        optional total_tokens: Option<Count> = "totalTokens",
    }
}

record! {
    /// A piece of a model's text while it is written (CP-8). It is streamed and never stored.
    pub struct ModelResponseDelta {
        /// The messageId of the MODEL_RESPONSE that is being written.
        id message_id: String = "messageId",
        /// Its place: 0, 1, 2 …
        required index: Count = "index",
        /// The piece.
        required text: String = "text",
    }
}
