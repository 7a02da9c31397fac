//! The events of a turn.

use crate::observe::{Call, Progress, Runtime, ToolFailure};
use contexture_context::Label;
use contexture_prompt::Usage;
use serde_json::Value;

/// An event of a turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TurnEvent {
    /// The run begins; always the first event, unless nothing could begin.
    Started {
        /// The id under which it is kept, if it is.
        run: Option<String>,
    },
    /// A piece of the answer, or of a model's text before its tool calls: it belongs to the message
    /// that the next [`TurnEvent::ToolCalls`] or the end of the turn completes.
    Delta {
        /// The piece.
        text: String,
    },
    /// A model requests tool calls: a `MODEL_RESPONSE` with `TOOL_CALLS`.
    ToolCalls {
        /// The URI of the model.
        model: String,
        /// The text with the request; empty when it is not a part of the conversation.
        text: String,
        /// The calls, in the order in which they run.
        calls: Vec<Call>,
        /// The tokens that this answer took.
        usage: Usage,
        /// The label of the text (GU-4).
        label: Label,
    },
    /// One of these calls has ended.
    ToolResult {
        /// The call.
        call_id: String,
        /// The name of the tool.
        name: String,
        /// The side that ran it.
        runtime: Runtime,
        /// The outcome: the value itself, before it is cut and fenced for the model, or the
        /// failure.
        outcome: Result<Value, ToolFailure>,
        /// The time that it took, in milliseconds.
        execution_ms: u64,
    },
    /// An event of the run; never text of an answer.
    Progress(Progress),
    /// A probable mistake.
    Warning(String),
}

/// The way a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Finish {
    /// With its answer.
    #[default]
    Stop,
    /// With an answer that the model broke off at its limit.
    Length,
    /// With calls of the caller's tools.
    ToolCalls,
    /// Without an answer.
    Error,
}

impl Finish {
    /// Returns the word of the protocol.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "STOP",
            Self::Length => "LENGTH",
            Self::ToolCalls => "TOOL_CALLS",
            Self::Error => "ERROR",
        }
    }
}
