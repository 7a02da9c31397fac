//! The events of a turn.

use crate::observe::{Call, Progress, Runtime, ToolFailure};
use contexture_prompt::Usage;
use serde_json::Value;

/// Something that happened in a turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TurnEvent {
    /// The run begins; always the first event, unless nothing could begin.
    Started {
        /// The id under which it is kept, if it is.
        run: Option<String>,
    },
    /// A piece of the answer, or of what a model says before it calls tools: it belongs to the
    /// message that the next [`TurnEvent::ToolCalls`] or the end of the turn completes.
    Delta {
        /// The piece.
        text: String,
    },
    /// A model asks for tools: a `MODEL_RESPONSE` with `TOOL_CALLS`.
    ToolCalls {
        /// The URI of the model.
        model: String,
        /// What it says with it; empty when that is no part of the conversation.
        text: String,
        /// The calls, in the order in which they run.
        calls: Vec<Call>,
        /// What this answer took.
        usage: Usage,
    },
    /// One of these calls has ended.
    ToolResult {
        /// The call.
        call_id: String,
        /// The name of the tool.
        name: String,
        /// Who ran it.
        runtime: Runtime,
        /// What came of it: the value itself, before it is cut and fenced for the model.
        outcome: Result<Value, ToolFailure>,
        /// How long it took, in milliseconds.
        execution_ms: u64,
    },
    /// What any run tells; never text of an answer.
    Progress(Progress),
    /// Something that is probably not meant.
    Warning(String),
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Finish {
    /// With its answer.
    #[default]
    Stop,
    /// With an answer that the model had to break off.
    Length,
    /// Without an answer.
    Error,
}

impl Finish {
    /// The word of the protocol.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "STOP",
            Self::Length => "LENGTH",
            Self::Error => "ERROR",
        }
    }
}
