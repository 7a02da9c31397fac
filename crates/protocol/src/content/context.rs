//! The context as it is read, and the changes of one (8.1, CP-9, CP-11).

use super::update::{HistoryFilter, UpdateOperation};
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
        /// The time of its creation.
        optional creation_time: Option<Timestamp> = "creationTime",
        /// The time of its last change, by the server's clock.
        optional last_update_time: Option<Timestamp> = "lastUpdateTime",
        /// The number of its changes: it decides which of two is newer.
        optional version: Option<Count> = "version",
        /// The history, in the order of arrival.
        optional messages: Option<Vec<Draft>> = "messages",
        /// The state: `currentTopic`, `userPreferences`, `activeTools`, `customState` and any other
        /// fields.
        optional state: Option<Map<String, Value>> = "state",
        /// `userId`, `sessionId`, `clientInfo` and any other fields.
        optional metadata: Option<Map<String, Value>> = "metadata",
    }
}

record! {
    /// Changes of a context, for its subscribers: the changes alone (CP-11).
    #[derive(Default)]
    pub struct ContextDelta {
        /// The version after the last change.
        required version: Count = "version",
        /// The changes, oldest first.
        required changes: Vec<Change> = "changes",
    }
}

record! {
    /// One change of a context, as recorded in the change log.
    pub struct Change {
        /// The version after it.
        required version: Count = "version",
        /// The operation.
        required op: UpdateOperation = "op",
        /// The position of the message in the order of arrival.
        optional seq: Option<Count> = "seq",
        /// The path in the state.
        optional path: Option<StatePath> = "path",
        /// The new value; for the metadata, the merge patch.
        any value: Option<Value> = "value",
        /// The added message.
        optional message: Option<Box<Draft>> = "message",
        /// The filter of the cleared messages.
        optional filter: Option<HistoryFilter> = "filter",
        /// The messageId of the cause.
        optional cause: Option<String> = "cause",
        /// The time, by the server's clock.
        optional time: Option<Timestamp> = "time",
    }
}
