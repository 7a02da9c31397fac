use crate::runs::{FolderStore, RunStore, RunWriter};
use contexture_context::Digest;
use contexture_core::contract::store::runs::{blob, event};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn store(folder: &Path) -> FolderStore {
    FolderStore::new(folder.join(".contexture"), crate::stamp::system())
}

fn parts_file(folder: &Path) -> PathBuf {
    folder.join(".contexture/texts/parts.db")
}

/// Opens the file beside the store, as any tool may.
fn opened(folder: &Path) -> Connection {
    Connection::open(parts_file(folder)).unwrap()
}

/// Makes all texts old, so that they are removed when no run names them.
fn age(folder: &Path) {
    opened(folder).execute("update texts set kept_at = 0", []).unwrap();
}

/// The bytes of all files of a store that nobody has open.
fn size(folder: &Path) -> u64 {
    let (mut bytes, mut waiting) = (0, vec![folder.join(".contexture")]);
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            match entry.file_type().unwrap().is_dir() {
                true => waiting.push(entry.path()),
                false => bytes += entry.metadata().unwrap().len(),
            }
        }
    }
    bytes
}

/// A message of about 400 bytes.
fn message(number: u64) -> Value {
    let word = |at: u64| format!("word{} ", (number * 7_919 + at * 104_729) % 10_007);
    json!({"role": "user", "text": (0..42).map(word).collect::<String>()})
}

/// The texts that a call keeps for a list: its value, and what the prompt shows.
fn texts(messages: &[Value]) -> [String; 2] {
    [json!(messages).to_string(), serde_json::to_string_pretty(messages).unwrap()]
}

fn keep(run: &dyn RunWriter, id: u64, texts: &[String]) {
    let blobs: Vec<_> = texts.iter().map(|text| blob(text)).collect();
    run.keep(&blobs).unwrap();
    let digests: Vec<_> = blobs.iter().map(|blob| blob.digest.to_string()).collect();
    run.append(&event(id, None, Some(0), json!({ "texts": digests }))).unwrap();
}

fn kept(store: &FolderStore, run: &dyn RunWriter, text: &str) -> Option<String> {
    store.text(run.id(), &Digest::of_text(text)).unwrap()
}

#[test]
fn gr_1_a_list_that_grows_keeps_what_is_new() {
    let folder = tempfile::tempdir().unwrap();
    let (mut messages, mut sizes) = (Vec::new(), vec![0]);
    let store_of = || store(folder.path());
    let run = store_of().begin(Arc::default()).unwrap();
    drop(run);
    for _ in 0..4 {
        let store = store_of();
        let run = store.begin(Arc::default()).unwrap();
        for call in 0..40 {
            messages.push(message(messages.len() as u64));
            keep(&*run, call + 1, &texts(&messages));
        }
        for text in texts(&messages) {
            assert!(kept(&store, &*run, &text).is_some_and(|kept| kept == text));
        }
        drop((run, store));
        sizes.push(size(folder.path()));
    }
    let grown: Vec<u64> = sizes.windows(2).map(|pair| (pair[1] - pair[0]) / 40).collect();
    // 400 new bytes and a line of 270 bytes; short lists stand in the run's own file.
    assert!(grown.iter().skip(1).all(|bytes| *bytes < 1_700), "{grown:?}");
    assert!(grown[3] <= grown[1] * 5 / 4, "{grown:?}");
}

#[test]
fn gr_1_turns_that_are_runs_of_their_own_share_what_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let (mut messages, mut sizes) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let store = store(folder.path());
        for _ in 0..30 {
            messages.push(message(messages.len() as u64));
            keep(&*store.begin(Arc::default()).unwrap(), 1, &texts(&messages));
        }
        drop(store);
        sizes.push(size(folder.path()));
    }
    assert!((sizes[2] - sizes[1]) / 30 < 1_700, "{sizes:?}");
}

