use super::FolderStore;
use crate::runs::{RunId, RunLog, RunStore};
use crate::stamp::{FixedStamp, Ids};
use contexture_context::Digest;
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
    for (path, _) in files(folder.path()) {
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("xxxx", "xyxx").replace("small", "smell")).unwrap();
    }
    assert_eq!(store.text(run.id(), &Digest::of_text(&large)).unwrap(), None);
    assert_eq!(store.text(run.id(), &Digest::of_text("small")).unwrap(), None);
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
    run.append(&event(1, None, Some(9), json!({"value": value}))).unwrap();
    let summary = store.summary(run.id()).unwrap();
    assert!(summary.bytes > 1 << 20);
    assert_eq!(summary.duration_us, Some(9));
    assert_eq!(summary.data["value"].as_array().map(Vec::len), Some(200_000));
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
