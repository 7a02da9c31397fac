//! The contract over all memories.

use super::*;
use crate::stamp::Ids;
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

mod in_memory {
    use super::*;

    contexture_core::memory_contract!(|ids: Ids| -> Arc<dyn Memory> {
        Arc::new(InMemoryRecords::new(ids))
    });
}

mod jsonl {
    contexture_core::memory_contract!(super::jsonl());
}

#[cfg(feature = "sqlite")]
mod sqlite {
    contexture_core::memory_contract!(super::sqlite());
}

/// A folder, and a new path in it for each memory.
fn paths() -> (TempDir, impl Fn(&TempDir, &str) -> PathBuf) {
    let count = AtomicUsize::new(0);
    let path = move |folder: &TempDir, name: &str| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        folder.path().canonicalize().unwrap().join(format!("new-{number}")).join(name)
    };
    (tempfile::tempdir().unwrap(), path)
}

fn jsonl() -> impl Fn(Ids) -> Arc<dyn Memory> {
    let (folder, path) = paths();
    move |ids| Arc::new(JsonlMemory::new(path(&folder, "notes.jsonl"), ids))
}

#[cfg(feature = "sqlite")]
fn sqlite() -> impl Fn(Ids) -> Arc<dyn Memory> {
    let (folder, path) = paths();
    move |ids| Arc::new(SqliteMemory::new(path(&folder, "notes.db"), "notes", ids))
}

fn makes_no_file(memory: &dyn Memory, folder: &TempDir) {
    assert_eq!(call(memory, "query", json!({"text": "x"})).unwrap().value, json!([]));
    assert_eq!(call(memory, "update", json!({"id": "x"})).unwrap_err().code(), "record_not_found");
    call(memory, "delete", json!({"id": "x"})).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn as_26_a_query_makes_no_file() {
    let (folder, path) = paths();
    makes_no_file(&JsonlMemory::new(path(&folder, "notes.jsonl"), crate::stamp::system()), &folder);
    #[cfg(feature = "sqlite")]
    makes_no_file(
        &SqliteMemory::new(path(&folder, "notes.db"), "notes", crate::stamp::system()),
        &folder,
    );
}
