//! Tests of files: group commits, other processes, full disks, damage (CP-12).

use super::*;
use crate::contexts::{
    Answer, ContextStore, Key, KeyName, Limits, MessageKey, NewMessage, Operation, Repeated, Update,
};
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use tempfile::TempDir;

const ANN: Key<'static> = Key { owner: "ann", context: "ctx_1" };

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contexts.db");
    (folder, path)
}

fn open(path: &Path) -> SqliteContexts {
    SqliteContexts::open(path, Options::default()).unwrap()
}

fn message(id: &str, text: &str) -> Operation {
    let message = json!({"messageId": id, "type": "USER_INPUT", "content": {"text": text}});
    Operation::AddMessage(NewMessage::new(&message).unwrap())
}

fn add(context: &str, id: &str) -> Update {
    Update::new("ann", context, vec![message(id, "text")])
}

fn versions(store: &dyn ContextStore, key: Key<'_>) -> Vec<u64> {
    let (mut since, mut versions) = (0, Vec::new());
    loop {
        let page = store.changes(key, since, 1_000).unwrap();
        versions.extend(page.changes.iter().map(|change| change.version));
        let Some(next) = page.next else { return versions };
        since = next;
    }
}

#[test]
fn cp_12_contexts_survive_their_store() {
    let (folder, _) = place();
    let path = folder.path().join("deep/er/contexts.db");
    open(&path).apply(add("ctx_1", "m1")).unwrap();
    let store = open(&path);
    assert_eq!(store.head(ANN).unwrap().version, 1);
    assert_eq!(store.apply(add("ctx_1", "m2")).unwrap().version, 2);
}

#[test]
fn cp_12_refused_update_does_not_undo_others_in_batch() {
    let (_folder, path) = place();
    let store = open(&path);
    store.apply(Update::new("ann", "ctx_1", vec![set("t", json!("text"))])).unwrap();
    let (send, receive) = mpsc::channel();
    for n in 0..300 {
        let bad = n % 3 == 0;
        let mut update = add("ctx_1", &format!("m{n}"));
        if bad {
            update.operations.push(set("t.deep", json!(1)));
        }
        let send = send.clone();
        store.submit(
            update,
            Box::new(move |outcome| {
                send.send((n, bad, outcome.map(|applied| applied.version))).unwrap();
            }),
        );
    }
    drop(send);
    let outcomes: Vec<_> = receive.iter().collect();
    assert!(outcomes.is_sorted_by_key(|(n, _, _)| *n), "they are answered in their order");
    let mut expected = 2..;
    for (n, bad, outcome) in outcomes {
        match outcome {
            Ok(version) => assert_eq!((bad, Some(version)), (false, expected.next()), "{n}"),
            Err(error) => assert!(bad && error.code() == "state_path", "{n}: {error}"),
        }
    }
    assert_eq!(store.head(ANN).unwrap().messages, 200);
}

fn set(path: &str, value: serde_json::Value) -> Operation {
    Operation::UpdateState { path: path.parse().unwrap(), value }
}

#[test]
fn cp_12_many_updates_share_commit() {
    let (folder, path) = place();
    let store = Arc::new(open(&path));
    store.apply(add("ctx_1", "m")).unwrap();
    // While the file is held by someone else, updates pile up.
    let other = store.ledgers().file.connect().unwrap();
    other.execute_batch("begin immediate").unwrap();
    let done = Arc::new(AtomicUsize::new(0));
    for n in 0..100 {
        let done = Arc::clone(&done);
        let update = add("ctx_1", &format!("m{n}"));
        store.submit(
            update,
            Box::new(move |outcome| {
                outcome.unwrap();
                done.fetch_add(1, Ordering::SeqCst);
            }),
        );
    }
    assert_eq!(done.load(Ordering::SeqCst), 0, "nothing is said before it is durable");
    let before = std::fs::metadata(folder.path().join("contexts.db-wal")).unwrap().len();
    other.execute_batch("rollback").unwrap();
    store.check().unwrap();
    assert_eq!(done.load(Ordering::SeqCst), 100);
    let grown = std::fs::metadata(folder.path().join("contexts.db-wal")).unwrap().len() - before;
    // A commit of its own writes at least three pages.
    assert!(grown < 100 * 3 * 4_096, "{grown} bytes");
}

