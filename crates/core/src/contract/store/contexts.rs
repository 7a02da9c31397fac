//! The contract of [`ContextStore`] (CP-7, CP-9 to CP-12, CP-19).

use crate::stamp::{FixedStamp, Ids, Stamp};
use crate::store::contexts::{
    Answer, Applied, ContextError, ContextStore, Fork, Import, Key, KeyName, Limits, MessageKey,
    NewMessage, Operation, Origin, Repeated, Review, Sealer, Sensitive, Settlement, Update, What,
};
use contexture_protocol::{ErrorCode, Refusal};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

mod keys;
mod metadata;
mod sealed;
mod search;
mod updates;
mod versions;
mod wholes;

pub use keys::*;
pub use metadata::*;
pub use sealed::*;
pub use search::*;
pub use updates::*;
pub use versions::*;
pub use wholes::*;

const START: u64 = 1_785_542_400_000_000;
const ANN: Key<'static> = Key { owner: "ann", context: "ctx_1" };
const BOB: Key<'static> = Key { owner: "bob", context: "ctx_1" };

/// The settings of a store.
#[derive(Clone)]
pub struct Setup {
    /// The limits.
    pub limits: Limits,
    /// The sealer of the sensitive parts.
    pub sealer: Option<Arc<dyn Sealer>>,
    /// The sensitive parts (CP-19).
    pub sensitive: Sensitive,
    /// Time and chance.
    pub ids: Arc<Ids>,
}

/// A function that creates an empty store.
pub type Make<'m> = dyn Fn(Setup) -> Arc<dyn ContextStore> + 'm;

struct Twin {
    store: Arc<dyn ContextStore>,
}

/// Returns settings whose clock moves one second per reading, from 2026-08-01.
fn options() -> Setup {
    let ids = Arc::new(Ids::new(Arc::new(FixedStamp::new(START, 1_000_000))));
    Setup { limits: Limits::default(), sealer: None, sensitive: Sensitive::default(), ids }
}

fn each(make: &Make<'_>, options: impl Fn() -> Setup, test: impl Fn(&Twin)) {
    test(&Twin { store: make(options()) });
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
    fn do_it(&self, operations: Vec<Operation>) -> Applied {
        self.store.apply(update(operations)).unwrap()
    }

    fn refused(&self, update: Update) -> ContextError {
        self.store.apply(update).unwrap_err()
    }

    fn state(&self) -> Value {
        self.store.state(ANN).unwrap().value
    }

    /// Returns the ids of the messages that are there.
    fn ids(&self) -> Vec<String> {
        let page = self.store.messages(ANN, 0, 1_000).unwrap();
        page.messages.iter().map(|message| id_of(&message.to_value("ctx_1"))).collect()
    }

    /// Returns the changes since a version, without their times.
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
