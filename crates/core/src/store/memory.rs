//! The port of memories, which last between runs (AS-26): records with a kind, a text and any other
//! fields.
//!
//! Decision: a [`Memory`] is one set of records, and a [`MemoryStore`] opens the one that a program
//! names by a URI. Whatever comes from a memory has `Trust::Memory`, or less where its label says so. The rules of records stand in
//! [`record`], so that every memory sets the same fields and has the same limits.

mod call;
mod error;
pub mod record;
mod uri;

pub use call::{MemoryMethod, MemoryOutput, call, call_labelled, methods};
pub use error::MemoryError;
pub use uri::MemoryUri;

use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;

/// The fields of a record.
pub type Fields = Map<String, Value>;

/// The most records of a query that sets no limit.
pub const DEFAULT_LIMIT: usize = 20;

/// The highest limit of a query.
pub const MOST_RECORDS: usize = 1_000;

/// The largest record, in bytes of JSON.
pub const RECORD_BYTES: usize = 1 << 20;

/// The deepest nesting of a record's fields. JSON readers commonly stop at 128.
pub const RECORD_DEPTH: usize = 100;

/// The largest file of JSON lines, in bytes.
pub const FILE_BYTES: u64 = 64 << 20;

/// Keeps records. Nothing is opened or made before a call needs it, and a query makes nothing.
pub trait Memory: Send + Sync {
    /// Adds a record and returns it with its `id`, `created_at` and `updated_at`.
    ///
    /// # Errors
    /// [`MemoryError`].
    fn add(&self, fields: Fields) -> Result<Value, MemoryError>;

    /// Finds records: the most relevant first when there is a text, else the newest first.
    ///
    /// # Errors
    /// [`MemoryError`].
    fn query(&self, query: &Query) -> Result<Found, MemoryError>;

    /// Sets fields of a record and returns it.
    ///
    /// # Errors
    /// [`MemoryError::NoRecord`] when there is none with this id.
    fn update(&self, id: &str, fields: Fields) -> Result<Value, MemoryError>;

    /// Removes a record; false when there is none with this id.
    ///
    /// # Errors
    /// [`MemoryError`].
    fn delete(&self, id: &str) -> Result<bool, MemoryError>;
}

/// Opens memories.
pub trait MemoryStore: Send + Sync {
    /// Opens the memory that a URI names. `path` is where its file is, or is to be: the caller has
    /// confined it to the workspace. Errors name the file as the URI does.
    ///
    /// # Errors
    /// [`MemoryError`]; a store may also wait with it until the first call.
    fn open(&self, uri: &MemoryUri, path: &Path) -> Result<Arc<dyn Memory>, MemoryError>;
}

/// A query of records.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The exact `kind`.
    pub kind: Option<String>,
    /// Words of which a record must have at least one, in any of its texts.
    pub text: Option<String>,
    /// Fields that must be equal, deeply; `none` is equal to a missing field.
    pub filter: Fields,
    /// The most records to return.
    pub limit: usize,
}

impl Default for Query {
    fn default() -> Self {
        Self { kind: None, text: None, filter: Fields::new(), limit: DEFAULT_LIMIT }
    }
}

/// The result of a query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// The records, flat.
    pub records: Vec<Value>,
    /// True if there are more than the limit.
    pub truncated: bool,
    /// Remarks on what could not be read or searched, one line each.
    pub notes: Vec<String>,
}
