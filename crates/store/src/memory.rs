//! What programs remember between runs (AS-26): records with a kind, a text and any other fields.
//!
//! Decision: one small trait, three backends, one contract suite over all of them: a file of JSON
//! lines that people can read and mend, an SQLite file for more, and memory alone for tests. They
//! give the same records in the same order; text search is BM25 over the same words in all.
//! Whatever comes from a memory has `Trust::Memory`.

mod call;
#[cfg(test)]
mod contract;
mod error;
mod jsonl;
mod record;
mod sqlite;
mod table;
mod uri;
mod volatile;
mod words;

pub use call::{MemoryMethod, MemoryOutput, call, methods};
pub use error::MemoryError;
pub use jsonl::JsonlMemory;
pub use sqlite::SqliteMemory;
pub use uri::MemoryUri;
pub use volatile::VolatileMemory;

use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// The fields of a record.
pub type Fields = Map<String, Value>;

/// How many records a query gives unless it says otherwise.
pub const DEFAULT_LIMIT: usize = 20;

/// How many records a query may ask for.
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

/// What to find.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The exact `kind`.
    pub kind: Option<String>,
    /// Words of which a record must have at least one, in any of its texts.
    pub text: Option<String>,
    /// Fields that must be equal, deeply; `none` is equal to a missing field.
    pub filter: Fields,
    /// How many at most.
    pub limit: usize,
}

impl Default for Query {
    fn default() -> Self {
        Self { kind: None, text: None, filter: Fields::new(), limit: DEFAULT_LIMIT }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// The records, flat.
    pub records: Vec<Value>,
    /// Whether there are more than the limit.
    pub truncated: bool,
    /// What could not be read or searched, one line each.
    pub notes: Vec<String>,
}

/// Refuses whatever is no regular file: opening a pipe may wait for ever. A file that is not there
/// is fine, since it is made when something is added.
fn require_file(path: &Path, name: &str) -> Result<(), MemoryError> {
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            let reason = if metadata.is_dir() {
                "it is a folder"
            } else {
                "it is a pipe, a socket or a device"
            };
            Err(MemoryError::Foreign { path: name.to_owned(), reason })
        }
        _ => Ok(()),
    }
}

/// Opens the memory that a URI names. `path` is where its file is, or is to be: the caller has
/// confined it to the workspace. Errors name the file as the URI does.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// use contexture_store::memory::{self, MemoryUri};
/// use contexture_store::stamp::Ids;
/// use serde_json::json;
///
/// let uri = MemoryUri::parse("sqlite://lessons.db#team")?;
/// let lessons = memory::open(&uri, folder.path().join(uri.path()), Ids::system());
///
/// let lesson = json!({"kind": "lesson", "text": "Seed the database before login tests"});
/// memory::call(&*lessons, "add", lesson)?;
/// let past = memory::call(&*lessons, "query", json!({"text": "a failing login test"}))?;
/// assert_eq!(past.value[0]["text"], "Seed the database before login tests");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn open(uri: &MemoryUri, path: PathBuf, ids: crate::stamp::Ids) -> Box<dyn Memory> {
    match uri {
        MemoryUri::Jsonl { path: name } => Box::new(JsonlMemory::new(path, ids).named(name)),
        MemoryUri::Sqlite { path: name, namespace } => {
            Box::new(SqliteMemory::new(path, namespace, ids).named(name))
        }
    }
}
