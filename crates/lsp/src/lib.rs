//! The language server of AgentScript (TY-10): what an editor shows of a program while it is written.
//!
//! - [`serve`] answers a client over a connection, [`stdio`] over stdin and stdout.
//! - [`Workspace`] is the port to the files of a project; [`MemoryWorkspace`] holds them in memory.
//!
//! Decision: the server is synchronous. A request is answered from the program as it is at that
//! moment, in the order of the messages, and no answer can be about an older text. What waits is read
//! before the next message is worked on, so that a request that was cancelled costs nothing, and
//! faults are told when nothing waits: a person who types fast gets those of the last text.
//!
//! Decision: it asks no network, starts nothing and writes no file. What it suggests the editor does.

mod documents;
mod features;
mod protocol;
mod queue;
mod server;
mod state;
mod unsaved;
mod workspace;

#[cfg(test)]
mod tests;

pub use lsp_server::Connection;
pub use server::{ServerError, serve, stdio};
pub use workspace::{Counted, MemoryWorkspace, Opener, RecordedUse, Workspace};
