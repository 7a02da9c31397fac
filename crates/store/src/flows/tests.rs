//! Tests that look inside: full disks, damage, group commits, masks.

use super::*;
use crate::contexts::{AeadSealer, SealError, Sealer};
use crate::masker::Masker;
use crate::stamp::{FixedStamp, Ids};
use contexture_flow::Set;
use contexture_flow::action::{ActionInfo, Registry};
use contexture_flow::check::{Earlier, check};
use contexture_flow::journal::{Entry, Journal, Past};
use contexture_flow::run::{self, Report, Run};
use contexture_protocol::Limits;
use contexture_protocol::content::Status;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flows.db");
    (folder, path)
}

fn open(path: &Path) -> Arc<SqliteJournal> {
    SqliteJournal::open(path, "flows.db", Options::default()).unwrap()
}

/// Steps that give their parameters back, or fail.
fn document(steps: &[Value], mode: &str) -> String {
    json!({"instructions": steps, "executionMode": mode}).to_string()
}

fn echo(id: &str, parameters: Value) -> Value {
    json!({"instructionId": id, "action": "echo", "parameters": parameters})
}

fn actions() -> Registry {
    let mut actions = Registry::default();
    actions.add("echo", ActionInfo::default(), |call| async move { Ok(call.parameters.into()) });
    actions
}

fn prepare(claim: &Claim, document: &str) -> Run {
    let set = Set::parse(document.as_bytes(), &Limits::FILE).unwrap();
    let plan = check(set, &actions(), &Earlier::default()).unwrap();
    let options = run::Options {
        run: claim.run().to_owned(),
        journal: claim.journal.clone(),
        past: Some(Past::of(claim.entries().unwrap())),
        ..run::Options::default()
    };
    Run::new(plan, Arc::new(actions()), options)
}

fn do_it(claim: &Claim, document: &str) -> Report {
    let run = prepare(claim, document);
    let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    tokio.block_on(run.run())
}

/// A journal whose file may have so many pages.
fn small(path: &Path, pages: i64) -> Arc<SqliteJournal> {
    let journal = open(path);
    let limit = move |connection: &Connection| {
        let sql = format!("pragma max_page_count = {pages}");
        let told: i64 = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert_eq!(told, pages);
        Ok(())
    };
    journal.write_for_test(limit).unwrap();
    journal
}

#[test]
fn fl_11_full_disk_stops_only_affected_run() {
    let (_folder, path) = place();
    let journal = small(&path, 60);
    let large = "x".repeat(400_000);
    let text = document(
        &[echo("a", json!({})), echo("b", json!({"t": large})), echo("c", json!({}))],
        "SEQUENTIAL",
    );
    let claim = journal.begin(&RunHead::new("run_1", "{}")).unwrap();
    let other = journal.begin(&RunHead::new("run_2", "{}")).unwrap();
    let report = do_it(&claim, &text);
    assert_eq!(report.fault().unwrap().message, "the disk is full: flows.db");
    assert_eq!(report.status(), Status::Failed);
    // What was kept before is a beginning without a hole.
    let entries = journal.entries("run_1").unwrap();
    let kept: Vec<_> = entries.iter().map(id_of).collect();
    assert!(["a", "a", "b"].starts_with(&kept[..]), "{kept:?}");
    assert_eq!(journal.begin(&RunHead::new("run_3", &large)).unwrap_err().code(), "disk_full");
    // Others continue.
    let small = document(&[echo("a", json!({}))], "SEQUENTIAL");
    assert_eq!(do_it(&other, &small).status(), Status::Completed);
    // And so does this one, when there is room again.
    drop(claim);
    journal
        .write_for_test(|connection| {
            connection.query_row("pragma max_page_count = 10000", [], |_| Ok(())).unwrap();
            Ok(())
        })
        .unwrap();
    let claim = journal.claim("run_1").unwrap();
    let report = do_it(&claim, &text);
    assert!(report.fault().is_none());
    assert_eq!(journal.summary("run_1").unwrap().done, 3);
}

fn id_of(entry: &Entry) -> &str {
    match entry {
        Entry::Started { id, .. } => id,
        Entry::Ended(outcome) => &outcome.instruction_id,
        _ => "",
    }
}

