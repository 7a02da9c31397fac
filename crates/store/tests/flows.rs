//! What every journal must do, and what only one in a file can: the same runs on both twins, and
//! runs that are claimed, given up, asked and read back by several processes (FL-11, FL-12).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    reason = "a test may fail"
)]

use contexture_flow::Set;
use contexture_flow::action::{ActionFailure, ActionInfo, ActionKind, Registry};
use contexture_flow::check::{Earlier, check};
use contexture_flow::journal::{Entry, Journal, Past, Volatile};
use contexture_flow::run::{self, Control, Observer, Report, Run};
use contexture_protocol::Limits;
use contexture_protocol::content::Status;
use contexture_store::flows::{
    Ask, Claim, ClaimedRun as _, Filter, FlowJournal as _, FlowStoreError, Options, RunHead,
    RunState, SqliteJournal,
};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use tokio::runtime::Runtime;

fn open(path: &Path) -> Arc<SqliteJournal> {
    SqliteJournal::open(path, "flows.db", Options::default()).unwrap()
}

fn place() -> (TempDir, Arc<SqliteJournal>) {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(&folder.path().join("new/flows.db"));
    (folder, journal)
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

/// A journal in which the run `run_1` has begun.
struct Twin {
    journal: Arc<dyn Journal>,
    _claim: Option<Claim>,
    _folder: Option<TempDir>,
}

/// Runs a test on both twins.
fn each(test: impl Fn(&Twin)) {
    test(&Twin { journal: Arc::new(Volatile::default()), _claim: None, _folder: None });
    let (folder, journal) = place();
    let claim = journal.begin(&RunHead::new("run_1", "{}")).unwrap();
    test(&Twin { journal, _claim: Some(claim), _folder: Some(folder) });
}

fn step(id: &str, action: &str, parameters: Value, dependencies: &[&str]) -> Value {
    json!({
        "instructionId": id, "action": action, "parameters": parameters,
        "dependencies": dependencies,
    })
}

fn set(mode: &str, steps: Vec<Value>) -> String {
    json!({"instructions": steps, "executionMode": mode}).to_string()
}

/// `echo`, `fail`, `count` (how often it was called) and `wait` (for ever).
fn actions(calls: &Arc<AtomicU32>) -> Registry {
    let mut actions = Registry::default();
    actions.add("echo", ActionInfo::of(ActionKind::Query), |call| async move {
        Ok(call.parameters.into())
    });
    actions
        .add("fail", ActionInfo::default(), |_| async { Err(ActionFailure::new("E", "it fails")) });
    actions.add("wait", ActionInfo::default(), |_| std::future::pending());
    let calls = Arc::clone(calls);
    actions.add("count", ActionInfo::default(), move |_| {
        let call = calls.fetch_add(1, Ordering::SeqCst) + 1;
        async move { Ok(json!(call)) }
    });
    actions
}

/// What a run is given besides its set.
struct With {
    journal: Arc<dyn Journal>,
    run: &'static str,
    observer: Option<Observer>,
    calls: Arc<AtomicU32>,
}

impl With {
    fn journal(journal: &Arc<impl Journal + 'static>) -> Self {
        let journal: Arc<dyn Journal> = journal.clone();
        Self { journal, run: "run_1", observer: None, calls: Arc::default() }
    }

    fn twin(twin: &Twin) -> Self {
        let journal = Arc::clone(&twin.journal);
        Self { journal, run: "run_1", observer: None, calls: Arc::default() }
    }

    fn prepare(self, document: &str) -> Run {
        let actions = actions(&self.calls);
        let set = Set::parse(document.as_bytes(), &Limits::FILE).unwrap();
        let plan = check(set, &actions, &Earlier::default()).unwrap();
        let past = Some(Past::of(self.journal.entries(self.run).unwrap()));
        let options = run::Options {
            run: self.run.to_owned(),
            journal: self.journal,
            observer: self.observer,
            past,
            ..run::Options::default()
        };
        Run::new(plan, Arc::new(actions), options)
    }

    fn run(self, document: &str) -> Report {
        runtime().block_on(self.prepare(document).run())
    }
}

/// An entry as `STARTED a 1`, `ENDED a COMPLETED`, `FINISHED FAILED`.
fn told(entry: &Entry) -> String {
    match entry {
        Entry::Started { id, attempt, .. } => format!("STARTED {id} {attempt}"),
        Entry::Labelled { id, .. } => format!("LABELLED {id}"),
        Entry::Decided { id, .. } => format!("DECIDED {id}"),
        Entry::Ended(outcome) => format!("ENDED {} {}", outcome.instruction_id, outcome.status),
        Entry::Paused => "PAUSED".to_owned(),
        Entry::Resumed => "RESUMED".to_owned(),
        Entry::Cancelled => "CANCELLED".to_owned(),
        Entry::Settled { id, verdict } => format!("SETTLED {id} {verdict:?}"),
        Entry::Finished { status } => format!("FINISHED {status}"),
    }
}

fn told_all(journal: &dyn Journal) -> Vec<String> {
    journal.entries("run_1").unwrap().iter().map(told).collect()
}

#[test]
fn fl_11_events_are_kept_in_their_order() {
    each(|twin| {
        let recovery = json!({"strategy": "RETRY", "attempts": 2});
        let mut fails = step("b", "fail", json!({}), &["a"]);
        fails["recovery"] = recovery;
        let document = set(
            "SEQUENTIAL",
            vec![
                step("a", "echo", json!({"text": "你好 \"\u{0}\u{7f}\\"}), &[]),
                fails,
                step("c", "echo", json!({}), &["b"]),
            ],
        );
        let report = With::twin(twin).run(&document);
        assert_eq!(report.status(), Status::Failed);
        assert_eq!(
            told_all(&*twin.journal),
            [
                "STARTED a 1",
                "ENDED a COMPLETED",
                "STARTED b 1",
                "STARTED b 2",
                "ENDED b FAILED",
                "ENDED c SKIPPED",
                "FINISHED FAILED",
            ]
        );
        let entries = twin.journal.entries("run_1").unwrap();
        let outcomes = entries.iter().filter_map(|entry| match entry {
            Entry::Ended(outcome) => Some(&**outcome),
            _ => None,
        });
        let expected: Vec<_> = report.outcomes().collect();
        assert!(outcomes.eq(expected.iter()), "all parts of an outcome come back");
        assert_eq!(twin.journal.entries("run_2").unwrap(), []);
    });
}

#[test]
fn fl_11_a_finished_run_does_nothing_again() {
    each(|twin| {
        let steps = (0..30).map(|n| step(&format!("s{n}"), "count", json!({}), &[])).collect();
        let document = set("PARALLEL", steps);
        let with = With::twin(twin);
        let calls = Arc::clone(&with.calls);
        let first = with.run(&document);
        assert_eq!(calls.load(Ordering::SeqCst), 30);
        assert_eq!(twin.journal.entries("run_1").unwrap().len(), 61);
        let past = Past::of(twin.journal.entries("run_1").unwrap());
        let set = Set::parse(document.as_bytes(), &Limits::FILE).unwrap();
        let actions = actions(&calls);
        let plan = check(set, &actions, &Earlier::default()).unwrap();
        let options = run::Options { past: Some(past), ..run::Options::default() };
        let again = runtime().block_on(Run::new(plan, Arc::new(actions), options).run());
        assert_eq!(calls.load(Ordering::SeqCst), 30);
        assert!(again.outcomes().eq(first.outcomes()));
        assert!(again.order().eq(first.order()));
    });
}

#[test]
fn fl_12_pauses_and_cancels_are_kept() {
    each(|twin| {
        let document = set(
            "PARALLEL",
            vec![step("a", "wait", json!({}), &[]), step("b", "echo", json!({}), &["a"])],
        );
        let mut with = With::twin(twin);
        let control: Arc<Mutex<Option<Control>>> = Arc::default();
        let theirs = Arc::clone(&control);
        with.observer = Some(Arc::new(move |_| {
            let control = theirs.lock().unwrap();
            let control = control.as_ref().unwrap();
            control.pause();
            control.resume();
            control.cancel();
        }));
        let run = with.prepare(&document);
        *control.lock().unwrap() = Some(run.control());
        let report = runtime().block_on(run.run());
        assert_eq!(report.outcome(0).unwrap().error.unwrap().code, "CANCELLED");
        assert_eq!(
            told_all(&*twin.journal),
            [
                "STARTED a 1",
                "PAUSED",
                "RESUMED",
                "CANCELLED",
                "ENDED a FAILED",
                "ENDED b SKIPPED",
                "FINISHED FAILED",
            ]
        );
    });
}

#[test]
fn fl_11_observer_sees_only_stored_events() {
    let (folder, journal) = place();
    let claim = journal.begin(&RunHead::new("run_1", "{}")).unwrap();
    let other = open(&folder.path().join("new/flows.db"));
    let mut with = With::journal(&journal);
    let seen = Arc::new(AtomicU32::new(0));
    let theirs = Arc::clone(&seen);
    with.observer = Some(Arc::new(move |notice| {
        let entries = other.entries("run_1").unwrap();
        let is_there = entries.iter().any(|entry| match entry {
            Entry::Started { id, .. } => notice.status == Status::Running && id == notice.id,
            Entry::Ended(outcome) => {
                notice.status == outcome.status && outcome.instruction_id == notice.id
            }
            _ => false,
        });
        assert!(is_there, "{notice:?} is not kept");
        theirs.fetch_add(1, Ordering::SeqCst);
    }));
    let steps = (0..20).map(|n| step(&format!("s{n}"), "echo", json!({}), &[])).collect();
    with.run(&set("SEQUENTIAL", steps));
    assert_eq!(seen.load(Ordering::SeqCst), 40);
    drop(claim);
}

#[test]
fn fl_11_run_claimed_by_one_handle_is_refused_to_others() {
    let (folder, journal) = place();
    let path = folder.path().join("new/flows.db");
    let claim = journal.begin(&RunHead::new("run_1", "{}")).unwrap();
    let held = journal.claim("run_1").unwrap_err();
    assert_eq!(held.to_string(), "the run `run_1` is being done by this process");
    // Another handle is another process, as far as locks go.
    let other = open(&path);
    let held = other.claim("run_1").unwrap_err();
    assert_eq!(held.to_string(), "the run `run_1` is being done by another process");
    assert_eq!(held.code(), "flow_run_held");
    assert_eq!(other.finish("run_1", Status::Failed), Err(held));
    assert_eq!(other.summary("run_1").unwrap().state, RunState::Running);
    // What is not held is not written.
    let report =
        With::journal(&other).run(&set("PARALLEL", vec![step("a", "echo", json!({}), &[])]));
    assert!(report.fault().unwrap().message.contains("not held"), "{:?}", report.fault());
    assert_eq!(journal.entries("run_1").unwrap(), []);

    drop(claim);
    let claim = journal.claim("run_1").unwrap();
    assert!(matches!(other.claim("run_1"), Err(FlowStoreError::Held { .. })));
    // A holder that is gone leaves its runs to others, and no file behind.
    drop((claim, journal));
    let claim = other.claim("run_1").unwrap();
    assert_eq!(other.claim("run_2").unwrap_err(), FlowStoreError::NotFound("run_2".to_owned()));
    drop((claim, other));
    let left = std::fs::read_dir(folder.path().join("new/flows.db-holders")).unwrap().count();
    assert_eq!(left, 0);
}

#[test]
fn fl_11_files_of_killed_holder_are_removed() {
    let (folder, journal) = place();
    let holders = folder.path().join("new/flows.db-holders");
    std::fs::create_dir_all(&holders).unwrap();
    // One that was killed when it held nothing, one that lives, and what is no holder's.
    let names = ["01kyx9xp000000000000000000", "01kyx9xp000000000000000001", "notes.txt"];
    names.iter().for_each(|name| std::fs::write(holders.join(name), "").unwrap());
    let living = std::fs::File::open(holders.join(names[1])).unwrap();
    living.lock().unwrap();
    let claim = journal.begin(&RunHead::new("run_1", "{}")).unwrap();
    let is_there = names.map(|name| holders.join(name).exists());
    assert_eq!(is_there, [false, true, true]);
    assert_eq!(std::fs::read_dir(&holders).unwrap().count(), 3);
    drop(claim);
}

#[test]
fn fl_11_many_claim_one_run_and_one_has_it() {
    let (folder, journal) = place();
    drop(journal.begin(&RunHead::new("run_1", "{}")).unwrap());
    drop(journal);
    let path = folder.path().join("new/flows.db");
    let handles: Vec<_> = (0..4).map(|_| open(&path)).collect();
    let claims: Mutex<Vec<Claim>> = Mutex::default();
    std::thread::scope(|scope| {
        for handle in &handles {
            for _ in 0..3 {
                scope.spawn(|| match handle.claim("run_1") {
                    Ok(claim) => claims.lock().unwrap().push(claim),
                    Err(error) => assert_eq!(error.code(), "flow_run_held"),
                });
            }
        }
    });
    assert_eq!(claims.into_inner().unwrap().len(), 1);
}

#[test]
fn fl_11_ids_are_given_once() {
    let (_folder, journal) = place();
    let claim = journal.begin(&RunHead::new("run_1", "{}")).unwrap();
    let taken = |error| assert_eq!(error, FlowStoreError::Exists("run_1".to_owned()));
    drop(claim);
    taken(journal.begin(&RunHead::new("run_1", "{}")).unwrap_err());
    for (id, found) in [(String::new(), 0), ("x".repeat(257), 257)] {
        let error = journal.begin(&RunHead::new(&id, "{}")).unwrap_err();
        assert_eq!(error, FlowStoreError::Id { found, limit: 256 });
    }
    // Any characters do.
    for id in ["../x", "%_'\"", "你好", " "] {
        drop(journal.begin(&RunHead::new(id, id)).unwrap());
        assert_eq!(journal.document(id).unwrap().text, id);
    }
}

#[test]
fn fl_11_a_run_goes_on_where_it_was() {
    let (folder, journal) = place();
    let path = folder.path().join("new/flows.db");
    let document = set(
        "SEQUENTIAL",
        vec![
            step("a", "count", json!({}), &[]),
            step("b", "wait", json!({}), &["a"]),
            step("c", "echo", json!({"n": "${results.a.result}"}), &["a"]),
        ],
    );
    let claim = journal.begin(&RunHead { steps: 3, ..RunHead::new("run_1", &document) }).unwrap();
    let with = With::journal(&journal);
    let calls = Arc::clone(&with.calls);
    let run = with.prepare(&document);
    runtime().block_on(async {
        let time = std::time::Duration::from_millis(1);
        let run = tokio::spawn(run.run());
        while journal.entries("run_1").unwrap().len() < 3 {
            tokio::time::sleep(time).await;
        }
        run.abort();
        let _ = run.await;
    });
    drop((claim, journal));

    let journal = open(&path);
    let summary = journal.summary("run_1").unwrap();
    assert_eq!((summary.state, summary.done, summary.steps), (RunState::Interrupted, 1, 3));
    let unfinished = journal.unfinished(None).unwrap();
    assert_eq!(unfinished.len(), 1);
    let claim = journal.claim(&unfinished[0].run).unwrap();
    let kept = journal.document("run_1").unwrap();
    let mut with = With::journal(&journal);
    with.calls = Arc::clone(&calls);
    let report = with.run(&kept.text);
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    assert_eq!(report.outcome(1).unwrap().error.unwrap().code, "OUTCOME_UNCERTAIN");
    assert_eq!(report.outcome(2).unwrap().result, Some(json!({"n": 1})));
    drop(claim);
    assert_eq!(
        told_all(&*journal),
        [
            "STARTED a 1",
            "ENDED a COMPLETED",
            "STARTED b 1",
            "ENDED b FAILED",
            "STARTED c 1",
            "ENDED c COMPLETED",
            "FINISHED FAILED",
        ]
    );
    let summary = journal.summary("run_1").unwrap();
    assert_eq!((summary.state, summary.done), (RunState::Ended(Status::Failed), 3));
    let ended = FlowStoreError::Ended { run: "run_1".to_owned(), status: Status::Failed };
    assert_eq!(journal.claim("run_1").unwrap_err(), ended);
    assert_eq!(journal.finish("run_1", Status::Completed), Err(ended.clone()));
    assert_eq!(journal.ask("run_1", Ask::Cancel), Err(ended));
    assert_eq!(journal.unfinished(None).unwrap(), []);
}

#[test]
fn fl_12_sqlite_lists_runs_newest_first() {
    let (_folder, journal) = place();
    let mut claims = Vec::new();
    for (run, owner, context) in [
        ("r1", "ann", None),
        ("r2", "bob", Some("ctx_1")),
        ("r3", "ann", Some("ctx_1")),
        ("r4", "ann", None),
    ] {
        let head = RunHead { name: "sales.json", owner, context, ..RunHead::new(run, "{}") };
        claims.push(journal.begin(&head).unwrap());
    }
    journal.finish("r1", Status::Failed).unwrap();
    let ids = |filter: &Filter| -> String {
        let runs = journal.runs(filter).unwrap();
        runs.iter().map(|run| run.run.as_str()).collect::<Vec<_>>().join(" ")
    };
    let all = Filter::default();
    let ann = || Some("ann".to_owned());
    assert_eq!(ids(&all), "r4 r3 r2 r1");
    assert_eq!(ids(&Filter { limit: 2, ..all.clone() }), "r4 r3");
    assert_eq!(ids(&Filter { owner: ann(), ..all.clone() }), "r4 r3 r1");
    let unfinished = Filter { owner: ann(), unfinished: true, ..all.clone() };
    assert_eq!(ids(&unfinished), "r4 r3");
    let context = Some("ctx_1".to_owned());
    assert_eq!(ids(&Filter { context, unfinished: true, ..all.clone() }), "r3 r2");
    assert_eq!(ids(&Filter { name: Some("sales.json".to_owned()), limit: 1, ..all.clone() }), "r4");
    assert_eq!(ids(&Filter { name: Some("sales".to_owned()), ..all.clone() }), "");
    assert_eq!(ids(&Filter { context: Some("x' or 1".to_owned()), ..all }), "");
    let first = journal.summary("r2").unwrap();
    assert_eq!(
        (first.name.as_str(), first.owner.as_str(), first.context.as_deref(), first.state),
        ("sales.json", "bob", Some("ctx_1"), RunState::Running)
    );
    let ended = journal.summary("r1").unwrap();
    assert_eq!(ended.state, RunState::Ended(Status::Failed));
    assert!(ended.ended_us >= Some(ended.started_us));
    assert_eq!(journal.unfinished(Some("bob")).unwrap().len(), 1);
    assert_eq!(journal.summary("r9").unwrap_err().code(), "flow_run_not_found");
    assert_eq!(journal.log("r9").unwrap_err().code(), "flow_run_not_found");
    assert_eq!(journal.document("r9").unwrap_err().code(), "flow_run_not_found");
    // A run that was given up keeps nothing more.
    let mut with = With::journal(&journal);
    with.run = "r1";
    assert_eq!(journal.entries("r1").unwrap(), []);
}

#[test]
fn fl_12_another_process_pauses_resumes_and_cancels() {
    let (folder, journal) = place();
    let claim = journal.begin(&RunHead::new("run_1", "{}")).unwrap();
    let document = set(
        "PARALLEL",
        vec![step("a", "wait", json!({}), &[]), step("b", "echo", json!({}), &["a"])],
    );
    let run = With::journal(&journal).prepare(&document);
    claim.watch(run.control().into()).unwrap();
    let other = open(&folder.path().join("new/flows.db"));
    let report = runtime().block_on(async {
        let run = tokio::spawn(run.run());
        for (ask, word) in
            [(Ask::Pause, "PAUSED"), (Ask::Resume, "RESUMED"), (Ask::Cancel, "CANCELLED")]
        {
            assert_eq!(other.ask("run_1", ask), Ok(true));
            while !told_all(&*other).iter().any(|entry| entry == word) {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        }
        run.await.unwrap()
    });
    assert_eq!(report.outcome(0).unwrap().error.unwrap().code, "CANCELLED");
    assert_eq!(other.ask("run_2", Ask::Pause).unwrap_err().code(), "flow_run_not_found");
    drop(claim);
}

#[test]
fn fl_12_request_to_interrupted_run_counts_when_it_continues() {
    let (_folder, journal) = place();
    let document = set("PARALLEL", vec![step("a", "echo", json!({}), &[])]);
    for (asks, status) in [
        (&[Ask::Pause][..], Status::Completed),
        (&[Ask::Cancel], Status::Failed),
        // What was cancelled stays so.
        (&[Ask::Cancel, Ask::Resume], Status::Failed),
    ] {
        let id = format!("{asks:?}");
        let id: &'static str = id.leak();
        drop(journal.begin(&RunHead::new(id, &document)).unwrap());
        for ask in asks {
            // Whether the end of the claim is written already is not certain.
            journal.ask(id, *ask).unwrap();
        }
        let claim = journal.claim(id).unwrap();
        let mut with = With::journal(&journal);
        with.run = id;
        let run = with.prepare(&document);
        claim.watch(run.control().into()).unwrap();
        assert_eq!(runtime().block_on(run.run()).status(), status, "{asks:?}");
    }
}

#[test]
fn fl_11_many_concurrent_runs_share_file() {
    let (folder, journal) = place();
    let path = folder.path().join("new/flows.db");
    let journals = [journal, open(&path)];
    std::thread::scope(|scope| {
        for (process, journal) in journals.iter().enumerate() {
            for thread in 0..4 {
                scope.spawn(move || {
                    let id: &'static str = format!("r{process}-{thread}").leak();
                    let steps =
                        (0..25).map(|n| step(&format!("s{n}"), "echo", json!({}), &[])).collect();
                    let claim = journal.begin(&RunHead::new(id, "{}")).unwrap();
                    let mut with = With::journal(journal);
                    with.run = id;
                    assert_eq!(with.run(&set("PARALLEL", steps)).status(), Status::Completed);
                    drop(claim);
                });
            }
        }
    });
    let runs = journals[0].runs(&Filter::default()).unwrap();
    assert_eq!(runs.len(), 8);
    for run in runs {
        assert_eq!((run.state, run.done), (RunState::Ended(Status::Completed), 25));
        let lines = journals[1].log(&run.run).unwrap();
        assert_eq!(lines.len(), 51);
        assert!(lines.is_sorted_by_key(|line| line.time_us));
    }
}

#[test]
fn fl_12_noted_request_changes_state_and_is_not_sent_again() {
    let (_folder, journal) = place();
    let claim = journal.begin(&RunHead::new("run_1", "{}")).unwrap();
    let state = || journal.summary("run_1").unwrap().state;
    journal.note("run_1", Ask::Pause);
    // What is asked waits for what was noted.
    journal.note("run_2", Ask::Pause);
    assert!(journal.forget(&["run_1".to_owned()]).unwrap().is_empty());
    assert_eq!(state(), RunState::Paused);
    journal.note("run_1", Ask::Resume);
    journal.forget(&[]).unwrap();
    assert!(journal.forget(&["none".to_owned()]).unwrap().is_empty());
    assert_eq!(state(), RunState::Running);
    // A cancellation that was noted counts for whoever goes on with it, and stays.
    journal.note("run_1", Ask::Cancel);
    journal.note("run_1", Ask::Resume);
    drop(claim);
    assert!(journal.claim("run_1").unwrap().is_cancelled());
}

#[test]
fn fl_11_runs_that_ended_are_taken_away_with_all_that_was_kept_of_them() {
    let (_folder, journal) = place();
    for run in ["run_1", "run_1/step", "run_10", "run_2"] {
        drop(journal.begin(&RunHead::new(run, "{\"a\":1}")).unwrap());
        if run != "run_2" {
            journal.finish(run, Status::Completed).unwrap();
        }
    }
    let held = journal.begin(&RunHead::new("run_3", "{}")).unwrap();
    let all = ["run_1", "run_2", "run_3", "run_4"].map(str::to_owned);
    assert_eq!(journal.forget(&all).unwrap(), ["run_1"]);
    let left = journal.runs(&Filter::default()).unwrap();
    let left: Vec<_> = left.iter().map(|run| run.run.as_str()).collect();
    assert_eq!(left, ["run_3", "run_2", "run_10"]);
    assert_eq!(journal.document("run_1"), Err(FlowStoreError::NotFound("run_1".to_owned())));
    // An id that is free again begins anew.
    drop(journal.begin(&RunHead::new("run_1", "{}")).unwrap());
    assert!(journal.entries("run_1").unwrap().is_empty());
    drop(held);
}
