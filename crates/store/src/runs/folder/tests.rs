use super::FolderStore;
use crate::runs::{RunEntry, RunId, RunLog, RunStore, RunWriter};
use crate::stamp::{FixedStamp, Ids};
use contexture_context::{Digest, TraceEvent, TraceKind};
use contexture_core::contract::store::runs::{blob, event};
use proptest::prelude::*;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn store(folder: &Path) -> FolderStore {
    FolderStore::new(folder.join(".contexture"), crate::stamp::system())
}

/// All files below a folder with their sizes.
fn files(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                waiting.push(entry.path());
            } else {
                found.push((entry.path(), entry.metadata().unwrap().len()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn as_29_killed_run_reads_back_all_but_torn_line() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let run = store.begin(Arc::default()).unwrap();
    for id in 1..=3 {
        run.append(&event(id, None, None, json!({"n": id}))).unwrap();
    }
    run.keep(&[blob("one"), blob("two")]).unwrap();
    let path = |ending: &str| folder.path().join(format!(".contexture/runs/{}{ending}", run.id()));
    for ending in [".jsonl", ".texts.jsonl"] {
        let bytes = std::fs::read(path(ending)).unwrap();
        std::fs::write(path(ending), &bytes[..bytes.len() - 10]).unwrap();
    }
    let log = store.load(run.id()).unwrap();
    assert_eq!(log.events.len(), 2);
    assert_eq!(log.notes.len(), 1);
    assert!(log.notes[0].starts_with("line 3 is skipped: it is not JSON"), "{}", log.notes[0]);
    assert_eq!(store.text(run.id(), &Digest::of_text("one")).unwrap().as_deref(), Some("one"));
    assert_eq!(store.text(run.id(), &Digest::of_text("two")).unwrap(), None);
    assert_eq!(store.summary(run.id()).unwrap().duration_us, None);
}

#[test]
fn as_29_a_large_text_is_kept_once_for_all_runs() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let large = "x".repeat(1 << 20);
    let size = || files(folder.path()).iter().map(|(_, bytes)| bytes).sum::<u64>();
    let runs: Vec<_> = (0..5).map(|_| store.begin(Arc::default()).unwrap()).collect();
    runs[0].keep(&[blob(&large)]).unwrap();
    let after_one = size();
    for run in &runs {
        run.keep(&[blob(&large), blob(&large)]).unwrap();
    }
    assert_eq!(size(), after_one);
    assert!(
        files(folder.path()).iter().all(|(path, _)| !path.display().to_string().ends_with(".tmp"))
    );
}

#[test]
fn as_29_damaged_text_is_not_returned_for_digest() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let run = store.begin(Arc::default()).unwrap();
    let large = "x".repeat(5000);
    run.keep(&[blob(&large), blob("small")]).unwrap();
    let id = run.id().clone();
    drop((run, store));
    let replace = |bytes: &mut Vec<u8>, from: &[u8], to: &[u8]| {
        let found: Vec<usize> =
            (0..bytes.len()).filter(|at| bytes[*at..].starts_with(from)).collect();
        for at in found {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    };
    for (path, _) in files(folder.path()) {
        let mut bytes = std::fs::read(&path).unwrap();
        replace(&mut bytes, b"xxxx", b"xyxx");
        replace(&mut bytes, b"small", b"smell");
        std::fs::write(&path, bytes).unwrap();
    }
    let store = self::store(folder.path());
    assert_eq!(store.text(&id, &Digest::of_text(&large)).unwrap(), None);
    assert_eq!(store.text(&id, &Digest::of_text("small")).unwrap(), None);
}

#[test]
fn as_29_the_folder_is_made_when_it_is_needed_and_ignored_by_git() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    assert_eq!(store.ids().unwrap(), []);
    assert!(!store.folder().exists());
    let run = store.begin(Arc::default()).unwrap();
    let names: Vec<_> = files(folder.path()).into_iter().map(|(path, _)| path).collect();
    let own = store.folder().join(format!("runs/{}.jsonl", run.id()));
    assert_eq!(names, [store.folder().join(".gitignore"), own]);
    let ignored = std::fs::read_to_string(&names[0]).unwrap();
    assert_eq!(ignored, "*\n!/resources/\n!/resources/**\n!/knowledge/\n!/knowledge/**\n");
    std::fs::write(&names[0], "mine").unwrap();
    store.begin(Arc::default()).unwrap();
    assert_eq!(std::fs::read_to_string(&names[0]).unwrap(), "mine");
}

