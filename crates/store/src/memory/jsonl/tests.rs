use super::JsonlMemory;
use crate::memory::{Memory, MemoryOutput, call};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

struct Bench {
    folder: TempDir,
    memory: JsonlMemory,
}

impl Bench {
    fn new(content: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.jsonl");
        std::fs::write(&path, content).unwrap();
        Self { memory: JsonlMemory::new(path, crate::stamp::system()).named("notes.jsonl"), folder }
    }

    fn call(&self, method: &str, argument: Value) -> MemoryOutput {
        call(&self.memory, method, argument).unwrap()
    }

    fn content(&self) -> Vec<u8> {
        std::fs::read(self.folder.path().join("notes.jsonl")).unwrap()
    }

    fn notes(&self) -> Vec<String> {
        self.call("query", json!({})).notes
    }
}

#[test]
fn as_26_system_error_is_reported_in_plain_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("n".repeat(300));
    let memory = JsonlMemory::new(path, crate::stamp::system()).named("notes");
    let error = call(&memory, "add", json!({"text": "a"})).unwrap_err();
    assert!(error.to_string().starts_with("the memory notes: "), "{error}");
    assert!(!error.to_string().contains("os error"), "{error}");
}

#[test]
fn as_26_a_corrupt_line_is_reported_and_skipped_and_never_lost() {
    let old = "{\"id\":\"a\",\"text\":\"one\"}\n{\"id\":\"b\",\"te\n[1]\n\u{0}\n{\"id\":\"c\",\"text\":\"three\"}\n";
    let bench = Bench::new(old);
    let found = bench.call("query", json!({}));
    assert_eq!(found.value.as_array().unwrap().len(), 2);
    assert_eq!(
        bench.notes(),
        [
            "notes.jsonl line 2 is skipped: it is not JSON: EOF while parsing a string at column 13",
            "notes.jsonl line 3 is skipped: it is not a JSON object",
            "notes.jsonl line 4 is skipped: it is not JSON: expected value at column 1",
        ]
    );
    bench.call("update", json!({"id": "a", "text": "new"}));
    bench.call("delete", json!({"id": "c"}));
    bench.call("add", json!({"text": "four"}));
    assert!(bench.content().starts_with(old.as_bytes()));
    assert_eq!(bench.call("query", json!({})).value.as_array().unwrap().len(), 2);
    assert_eq!(bench.notes().len(), 3);
}

#[test]
fn as_26_many_corrupt_lines_are_counted() {
    let bench = Bench::new("x\n".repeat(25));
    let notes = bench.notes();
    assert_eq!(notes.len(), 11);
    assert_eq!(notes[10], "15 more lines of notes.jsonl are skipped");
}

#[test]
fn as_26_torn_last_line_does_not_damage_next_line() {
    let bench = Bench::new("{\"id\":\"a\",\"text\":\"one\"}\n{\"id\":\"b\",\"text\":\"tw");
    bench.call("add", json!({"text": "three"}));
    let found = bench.call("query", json!({}));
    let texts: Vec<_> = found.value.as_array().unwrap().iter().map(|r| r["text"].clone()).collect();
    assert_eq!(texts, ["three", "one"]);
    assert_eq!(found.notes.len(), 1);
}

#[test]
fn as_26_lines_that_people_wrote_are_records() {
    let bench = Bench::new(
        "\u{feff}{\"kind\":\"lesson\",\"text\":\"by hand\"}\r\n\r\n{\"id\":7,\"text\":\"numbered\"}",
    );
    let value = bench.call("query", json!({})).value;
    assert_eq!(
        value,
        json!([
            {"id": "7", "text": "numbered", "created_at": null, "updated_at": null},
            {"id": "line-1", "kind": "lesson", "text": "by hand", "created_at": null, "updated_at": null},
        ])
    );
    let updated = bench.call("update", json!({"id": "line-1", "text": "by program"})).value;
    assert_eq!((&updated["text"], &updated["created_at"]), (&json!("by program"), &Value::Null));
    assert_eq!(bench.call("query", json!({"kind": "lesson"})).value, json!([updated]));
    assert_eq!(bench.call("delete", json!({"id": "7"})).value, json!({"ok": true}));
    assert_eq!(bench.call("query", json!({})).value.as_array().unwrap().len(), 1);
}