#[test]
fn fl_11_events_after_lost_event_are_lost() {
    let (_folder, path) = place();
    let journal = open(&path);
    let claim = journal.begin(&RunHead::new("run_1", "{}")).unwrap();
    // The number of the next event is taken.
    let connection = Connection::open(&path).unwrap();
    let id = schema::id(claim.hold.place, 3).unwrap();
    let sql = format!("insert into entries values ({id}, 0, 0, 0, '{{\"event\":\"PAUSED\"}}')");
    connection.execute_batch(&sql).unwrap();
    let steps: Vec<Value> = (0..20).map(|n| echo(&format!("s{n}"), json!({}))).collect();
    let report = do_it(&claim, &document(&steps, "PARALLEL"));
    assert!(report.fault().is_some());
    connection.execute_batch(&format!("delete from entries where id = {id}")).unwrap();
    assert_eq!(journal.entries("run_1").unwrap().len(), 2);
    assert_eq!(journal.summary("run_1").unwrap().state, RunState::Running);
}

/// A seal that panics at texts with a certain word.
struct PanickingSealer;

impl Sealer for PanickingSealer {
    fn seal(&self, _: &str, plain: &[u8]) -> Result<String, SealError> {
        let text = String::from_utf8_lossy(plain);
        assert!(!text.contains("unlucky"), "sealed in a test");
        Ok(format!("v1.{text}"))
    }

    fn open(&self, _: &str, sealed: &str) -> Result<Vec<u8>, SealError> {
        Ok(sealed.trim_start_matches("v1.").into())
    }
}

#[test]
fn fl_11_panic_in_write_fails_only_that_write() {
    let (_folder, path) = place();
    let options = Options { sealer: Some(Arc::new(PanickingSealer)), ..Options::default() };
    let journal = SqliteJournal::open(&path, "flows.db", options).unwrap();
    let claim = journal.begin(&RunHead::new("run_1", "{}")).unwrap();
    let other = journal.begin(&RunHead::new("run_2", "{}")).unwrap();
    let unlucky = [echo("a", json!({})), echo("b", json!({"t": "unlucky"})), echo("c", json!({}))];
    let report = do_it(&claim, &document(&unlucky, "SEQUENTIAL"));
    assert_eq!(report.fault().unwrap().message, "a write of the journal panicked");
    assert_eq!(journal.entries("run_1").unwrap().len(), 3);
    let refused = journal.write_for_test(|_| panic!("written in a test")).unwrap_err();
    assert_eq!(refused.code(), "flows_panicked");
    let steps = document(&[echo("a", json!({}))], "SEQUENTIAL");
    assert_eq!(do_it(&other, &steps).status(), Status::Completed);
    assert_eq!(journal.summary("run_2").unwrap().state, RunState::Ended(Status::Completed));
}

#[test]
fn fl_11_parallel_steps_share_commit() {
    let (folder, path) = place();
    let journal = open(&path);
    let steps: Vec<Value> = (0..200).map(|n| echo(&format!("s{n}"), json!({}))).collect();
    let claim = journal.begin(&RunHead::new("run_1", "{}")).unwrap();
    let log = folder.path().join("flows.db-wal");
    let before = std::fs::metadata(&log).unwrap().len();
    do_it(&claim, &document(&steps, "PARALLEL"));
    let grown = std::fs::metadata(&log).unwrap().len() - before;
    // A commit of each event would write a page and its header at least.
    assert!(grown < 200 * 4_120, "{grown} bytes");
}

#[test]
fn fl_11_end_of_step_and_start_of_next_are_one_commit() {
    let (folder, path) = place();
    let journal = open(&path);
    let steps: Vec<Value> = (0..100).map(|n| echo(&format!("s{n}"), json!({}))).collect();
    let claim = journal.begin(&RunHead::new("run_1", "{}")).unwrap();
    let log = folder.path().join("flows.db-wal");
    let before = std::fs::metadata(&log).unwrap().len();
    do_it(&claim, &document(&steps, "SEQUENTIAL"));
    let frames = (std::fs::metadata(&log).unwrap().len() - before) / 4_120;
    // 100 commits, some of which write a second page when the first is full; a machine that is busy
    // may now and then part what belongs together.
    assert!((100..180).contains(&frames), "{frames} pages");
}

#[test]
fn fl_11_foreign_files_and_newer_ones_are_refused() {
    let (folder, path) = place();
    let refused =
        |path: &Path| SqliteJournal::open(path, "flows.db", Options::default()).unwrap_err();
    std::fs::write(&path, "these are notes, not runs of flows; ".repeat(100)).unwrap();
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(refused(&path), FlowStoreError::Foreign { .. }));
    assert_eq!(std::fs::read(&path).unwrap(), before);

    let other = folder.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("create table t (x)").unwrap();
    let error = refused(&other);
    assert_eq!(error.code(), "flows_foreign");
    assert_eq!(
        error.to_string(),
        "flows.db is not a file of runs of flows: it is an SQLite file of another program"
    );

    let newer = folder.path().join("newer.db");
    drop(open(&newer));
    Connection::open(&newer).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = refused(&newer);
    assert!(matches!(error, FlowStoreError::Newer { found: 99, known: 3, .. }), "{error}");
    assert_eq!(refused(folder.path()).to_string(), "flows.db: it is a folder");
}