#[cfg(unix)]
#[test]
fn as_29_symlink_in_place_of_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", folder.path().join(".contexture")).unwrap();
    let error = store(folder.path()).begin(Arc::default()).err().unwrap();
    assert!(error.to_string().ends_with("it is a symlink, expected a folder"), "{error}");
    assert_eq!(files(&folder.path().join("elsewhere")), []);
}

#[test]
fn as_29_file_in_place_of_folder_is_refused_in_plain_words() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".contexture"), "").unwrap();
    let store = store(folder.path());
    let error = store.begin(Arc::default()).err().unwrap().to_string();
    assert!(error.ends_with(".contexture: it is a file, expected a folder"), "{error}");
    let error = store.ids().unwrap_err().to_string();
    assert!(error.ends_with("runs: not a directory"), "{error}");
}

#[test]
fn as_29_run_that_ends_with_long_value_has_end() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let run = store.begin(Arc::default()).unwrap();
    run.append(&event(1, None, None, json!({"program": "a.as"}))).unwrap();
    run.append(&event(2, Some(1), Some(0), json!({}))).unwrap();
    let value: Vec<u64> = (0..200_000).collect();
    let end = event(1, None, Some(9), json!({"value": value}));
    let (id, trace) = (run.id().clone(), store.trace(run.id()));
    let begun = std::fs::read_to_string(&trace).unwrap();
    run.append(&end).unwrap();
    assert!(trace_bytes(&store, &id) < 1_000);
    // An earlier version wrote the value there.
    let earlier = format!("{begun}{}\n", serde_json::to_string(&end).unwrap());
    for written in [std::fs::read_to_string(&trace).unwrap(), earlier] {
        std::fs::write(&trace, written).unwrap();
        assert_eq!(store.summary(&id).unwrap().duration_us, Some(9));
        for log in [store.load(&id).unwrap(), store.head(&id, 1..=1).unwrap().log] {
            assert_eq!((&log.events[0].data["value"], log.notes.len()), (&json!(value), 0));
        }
    }
    assert!(trace_bytes(&store, &id) > 1 << 20);
}

#[test]
fn as_29_lines_that_come_together_are_all_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let run = store.begin(Arc::default()).unwrap();
    run.append_all(&[]).unwrap();
    let events = [event(1, None, None, json!({"a": 1})), event(2, Some(1), Some(3), json!({}))];
    run.append_all(&events).unwrap();
    assert_eq!(store.load(run.id()).unwrap().events, events);
}

#[test]
fn as_29_an_id_that_is_taken_is_not_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let fixed = || {
        let ids = Ids::new(Arc::new(FixedStamp::new(1_785_542_400_000_000, 0)));
        FolderStore::new(folder.path().to_owned(), ids)
    };
    let first = fixed().begin(Arc::default()).unwrap();
    let second = fixed().begin(Arc::default()).unwrap();
    assert!(first.id() < second.id());
}

#[test]
fn as_29_trace_of_newer_version_is_refused() {
    let line = br#"{"v":2,"id":1,"kind":"something_new","start_us":1,"data":{}}"#;
    let id = RunId::parse("a").unwrap();
    let error = RunLog::read(id, line.as_slice()).unwrap_err();
    assert_eq!(error.to_string(), "the run a has trace format 2, this program knows up to 1");
}

