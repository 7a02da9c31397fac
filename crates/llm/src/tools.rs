//! Tools that the model itself may call (AS-19 `tools`, PT-12).

use contexture_core::cancel::CancelToken;
use contexture_core::provider::BoxFuture;
use contexture_prompt::ToolCall;

/// Runs the tools that a model calls.
///
/// Its results go to the model as they are: fencing data from outside is the executor's work,
/// since it alone knows where the data is from.
pub trait ToolExecutor: Send + Sync {
    /// Runs one call. A failure is an outcome like any other: the model sees it and may try
    /// something else.
    fn execute<'a>(
        &'a self,
        call: &'a ToolCall,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, ToolOutcome>;

    /// Reports whether a call is left to whoever asks: it is not run, and ends the question.
    fn leaves(&self, call: &ToolCall) -> bool {
        let _ = call;
        false
    }
}

/// The outcome of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolOutcome {
    /// The text for the model.
    pub text: String,
    /// True if the call failed.
    pub failed: bool,
}

impl ToolOutcome {
    /// Creates a result.
    pub fn ok(text: impl Into<String>) -> Self {
        Self { text: text.into(), failed: false }
    }

    /// Creates a failure, in words that help the model to fix its call.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { text: text.into(), failed: true }
    }
}
