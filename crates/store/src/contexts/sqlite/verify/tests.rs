//! Files that are damaged in every way, and files that are not.

use super::*;
use crate::contexts::{
    ContextStore as _, Fork, Key, NewMessage, Operation, Options, SqliteContexts, Update,
};
use rusqlite::config::DbConfig;
use serde_json::json;
use std::path::PathBuf;
use tempfile::TempDir;

const ANN: Key<'static> = Key { owner: "ann", context: "ctx_1" };

/// Numbers that are the same in each run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| u8::try_from(self.next() & 255).unwrap()).collect()
    }
}

fn open(path: &Path) -> SqliteContexts {
    SqliteContexts::open(path, Options::default()).unwrap()
}

fn message(id: &str) -> Operation {
    let message = json!({"messageId": id, "type": "USER_INPUT", "content": {"text": id.repeat(9)}});
    Operation::AddMessage(NewMessage::new(&message).unwrap())
}

fn set(path: &str, value: u64) -> Operation {
    Operation::UpdateState { path: path.parse().unwrap(), value: value.into() }
}

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contexts.db");
    (folder, path)
}

/// Applies updates to three contexts.
fn fill(store: &SqliteContexts, from: u64, to: u64) {
    for n in from..to {
        let operations = vec![message(&format!("m{n}")), set("n", n)];
        store.apply(Update::new("ann", &format!("ctx_{}", n % 3), operations)).unwrap();
    }
}

/// Copies the files as a process that is killed leaves them.
fn killed(path: &Path, target: &Path) {
    std::fs::create_dir_all(target.parent().unwrap()).unwrap();
    for end in ["", "-wal", "-marks"] {
        let name = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
        drop(std::fs::remove_file(name(target)));
        if name(path).exists() {
            std::fs::copy(name(path), name(target)).unwrap();
        }
    }
    drop(std::fs::remove_file(format!("{}-shm", target.display())));
}

fn wal(path: &Path) -> PathBuf {
    format!("{}-wal", path.display()).into()
}

/// What a client sees of the three contexts, as far as it can be read.
fn seen(path: &Path) -> Option<Vec<serde_json::Value>> {
    let connection = Connection::open(path).ok()?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).ok()?;
    let mut rows = connection
        .prepare(
            "select text from messages union all select value from changes union all
             select state from details union all select version from contexts",
        )
        .ok()?;
    let rows = rows.query_map([], |row| row.get::<_, rusqlite::types::Value>(0)).ok()?;
    let mut all = rows
        .map(|row| row.map(|value| json!(format!("{value:?}"))))
        .collect::<Sql<Vec<_>>>()
        .ok()?;
    all.sort_by_key(ToString::to_string);
    Some(all)
}

#[test]
fn gu_12_garbage_anywhere_is_never_taken_for_whole() {
    let (folder, path) = place();
    let store = open(&path);
    fill(&store, 0, 60);
    let target = folder.path().join("copy/contexts.db");
    let mut chance = Chance(12);
    let mut silent = 0;
    for checkpoint in [false, true] {
        if checkpoint {
            let other = Connection::open(&path).unwrap();
            let sql = "pragma wal_checkpoint(truncate)";
            other.query_row(sql, [], |_| Ok(())).unwrap();
        }
        killed(&path, &target);
        assert_eq!(verify(&target).unwrap().findings, []);
        let whole = seen(&target).unwrap();
        for _ in 0..100 {
            killed(&path, &target);
            let damaged = if checkpoint { target.clone() } else { wal(&target) };
            let mut bytes = std::fs::read(&damaged).unwrap();
            let at = usize::try_from(chance.below(bytes.len() as u64)).unwrap();
            let garbage = chance.bytes(500);
            bytes.iter_mut().skip(at).zip(garbage).for_each(|(byte, new)| *byte = new);
            std::fs::write(&damaged, &bytes).unwrap();
            let report = verify(&target).unwrap();
            let same = seen(&target).is_some_and(|seen| seen == whole);
            assert!(same || !report.is_whole(), "{checkpoint} {at}");
            silent += usize::from(same && report.is_whole());
            if !checkpoint {
                assert_eq!(std::fs::read(&damaged).unwrap(), bytes, "looking changed something");
                let opened = SqliteContexts::open(&target, Options::default());
                assert_eq!(opened.is_ok(), report.is_whole(), "{at}");
            }
        }
    }
    assert!(silent < 100, "garbage in {silent} of 200 places harmed nothing");
}