#[test]
fn as_29_files_that_are_no_runs_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let run = store.begin(Arc::default()).unwrap();
    run.keep(&[blob("x")]).unwrap();
    for name in ["notes.txt", "A.jsonl", "..jsonl", ".jsonl", "a b.jsonl"] {
        std::fs::write(store.folder().join("runs").join(name), "x").unwrap();
    }
    assert_eq!(store.ids().unwrap(), [run.id().clone()]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn as_29_any_bytes_as_trace_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400), cut in 0..200usize) {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let run = store.begin(Arc::default()).unwrap();
        run.append(&event(1, None, None, json!({"a": "é"}))).unwrap();
        run.keep(&[blob("x")]).unwrap();
        for (path, _) in files(&store.folder().join("runs")) {
            let mut content = std::fs::read(&path).unwrap();
            content.truncate(cut);
            content.extend_from_slice(&bytes);
            std::fs::write(&path, content).unwrap();
        }
        let _ = store.load(run.id());
        let _ = store.summary(run.id()).unwrap();
        let _ = store.text(run.id(), &Digest::of_text("x")).unwrap();
    }
}

fn of_call(id: u64, call: u64, duration: Option<u64>, data: serde_json::Value) -> TraceEvent {
    let mut data = data;
    if duration.is_none() {
        data["manifest"] = json!({"version": 2, "call": call});
    }
    TraceEvent { kind: TraceKind::Generate, ..event(id, Some(1), duration, data) }
}

/// Ends a run as the recorder does, with the sums of its calls.
fn end(outcome: &str) -> TraceEvent {
    let usage = json!({"prompt_tokens": 47, "completion_tokens": 10, "cached_tokens": 3});
    let error = json!({"code": "ANSWER_CUT_OFF", "message": "cut"});
    let data = json!({"outcome": outcome, "model_calls": 2, "usage": usage, "error": error});
    event(1, None, Some(9), data)
}

/// A run in a list: its id, its outcome, and whether it is under way.
type Short = (String, Option<String>, bool);

fn listed(store: &FolderStore) -> (Vec<Short>, Vec<String>) {
    let list = store.list(&|_| true, usize::MAX).unwrap();
    assert!(!list.more && list.all == list.entries.len());
    let short = |one: &RunEntry| (one.run.clone(), one.outcome.clone(), one.running);
    (list.entries.iter().map(short).collect(), list.notes)
}

#[test]
fn in_2_list_is_read_from_index_that_heals_and_has_killed_runs() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let begin = || {
        let run = store.begin(Arc::default()).unwrap();
        run.append(&event(1, None, None, json!({"program": "a.as"}))).unwrap();
        run
    };
    let (done, killed, running) = (begin(), begin(), begin());
    done.append(&end("failed")).unwrap();
    // Another line of the run after its end changes nothing.
    done.append(&event(2, Some(1), Some(0), json!({}))).unwrap();
    let id = |run: &dyn RunWriter| run.id().to_string();
    let ids = [id(&*running), id(&*killed), id(&*done)];
    drop(killed);
    let expected = [
        (ids[0].clone(), None, true),
        (ids[1].clone(), None, false),
        (ids[2].clone(), Some("failed".to_owned()), false),
    ];
    let index = folder.path().join(".contexture/runs/runs.index.jsonl");
    assert_eq!(std::fs::read_to_string(&index).unwrap().lines().count(), 1);
    assert_eq!(listed(&store), (expected.to_vec(), vec![]));
    let failed = store.list(&|one| one.code.is_some(), 9).unwrap().entries;
    let one = &failed[0];
    assert_eq!(
        (failed.len(), one.calls, one.input, one.output, one.cached),
        (1, 2, 47, 10, Some(3))
    );
    assert_eq!((one.is_failed(), one.code.as_deref()), (true, Some("ANSWER_CUT_OFF")));
    assert!(store.list(&|_| true, 2).unwrap().more);
    // A torn end, a damaged middle, an entry that is lost.
    let text = std::fs::read_to_string(&index).unwrap();
    for damaged in [
        text.get(..text.len() - 9).unwrap().to_owned(),
        text.replacen("\"outcome\"", "\"outcome", 1),
        "x\n".to_owned(),
    ] {
        std::fs::write(&index, damaged).unwrap();
        let (runs, notes) = listed(&store);
        assert_eq!((runs, notes.len()), (expected.to_vec(), 1), "{notes:?}");
        assert_eq!(listed(&store), (expected.to_vec(), vec![]), "it is made anew");
    }
    std::fs::remove_file(&index).unwrap();
    assert_eq!(listed(&store), (expected.to_vec(), vec![]));
    #[cfg(unix)]
    for (path, _) in files(folder.path()) {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = path.metadata().unwrap().permissions().mode();
        assert!(path.ends_with(".gitignore") || mode & 0o77 == 0, "{path:?} {mode:o}");
    }
}