#[test]
fn fl_11_damage_is_told_and_nothing_is_made_anew() {
    let (_folder, path) = place();
    let journal = open(&path);
    let text = document(&[echo("a", json!({"t": "x".repeat(20_000)}))], "SEQUENTIAL");
    let claim = journal.begin(&RunHead::new("run_1", &text)).unwrap();
    do_it(&claim, &text);
    drop((claim, journal));
    let sound = std::fs::read(&path).unwrap();
    let mut bytes = sound.clone();
    // All pages but the first: the header is well, the tables are not.
    bytes.iter_mut().skip(4_096).for_each(|byte| *byte = 0xaa);
    std::fs::write(&path, &bytes).unwrap();
    let error = SqliteJournal::open(&path, "flows.db", Options::default()).unwrap_err();
    assert!(matches!(error, FlowStoreError::Damaged { .. }), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), bytes);

    // Rows that nobody here wrote.
    std::fs::write(&path, &sound).unwrap();
    let journal = open(&path);
    let tell = |sql: &str| Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    tell("update runs set status = 'FINE'");
    assert_eq!(journal.summary("run_1").unwrap_err().code(), "flows_damaged");
    tell("update entries set text = '{'");
    assert_eq!(journal.log("run_1").unwrap_err().code(), "flows_damaged");
    assert!(journal.entries("run_1").unwrap_err().message.contains("damaged"));
    tell("delete from documents");
    assert_eq!(journal.document("run_1").unwrap_err().code(), "flows_damaged");
}

#[test]
fn fl_11_secrets_are_masked_and_that_is_told() {
    let (_folder, path) = place();
    let masker = Arc::new(Masker::new(["sk-12345678".to_owned(), "instructionId".to_owned()]));
    let options = Options { masker, ..Options::default() };
    let journal = SqliteJournal::open(&path, "flows.db", options).unwrap();
    let steps = [
        echo("a", json!({"n": 1})),
        echo("b", json!({"t": ["\u{7f}sk-12345678", 1.5], "sk-12345678": null})),
        echo("c", json!({"idempotencyKey": "sk-12345678"})),
    ];
    let text = document(&steps, "SEQUENTIAL");
    let claim =
        journal.begin(&RunHead { name: "sk-12345678", ..RunHead::new("run_1", &text) }).unwrap();
    let report = do_it(&claim, &text);
    assert_eq!(report.status(), Status::Completed);
    // The run itself sees what is true, the file does not.
    assert_eq!(report.outcome(1).unwrap().result.unwrap()["t"][0], "\u{7f}sk-12345678");
    let lines = journal.log("run_1").unwrap();
    let masked: Vec<bool> = lines.iter().map(|line| line.masked).collect();
    // A and B started and ended, C started with its key and gave it back, all is finished.
    assert_eq!(masked, [false, false, false, true, true, true, false]);
    let Entry::Ended(outcome) = &lines[3].entry else { panic!("{lines:?}") };
    assert_eq!(outcome.result, Some(json!({"t": ["\u{7f}•••", 1.5], "•••": null})));
    let kept = journal.document("run_1").unwrap();
    assert!(kept.masked && !kept.text.contains("sk-1"));
    let document: Value = serde_json::from_str(&kept.text).unwrap();
    assert_eq!(
        document["instructions"][0],
        json!({"•••": "a", "action": "echo", "parameters": {"n": 1}})
    );
    assert_eq!(journal.summary("run_1").unwrap().name, "•••");
    drop((claim, journal));
    let bytes = std::fs::read(&path).unwrap();
    assert!(!bytes.windows(6).any(|found| found == b"sk-123"));
}

