//! Contexts: the messages, the state and the change log of conversations (CP-9 to CP-12), and the
//! keys by which a message has effect once (CP-7).
//!
//! Decisions: one port with two stores, and all rules stand once, over the few things that a store
//! keeps (its ledger); SQLite has one writer thread that puts everything waiting into one
//! transaction, each update in a savepoint of its own, and answers after the commit. Messages and
//! answers are kept as the JSON texts they came as; a message stands in one place, the change log
//! points to it. An id is its owner's alone: others do not find the context, and may make their own
//! of that id; only a message does not make one where another owner has the id (CP-9). A messageId
//! stands in a context once, so every message that is added has a key (CP-7).
//!
//! ```
//! use contexture_store::contexts::{
//!     ContextStore as _, Key, NewMessage, Operation, Options, Update, InMemoryContexts,
//! };
//! use serde_json::json;
//!
//! let contexts = InMemoryContexts::new(Options::default());
//! let message = NewMessage::new(&json!({
//!     "messageId": "msg_001", "type": "USER_INPUT", "content": {"text": "你好"}
//! }))?;
//! let added = contexts.apply(Update::new("ann", "ctx_1", vec![Operation::AddMessage(message)]))?;
//! assert_eq!((added.version, added.created), (1, true));
//!
//! let page = contexts.messages(Key { owner: "ann", context: "ctx_1" }, 0, 10)?;
//! assert_eq!(page.messages[0].to_value("ctx_1")["metadata"], json!({"seq": 1}));
//! assert!(contexts.messages(Key { owner: "bob", context: "ctx_1" }, 0, 10).is_err());
//! # Ok::<(), contexture_store::contexts::ContextError>(())
//! ```

mod aead;
mod apply;
mod conflict;
mod copy;
mod engine;
mod in_memory;
pub mod ledger;
mod limit;
mod lines;
mod metadata;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
mod read;
mod search;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
#[cfg(test)]
#[cfg(feature = "sqlite")]
mod tests;
mod vault;

pub use aead::AeadSealer;
pub use contexture_core::store::contexts::*;
pub use engine::Options;
pub use in_memory::InMemoryContexts;
#[cfg(feature = "postgres")]
pub use postgres::PostgresContexts;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteContexts;
#[cfg(feature = "sqlite")]
pub(crate) use sqlite::verify::mark_anew;
#[cfg(feature = "postgres")]
pub(crate) use sqlite::{copied::vouch, schema::TABLES};
#[cfg(feature = "sqlite")]
pub use sqlite::{
    salvage::{Salvaged, salvage},
    verify::{Damage, Finding, Report, accept_loss, acknowledged, verify},
};
pub use store::Contexts;
