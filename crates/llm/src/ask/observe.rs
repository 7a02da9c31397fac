//! The events while a question is being asked (AS-23, AS-29).

use super::report::Attempt;
use crate::tools::ToolOutcome;
use contexture_context::Digest;
use contexture_core::error::LlmError;
use contexture_core::provider::ChatCall;
use contexture_prompt::{ToolCall, Usage};
use serde_json::Value;
use std::time::Duration;

/// Something that happens while a question is asked.
#[derive(Debug)]
#[non_exhaustive]
pub enum AskEvent<'a> {
    /// A request is sent: the first of an attempt, or the next one after tool calls.
    Request {
        /// The attempt, from 1.
        attempt: u32,
        /// Rounds of tool calls before it in this attempt.
        round: u32,
        /// The request's digest, by which it is recorded.
        digest: &'a Digest,
        /// All that is sent.
        call: &'a ChatCall,
    },
    /// Text of the answer came; only for an observer that wants text.
    Text {
        /// The new text.
        delta: &'a str,
    },
    /// The answer so far has this value; only for an observer that wants values.
    Value {
        /// The value, not yet checked.
        value: &'a Value,
    },
    /// The provider failed and is tried again; that uses no attempt.
    Retrying {
        /// The failure.
        error: &'a LlmError,
        /// The wait.
        wait: Duration,
    },
    /// The model asks for tools, which run now, one after the other.
    ToolsAsked {
        /// The text beside the calls.
        text: &'a str,
        /// The calls.
        calls: &'a [ToolCall],
        /// The usage of this answer.
        usage: Usage,
    },
    /// The model calls a tool.
    ToolCalled {
        /// The call.
        call: &'a ToolCall,
    },
    /// A tool has run.
    ToolReturned {
        /// The call.
        call: &'a ToolCall,
        /// The outcome for the model.
        outcome: &'a ToolOutcome,
    },
    /// An attempt is over.
    AttemptEnded {
        /// All that is known of it.
        attempt: &'a Attempt,
    },
}

/// Observes a run. All methods have defaults; `()` is an observer that ignores everything.
pub trait AskObserver: Send {
    /// Takes an event.
    fn event(&mut self, event: AskEvent<'_>) {
        let _ = event;
    }

    /// Reports whether text is wanted as it comes; else the provider may answer in one piece.
    fn wants_text(&self) -> bool {
        false
    }

    /// Reports whether partial values are wanted.
    fn wants_values(&self) -> bool {
        false
    }
}

impl AskObserver for () {}