/// Adds a hundred messages of 400 KB, so many `at_once`; returns the most bytes that the log took.
fn log_of_large_messages(path: &Path, at_once: usize) -> u64 {
    let store = open(path);
    let text = "x".repeat(400_000);
    let log = path.with_extension("db-wal");
    let mut most = 0;
    for n in 0..100 / at_once {
        let (send, receive) = mpsc::channel();
        for m in 0..at_once {
            let operations = vec![message(&format!("m{n}-{m}"), &text)];
            let send = send.clone();
            let done = Box::new(move |outcome: Outcome<_>| send.send(outcome.is_ok()).unwrap());
            store.submit(Update::new("ann", "ctx_1", operations), done);
        }
        drop(send);
        assert!(receive.iter().all(|is_ok| is_ok));
        most = most.max(std::fs::metadata(&log).unwrap().len());
    }
    assert_eq!(store.head(ANN).unwrap().messages, 100);
    most
}

#[test]
fn gr_8_log_of_one_writer_stays_below_8_mb() {
    let (_folder, path) = place();
    let most = log_of_large_messages(&path, 1);
    assert!(most <= 8 << 20, "{most} bytes");
}

#[test]
fn gr_8_log_of_many_writers_stays_below_8_mb() {
    let (_folder, path) = place();
    let most = log_of_large_messages(&path, 50);
    assert!(most <= 8 << 20, "{most} bytes");
}

#[test]
fn gr_8_log_that_a_reader_let_grow_is_cut_again() {
    let (_folder, path) = place();
    let store = open(&path);
    let text = "x".repeat(400_000);
    let log = || std::fs::metadata(path.with_extension("db-wal")).unwrap().len();
    let add = |id: String| {
        store.apply(Update::new("ann", "ctx_1", vec![message(&id, &text)])).unwrap();
    };
    add("m".to_owned());
    let reader = store.ledgers().file.reader().unwrap();
    let moment = reader.unchecked_transaction().unwrap();
    moment.query_row("select count(*) from contexts", [], |row| row.get::<_, i64>(0)).unwrap();
    (0..40).for_each(|n| add(format!("m{n}")));
    assert!(log() > 8 << 20, "what the reader sees stays in the log");
    drop(moment);
    (40..45).for_each(|n| add(format!("m{n}")));
    assert!(log() <= 8 << 20, "{} bytes", log());
}

#[test]
fn cp_12_dropped_store_writes_submitted_updates() {
    let (_folder, path) = place();
    let store = open(&path);
    for n in 0..50 {
        store.submit(add("ctx_1", &format!("m{n}")), Box::new(|_| ()));
    }
    drop(store);
    assert_eq!(open(&path).head(ANN).unwrap().messages, 50);
}

#[test]
fn cp_12_last_handle_may_be_dropped_in_callback() {
    let (_folder, path) = place();
    let store = Arc::new(open(&path));
    let (send, receive) = mpsc::channel();
    let last = Arc::clone(&store);
    store.submit(
        add("ctx_1", "m1"),
        Box::new(move |outcome| {
            drop(last);
            send.send(outcome.unwrap().version).unwrap();
        }),
    );
    drop(store);
    assert_eq!(receive.recv(), Ok(1));
}

