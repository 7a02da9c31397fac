//! Events of a run in progress: for progress, streaming and warnings.

use crate::packs::consent::Question;
use contexture_context::Label;
use contexture_context::manifest::Site;
use contexture_prompt::{FinishReason, ToolCall, Usage};
use contexture_script::host::HostError;
use serde_json::Value;

/// An event of a run that a person may want to see at once.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// A model is about to be called.
    GenerateStarted {
        /// The trace event of the call.
        event: u64,
        /// Its number in the run, from 1.
        call: u64,
        /// The place in the program.
        site: Site,
        /// The model's URI.
        model: String,
        /// Tokens of the prompt.
        prompt_tokens: u64,
        /// False if they were counted by another tokenizer than the model's own.
        is_exact: bool,
    },
    /// An attempt of a model call begins; more than one means that the answer did not fit.
    AttemptStarted {
        /// The trace event of the call.
        event: u64,
        /// Its number, from 1.
        attempt: u32,
    },
    /// A piece of the answer's text (AS-23).
    TextDelta {
        /// The trace event of the call.
        event: u64,
        /// The piece.
        text: String,
    },
    /// The part of the answer's value that can be read so far (AS-23).
    PartialValue {
        /// The trace event of the call.
        event: u64,
        /// The value.
        value: Value,
    },
    /// A model call has ended.
    GenerateEnded {
        /// The trace event of the call.
        event: u64,
        /// The tokens that it took.
        usage: Usage,
        /// True if it gave a value.
        ok: bool,
        /// The reason why the model stopped, if its provider reports one.
        finish: Option<FinishReason>,
    },
    /// A model requests tool calls before it continues (CP-5).
    ToolsAsked {
        /// The trace event of the model call.
        event: u64,
        /// The text of the model with the request.
        text: String,
        /// The calls, in the order in which they run.
        calls: Vec<Call>,
        /// The tokens that this answer of the model took.
        usage: Usage,
        /// The label of the text: that of all that the model saw (GU-4).
        label: Label,
    },
    /// A model calls tools of whoever wants the answer, which ends the run (WA-8).
    CallerAsked {
        /// The trace event of the model call.
        event: u64,
        /// The text of the model with the calls.
        text: String,
        /// The calls.
        calls: Vec<ToolCall>,
        /// The label of the text: that of all that the model saw (GU-4).
        label: Label,
    },
    /// A tool call that a model requested has ended.
    ToolAnswered {
        /// The trace event of the model call.
        event: u64,
        /// The id of the call.
        call_id: String,
        /// The tool by its own name.
        name: String,
        /// The side that ran it.
        runtime: Runtime,
        /// Its value before it is cut and fenced, or the failure.
        outcome: Result<Value, ToolFailure>,
        /// The time that it took, in milliseconds.
        ms: u64,
    },
    /// A tool or memory was called.
    ToolCalled {
        /// Its name in the program and the method, such as `File.read`.
        name: String,
    },
    /// A model made a plan, which is carried out now (GU-7).
    Planned {
        /// The trace event of the call.
        event: u64,
        /// The place in the program.
        site: Site,
        /// The steps as a picture in text.
        picture: String,
    },
    /// A whole prompt that `debug: true` requests.
    DebugPrompt {
        /// The place in the program.
        site: Site,
        /// Role and text of each message.
        messages: Vec<(String, String)>,
    },
    /// The program says what it does: `progress "reading 3 of 10"` (CA-8).
    Said(String),
    /// A `max` cut a loop or a list short; it is shown on request (AS-11).
    Truncated(String),
    /// Another probable mistake.
    Warning(String),
    /// Useful information, such as which model `default` is.
    Note(String),
}

/// A tool call that a model requests.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Its id, which no other call of any run has.
    pub call_id: String,
    /// The tool by its own name: `weather_api` of a server, the `toolId` of a front-end tool,
    /// `File.read` of a built-in one.
    pub name: String,
    /// Its arguments; the text as the model wrote it, where that is not JSON.
    pub parameters: Value,
    /// The side that runs it.
    pub runtime: Runtime,
}

/// The side that runs a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Runtime {
    /// A client (CP-13).
    Frontend,
    /// This side: this process, or a server that it calls.
    Backend,
}

/// The reason why a tool gave no value.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ToolFailure {
    /// Stable code: of the protocol for a front-end tool, otherwise as a program sees it.
    pub code: String,
    /// The message, in one line.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
    /// Further data.
    pub details: Option<Value>,
}

impl ToolFailure {
    /// Returns a failure with its code and message.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), help: None, details: None }
    }
}

impl From<HostError> for ToolFailure {
    fn from(error: HostError) -> Self {
        let HostError { code, message, help, details, .. } = error;
        Self { code, message, help, details }
    }
}

/// The observer of a run. It is called from the run's thread and must not block for long.
pub trait Observer: Send + Sync {
    /// Handles an event.
    fn notify(&self, progress: Progress);

    /// Asks a person whether a knowledge pack may be read (KN-8). Without a person it may not.
    fn allows(&self, _question: &Question) -> bool {
        false
    }

    /// Reports whether [`Progress::TextDelta`] is wanted; without it a model may answer in one
    /// piece.
    fn wants_text(&self) -> bool {
        false
    }

    /// Reports whether [`Progress::PartialValue`] is wanted.
    fn wants_values(&self) -> bool {
        false
    }
}

/// An observer that ignores all events.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn notify(&self, _progress: Progress) {}
}
