//! The stores: runs with their traces and texts (AS-29), memories of programs (AS-26),
//! contexts (CP-9), and the journal of flows (FL-11).
//!
//! Decision: the ports stand in `contexture_core::store`, with one suite of tests for each; here are
//! the embedded stores that pass it, one in memory for each port, and the rules of contexts over the
//! rows of any database ([`contexts::ledger`]). Everything is plain files in the workspace: JSON lines for runs, so that a trace can be
//! read while it is written and with any tool, files named by digest for texts, JSON lines or
//! SQLite for memories, SQLite for contexts and for the journal of flows; with the feature `postgres`
//! these two stand in a PostgreSQL database as well. Time and chance come
//! through [`stamp`], secrets go out through [`masker`].
//!
//! ```
//! use contexture_store::memory::{self, InMemoryRecords};
//! use contexture_store::stamp::{FixedStamp, Ids};
//! use serde_json::json;
//! use std::sync::Arc;
//!
//! let ids = Ids::new(Arc::new(FixedStamp::new(1_785_542_400_000_000, 0)));
//! let notes = InMemoryRecords::new(ids);
//! memory::call(&notes, "add", json!({"text": "部署前先备份数据库"}))?;
//! let found = memory::call(&notes, "query", json!({"text": "数据库"}))?;
//! assert_eq!(found.value[0]["created_at"], "2026-08-01T00:00:00.000Z");
//! # Ok::<(), memory::MemoryError>(())
//! ```

pub mod contexts;
#[cfg(feature = "sqlite")]
pub mod copy;
mod counts;
pub mod flows;
pub mod home;
pub mod journals;
pub mod marks;
pub mod memory;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod runs;
#[cfg(feature = "sqlite")]
mod sqlite;
pub mod stamp;

pub use contexture_core::masker;
pub use counts::Counts;