#[test]
fn gr_1_small_texts_kept_with_a_list_are_shared_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let (mut messages, mut sizes) = ((0..20).map(message).collect::<Vec<_>>(), Vec::new());
    let same = "What each call is told. ".repeat(10);
    for _ in 0..3 {
        let store = store(folder.path());
        for _ in 0..30 {
            let message = message(messages.len() as u64);
            let said = message["text"].as_str().unwrap().to_owned();
            messages.push(message);
            let run = store.begin(Arc::default()).unwrap();
            let [list, shown] = texts(&messages);
            let all = [said.clone(), json!(said).to_string(), same.clone(), list, shown];
            keep(&*run, 1, &all);
            let id = run.id().clone();
            drop(run);
            assert!(!super::super::texts::small(store.folder(), &id).exists());
            for text in &all {
                let kept = store.text(&id, &Digest::of_text(text)).unwrap();
                assert!(kept.is_some_and(|kept| kept == *text));
                assert!(store.mentions(&id, text).unwrap());
            }
        }
        drop(store);
        sizes.push(size(folder.path()));
    }
    // 400 new bytes once, and a line of 500 bytes.
    let grown = (sizes[2] - sizes[1]) / 30;
    assert!(grown < 1_700, "{grown}");
}

#[test]
fn gr_1_hostile_texts_cost_little_more_than_themselves() {
    let mut lists = Vec::new();
    for shuffle in 0..20_u64 {
        let mut items: Vec<u64> = (0..200).collect();
        items.sort_by_key(|item| (item + 1) * (shuffle * 7_919 + 104_729) % 10_007);
        lists.push(json!(items.iter().map(|item| message(*item)).collect::<Vec<_>>()).to_string());
    }
    let same: Vec<String> = (1..20).map(|count| "a".repeat(count * 30_000)).collect();
    let random = |seed: u64| -> String {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let next = |_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            char::from(b'!' + (state % 90) as u8)
        };
        (0..100_000).map(next).collect()
    };
    let noise: Vec<String> = (1..10).map(random).collect();
    for (why, texts, most) in
        [("shuffled", &lists, 130), ("one byte", &same, 5), ("noise", &noise, 130)]
    {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let run = store.begin(Arc::default()).unwrap();
        keep(&*run, 1, texts);
        for text in texts {
            assert!(kept(&store, &*run, text).is_some_and(|kept| kept == *text), "{why}");
        }
        drop((run, store));
        let (bytes, all) = (size(folder.path()), texts.iter().map(String::len).sum::<usize>());
        assert!(bytes * 100 <= all as u64 * most + (100 << 16), "{why}: {bytes} of {all}");
    }
}

