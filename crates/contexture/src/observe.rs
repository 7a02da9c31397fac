//! What a run tells while it goes on: for progress, streaming and warnings.

use crate::packs::Question;
use contexture_context::manifest::Site;
use contexture_prompt::Usage;
use serde_json::Value;

/// Something that happened in a run and that a person may want to see at once.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// A model is about to be asked.
    GenerateStarted {
        /// The trace event of the call.
        event: u64,
        /// The place in the program.
        site: Site,
        /// The model's URI.
        model: String,
        /// Tokens of the prompt.
        prompt_tokens: u64,
    },
    /// An attempt of a model call begins; more than one means that the answer did not fit.
    AttemptStarted {
        /// The trace event of the call.
        event: u64,
        /// From 1.
        attempt: u32,
    },
    /// A piece of the answer's text (AS-23).
    TextDelta {
        /// The trace event of the call.
        event: u64,
        /// The piece.
        text: String,
    },
    /// What of the answer's value can be read so far (AS-23).
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
        /// What it took.
        usage: Usage,
        /// Whether it gave a value.
        ok: bool,
    },
    /// A tool or memory was called.
    ToolCalled {
        /// Its name in the program and the method, such as `File.read`.
        name: String,
    },
    /// A whole prompt that `debug: true` asks to see.
    DebugPrompt {
        /// The place in the program.
        site: Site,
        /// Role and text of each message.
        messages: Vec<(String, String)>,
    },
    /// A `max` cut a loop or a list short; people hear of it when they ask for more (AS-11).
    Truncated(String),
    /// Something else that is probably not meant.
    Warning(String),
    /// Something worth knowing, such as which model `default` is.
    Note(String),
}

/// Is told what happens in a run. Called from the run's thread; it must not block for long.
pub trait Observer: Send + Sync {
    /// Something happened.
    fn notify(&self, progress: Progress);

    /// Asks a person whether a knowledge pack may be read (KN-8). Without a person it may not.
    fn allows(&self, _question: &Question) -> bool {
        false
    }

    /// Whether [`Progress::TextDelta`] is wanted; without it a model may answer in one piece.
    fn wants_text(&self) -> bool {
        false
    }

    /// Whether [`Progress::PartialValue`] is wanted.
    fn wants_values(&self) -> bool {
        false
    }
}

/// Lets everything pass.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn notify(&self, _progress: Progress) {}
}
