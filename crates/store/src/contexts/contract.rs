//! What every twin must do: the same tests run on both.

use super::{
    Answer, ContextError, ContextStore, Fork, Import, Key, KeyName, Limits, MessageKey, NewMessage,
    Operation, Options, Origin, Repeated, Review, Settlement, SqliteContexts, Update,
    VolatileContexts, What,
};
use crate::stamp::{FixedStamp, Ids, Stamp};
use contexture_protocol::{ErrorCode, Refusal};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;

mod keys;
mod sealed;
mod updates;
mod versions;
mod wholes;

const START: u64 = 1_785_542_400_000_000;
const ANN: Key<'static> = Key { owner: "ann", context: "ctx_1" };
const BOB: Key<'static> = Key { owner: "bob", context: "ctx_1" };

struct Twin {
    name: &'static str,
    store: Box<dyn ContextStore>,
    _folder: Option<TempDir>,
}

/// One second per reading, from 2026-08-01.
fn options() -> Options {
    let stamp = FixedStamp::new(START, 1_000_000);
    Options { ids: Arc::new(Ids::new(Arc::new(stamp))), ..Options::default() }
}

/// Runs a test on both twins.
fn each(options: impl Fn() -> Options, test: impl Fn(&Twin)) {
    let store = Box::new(VolatileContexts::new(options()));
    test(&Twin { name: "volatile", store, _folder: None });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/contexts.db");
    let store = Box::new(SqliteContexts::open(&path, options()).unwrap());
    test(&Twin { name: "sqlite", store, _folder: Some(folder) });
}

fn message(id: &str) -> Operation {
    written(json!({"messageId": id, "type": "USER_INPUT", "content": {"text": id}}))
}

fn timed(id: &str, timestamp: &str) -> Operation {
    written(json!({
        "messageId": id, "timestamp": timestamp, "type": "USER_INPUT", "content": {"text": id}
    }))
}

fn written(value: Value) -> Operation {
    Operation::AddMessage(NewMessage::new(&value).unwrap())
}

fn set(path: &str, value: Value) -> Operation {
    Operation::UpdateState { path: path.parse().unwrap(), value }
}

fn remove(path: &str) -> Operation {
    Operation::RemoveState { path: path.parse().unwrap() }
}

fn clear(before: Option<&str>) -> Operation {
    Operation::ClearHistory { before: before.map(str::to_owned) }
}

fn update(operations: Vec<Operation>) -> Update {
    Update::new("ann", "ctx_1", operations)
}

fn based(version: u64, operations: Vec<Operation>) -> Update {
    Update { base_version: Some(version), ..update(operations) }
}

impl Twin {
    fn do_it(&self, operations: Vec<Operation>) -> super::Applied {
        self.store.apply(update(operations)).unwrap()
    }

    fn refused(&self, update: Update) -> ContextError {
        self.store.apply(update).unwrap_err()
    }

    fn state(&self) -> Value {
        self.store.state(ANN).unwrap().value
    }

    /// The ids of the messages that are there.
    fn ids(&self) -> Vec<String> {
        let page = self.store.messages(ANN, 0, 1_000).unwrap();
        page.messages.iter().map(|message| id_of(&message.to_value("ctx_1"))).collect()
    }

    /// The changes since a version, without their times.
    fn log(&self, since: u64) -> Value {
        let changes = self.store.changes(ANN, since, 1_000).unwrap();
        let told = changes.changes.iter().map(|change| {
            let mut value = change.to_value("ctx_1");
            value.as_object_mut().unwrap().remove("time");
            if let Some(message) = value.get_mut("message") {
                *message = message["messageId"].clone();
            }
            value
        });
        told.collect()
    }
}

fn id_of(message: &Value) -> String {
    message["messageId"].as_str().unwrap().to_owned()
}

/// A clock that is set by hand.
#[derive(Default)]
struct HandClock {
    now: AtomicU64,
    counter: AtomicU64,
}

impl Stamp for HandClock {
    fn now_us(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    fn random(&self) -> u128 {
        u128::from(self.counter.fetch_add(1, Ordering::Relaxed))
    }
}