#[test]
fn gr_1_a_damaged_part_is_told_by_digest_and_the_rest_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let run = store.begin(Arc::default()).unwrap();
    let [first, second, third] = [1, 1_000, 2_000]
        .map(|from| json!((from..from + 20).map(message).collect::<Vec<_>>()).to_string());
    keep(&*run, 1, &[first.clone(), second.clone(), third.clone()]);
    let file = opened(folder.path());
    let of = |text: &str| {
        let part = super::seams::parts(text.as_bytes())[3].to_vec();
        file.query_row("select id from parts where data = ?1", [part], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    file.execute("update parts set data = x'616263' where id = ?1", [of(&first)]).unwrap();
    file.execute("delete from parts where id = ?1", [of(&second)]).unwrap();
    assert_eq!(kept(&store, &*run, &first), None, "altered");
    assert_eq!(kept(&store, &*run, &second), None, "missing");
    assert_eq!(kept(&store, &*run, &third).as_deref(), Some(&*third));
    // Lists that name themselves, or nothing, are read to an end.
    let top = file
        .query_row("select id from parts where data = x'616263'", [], |row| row.get::<_, i64>(0));
    let own = super::lists::write(&[top.unwrap(); 3]);
    file.execute("update parts set data = ?1 where data = x'616263'", [&own]).unwrap();
    assert_eq!(kept(&store, &*run, &first), None, "a list of itself");
    file.execute("update parts set data = x'' where data = ?1", [&own]).unwrap();
    assert_eq!(kept(&store, &*run, &first), None, "an empty part");
    file.execute("update texts set parts = x'00'", []).unwrap();
    assert_eq!(kept(&store, &*run, &third), None, "not a list");
}

#[test]
fn gr_1_a_file_that_cannot_be_used_is_told_and_the_run_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let run = store(folder.path()).begin(Arc::default()).unwrap();
    let text = "large ".repeat(1_000);
    run.keep(&[blob("small")]).unwrap();
    keep(&*run, 1, std::slice::from_ref(&text));
    let id = run.id().clone();
    drop(run);
    let told = |why: &str, help: &str| {
        let store = store(folder.path());
        assert_eq!(store.load(&id).unwrap().events.len(), 1, "{why}");
        assert_eq!(store.text(&id, &Digest::of_text("small")).unwrap().as_deref(), Some("small"));
        let error = store.text(&id, &Digest::of_text(&text)).unwrap_err();
        assert_eq!((store.check(), error.help()), (Err(error.clone()), help.to_owned()));
        let error = error.to_string();
        assert!(error.contains("parts.db: ") && error.ends_with(why), "{error}");
        let other = "other ".repeat(1_000);
        let run = store.begin(Arc::default()).unwrap();
        let error = run.keep(&[blob("beside"), blob(&other)]).unwrap_err().to_string();
        assert!(error.ends_with(why), "{error}");
        let beside = store.text(run.id(), &Digest::of_text("beside")).unwrap();
        assert_eq!(beside.as_deref(), Some("beside"), "a small text is kept in any case");
    };
    opened(folder.path()).pragma_update(None, "user_version", 9).unwrap();
    let newer = "use the version of this program that wrote it";
    told("it has format 9, this program knows up to 1", newer);
    let aside = "move it aside: runs keep their traces and lose texts";
    opened(folder.path()).pragma_update(None, "application_id", 7).unwrap();
    told("it is an SQLite file of another program", aside);
    std::fs::write(parts_file(folder.path()), "nonsense ".repeat(1_000)).unwrap();
    told("it is not an SQLite file", aside);
    std::fs::remove_file(parts_file(folder.path())).unwrap();
    let store = store(folder.path());
    assert_eq!(store.text(&id, &Digest::of_text(&text)).unwrap(), None);
    assert!(!parts_file(folder.path()).exists(), "reading makes no file");
}

#[test]
fn gr_1_a_file_cut_in_the_middle_is_told_or_misses_texts() {
    let folder = tempfile::tempdir().unwrap();
    let run = store(folder.path()).begin(Arc::default()).unwrap();
    let lists: Vec<String> = (0..20)
        .map(|list| {
            json!((list * 100..list * 100 + 20).map(message).collect::<Vec<_>>()).to_string()
        })
        .collect();
    keep(&*run, 1, &lists);
    let id = run.id().clone();
    drop(run);
    let whole = std::fs::read(parts_file(folder.path())).unwrap();
    for cut in (0..whole.len()).step_by(5_000) {
        std::fs::write(parts_file(folder.path()), &whole[..cut]).unwrap();
        let store = store(folder.path());
        for list in &lists {
            match store.text(&id, &Digest::of_text(list)) {
                Ok(found) => assert!(found.is_none_or(|found| found == *list), "{cut}"),
                Err(error) => assert!(error.to_string().contains("parts.db: "), "{cut} {error}"),
            }
        }
    }
}

#[test]
fn gr_1_removed_runs_free_their_parts_beside_a_running_run() {
    let folder = tempfile::tempdir().unwrap();
    let [here, there] = [(); 2].map(|()| store(folder.path()));
    let shared: Vec<Value> = (0..100).map(message).collect();
    let own: Vec<Value> = (0..100).chain(5_000..5_400).map(message).collect();
    let (running, gone) =
        (here.begin(Arc::default()).unwrap(), here.begin(Arc::default()).unwrap());
    keep(&*running, 1, &texts(&shared));
    keep(&*gone, 1, &texts(&own));
    let id = gone.id().clone();
    drop(gone);
    age(folder.path());
    let before: i64 =
        opened(folder.path()).query_row("pragma page_count", [], |row| row.get(0)).unwrap();
    assert_eq!(there.remove(std::slice::from_ref(&id)).unwrap(), [id]);
    let after: i64 =
        opened(folder.path()).query_row("pragma page_count", [], |row| row.get(0)).unwrap();
    assert!(after * 2 < before, "{before} pages became {after}");
    // The run goes on, with parts that it knew and that are gone.
    let more: Vec<Value> = own.iter().cloned().chain([message(9_000)]).collect();
    keep(&*running, 2, &texts(&more));
    for text in texts(&shared).iter().chain(&texts(&more)) {
        assert!(kept(&there, &*running, text).is_some_and(|kept| kept == *text));
    }
    for text in &texts(&own) {
        assert_eq!(kept(&here, &*running, text), None);
    }
}