#[test]
fn in_2_call_of_long_trace_is_read_at_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let run = store.begin(Arc::default()).unwrap();
    run.append(&event(1, None, None, json!({"program": "a.as"}))).unwrap();
    let filling = "x".repeat(2_000);
    for call in 1..=1_000 {
        let id = call * 2;
        run.append(&of_call(id, call, None, json!({"n": call}))).unwrap();
        run.append(&event(id + 1, Some(1), Some(0), json!({"text": filling}))).unwrap();
        run.append(&of_call(id, call, Some(5), json!({"value": call}))).unwrap();
    }
    let path = |ending: &str| folder.path().join(format!(".contexture/runs/{}.{ending}", run.id()));
    let whole = store.load(run.id()).unwrap();
    let check = |why: &str| {
        for call in [1, 2, 999, 1_000] {
            let head = store.head(run.id(), call..=call).unwrap();
            let own = whole.events.iter().find(|event| event.id == call * 2).unwrap();
            assert_eq!(head.log.events[1..], *std::slice::from_ref(own), "{why} {call}");
            assert_eq!((head.calls, head.lines), (1_000, 3_001), "{why}");
            assert!(head.log.notes.is_empty(), "{why} {:?}", head.log.notes);
        }
        let all = store.head(run.id(), 1..=u64::MAX).unwrap();
        assert_eq!(all.log.events.len(), 1_001, "{why}");
    };
    check("while it runs");
    let written = std::fs::read(path("places")).unwrap();
    drop(run.append(&event(1, None, Some(7), json!({"outcome": "done"}))));
    let id = run.id().clone();
    drop(run);
    let head = |calls| store.head(&id, calls).unwrap();
    assert_eq!(head(2..=2).log.root().unwrap().duration_us, Some(7));
    // Of an older version, of another trace, of a run that was killed: found once, and kept.
    for kept in [None, Some(written[..written.len() / 2].to_vec()), Some(b"nonsense".repeat(99))] {
        let path = folder.path().join(format!(".contexture/runs/{id}.places"));
        match &kept {
            Some(kept) => std::fs::write(&path, kept).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        assert_eq!(head(7..=7).log.events[1].id, 14);
        assert!(
            std::fs::metadata(&path).unwrap().len() > 80_000,
            "{:?}",
            kept.map(|kept| kept.len())
        );
    }
    let trace = folder.path().join(format!(".contexture/runs/{id}.jsonl"));
    let mut bytes = std::fs::read(&trace).unwrap();
    let at = bytes.len() / 2;
    bytes[at..at + 6_000].fill(0);
    std::fs::write(&trace, bytes).unwrap();
    let damaged = head(1..=u64::MAX);
    assert!(!damaged.log.notes.is_empty() && damaged.log.events.len() > 900);
    assert!(head(1_000..=1_000).log.events[1].id == 2_000);
}