#[test]
fn cp_19_store_with_key_seals_sets_and_results_in_file() {
    let (_folder, path) = place();
    let open = |sealer: Option<AeadSealer>| {
        let sealer = sealer.map(|sealer| Arc::new(sealer) as Arc<dyn Sealer>);
        let options = Options { sealer, ..Options::default() };
        SqliteJournal::open(&path, "flows.db", options).unwrap()
    };
    let key = || AeadSealer::new("k1", &[1; 32]).unwrap();
    let text = document(&[echo("a", json!({"t": "PLAIN words"}))], "SEQUENTIAL");

    // What was kept before there was a key stays as it is.
    let journal = open(None);
    let claim = journal.begin(&RunHead::new("run_0", "{\"before\": 0}")).unwrap();
    drop((claim, journal));
    let journal = open(Some(key()));
    let claim = journal.begin(&RunHead::new("run_1", &text)).unwrap();
    let report = do_it(&claim, &text);
    assert_eq!(report.outcome(0).unwrap().result.unwrap()["t"], "PLAIN words");
    assert_eq!(journal.document("run_1").unwrap(), Document { text: text.clone(), masked: false });
    assert_eq!(journal.document("run_0").unwrap().text, "{\"before\": 0}");
    let Entry::Ended(outcome) = &journal.log("run_1").unwrap()[1].entry else { panic!() };
    assert_eq!(outcome.result, Some(json!({"t": "PLAIN words"})));
    drop((claim, journal));
    for end in ["", "-wal"] {
        let file = path.with_file_name(format!("flows.db{end}"));
        let bytes = std::fs::read(file).unwrap_or_default();
        assert!(!bytes.windows(5).any(|found| found == b"PLAIN"), "{end}");
    }

    // A new key before the old one opens it, another one does not, and neither does none.
    let both = AeadSealer::new("k2", &[2; 32]).unwrap().and_opens("k1", &[1; 32]).unwrap();
    assert_eq!(open(Some(both)).document("run_1").unwrap().text, text);
    for sealer in [None, Some(AeadSealer::new("k2", &[2; 32]).unwrap())] {
        let journal = open(sealer);
        assert_eq!(journal.document("run_1").unwrap_err().code(), "flows_sealed");
        assert_eq!(journal.log("run_1").unwrap_err().code(), "flows_sealed");
        assert_eq!(journal.summary("run_1").unwrap().state, RunState::Ended(Status::Completed));
    }
}

#[cfg(unix)]
#[test]
fn cp_19_created_file_is_accessible_only_to_owner() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_folder, path) = place();
    let journal = open(&path);
    let claim = journal.begin(&RunHead::new("run_1", "{}")).unwrap();
    for end in ["", "-wal", "-shm"] {
        let file = path.with_file_name(format!("flows.db{end}"));
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{end}");
    }
    drop(claim);
}

#[test]
fn fl_12_times_come_from_stamp() {
    let (_folder, path) = place();
    let stamp = FixedStamp::new(1_785_542_400_000_000, 1_000_000);
    let ids = Arc::new(Ids::new(Arc::new(stamp)));
    let options = Options { ids, ..Options::default() };
    let journal = SqliteJournal::open(&path, "flows.db", options).unwrap();
    let text = document(&[echo("a", json!({}))], "SEQUENTIAL");
    let claim = journal.begin(&RunHead::new("run_1", &text)).unwrap();
    do_it(&claim, &text);
    let times: Vec<u64> = journal.log("run_1").unwrap().iter().map(|line| line.time_us).collect();
    let second = |n: u64| 1_785_542_400_000_000 + n * 1_000_000;
    assert_eq!(times, [second(2), second(3), second(4)]);
    let summary = journal.summary("run_1").unwrap();
    assert_eq!((summary.started_us, summary.ended_us), (second(1), Some(second(4))));
    assert_eq!(journal.document("run_1").unwrap(), Document { text, masked: false });
}

#[test]
fn fl_11_too_many_waiting_events_fail_run() {
    let (_folder, path) = place();
    let options = Options { most_waiting: 0, ..Options::default() };
    let journal = SqliteJournal::open(&path, "flows.db", options).unwrap();
    // Someone else holds the file, so that events pile up.
    let other = Connection::open(&path).unwrap();
    let claim = journal.begin(&RunHead::new("run_1", "{}")).unwrap();
    other.execute_batch("begin immediate").unwrap();
    let steps: Vec<Value> = (0..20).map(|n| echo(&format!("s{n}"), json!({}))).collect();
    let text = document(&steps, "PARALLEL");
    let run = prepare(&claim, &text);
    let done = std::thread::spawn(move || {
        let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let report = tokio.block_on(run.run());
        report.fault().unwrap().message.clone()
    });
    while !claim.hold.is_broken.load(std::sync::atomic::Ordering::Relaxed) {
        std::thread::yield_now();
    }
    other.execute_batch("rollback").unwrap();
    assert!(done.join().unwrap().ends_with("wait to be written, more than may"));
}

