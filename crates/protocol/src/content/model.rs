//! MODEL_RESPONSE and its deltas.

use super::call::{Call, CallMode, ToolCallRequest};
use crate::node::Fields;
use crate::number::{Count, Seconds};
use crate::record::{record, words};
use crate::report::{Place, Report};
use serde_json::Value;

record! {
    /// The answer of a model (3.2). `text` may be absent only if there are `toolCalls`.
    #[derive(Default)]
    pub struct ModelResponse, check = text_or_calls, transform = schema_of_response {
        /// The text.
        optional text: Option<String> = "text",
        /// The tool calls that the model requests (4.1).
        optional tool_calls: Option<Vec<Call>> = "toolCalls",
        /// The execution mode of the calls (4.6.1); `SYNC` if absent.
        optional execution_mode: Option<CallMode> = "executionMode",
        /// The timeout of all calls together.
        optional timeout: Option<Seconds> = "timeout",
        /// The common timeout of the calls of front-end tools.
        optional frontend_timeout: Option<Seconds> = "frontendTimeout",
        /// The common timeout of the other calls.
        optional backend_timeout: Option<Seconds> = "backendTimeout",
        /// The reason why the model stopped.
        optional finish_reason: Option<FinishReason> = "finishReason",
        /// The tokens used.
        optional usage: Option<Usage> = "usage",
    }
}

impl ModelResponse {
    /// Creates an answer from a text and the reason why it ended.
    #[must_use]
    pub fn new(text: impl Into<String>, finish: FinishReason) -> Self {
        Self { text: Some(text.into()), finish_reason: Some(finish), ..Self::default() }
    }

    /// Returns the request for the tool calls that it wants, if there are any.
    #[must_use]
    pub fn request(&self) -> Option<ToolCallRequest> {
        let calls = self.tool_calls.as_ref().filter(|calls| !calls.is_empty())?;
        Some(ToolCallRequest {
            tool_calls: Some(calls.clone()),
            execution_mode: self.execution_mode,
            timeout: self.timeout.clone(),
            frontend_timeout: self.frontend_timeout.clone(),
            backend_timeout: self.backend_timeout.clone(),
            ..ToolCallRequest::default()
        })
    }

    /// Returns the text; empty if there are only tool calls.
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
    /// The reason why a model stopped.
    pub enum FinishReason {
        /// The answer is complete.
        Stop = "STOP",
        /// It reached the maximum length.
        Length = "LENGTH",
        /// It requests tool calls.
        ToolCalls = "TOOL_CALLS",
        /// It failed; `metadata.error.code` has the code (CP-8).
        Error = "ERROR",
    }
}

record! {
    /// The tokens of an answer.
    #[derive(Default)]
    pub struct Usage {
        /// Tokens of the prompt.
        optional prompt_tokens: Option<Count> = "promptTokens",
        /// Tokens of the answer.
        optional completion_tokens: Option<Count> = "completionTokens",
        /// The sum of both.
        optional total_tokens: Option<Count> = "totalTokens",
    }
}

record! {
    /// A piece of a model's text while it is written (CP-8). It is streamed and never stored.
    pub struct ModelResponseDelta {
        /// The messageId of the MODEL_RESPONSE that is being written.
        id message_id: String = "messageId",
        /// Its index: 0, 1, 2 …
        required index: Count = "index",
        /// The piece.
        required text: String = "text",
    }
}
