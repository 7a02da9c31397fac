//! A process that is killed while it writes loses nothing that it had acknowledged (CP-12).
//!
//! The test starts itself again as the process that writes: 16 threads, four contexts, updates of
//! two messages and one value each, with a key. It is killed without warning at a random moment, and
//! what it said is held against what the file has. `CONTEXTURE_CRASH_ROUNDS` sets the rounds.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't go on has failed"
)] // a test in all its parts

use contexture_store::contexts::{
    Answer, ContextStore, Key, KeyName, MessageKey, NewMessage, Operation, Options, Repeated,
    SqliteContexts, Update, What,
};
use serde_json::json;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

const FILE: &str = "CONTEXTURE_CRASH_FILE";
const ROUND: &str = "CONTEXTURE_CRASH_ROUND";
const ROUNDS: &str = "CONTEXTURE_CRASH_ROUNDS";
const OWNER: &str = "ann";
const CONTEXTS: usize = 4;
const THREADS: usize = 16;

fn context(thread: usize) -> String {
    format!("ctx_{}", thread % CONTEXTS)
}

fn message(id: &str) -> Operation {
    let message = json!({"messageId": id, "type": "USER_INPUT", "content": {"text": id}});
    Operation::AddMessage(NewMessage::new(&message).unwrap())
}

/// An update that leaves four traces: two messages, a value, a key.
fn update(thread: usize, id: &str) -> Update {
    let key = MessageKey {
        message_id: id.to_owned(),
        digest: [1; 32],
        answer: Answer::Made(Arc::new(|applied| applied.version.to_string())),
    };
    let path = format!("threads.t{thread}").parse().unwrap();
    let operations = vec![
        message(&format!("{id}-a")),
        Operation::UpdateState { path, value: id.into() },
        message(&format!("{id}-b")),
    ];
    let update = Update::new(OWNER, &context(thread), operations);
    Update { key: Some(key), cause: Some(id.to_owned()), ..update }
}

#[test]
#[ignore = "the process that is killed: the other test starts it"]
fn writes_until_it_is_killed() {
    let (Ok(file), Ok(round)) = (std::env::var(FILE), std::env::var(ROUND)) else { return };
    let store = SqliteContexts::open(Path::new(&file), Options::default()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, round) = (&store, &round);
            scope.spawn(move || {
                for n in 0.. {
                    let id = format!("{round}.{thread}.{n}");
                    let applied = store.apply(update(thread, &id)).unwrap();
                    let line = format!("ack {id} {}\n", applied.version);
                    std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
                }
            });
        }
    });
}

/// Starts the process, kills it after a while, and gives what it acknowledged.
fn round(file: &Path, round: usize, life: Duration) -> Vec<(String, u64)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writes_until_it_is_killed", "--ignored", "--nocapture"])
        .env(FILE, file)
        .env(ROUND, round.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).unwrap();
        text.split_inclusive('\n').filter_map(acknowledged).collect()
    });
    std::thread::sleep(life);
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

/// `ack ID VERSION` and the end of the line: the last one may be cut off.
fn acknowledged(line: &str) -> Option<(String, u64)> {
    let (id, version) = line.strip_prefix("ack ")?.strip_suffix('\n')?.split_once(' ')?;
    Some((id.to_owned(), version.parse().ok()?))
}

/// What was found so far.
#[derive(Default)]
struct Found {
    /// The version of each context up to which all was looked at.
    seen: [u64; CONTEXTS],
    messages: [u64; CONTEXTS],
    updates: HashMap<String, u64>,
    acknowledged: usize,
    /// Rounds in which something was acknowledged before the kill.
    writing: usize,
}

