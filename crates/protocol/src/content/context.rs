//! The context as it is read, and the changes of one (8.1, CP-9, CP-11).

use super::{HistoryFilter, UpdateOperation};
use crate::message::Draft;
use crate::number::Count;
use crate::path::StatePath;
use crate::record::record;
use crate::time::Timestamp;
use serde_json::{Map, Value};

record! {
    /// A context (8.1). On import its messages need only `messageId`, `type` and `content`; read
    /// back they carry the whole envelope.
    #[derive(Default)]
    pub struct Context {
        /// Its id.
        id context_id: String = "contextId",
        /// When it was made.
        optional creation_time: Option<Timestamp> = "creationTime",
        /// When it was last changed, by the server's clock.
        optional last_update_time: Option<Timestamp> = "lastUpdateTime",
        /// How many changes it has seen: what decides which of two is newer.
        optional version: Option<Count> = "version",
        /// The history, in the order of arrival.
        optional messages: Option<Vec<Draft>> = "messages",
        /// The state: `currentTopic`, `userPreferences`, `activeTools`, `customState` and whatever
        /// else is put there.
        optional state: Option<Map<String, Value>> = "state",
        /// `userId`, `sessionId`, `clientInfo` and whatever else is put there.
        optional metadata: Option<Map<String, Value>> = "metadata",
    }
}

record! {
    /// News for those who subscribed to a context: the changes alone (CP-11).
    #[derive(Default)]
    pub struct ContextDelta {
        /// The version after the last change.
        required version: Count = "version",
        /// The changes, oldest first.
        required changes: Vec<Change> = "changes",
    }
}

record! {
    /// One change of a context, as the change log keeps it.
    pub struct Change {
        /// The version after it.
        required version: Count = "version",
        /// What was done.
        required op: UpdateOperation = "op",
        /// The place of the message in the order of arrival.
        optional seq: Option<Count> = "seq",
        /// The place in the state.
        optional path: Option<StatePath> = "path",
        /// What was put there.
        any value: Option<Value> = "value",
        /// The message that was added.
        optional message: Option<Box<Draft>> = "message",
        /// Which messages were cleared.
        optional filter: Option<HistoryFilter> = "filter",
        /// The messageId of what caused it.
        optional cause: Option<String> = "cause",
        /// When, by the server's clock.
        optional time: Option<Timestamp> = "time",
    }
}