#[test]
fn cp_12_panic_of_caller_does_not_affect_others() {
    let (_folder, path) = place();
    let store = open(&path);
    let answer = Answer::Made(Arc::new(|_| panic!("made in a test")));
    let key = MessageKey { message_id: "m1".to_owned(), digest: [0; 32], answer };
    let bad = Update { key: Some(key), ..add("ctx_1", "m1") };
    assert_eq!(store.apply(bad), Err(ContextError::Closed));
    store.submit(add("ctx_1", "m2"), Box::new(|_| panic!("told in a test")));
    assert_eq!(store.apply(add("ctx_1", "m3")).unwrap().version, 2);
}

#[test]
fn cp_19_more_than_may_wait_is_refused() {
    let (_folder, path) = place();
    let limits = Limits { waiting: 0, ..Limits::default() };
    let store = SqliteContexts::open(&path, Options { limits, ..Options::default() }).unwrap();
    assert_eq!(store.apply(add("ctx_1", "m")), Err(ContextError::Overloaded(0)));
}

#[test]
fn cp_12_two_processes_may_write_to_one_file() {
    let (_folder, path) = place();
    let stores = [open(&path), open(&path)];
    std::thread::scope(|scope| {
        for (number, store) in stores.iter().enumerate() {
            for thread in 0..3 {
                scope.spawn(move || {
                    for n in 0..20 {
                        store.apply(add("ctx_1", &format!("m{number}-{thread}-{n}"))).unwrap();
                    }
                });
            }
        }
    });
    for store in &stores {
        assert_eq!(versions(store, ANN), (1..=120).collect::<Vec<_>>());
        assert_eq!(store.head(ANN).unwrap().last_seq, 120);
    }
}

#[test]
fn cp_12_readers_see_one_moment_and_do_not_wait() {
    let (_folder, path) = place();
    let store = open(&path);
    let both = |n: u64| {
        let id = format!("m{n}");
        Update::new("ann", "ctx_1", vec![message(&id, "x"), set("n", json!(n))])
    };
    store.apply(both(1)).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| (2..200).for_each(|n| drop(store.apply(both(n)).unwrap())));
        for _ in 0..200 {
            let whole = store.get(ANN).unwrap();
            let version = whole["version"].as_u64().unwrap();
            assert_eq!(whole["state"]["n"], version);
            assert_eq!(whole["messages"].as_array().unwrap().len() as u64, version);
        }
    });
}

/// A store whose file may have so many pages.
fn small(path: &Path, pages: i64) -> SqliteContexts {
    let store = open(path);
    let limit = move |connection: &Connection| {
        let sql = format!("pragma max_page_count = {pages}");
        let told: i64 = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert_eq!(told, pages);
        Ok(())
    };
    store.ledgers().writer.write(limit).unwrap();
    store
}

