//! Views of contexts.

use super::envelope;
use crate::stamp::iso_time;
use contexture_context::Label;
use contexture_protocol::{Message, Refusal};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A context without its messages and its state.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// The `contextId`.
    pub context_id: String,
    /// Its owner.
    pub owner: String,
    /// Its creation, in microseconds since 1970-01-01 UTC.
    pub creation_us: u64,
    /// Its last change; never goes back (CP-11).
    pub last_update_us: u64,
    /// Its version: one more with each update.
    pub version: u64,
    /// Changes up to this version are no longer in the log.
    pub oldest: u64,
    /// The place of the last message that was ever added; 0 without any.
    pub last_seq: u64,
    /// The number of its messages.
    pub messages: u64,
    /// The number that distinguishes it from deleted contexts of the same id.
    pub incarnation: u64,
    /// Metadata: userId, sessionId, clientInfo and others.
    pub metadata: Map<String, Value>,
}

impl Head {
    /// Returns the title that somebody gave it: `title` in its metadata.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.metadata.get("title").and_then(Value::as_str)
    }

    /// Returns the entry of `GET /v1/contexts`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({
            "contextId": self.context_id,
            "creationTime": iso_time(self.creation_us),
            "lastUpdateTime": iso_time(self.last_update_us),
            "version": self.version,
            "messageCount": self.messages,
            "metadata": self.metadata,
        })
    }
}

/// A page of an owner's contexts, in the order of their creation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Heads {
    /// The contexts.
    pub contexts: Vec<Head>,
    /// The start of the next page: `after` of the next call. `None` at the end.
    pub next: Option<String>,
}

/// The state of a context.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Its version.
    pub version: u64,
    /// The state, an object.
    pub value: Value,
}

/// A message as it was written, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMessage {
    /// Its place: arrival order, from 1.
    pub seq: u64,
    /// The version that added it.
    pub version: u64,
    /// The time it was added, in microseconds since 1970-01-01 UTC.
    pub time_us: u64,
    /// The JSON text as written.
    pub text: Arc<str>,
}

impl StoredMessage {
    /// Returns the message as it is read back: with the contextId of the context that it is read
    /// from and `metadata.seq` (CP-1).
    #[must_use]
    pub fn to_value(&self, context_id: &str) -> Value {
        envelope::read_back(&self.text, context_id, self.seq)
    }

    /// Returns the label of what it was made of, if that was kept (GU-4).
    #[must_use]
    pub fn label(&self) -> Option<Label> {
        envelope::label(&self.text)
    }
}

/// A page of messages (CP-12).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The messages, in their order.
    pub messages: Vec<StoredMessage>,
    /// `after` of the next page; `None` at the end.
    pub next: Option<u64>,
}

/// A part of the change log (CP-11).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// The context's version now.
    pub version: u64,
    /// The changes, in their order. A version is never cut in two.
    pub changes: Vec<Change>,
    /// `since` of the next page; `None` at the end.
    pub next: Option<u64>,
}

/// One change of a context.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The version that it belongs to.
    pub version: u64,
    /// The effect of the change.
    pub what: What,
    /// The messageId that caused it.
    pub cause: Option<String>,
    /// Its time, in microseconds since 1970-01-01 UTC.
    pub time_us: u64,
}

/// The effect of a change.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A message was added.
    AddMessage {
        /// Its place.
        seq: u64,
        /// Its JSON text as written.
        text: Arc<str>,
    },
    /// A part of the state was set.
    UpdateState {
        /// The path, as it was written.
        path: String,
        /// The new value.
        value: Value,
    },
    /// A part of the state was removed.
    RemoveState {
        /// The path, as it was written.
        path: String,
    },
    /// The metadata was changed.
    UpdateMetadata {
        /// The merge patch (RFC 7396).
        patch: Map<String, Value>,
    },
    /// Messages were cleared.
    ClearHistory {
        /// The filter, as it was written.
        before: Option<String>,
        /// Messages up to this place were there.
        through: u64,
        /// The number of messages cleared.
        cleared: u64,
    },
}

impl What {
    /// Returns the operation's name in the protocol.
    #[must_use]
    pub const fn operation(&self) -> &'static str {
        match self {
            Self::AddMessage { .. } => "ADD_MESSAGE",
            Self::UpdateState { .. } => "UPDATE_STATE",
            Self::RemoveState { .. } => "REMOVE_STATE",
            Self::UpdateMetadata { .. } => "UPDATE_METADATA",
            Self::ClearHistory { .. } => "CLEAR_HISTORY",
        }
    }
}

impl Change {
    /// Returns the change as in CONTEXT_DELTA and `…/changes`:
    /// `{version, op, seq?, message?, path?, value?, filter?, cleared?, cause?, time}`.
    #[must_use]
    pub fn to_value(&self, context_id: &str) -> Value {
        let mut out = Map::new();
        let mut put = |name: &str, value: Value| out.insert(name.to_owned(), value);
        put("version", self.version.into());
        put("op", self.what.operation().into());
        match &self.what {
            What::AddMessage { seq, text } => {
                put("seq", (*seq).into());
                put("message", envelope::read_back(text, context_id, *seq));
            }
            What::UpdateState { path, value } => {
                put("path", path.as_str().into());
                put("value", value.clone());
            }
            What::RemoveState { path } => {
                put("path", path.as_str().into());
            }
            What::UpdateMetadata { patch } => {
                put("value", patch.clone().into());
            }
            What::ClearHistory { before, cleared, .. } => {
                if let Some(before) = before {
                    put("filter", json!({ "beforeTimestamp": before }));
                }
                put("cleared", (*cleared).into());
            }
        }
        if let Some(cause) = &self.cause {
            put("cause", cause.as_str().into());
        }
        put("time", iso_time(self.time_us).into());
        Value::Object(out)
    }
}

/// The differences of a fork from its origin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fork {
    /// Its id; `None` makes one.
    pub context_id: Option<String>,
}

/// The options of an import.
#[derive(Clone, Default)]
pub struct Import {
    /// The id that the context gets; `None` takes the one in the file, or makes one.
    pub context_id: Option<String>,
    /// The check of each message; `None` takes all of them as the importer's own.
    pub review: Option<Review>,
}

impl std::fmt::Debug for Import {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Import").field("context_id", &self.context_id).finish_non_exhaustive()
    }
}

/// A check of a message of an import, its envelope whole: its origin, or the refusal.
pub type Review = Arc<dyn Fn(&Message) -> Result<Origin, Box<Refusal>> + Send + Sync>;

/// The origin of a message of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A message that the importer may send.
    Own,
    /// A message that the importer may not send: it is kept with `metadata.imported: true`, so that
    /// it is not taken for its sender's (CP-1).
    Foreign,
}