#[test]
fn as_26_what_others_write_is_seen() {
    let bench = Bench::new("");
    assert_eq!(bench.call("query", json!({})).value, json!([]));
    let other = JsonlMemory::new(bench.folder.path().join("notes.jsonl"), crate::stamp::system());
    call(&other, "add", json!({"text": "x"})).unwrap();
    assert_eq!(bench.call("query", json!({})).value.as_array().unwrap().len(), 1);
    std::fs::write(bench.folder.path().join("notes.jsonl"), "").unwrap();
    assert_eq!(bench.call("query", json!({})).value, json!([]));
}

#[test]
fn as_26_writers_of_two_processes_lose_nothing() {
    let bench = Bench::new("");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = bench.folder.path().join("notes.jsonl");
            scope.spawn(move || {
                let memory = JsonlMemory::new(path, crate::stamp::system());
                for n in 0..25 {
                    let text = format!("{writer} {n} {}", "x".repeat(5000));
                    let record = call(&memory, "add", json!({ "text": text })).unwrap().value;
                    call(&memory, "update", json!({"id": record["id"], "n": n})).unwrap();
                }
            });
        }
    });
    let found = bench.call("query", json!({"limit": 1000}));
    assert_eq!(found.notes, [""; 0]);
    let records = found.value.as_array().unwrap().clone();
    assert_eq!(records.len(), 100);
    assert!(records.iter().all(|record| record["n"].is_u64()));
}

#[test]
fn as_26_folder_in_place_of_file_is_error() {
    let folder = tempfile::tempdir().unwrap();
    let memory = JsonlMemory::new(folder.path().to_owned(), crate::stamp::system());
    assert_eq!(
        memory.add(json!({}).as_object().unwrap().clone()).unwrap_err().code(),
        "memory_foreign"
    );
    assert_eq!(call(&memory, "query", json!({})).unwrap_err().code(), "memory_foreign");
}

#[cfg(unix)]
#[test]
fn as_26_device_in_place_of_file_is_error() {
    let memory = JsonlMemory::new("/dev/zero".into(), crate::stamp::system());
    let error = call(&memory, "query", json!({})).unwrap_err();
    assert_eq!(error.to_string(), "/dev/zero is not a memory: it is a pipe, a socket or a device");
}

proptest! {
    #[test]
    fn as_26_any_bytes_in_jsonl_file_are_read_and_kept(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let bench = Bench::new(&bytes);
        let before = bench.call("query", json!({"text": "x", "limit": 1000})).value;
        bench.call("add", json!({"text": "xylophone"}));
        bench.call("query", json!({"text": "xylophone"}));
        prop_assert!(bench.content().starts_with(&bytes));
        let after = bench.call("query", json!({"text": "x", "limit": 1000})).value;
        prop_assert_eq!(before, after);
    }

    #[test]
    fn as_26_lines_in_any_order_are_read(
        lines in proptest::collection::vec(
            prop_oneof![
                Just("{\"id\":\"a\",\"text\":\"x\"}"), Just("{\"id\":\"a\",\"$deleted\":true}"), Just("{"),
                Just("{\"id\":\"b\"}"), Just("{\"id\":null}"), Just("{\"id\":{}}"), Just("{\"kind\":[1],\"text\":{}}"), Just("\u{feff}"),
            ],
            0..12,
        )
    ) {
        let bench = Bench::new(lines.join("\n"));
        bench.call("query", json!({"text": "x", "kind": "k", "where": {"id": "a"}}));
        bench.call("query", json!({}));
    }
}
