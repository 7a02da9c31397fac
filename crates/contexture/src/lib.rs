//! The context runtime for AI agents.
//!
//! A program declares what a model may see; Contexture gathers it, fits it into a token budget,
//! fences what is only data, asks the model, checks the answer, and keeps a record from which
//! anyone can see, item by item, what the model saw and why.
//!
//! Decision: this crate puts the parts together and holds none of their logic. The parts can be
//! used alone: [`prompt`] for templates and messages, [`llm`] for models, [`answer`] for shapes,
//! [`context`] for budgets, [`script`] for the language, [`flow`] for conditions and graphs.
//! [`Runtime`] runs programs and turns of conversations, [`flows`] sets of instructions or tool
//! calls.
//!
//! # Features
//!
//! | Feature | Adds | On by default |
//! |---|---|---|
//! | `flow` | sets of instructions and tool calls, with their actions | yes |
//! | `http` | models over HTTP (OpenAI and compatible servers, Anthropic, Ollama), and the HTTP tool | yes |
//! | `knowledge` | answers of knowledge packs to a task: search, archives, registries | no |
//! | `mcp` | connections to MCP servers | yes |
//! | `references-net` | references over http and https | yes |
//! | `store-sqlite` | contexts, the journal of flows and memories in SQLite files | yes |
//! | `template-folders` | `PromptTemplateRegistry::register_dir`, with globs | yes |
//! | `references-ftp` | references over ftp | no |
//! | `references-ssh` | references over sftp and ssh | no |
//! | `contract` | the contract suites of the ports, for tests of implementations | no |
//!
//! The use of a feature that is left out fails with an error that names it; see
//! [`diagnostic::MissingFeature`].
//!
//! # Example
//!
//! ```
//! use contexture::Runtime;
//! use serde_json::json;
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! std::fs::write(folder.join("port.as"), r#"
//!     main func(input) {
//!       use input.notes as notes
//!       generate({ input: input.question }) -> { answer string }
//!     }
//! "#)?;
//!
//! # let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # tokio.block_on(async {
//! let runtime = Runtime::open(folder)?;
//! let run = runtime.run("port.as").input(json!({
//!     "notes": "The server listens on port 7878. It was built in spring.",
//!     "question": "Which port does the server listen on?",
//! }));
//! assert_eq!(run.await?.value["answer"], "The server listens on port 7878.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "flow")]
pub use contexture_actions as actions;
pub use contexture_answer as answer;
pub use contexture_context as context;
pub use contexture_core as ports;
pub use contexture_core::{Provider, Tool, provider, tool};
pub use contexture_diagnostic as diagnostic;
#[cfg(feature = "flow")]
pub use contexture_flow as flow;
pub use contexture_knowledge as knowledge;
pub use contexture_llm as llm;
pub use contexture_mcp as mcp;
pub use contexture_prompt as prompt;
pub use contexture_protocol as protocol;
pub use contexture_reference as reference;
pub use contexture_script as script;
pub use contexture_store as store;
pub use contexture_tools as tools;

/// The contract suites of the ports, for tests of implementations.
#[cfg(feature = "contract")]
pub use contexture_core::contract;

// Crates whose types are part of this API: a program that uses these has the same versions.
pub use {schemars, serde, serde_json, tokio};

pub mod config;
pub mod contexts;
pub mod database;
pub mod diff;
mod driver;
pub mod durable;
pub mod editor;
#[cfg(feature = "knowledge")]
mod embedding;
mod environment;
#[cfg(feature = "flow")]
pub mod eval;
pub mod extensions;
#[cfg(feature = "flow")]
pub mod flows;
pub mod format;
pub mod frontend;
mod future;
pub mod host;
pub mod inspect;
pub mod loader;
pub mod models;
pub mod observe;
mod optimizer;
pub mod packs;
pub mod permission;
pub mod pins;
pub mod policy;
pub mod profiles;
mod project;
pub mod reading;
pub mod recorder;
pub mod references;
#[cfg(feature = "knowledge")]
mod reranking;
pub mod run;
pub mod runtime;
mod secrets;
pub mod servers;
pub mod session;
mod sinks;
mod stores;
pub mod templates;
pub mod turn;
#[cfg(feature = "knowledge")]
mod waiting;
mod written;

pub use config::{Config, ConfigError};
pub use environment::{DotEnv, Environment};
pub use extensions::{ExtensionError, Extensions};
pub use project::{Project, runs};
pub use run::{Run, RunError};
pub use runtime::{BuildError, Runtime, RuntimeBuilder};
pub use stores::Stores;

/// The tutorials, whose Rust blocks are run as tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../docs/prompts.md")]
    struct Prompts;
    #[doc = include_str!("../../../docs/rust.md")]
    struct Rust;
    #[doc = include_str!("../../../docs/cookbook/rust.md")]
    struct Cookbook;
}
