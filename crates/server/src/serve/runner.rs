//! What runs tool calls and instruction sets that are sent to the server.

use super::app::App;
use super::caller::Caller;
use super::exchange::Reply;
use contexture_protocol::Message;
use std::sync::Arc;

/// Runs TOOL_CALL_REQUEST and INSTRUCTION messages.
pub(crate) trait Runner: Send + Sync {
    /// Takes a request; what comes of it goes out through `reply`.
    fn run(&self, app: &Arc<App>, caller: &Caller, message: Message, reply: Reply);
}