#[test]
fn gu_12_lost_updates_are_told_by_context_and_version() {
    let (folder, path) = place();
    let store = open(&path);
    fill(&store, 0, 9);
    let early = folder.path().join("early/contexts.db");
    killed(&path, &early);
    fill(&store, 9, 12);
    store.apply(Update::new("bob", "ctx_new", vec![message("m")])).unwrap();
    store.delete(Key { owner: "ann", context: "ctx_2" }).unwrap();
    let target = folder.path().join("copy/contexts.db");
    killed(&path, &target);
    std::fs::copy(wal(&early), wal(&target)).unwrap();
    let report = verify(&target).unwrap();
    let told: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "context `ctx_0` of `ann`: version 4 was acknowledged, version 3 is there",
            "context `ctx_1` of `ann`: version 4 was acknowledged, version 3 is there",
            "context `ctx_2` of `ann`: it was deleted, and is there again",
            "context `ctx_new` of `bob`: version 1 was acknowledged, it is not there",
        ]
    );
    let refused = SqliteContexts::open(&target, Options::default()).unwrap_err();
    assert_eq!(refused.code(), "contexts_damaged");
    assert!(refused.to_string().ends_with("; and 1 more"), "{refused}");
    // Whoever takes that for lost goes on from what is there.
    assert_eq!(accept_loss(&target).unwrap(), report);
    assert!(verify(&target).unwrap().is_whole());
    let store = open(&target);
    assert_eq!(store.apply(Update::new("ann", "ctx_1", vec![message("m")])).unwrap().version, 4);
    drop(store);
    assert!(verify(&target).unwrap().is_whole());
}

#[test]
fn gu_12_missing_files_are_told_apart_from_files_that_are_not_needed() {
    let (folder, path) = place();
    assert!(verify(&path).unwrap().is_whole(), "nothing is there yet");
    let store = open(&path);
    fill(&store, 0, 30);
    let target = folder.path().join("copy/contexts.db");
    let after = |break_it: &dyn Fn(&Path)| {
        killed(&path, &target);
        break_it(&target);
        let report = verify(&target).unwrap();
        let opened = SqliteContexts::open(&target, Options::default());
        assert_eq!(opened.is_ok(), report.is_whole(), "{report:?}");
        report.findings.first().map(ToString::to_string).unwrap_or_default()
    };
    let remove = |path: PathBuf| std::fs::remove_file(path).unwrap();
    assert_eq!(after(&|_| ()), "", "killed");
    assert!(after(&|path| remove(wal(path))).contains("was acknowledged, it is not there"));
    assert!(after(&|path| std::fs::write(wal(path), "").unwrap()).contains("was acknowledged"));
    let truncate = |path: &Path| {
        let file = std::fs::File::options().write(true).open(wal(path)).unwrap();
        file.set_len(file.metadata().unwrap().len() - 5_000).unwrap();
    };
    assert!(after(&truncate).contains("was acknowledged"));
    assert!(after(&|path| remove(path.to_owned())).contains("it is not there"));
    assert!(after(&|path| std::fs::write(path, "").unwrap()).contains("was acknowledged"));
    let marks = |path: &Path| marks::beside(path);
    assert!(after(&|path| remove(marks(path))).contains("are missing"));
    assert!(after(&|path| std::fs::write(marks(path), "").unwrap()).contains("damaged"));
    assert!(after(&|path| std::fs::write(marks(path), [7; 999]).unwrap()).contains("damaged"));
    let folder = |path: &Path| {
        remove(marks(path));
        std::fs::create_dir(marks(path)).unwrap();
    };
    assert!(after(&folder).contains("Is a directory") || cfg!(windows));
    std::fs::remove_dir(marks(&target)).unwrap();
    drop(store);
    assert_eq!(after(&|_| ()), "", "ended in order");
}