#[test]
fn ca_12_removed_runs_take_their_own_texts_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let shared = "shared ".repeat(1_000);
    let begin = |own: &str| {
        let run = store.begin(Arc::default()).unwrap();
        let texts = [blob(&shared), blob(own)];
        run.keep(&texts).unwrap();
        let digests: Vec<_> = texts.iter().map(|text| text.digest.to_string()).collect();
        run.append(&event(1, None, None, json!({"texts": digests, "say": "\"hi\""}))).unwrap();
        run
    };
    let (first, second) = (begin(&"first ".repeat(1_000)), begin("small one"));
    let (one, two) = (first.id().clone(), second.id().clone());
    assert_eq!(store.remove(std::slice::from_ref(&one)).unwrap(), [], "it is under way");
    assert!(
        store.mentions(&one, "first first").unwrap() && store.mentions(&one, "\"hi\"").unwrap()
    );
    assert!(store.mentions(&two, "small one").unwrap() && !store.mentions(&two, "first").unwrap());
    drop((first, second));
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(7_200);
    let texts = folder.path().join(".contexture/texts");
    let kept = |text: &str| store.text(&two, &Digest::of_text(text)).unwrap();
    // A file of an earlier version that no run names.
    let earlier = "earlier ".repeat(1_000);
    let file = super::texts::large(store.folder(), &Digest::of_text(&earlier), false);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, &earlier).unwrap();
    assert_eq!(kept(&earlier).as_deref(), Some(&*earlier));
    for (path, _) in files(folder.path()) {
        std::fs::File::options().append(true).open(path).unwrap().set_modified(old).unwrap();
    }
    #[cfg(feature = "sqlite")]
    rusqlite::Connection::open(texts.join("parts.db"))
        .and_then(|parts| parts.execute("update texts set kept_at = 0", []))
        .unwrap();
    assert_eq!(store.remove(std::slice::from_ref(&one)).unwrap(), std::slice::from_ref(&one));
    assert_eq!(store.ids().unwrap(), std::slice::from_ref(&two));
    assert_eq!(kept(&shared).as_deref(), Some(&*shared));
    assert_eq!((kept(&"first ".repeat(1_000)), kept(&earlier)), (None, None));
    assert!(!file.exists() && !files(&texts).is_empty());
    assert_eq!(store.remove(&[one]).unwrap().len(), 1, "what is gone is gone");
}

/// The bytes of the files of a run's lines.
fn trace_bytes(store: &FolderStore, id: &RunId) -> u64 {
    store.folder().join(format!("runs/{id}.jsonl")).metadata().unwrap().len()
}

#[test]
fn gr_1_long_lists_in_lines_are_kept_once_and_read_in_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let run = store.begin(Arc::default()).unwrap();
    let own = "own text ".repeat(1_000);
    let named = Digest::of_text(&own);
    let messages: Vec<_> =
        (0..200).map(|at| json!({"text": format!("message \"{at}\"\n"), "of": named})).collect();
    let input = event(2, None, Some(0), json!({"value": {"messages": messages}, "small": [1]}));
    let mut call = of_call(3, 1, None, json!({}));
    call.data["manifest"]["items"] = json!(messages);
    run.append_all(&[
        event(1, None, None, json!({"program": "a.as"})),
        input.clone(),
        call.clone(),
    ])
    .unwrap();
    run.keep(&[blob(&own)]).unwrap();
    assert!(trace_bytes(&store, run.id()) < 1_000);
    let log = store.load(run.id()).unwrap();
    assert_eq!((&log.events[1], &log.events[2], log.notes.len()), (&input, &call, 0));
    let head = store.head(run.id(), 1..=1).unwrap().log;
    assert_eq!((&head.events[1], head.notes.len()), (&call, 0));
    assert!(store.mentions(run.id(), "message \"7\"\n").unwrap());
    // A text that only such a list names is not removed.
    let other = store.begin(Arc::default()).unwrap().id().clone();
    let (id, texts) = (run.id().clone(), folder.path().join(".contexture/texts"));
    drop(run);
    #[cfg(feature = "sqlite")]
    rusqlite::Connection::open(texts.join("parts.db"))
        .and_then(|parts| parts.execute("update texts set kept_at = 0", []))
        .unwrap();
    store.remove(&[other]).unwrap();
    assert_eq!(store.text(&id, &named).unwrap().as_deref(), Some(&*own));
    std::fs::remove_dir_all(texts).unwrap();
    let store = self::store(folder.path());
    let log = store.load(&id).unwrap();
    assert_eq!(log.events[1].data["small"], json!([1]), "the rest is read");
    let notes = log.notes.join("\n");
    assert!(
        notes.starts_with("`value` of event 2 is left out: the store has no text sha256:"),
        "{notes}"
    );
    assert!(notes.contains("`manifest` of event 3 is left out"), "{notes}");
}

#[test]
fn gr_1_trace_without_an_event_is_told_as_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let run = store.begin(Arc::default()).unwrap();
    let id = run.id().clone();
    assert_eq!(store.load(&id).unwrap().notes, Vec::<String>::new(), "it has only begun");
    drop(run);
    let damaged = ["its trace is damaged: it is empty"];
    assert_eq!(store.load(&id).unwrap().notes, damaged);
    assert_eq!(store.head(&id, 1..=1).unwrap().log.notes, damaged);
}