#[test]
fn gr_1_a_text_that_is_kept_again_is_not_removed_before_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let text = "large ".repeat(1_000);
    let gone = store.begin(Arc::default()).unwrap();
    keep(&*gone, 1, std::slice::from_ref(&text));
    let id = gone.id().clone();
    drop(gone);
    age(folder.path());
    let run = store.begin(Arc::default()).unwrap();
    run.keep(&[blob(&text)]).unwrap();
    store.remove(&[id]).unwrap();
    assert_eq!(kept(&store, &*run, &text).as_deref(), Some(&*text));
}

#[test]
fn gr_1_two_processes_write_one_store() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4_u64 {
            let folder = folder.path();
            scope.spawn(move || {
                let store = store(folder);
                let run = store.begin(Arc::default()).unwrap();
                let mut messages: Vec<Value> = (0..20).map(message).collect();
                for call in 0..20 {
                    messages.push(message(writer * 1_000 + call));
                    keep(&*run, call + 1, &texts(&messages));
                }
                for text in texts(&messages) {
                    assert!(kept(&store, &*run, &text).is_some_and(|kept| kept == text));
                }
            });
        }
    });
    let check: String =
        opened(folder.path()).query_row("pragma integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}

#[test]
fn gr_1_a_masked_text_is_read_and_its_damage_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let masker = crate::masker::Masker::new(["sk-12345678".to_owned()]);
    let run = store.begin(Arc::new(masker)).unwrap();
    let text = format!("{} sk-12345678", "large ".repeat(1_000));
    run.keep(&[blob(&text)]).unwrap();
    assert_eq!(kept(&store, &*run, &text), Some(text.replace("sk-12345678", "•••")));
    opened(folder.path())
        .execute("update parts set data = x'616263' where instr(data, cast('•••' as blob)) > 0", [])
        .unwrap();
    assert_eq!(kept(&store, &*run, &text), None);
}

#[test]
fn gu_9_a_small_text_is_masked_as_its_own_run_masks_it() {
    for is_masked_first in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let masker = crate::masker::Masker::new(["correct horse".to_owned()]);
        let masking = store.begin(Arc::new(masker)).unwrap();
        let other = store.begin(Arc::default()).unwrap();
        let (text, large) = ("say correct horse", "large ".repeat(1_000));
        let mut runs = [&masking, &other];
        if !is_masked_first {
            runs.reverse();
        }
        for run in runs {
            run.keep(&[blob(text), blob(&large)]).unwrap();
        }
        assert_eq!(kept(&store, &*masking, text).as_deref(), Some("say •••"));
        assert_eq!(kept(&store, &*other, text).as_deref(), Some(text));
    }
}

#[test]
fn gr_1_folder_removed_beside_open_store_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let keep_one = |text: &str| {
        let run = store.begin(Arc::default()).unwrap();
        keep(&*run, 1, &[text.to_owned()]);
        run
    };
    let texts = ["first ".repeat(4_000), "second ".repeat(4_000)];
    drop(keep_one(&texts[0]));
    std::fs::remove_dir_all(folder.path().join(".contexture")).unwrap();
    let run = keep_one(&texts[1]);
    assert!(parts_file(folder.path()).exists());
    let other = self::store(folder.path());
    assert_eq!(kept(&other, &*run, &texts[1]), Some(texts[1].clone()));
    assert_eq!(kept(&other, &*run, &texts[0]), None);
}
