//! The workspace tools of Contexture: files, search, environment, HTTP (AS-25).
//!
//! A program imports a tool by its URI and calls its methods; [`Tools`] is the one entry to all of
//! them. A [`Workspace`] confines files to a folder, an origin confines HTTP to a server, and no
//! process is ever started: `sh://find`, `sh://grep` and `sh://sed` run in this process.
//!
//! | URI | methods | value |
//! |---|---|---|
//! | `file://workspace` | `read` | text |
//! | | `list` | list of `{path, name, type, size}` |
//! | | `write`, `patch`, `undo` | `{ok, effects}` |
//! | `sh://find` | `run` | list of `{path, name, type}` |
//! | `sh://grep` | `run` | list of `{path, line, text}` |
//! | `sh://sed`, `sh://read-range` | `run` | text |
//! | `env://process` | `get` | string or none |
//! | `http(s)://origin` | `get head post put patch delete` | `{ok, status, headers, body, json}` |
//!
//! The feature `http` (on by default) adds the HTTP tool; `address` alone adds the rules of
//! addresses for other connections.
//!
//! Decision: each method is one item in a table (name, effect, arguments, description). The checks
//! of a call, what a dry run may do and the JSON Schema that a model is offered come from it.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! use contexture_tools::{Settings, Tools, Workspace};
//! use serde_json::json;
//! use std::sync::Arc;
//!
//! let workspace = Arc::new(Workspace::open(folder.path())?);
//! let tools = Tools::new(workspace, Settings::default());
//! # runtime.block_on(async {
//! let argument = json!({"path": "notes/today.md", "content": "- [ ] TODO: rest\n"});
//! let written = tools.call("file://workspace", "write", argument).await?;
//!
//! let found = tools.call("sh://grep", "run", json!({"pattern": "TODO"})).await?;
//! assert_eq!(
//!     found.value,
//!     json!([{"path": "notes/today.md", "line": 1, "text": "- [ ] TODO: rest"}])
//! );
//!
//! tools.call("file://workspace", "undo", json!(written.effects)).await?;
//! let gone = tools.call("file://workspace", "read", json!({"path": "notes/today.md"})).await;
//! assert_eq!(gone.unwrap_err().code, "file_not_found");
//! # Ok::<(), contexture_tools::ToolError>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "address")]
pub mod address;
mod arguments;
pub mod cause;
#[cfg(feature = "http")]
pub mod client;
mod credentials;
pub mod environment;
mod error;
mod file;
#[cfg(feature = "http")]
mod http;
#[cfg(not(feature = "http"))]
#[path = "http_missing.rs"]
mod http;
mod output;
mod search;
mod settings;
#[cfg(test)]
mod support;
mod tools;
mod uri;
mod workspace;

pub use contexture_core::policy::paths;
pub use contexture_core::signature::Effect;
pub use error::ToolError;
pub use http::Origin;
pub use output::{EffectKind, FileEffect, FileState, ToolOutput};
pub use search::shown_entries;
pub use settings::{Settings, ToolLimits};
pub use tools::Tools;
pub use uri::ToolKind;
pub use workspace::{Entry, EntryKind, FileError, Listing, Workspace, WorkspacePath};