#[test]
fn cp_12_full_disk_is_reported_and_store_continues() {
    let (_folder, path) = place();
    let store = small(&path, 60);
    let large = "x".repeat(20_000);
    store.apply(Update::new("ann", "old", vec![message("m", &large)])).unwrap();
    let mut kept = 0;
    let full = loop {
        let id = format!("m{kept}");
        match store.apply(Update::new("ann", "ctx_1", vec![message(&id, &large)])) {
            Ok(_) => kept += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(full, ContextError::Full(path.display().to_string()));
    assert!(kept > 0);
    assert_eq!(versions(&store, ANN), (1..=kept).collect::<Vec<_>>());
    // A large one in a batch does not take the small ones along.
    let (send, receive) = mpsc::channel();
    for (id, text) in [("a", "small"), ("b", &large), ("c", "small")] {
        let send = send.clone();
        let update = Update::new("ann", "ctx_1", vec![message(id, text)]);
        store.submit(update, Box::new(move |outcome| send.send(outcome.is_ok()).unwrap()));
    }
    drop(send);
    assert_eq!(receive.iter().collect::<Vec<_>>(), [true, false, true]);
    store.delete(Key { owner: "ann", context: "old" }).unwrap();
    let applied = store.apply(Update::new("ann", "ctx_1", vec![message("d", &large)])).unwrap();
    assert_eq!(applied.version, kept + 3);
}

/// With a real file system of a few megabytes: `.ci/checks/contexts.sh` mounts one.
#[test]
fn cp_12_full_file_system_is_reported_and_store_continues() {
    let Some(folder) = std::env::var_os("CONTEXTURE_TINY_DISK").map(PathBuf::from) else { return };
    let store = open(&folder.join("contexts.db"));
    let ballast = folder.join("ballast");
    std::fs::write(&ballast, vec![0; 1 << 20]).unwrap();
    let large = "x".repeat(50_000);
    let mut number = 0;
    let mut update = || {
        number += 1;
        Update::new("ann", "ctx_1", vec![message(&format!("m{number}"), &large)])
    };
    let mut kept = 0;
    let full = loop {
        match store.apply(update()) {
            Ok(_) => kept += 1,
            Err(error) => break error,
        }
        assert!(kept < 10_000, "the disk is not tiny");
    };
    assert_eq!(full.code(), "disk_full", "{full}");
    assert_eq!(store.head(ANN).unwrap().version, kept);
    std::fs::remove_file(ballast).unwrap();
    assert_eq!(store.apply(update()).unwrap().version, kept + 1);
    drop(store);
    let store = open(&folder.join("contexts.db"));
    assert_eq!(versions(&store, ANN), (1..=kept + 1).collect::<Vec<_>>());
}

#[test]
fn cp_12_a_file_of_something_else_is_left_alone() {
    let (folder, path) = place();
    std::fs::write(&path, "not a database, but long enough to have a header ".repeat(10)).unwrap();
    let before = std::fs::read(&path).unwrap();
    let error = SqliteContexts::open(&path, Options::default()).unwrap_err();
    assert!(matches!(error, ContextError::Foreign { .. }), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);

    let other = folder.path().join("other.db");
    let connection = Connection::open(&other).unwrap();
    connection.execute_batch("create table t (x)").unwrap();
    let error = SqliteContexts::open(&other, Options::default()).unwrap_err();
    assert!(matches!(error, ContextError::Foreign { .. }), "{error}");

    let newer = folder.path().join("newer.db");
    drop(open(&newer));
    Connection::open(&newer).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = SqliteContexts::open(&newer, Options::default()).unwrap_err();
    assert!(matches!(error, ContextError::Newer { found: 99, known: 3, .. }), "{error}");
    let error = SqliteContexts::open(folder.path(), Options::default()).unwrap_err();
    assert!(error.to_string().ends_with("it is a folder"), "{error}");
}

#[test]
fn cp_12_damage_is_told_and_nothing_is_made_anew() {
    let (_folder, path) = place();
    let store = open(&path);
    for n in 0..50 {
        let update = Update::new("ann", "ctx_1", vec![message(&format!("m{n}"), &"x".repeat(500))]);
        store.apply(update).unwrap();
    }
    drop(store);
    let mut bytes = std::fs::read(&path).unwrap();
    // All pages but the first: the header is well, the tables are not.
    bytes.iter_mut().skip(4_096).for_each(|byte| *byte = 0xaa);
    std::fs::write(&path, &bytes).unwrap();
    let error = SqliteContexts::open(&path, Options::default()).unwrap_err();
    assert!(matches!(error, ContextError::Damaged { .. }), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn cp_12_a_row_that_can_not_be_read_is_told() {
    let (_folder, path) = place();
    let store = open(&path);
    store.apply(add("ctx_1", "m1")).unwrap();
    let tell = |sql: &str| Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    tell("update details set state = '{'");
    assert_eq!(store.state(ANN).unwrap_err().code(), "contexts_damaged");
    assert_eq!(store.messages(ANN, 0, 9).unwrap().messages.len(), 1);
    tell("update messages set text = '{'");
    let page = store.messages(ANN, 0, 9).unwrap();
    assert_eq!(
        page.messages[0].to_value("ctx_1")["metadata"],
        json!({"seq": 1, "unreadable": "{"})
    );
    tell("update contexts set version = -1");
    assert_eq!(store.head(ANN).unwrap_err().code(), "contexts_damaged");
}

#[test]
fn cp_12_store_waits_for_other_process_that_locks_file() {
    let (_folder, path) = place();
    let store = open(&path);
    store.apply(add("ctx_1", "m1")).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("begin immediate").unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| store.apply(add("ctx_1", "m2")).unwrap().version);
        assert_eq!(store.head(ANN).unwrap().version, 1, "readers do not wait");
        other.execute_batch("commit").unwrap();
        assert_eq!(waiting.join().unwrap(), 2);
    });
}

/// The files that the versions of the tables wrote, as they are in the repository.
#[test]
fn cp_12_files_of_all_versions_can_be_opened() {
    for file in [
        &include_bytes!("../../../tests/contexts/v1.db")[..],
        include_bytes!("../../../tests/contexts/v2.db"),
        include_bytes!("../../../tests/contexts/v3.db"),
    ] {
        let (_folder, path) = place();
        std::fs::write(&path, file).unwrap();
        can_be_opened(&path);
    }
}

fn can_be_opened(path: &Path) {
    let store = open(path);
    let head = store.head(ANN).unwrap();
    assert_eq!((head.version, head.messages, head.last_seq), (4, 2, 3));
    assert_eq!(store.state(ANN).unwrap().value, json!({"topic": {"name": "天气"}}));
    assert_eq!(versions(&store, ANN), [1, 1, 2, 3, 4]);
    let key = KeyName { context_id: Some("ctx_1".to_owned()), message_id: "msg_1".to_owned() };
    let known = store.repeated("ann", &key, &[7; 32]).unwrap();
    assert_eq!(known, Some(Repeated::Done("\"ok\"".to_owned())));
    assert_eq!(store.pending().unwrap().len(), 1);
    assert_eq!(store.apply(add("ctx_1", "m")).unwrap().version, 5);
    // What was added before has its key too, and a place is never given again.
    let taken = store.apply(add("ctx_1", "m1")).unwrap_err();
    assert_eq!(taken, ContextError::MessageIdConflict("m1".to_owned()));
    let before = store.head(ANN).unwrap().incarnation;
    store.delete(ANN).unwrap();
    store.apply(add("ctx_1", "m1")).unwrap();
    assert!(store.head(ANN).unwrap().incarnation > before);
}

/// Writes the file of the current version, for the test above.
#[test]
#[ignore = "writes a fixture: run it once for each new version of the tables"]
fn writes_the_fixture_of_this_version() {
    let (_folder, path) = place();
    let store = open(&path);
    let key =
        |id: &str, answer| Some(MessageKey { message_id: id.to_owned(), digest: [7; 32], answer });
    let ready = Answer::Ready("\"ok\"".to_owned());
    let first = vec![message("m1", "你好"), set("topic", json!({"name": "天气", "old": 1}))];
    let first = Update::new("ann", "ctx_1", first);
    store.apply(Update { key: key("msg_1", ready), ..first }).unwrap();
    let second = Update { key: key("msg_2", Answer::Pending), ..add("ctx_1", "m2") };
    store.apply(second).unwrap();
    let gone = Operation::RemoveState { path: "topic.old".parse().unwrap() };
    store.apply(Update::new("ann", "ctx_1", vec![gone])).unwrap();
    store.apply(add("ctx_1", "m3")).unwrap();
    drop(store);
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch("update messages set cleared = 1 where id & 65535 = 2; vacuum")
        .unwrap();
    // The marks stay behind.
    connection.execute_batch("update marks set made = 0").unwrap();
    connection.execute_batch("update contexts set messages = 2").unwrap();
    drop(connection);
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contexts/v3.db");
    std::fs::copy(&path, target).unwrap();
}
