//! Failures of actions, and work that would block.

use contexture_flow::action::ActionFailure;
use contexture_protocol::ErrorCode;
use contexture_tools::{FileError, ToolError};
use serde_json::json;
use std::panic::resume_unwind;
use tokio::task::AbortHandle;

/// Returns the failure of an invalid parameter.
pub(crate) fn invalid(message: impl Into<String>) -> ActionFailure {
    ActionFailure::new(ErrorCode::ValidationFailed.as_str(), message)
}

/// Returns the failure of a path or a file.
pub(crate) fn of_file(error: FileError) -> ActionFailure {
    of_tool(error.into())
}

/// Returns the failure of a tool, with its code in the protocol's way of writing and its help.
pub(crate) fn of_tool(error: ToolError) -> ActionFailure {
    let code = match error.code {
        "bad_argument" => ErrorCode::ValidationFailed.as_str().to_owned(),
        code => code.to_ascii_uppercase(),
    };
    let message = match &error.help {
        Some(help) => format!("{}: {help}", error.message),
        None => error.message,
    };
    let details = error.help.map(|help| json!({ "help": help }));
    ActionFailure { details, ..ActionFailure::new(code, message) }
}

/// Runs work that blocks, on a thread for such work.
pub(crate) async fn blocking<F, T>(work: F) -> Result<T, ActionFailure>
where
    F: FnOnce() -> Result<T, ActionFailure> + Send + 'static,
    T: Send + 'static,
{
    let task = tokio::task::spawn_blocking(work);
    let _abort = Abort(task.abort_handle());
    match task.await {
        Ok(result) => result,
        // The engine reports a panic of an action; it is passed on to it.
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => {
                let message = "the program ended before the action did";
                Err(ActionFailure::new(ErrorCode::Cancelled.as_str(), message))
            }
        },
    }
}

/// Aborts work that has not begun when nobody waits any more: what was reported as late must not
/// take effect afterwards.
struct Abort(AbortHandle);

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}
