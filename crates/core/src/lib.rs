//! The vocabulary and the ports of Contexture: all that an extension needs (HO-2, HO-3).
//!
//! Items, budgets, trust, answers' shapes and messages are re-exported from the pure crates that
//! define them; the ports are small object-safe traits.
//!
//! Decision: this crate does no I/O and has no heavy dependency, so that a provider, a tool or a
//! store can be written against it without building the rest of Contexture.

pub use contexture_answer as answer;
pub use contexture_context as context;
pub use contexture_diagnostic::MissingFeature;
pub use contexture_prompt as prompt;
pub use contexture_protocol as protocol;

pub mod action;
pub mod cancel;
#[cfg(feature = "contract")]
pub mod contract;
pub mod embedder;
pub mod error;
pub mod masker;
pub mod model_uri;
pub mod panics;
pub mod policy;
pub mod profile;
pub mod provider;
pub mod reference;
mod replay_miss;
pub mod reranker;
mod secret;
pub mod signature;
pub mod stamp;
pub mod store;
pub mod tool;

pub use cancel::CancelToken;
pub use embedder::{EmbedError, Embedder};
pub use error::LlmError;
pub use model_uri::{ModelUri, UriError};
pub use provider::{BoxFuture, ChatCall, Provider, Reply, SchemaHint, TextSink, Think};
pub use replay_miss::{Difference, ReplayMiss};
pub use reranker::{RerankError, Reranker};
pub use secret::Secret;
pub use tool::Tool;