#[test]
fn gu_12_salvage_reads_log_of_file_that_is_gone_or_empty() {
    let (folder, path) = place();
    let store = open(&path);
    fill(&store, 0, 30);
    let whole = verify(&path).unwrap();
    let target = folder.path().join("copy/contexts.db");
    for (number, is_empty) in [true, false].into_iter().enumerate() {
        killed(&path, &target);
        std::fs::remove_file(&target).unwrap();
        if is_empty {
            std::fs::write(&target, "").unwrap();
        }
        let saved = folder.path().join(format!("saved-{number}.db"));
        let result = crate::contexts::salvage(&target, &saved).unwrap();
        assert_eq!((result.contexts, result.entries), (whole.contexts, whole.entries));
        assert!(!result.lost.is_empty(), "the damage is listed");
        assert_eq!(target.exists(), is_empty, "the damaged folder stays as it is");
        assert_eq!(verify(&saved).unwrap(), whole);
        std::fs::remove_file(wal(&target)).unwrap();
        let nothing =
            crate::contexts::salvage(&target, &folder.path().join(format!("none-{number}.db")));
        assert_eq!(nothing.unwrap().contexts, 0);
    }
}

#[test]
fn gu_12_chain_is_intact_after_any_change_of_context() {
    let (_folder, path) = place();
    let store = open(&path);
    fill(&store, 0, 30);
    let clear =
        |before: Option<&str>| Operation::ClearHistory { before: before.map(str::to_owned) };
    let apply = |operations| drop(store.apply(Update::new("ann", "ctx_1", operations)).unwrap());
    let sound = |what: &str| assert_eq!(verify(&path).unwrap().findings, [], "{what}");
    apply(vec![set("a.b", 1), message("x1"), clear(None), message("x2")]);
    sound("cleared");
    store.compact(ANN, 7).unwrap();
    sound("compacted in part");
    apply(vec![Operation::RemoveState { path: "a".parse().unwrap() }]);
    store.compact(ANN, 12).unwrap();
    sound("compacted");
    let fork = Fork { context_id: Some("ctx_fork".to_owned()) };
    store.fork(Key { owner: "ann", context: "ctx_2" }, fork).unwrap();
    sound("forked");
    store.apply(Update::new("ann", "ctx_fork", vec![message("x"), set("n", 3)])).unwrap();
    let mut lines = Vec::new();
    store.export(ANN, &mut lines).unwrap();
    let import = crate::contexts::Import { context_id: Some("ctx_in".to_owned()), review: None };
    store.import("bob", &mut &*lines, import).unwrap();
    store.apply(Update::new("bob", "ctx_in", vec![message("y")])).unwrap();
    sound("imported");
    store.delete(ANN).unwrap();
    apply(vec![message("again")]);
    store.apply(Update { operations: Vec::new(), ..Update::new("ann", "ctx_2", vec![]) }).unwrap();
    sound("deleted and made again");
    drop(store);
    sound("closed");
}

#[test]
fn gu_12_first_changed_entry_is_named() {
    let (_folder, path) = place();
    let store = open(&path);
    fill(&store, 0, 30);
    store.compact(ANN, 5).unwrap();
    drop(store);
    let after = |sql: &str| {
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(&format!("begin; {sql}")).unwrap();
        connection.execute_batch("commit").unwrap();
        let report = verify(&path).unwrap();
        assert_eq!(report.findings.len(), 1, "{sql}: {report:?}");
        report.findings[0].to_string()
    };
    // Compacted entries are checked one by one, the others by their chain, too.
    let told =
        after("update messages set text = text || ' ' where id & 65535 = 3 and id >> 36 = 2");
    assert_eq!(told, "context `ctx_1` of `ann`: message 3, version 3: it is not as it was written");
    let back = "update messages set text = rtrim(text) where id & 65535 = 3 and id >> 36 = 2;";
    let told =
        after(&format!("{back} update changes set value = 77 where version = 8 and context = 2"));
    assert_eq!(
        told,
        "context `ctx_1` of `ann`: change 1 of version 8: it is not as it was written"
    );
    let told = after("delete from changes where version = 8 and context = 2");
    assert!(told.ends_with("the history up to it is another one than was acknowledged"), "{told}");
}

#[test]
fn gu_12_old_history_begins_chain_at_upgrade() {
    for file in [
        &include_bytes!("../../../../tests/contexts/v1.db")[..],
        include_bytes!("../../../../tests/contexts/v2.db"),
    ] {
        let (_folder, path) = place();
        std::fs::write(&path, file).unwrap();
        assert!(verify(&path).unwrap().is_whole());
        assert_eq!(std::fs::read(&path).unwrap(), file, "looking upgrades nothing");
        let store = open(&path);
        store.apply(Update::new("ann", "ctx_1", vec![message("new"), set("n", 1)])).unwrap();
        let report = verify(&path).unwrap();
        assert!(report.is_whole() && report.entries >= 7, "{report:?}");
    }
}
