//! Client of MCP servers: their tools, checked and pinned (AS-25).
//!
//! A server's tools are described by the server. The descriptions go to a model as instructions, so
//! they are accepted by a person, kept in `contexture.lock`, and compared by digest each time a
//! program talks to the server: changed tools are refused until they are accepted again.
//!
//! The feature `client` (on by default) connects to servers; without it definitions are still read,
//! pinned and compared.
//!
//! Decision: arguments are checked against the pinned schema one level deep, as programs write them
//! (which fields there are, which must be given, the type of each). What lies deeper the server
//! checks, which knows its schema better than anybody: the `jsonschema` crate would do it here, for
//! many packages more in the tree. Its answer is checked against the schema that it promised, in
//! the keywords for the form of a value.
//!
//! Decision: child processes are started here and nowhere else, without a shell, in a process group
//! of their own, with the variables that the settings name and no others.
//!
//! ```
//! use contexture_mcp::{Classes, Definition, Limits, Lock, ServerSpec, Servers};
//! use contexture_mcp::in_memory::{InMemoryConnector, InMemoryServer};
//! use serde_json::json;
//! use std::sync::Arc;
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
//! let shout = Definition::new("shout", schema);
//! let server = InMemoryServer::new([shout.clone()]).answering("shout", |arguments| {
//!     arguments["text"].as_str().unwrap_or_default().to_uppercase().into()
//! });
//! let connector = Arc::new(InMemoryConnector::new().with("words", server));
//!
//! let mut lock = Lock::default();
//! lock.accept("words", vec![shout], &Classes::new());
//! let servers = Servers::new([ServerSpec::in_memory("words")], Ok(lock), connector, Limits::default());
//!
//! let answer = servers.call("words", "shout", json!({"text": "hey"})).await?;
//! assert_eq!(answer, json!("HEY"));
//! let fault = servers.call("words", "shout", json!({"txt": "hey"})).await.unwrap_err();
//! assert_eq!(fault.code(), "bad_argument");
//! # Ok::<(), contexture_mcp::McpError>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod answer;
pub mod codes;
pub mod command;
pub mod compare;
#[cfg(feature = "client")]
mod connect;
#[cfg(not(feature = "client"))]
#[path = "connect_missing.rs"]
mod connect;
#[cfg(test)]
mod contract;
mod definition;
#[cfg(feature = "client")]
mod descendants;
mod error;
#[cfg(feature = "client")]
mod http;
pub mod in_memory;
mod lock;
pub mod port;
#[cfg(feature = "client")]
mod process;
mod schema;
mod servers;
mod spec;
#[cfg(feature = "client")]
pub mod wire;

pub use connect::{Connect, ConnectSettings};
pub use contexture_core::Secret;
pub use definition::{Definition, DefinitionError, Offer};
pub use error::McpError;
pub use lock::{Classes, LOCK_FILE, Lock, LockError, Measured, Pins};
pub use servers::{Limits, Servers};
pub use spec::{ServerSpec, Transport};
