use super::SqliteMemory;
use crate::memory::{Memory, call};
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn bench() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("m.db");
    (folder, path)
}

fn memory(path: &Path, namespace: &str) -> SqliteMemory {
    SqliteMemory::new(path.to_owned(), namespace, crate::stamp::system())
}

fn texts(memory: &dyn Memory, argument: Value) -> Vec<String> {
    let records = call(memory, "query", argument).unwrap().value;
    let text = |record: &Value| record["text"].as_str().unwrap().to_owned();
    records.as_array().unwrap().iter().map(text).collect()
}

fn code(memory: &dyn Memory, method: &str) -> &'static str {
    call(memory, method, json!({})).unwrap_err().code()
}

#[test]
fn as_26_namespaces_of_one_file_do_not_see_each_other() {
    let (_folder, path) = bench();
    let (one, two) = (memory(&path, "one"), memory(&path, "二"));
    let record = call(&one, "add", json!({"text": "shared word one"})).unwrap().value;
    call(&two, "add", json!({"text": "shared word two"})).unwrap();
    assert_eq!(texts(&one, json!({})), ["shared word one"]);
    assert_eq!(texts(&two, json!({"text": "shared"})), ["shared word two"]);
    assert_eq!(texts(&memory(&path, "three"), json!({"text": "shared"})), [""; 0]);
    let id = json!({"id": record["id"]});
    assert_eq!(call(&two, "delete", id.clone()).unwrap().value, json!({"ok": false}));
    assert_eq!(call(&two, "update", id).unwrap_err().code(), "record_not_found");
}

#[test]
fn as_26_records_persist_after_file_is_reopened() {
    let (_folder, path) = bench();
    for n in 0..3 {
        call(&memory(&path, "a"), "add", json!({"text": format!("note {n}")})).unwrap();
    }
    assert_eq!(texts(&memory(&path, "a"), json!({"text": "note"})), ["note 2", "note 1", "note 0"]);
    let files: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(files.len(), 1);
}

#[test]
fn as_26_file_of_newer_version_is_refused() {
    let (_folder, path) = bench();
    call(&memory(&path, "a"), "add", json!({"text": "x"})).unwrap();
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert_eq!(code(&memory(&path, "a"), "query"), "memory_newer");
    assert_eq!(code(&memory(&path, "a"), "add"), "memory_newer");
}

#[test]
fn as_26_files_of_others_are_refused_and_left_as_they_are() {
    let (_folder, path) = bench();
    Connection::open(&path).unwrap().execute_batch("create table t (a)").unwrap();
    let foreign = std::fs::read(&path).unwrap();
    for content in
        [foreign, b"this is no database, but a text of some length".repeat(50), b"short".to_vec()]
    {
        std::fs::write(&path, &content).unwrap();
        assert_eq!(code(&memory(&path, "a"), "query"), "memory_foreign");
        assert_eq!(code(&memory(&path, "a"), "add"), "memory_foreign");
        assert_eq!(std::fs::read(&path).unwrap(), content);
    }
}

#[test]
fn as_26_empty_file_becomes_memory_on_first_add() {
    let (_folder, path) = bench();
    std::fs::write(&path, "").unwrap();
    assert_eq!(texts(&memory(&path, "a"), json!({})), [""; 0]);
    assert_eq!(std::fs::read(&path).unwrap(), b"");
    call(&memory(&path, "a"), "add", json!({"text": "x"})).unwrap();
    assert_eq!(texts(&memory(&path, "a"), json!({})), ["x"]);
}

#[test]
fn as_26_a_record_that_is_not_json_is_reported_and_skipped() {
    let (_folder, path) = bench();
    for n in 0..2 {
        call(&memory(&path, "a"), "add", json!({"text": format!("note {n}")})).unwrap();
    }
    let connection = Connection::open(&path).unwrap();
    connection.execute("update records set data = '{' where place = 1", []).unwrap();
    drop(connection);
    let found = call(&memory(&path, "a"), "query", json!({"text": "note"})).unwrap();
    assert_eq!(found.value.as_array().unwrap().len(), 1);
    assert_eq!(found.notes, ["1 records are not JSON and are skipped"]);
}

#[test]
fn as_26_damaged_file_is_error() {
    let (_folder, path) = bench();
    call(&memory(&path, "a"), "add", json!({"text": "x"})).unwrap();
    Connection::open(&path)
        .unwrap()
        .execute_batch("drop table search; drop table records")
        .unwrap();
    assert!(["memory_damaged", "memory_failed"].contains(&code(&memory(&path, "a"), "query")));
}

#[test]
fn as_26_concurrent_processes_lose_no_records() {
    let (_folder, path) = bench();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = path.clone();
            scope.spawn(move || {
                // Each makes the file if it is the first.
                let memory = memory(&path, "a");
                for n in 0..25 {
                    call(&memory, "add", json!({"text": format!("{writer} {n}")})).unwrap();
                }
            });
        }
    });
    assert_eq!(texts(&memory(&path, "a"), json!({"limit": 1000})).len(), 100);
}

/// A file of every version is opened for ever; a new version adds its own beside these.
#[test]
fn as_26_files_of_every_version_are_opened() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let current = fixtures.join("memory-v1.db");
    if !current.exists() {
        std::fs::create_dir_all(&fixtures).unwrap();
        let memory = memory(&fixtures.canonicalize().unwrap().join("memory-v1.db"), "lessons");
        call(
            &memory,
            "add",
            json!({"kind": "lesson", "text": "备份数据库 before a deploy", "n": 1}),
        )
        .unwrap();
    }
    for fixture in std::fs::read_dir(&fixtures).unwrap() {
        let fixture = fixture.unwrap().path();
        let (_folder, path) = bench();
        std::fs::copy(&fixture, &path).unwrap();
        let memory = memory(&path, "lessons");
        let question = json!({"text": "数据库 deploys", "kind": "lesson"});
        let found = call(&memory, "query", question).unwrap();
        assert_eq!(found.value[0]["n"], 1, "{}", fixture.display());
        call(&memory, "add", json!({"text": "new"})).unwrap();
        assert_eq!(texts(&memory, json!({})).len(), 2, "{}", fixture.display());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn as_26_any_bytes_in_database_file_are_error_or_memory(
        place in 0..40_000usize, bytes in proptest::collection::vec(any::<u8>(), 1..200), whole in any::<bool>(),
    ) {
        let (_folder, path) = bench();
        call(&memory(&path, "a"), "add", json!({"text": "x"})).unwrap();
        let mut content = std::fs::read(&path).unwrap();
        if whole {
            content.clone_from(&bytes);
        } else {
            for (offset, byte) in bytes.iter().enumerate() {
                if let Some(slot) = content.get_mut(place + offset) {
                    *slot = *byte;
                }
            }
        }
        std::fs::write(&path, content).unwrap();
        let _ = call(&memory(&path, "a"), "query", json!({"text": "x"}));
        let _ = call(&memory(&path, "a"), "query", json!({}));
        let _ = call(&memory(&path, "a"), "add", json!({"text": "y"}));
    }
}
