//! Memories of programs between runs (AS-26): records with a kind, a text and any other fields.
//!
//! Decision: one small trait, three backends, one contract suite over all of them: a file of JSON
//! lines that people can read and fix, an SQLite file for more, and memory alone for tests. They
//! give the same records in the same order; text search is BM25 over the same words in all.
//! Whatever comes from a memory has `Trust::Memory`.

mod in_memory;
mod jsonl;
#[cfg(feature = "sqlite")]
mod sqlite;
mod table;
#[cfg(test)]
mod tests;
mod words;

pub use contexture_core::store::memory::*;
pub use in_memory::InMemoryRecords;
pub use jsonl::JsonlMemory;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteMemory;

use crate::stamp;
use std::path::Path;
use std::sync::Arc;

/// Refuses anything but a regular file: opening a pipe may wait for ever. A missing file
/// is fine, as it is created when something is added.
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

/// Opens memories in files: JSON lines, or SQLite.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// use contexture_store::memory::{self, FileMemories, MemoryStore as _, MemoryUri};
/// use serde_json::json;
///
/// let uri = MemoryUri::parse("file://lessons.jsonl")?;
/// let lessons = FileMemories::default().open(&uri, &folder.path().join(uri.path()))?;
///
/// let lesson = json!({"kind": "lesson", "text": "Seed the database before login tests"});
/// memory::call(&*lessons, "add", lesson)?;
/// let past = memory::call(&*lessons, "query", json!({"text": "a failing login test"}))?;
/// assert_eq!(past.value[0]["text"], "Seed the database before login tests");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct FileMemories;

impl MemoryStore for FileMemories {
    fn open(&self, uri: &MemoryUri, path: &Path) -> Result<Arc<dyn Memory>, MemoryError> {
        let path = path.to_owned();
        match uri {
            MemoryUri::Jsonl { path: name } => {
                Ok(Arc::new(JsonlMemory::new(path, stamp::system()).named(name)))
            }
            #[cfg(feature = "sqlite")]
            MemoryUri::Sqlite { path: name, namespace } => {
                Ok(Arc::new(SqliteMemory::new(path, namespace, stamp::system()).named(name)))
            }
            #[cfg(not(feature = "sqlite"))]
            MemoryUri::Sqlite { .. } => Err(MemoryError::without_sqlite()),
            other => Err(MemoryError::Uri {
                uri: other.path().to_owned(),
                reason: "this program was built without this kind of memory",
            }),
        }
    }
}