impl Found {
    /// Looks at what has come since the last round.
    fn look(&mut self, store: &dyn ContextStore) {
        for number in 0..CONTEXTS {
            let name = format!("ctx_{number}");
            let key = Key { owner: OWNER, context: &name };
            let Ok(head) = store.head(key) else { continue };
            let mut last = HashMap::new();
            loop {
                let page = store.changes(key, self.seen[number], 999).unwrap();
                for change in page.changes.chunks(3) {
                    self.whole(number, change, &mut last);
                }
                if page.next.is_none() {
                    break;
                }
            }
            assert_eq!(head.version, self.seen[number]);
            assert_eq!(head.messages, self.messages[number]);
            assert_eq!(head.last_seq, self.messages[number]);
            let state = store.state(key).unwrap().value;
            for (path, value) in last {
                assert_eq!(state["threads"][path], value);
            }
        }
    }

    /// An update is there with all its traces, and its version follows the one before.
    fn whole(
        &mut self,
        number: usize,
        changes: &[contexture_store::contexts::Change],
        last: &mut HashMap<String, serde_json::Value>,
    ) {
        self.seen[number] += 1;
        let [one, two, three] = changes else { panic!("half an update: {changes:?}") };
        for change in changes {
            assert_eq!(change.version, self.seen[number], "versions follow each other");
            assert_eq!(change.cause, one.cause);
        }
        let id = one.cause.clone().unwrap();
        for (change, end) in [(one, "a"), (three, "b")] {
            let What::AddMessage { seq, text } = &change.what else { panic!("{change:?}") };
            self.messages[number] += 1;
            assert_eq!(*seq, self.messages[number], "places follow each other");
            assert!(text.contains(&format!("\"{id}-{end}\"")), "{text}");
        }
        let What::UpdateState { path, value } = &two.what else { panic!("{two:?}") };
        assert_eq!(*value, id);
        last.insert(path.trim_start_matches("threads.").to_owned(), value.clone());
        assert_eq!(self.updates.insert(id, one.version), None, "once");
    }

    /// Everything that was acknowledged is there, and every key has the answer of its update.
    fn compare(&mut self, store: &dyn ContextStore, round: usize, said: &[(String, u64)]) {
        for (id, version) in said {
            assert_eq!(self.updates.get(id), Some(version), "acknowledged and lost: {id}");
        }
        self.acknowledged += said.len();
        self.writing += usize::from(!said.is_empty());
        let prefix = format!("{round}.");
        for (id, version) in self.updates.iter().filter(|(id, _)| id.starts_with(&prefix)) {
            let thread: usize = id.split('.').nth(1).unwrap().parse().unwrap();
            let name = KeyName { context_id: Some(context(thread)), message_id: id.clone() };
            let known = store.repeated(OWNER, &name, &[1; 32]).unwrap();
            assert_eq!(known, Some(Repeated::Done(version.to_string())), "{id}");
            // One that was said to be done does nothing when it is sent again.
            if version % 50 == 0 {
                assert!(store.apply(update(thread, id)).unwrap().repeated.is_some());
            }
        }
    }
}

#[test]
fn cp_12_acknowledged_update_survives_kill() {
    let rounds = std::env::var(ROUNDS).map_or(200, |rounds| rounds.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contexts.db");
    let chance = RandomState::new();
    let mut found = Found::default();
    for number in 0..rounds {
        // The first moments too, in which the file is made or mended.
        let life = Duration::from_micros(chance.hash_one(number) % 120_000);
        let said = round(&file, number, life);
        let store = SqliteContexts::open(&file, Options::default()).unwrap();
        found.look(&store);
        found.compare(&store, number, &said);
    }
    let connection = rusqlite::Connection::open(&file).unwrap();
    let sound: String =
        connection.query_row("pragma integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let (acknowledged, present) = (found.acknowledged, found.updates.len());
    assert!(acknowledged > 0, "nothing was written");
    println!(
        "{rounds} kills, {} of them among writes: {acknowledged} updates acknowledged, 0 lost, 0 half; {} more were \
         written when the kill came before the word",
        found.writing,
        present - acknowledged
    );
}