#[test]
fn fl_12_concurrent_creators_of_file_wait_for_each_other() {
    for _ in 0..60 {
        let (_folder, path) = place();
        let start = std::sync::Barrier::new(6);
        let opened = || {
            let _ = start.wait();
            SqliteJournal::open(&path, "flows.db", Options::default())
                .and_then(|it| it.runs(&Filter::default()))
        };
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..6).map(|_| scope.spawn(opened)).collect();
            for one in all {
                assert_eq!(one.join().unwrap(), Ok(Vec::new()));
            }
        });
    }
}

/// Copies the files as a process that is killed leaves them.
fn killed(path: &Path, target: &Path) {
    for end in ["", "-wal", "-marks"] {
        let name = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
        drop(std::fs::remove_file(name(target)));
        if name(path).exists() {
            std::fs::copy(name(path), name(target)).unwrap();
        }
    }
    drop(std::fs::remove_file(format!("{}-shm", target.display())));
}

fn begin_and_do(journal: &Arc<SqliteJournal>, run: &str) {
    let text = document(&[echo("a", json!({ "t": run })), echo("b", json!({}))], "SEQUENTIAL");
    let claim = journal.begin(&RunHead::new(run, &text)).unwrap();
    do_it(&claim, &text);
}

fn refusal(path: &Path) -> Option<String> {
    let opened = SqliteJournal::open(path, "flows.db", Options::default());
    opened.err().map(|error| error.to_string())
}

#[test]
fn gu_12_events_lost_by_garbage_in_log_are_told_and_can_be_accepted() {
    let (folder, path) = place();
    let journal = open(&path);
    let text = document(&[echo("a", json!({}))], "SEQUENTIAL");
    let under_way = journal.begin(&RunHead::new("under_way", &text)).unwrap();
    let started = Event::Started { id: "a", action: "echo", attempt: 1, key: "k" };
    for n in 0..8 {
        begin_and_do(&journal, &format!("run_{n}"));
        journal.record("under_way", &started, Kept::call(drop));
    }
    journal.forget(&["run_0".to_owned()]).unwrap();
    let target = folder.path().join("copy.db");
    killed(&path, &target);
    assert_eq!(refusal(&target), None, "a kill is not a loss");
    let whole = std::fs::read(format!("{}-wal", path.display())).unwrap();
    let (mut told, mut silent) = (0, 0);
    for at in (64..whole.len()).step_by(whole.len() / 40) {
        killed(&path, &target);
        let mut bytes = whole.clone();
        bytes.iter_mut().skip(at).take(500).for_each(|byte| *byte = byte.wrapping_mul(31) ^ 0xa7);
        std::fs::write(format!("{}-wal", target.display()), &bytes).unwrap();
        let found = refusal(&target);
        let runs = Connection::open(&target).unwrap().query_row(
            "select (select count(*) from runs where ended is not null), (select count(*) from entries)",
            [],
            |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)),
        );
        match found {
            Some(text) => {
                assert!(text.contains("acknowledged") || text.contains("marks"), "{text}");
                told += 1;
            }
            // Every run that ended, and every event, is there.
            None => {
                let (ended, events) = runs.unwrap();
                assert!(ended >= 7 && events >= 7 * 5 + 8, "{at}: {ended} {events}");
                silent += 1;
            }
        }
    }
    assert!(told > 20 && silent < 20, "{told} {silent}");
    // Whoever takes that for lost goes on from what is there.
    accept_loss(&target).unwrap();
    assert_eq!(lost(&target).unwrap(), [""; 0]);
    begin_and_do(&open(&target), "run_new");
    assert_eq!(lost(&target).unwrap(), [""; 0]);
    drop(under_way);
}

#[test]
fn gu_12_missing_run_and_missing_marks_are_told_apart_from_new_file() {
    let (folder, path) = place();
    let journal = open(&path);
    begin_and_do(&journal, "run_1");
    let early = folder.path().join("early.db");
    killed(&path, &early);
    begin_and_do(&journal, "run_2");
    drop(journal);
    // An older copy beside the marks of today.
    for end in ["", "-wal"] {
        let name = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
        std::fs::copy(name(&early), name(&path)).unwrap();
    }
    let told = refusal(&path).unwrap();
    assert!(told.contains("the run `run_2` with 5 events is missing"), "{told}");
    std::fs::remove_file(format!("{}-marks", path.display())).unwrap();
    assert!(refusal(&path).unwrap().contains("can't be read"));
    accept_loss(&path).unwrap();
    assert_eq!(refusal(&path), None);
    // Whoever removed the file meant to begin anew.
    for end in ["", "-wal", "-shm"] {
        drop(std::fs::remove_file(format!("{}{end}", path.display())));
    }
    begin_and_do(&open(&path), "run_3");
    assert_eq!(refusal(&path), None);
}
