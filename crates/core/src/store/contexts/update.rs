//! Updates of contexts and their results (CP-7, CP-10, CP-11).

use super::{Change, ContextError, envelope};
use contexture_context::Label;
use contexture_context::json::{self, kind};
use contexture_protocol::{Message, StatePath};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A context as one of its owner's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key<'a> {
    /// The caller: the owner that the token belongs to.
    pub owner: &'a str,
    /// The `contextId`.
    pub context: &'a str,
}

/// One update: all of its operations take effect together, or none does.
#[derive(Debug, Clone, Default)]
pub struct Update {
    /// The caller; the context's owner when this creates it.
    pub owner: String,
    /// The context. `None` creates one with an id of the store's (CP-9).
    pub context_id: Option<String>,
    /// True if an unknown context is created; else it is [`ContextError::NotFound`].
    pub create: bool,
    /// Metadata that the context gets when this creates it.
    pub metadata: Map<String, Value>,
    /// The message behind this update: it has effect once (CP-7).
    pub key: Option<MessageKey>,
    /// The version that the sender has seen; `None` takes whatever is there.
    pub base_version: Option<u64>,
    /// The operations, in this order. Without any, nothing but the keys is touched: no context is
    /// created and no version raised.
    pub operations: Vec<Operation>,
    /// The cause for the change log: a messageId.
    pub cause: Option<String>,
    /// The answer for a pending key, in the same transaction: the end of a turn (CP-7).
    pub settles: Option<Settlement>,
    /// True if nothing is done when the message that it settles has its answer (WA-11).
    pub only_pending: bool,
    /// The [`Applied::incarnation`] that the context must have: one of the same id that was created
    /// after it was deleted is another.
    pub incarnation: Option<u64>,
}

impl Update {
    /// Creates an update of `context_id` that creates the context when it is missing.
    #[must_use]
    pub fn new(owner: &str, context_id: &str, operations: Vec<Operation>) -> Self {
        Self {
            owner: owner.to_owned(),
            context_id: Some(context_id.to_owned()),
            create: true,
            operations,
            ..Self::default()
        }
    }
}

/// An operation on a context (CP-10).
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Adds a message at the end. Never conflicts with others; a messageId stands once in a
    /// context, also when it was cleared, else it is [`ContextError::MessageIdConflict`] (CP-7).
    AddMessage(NewMessage),
    /// Sets the value at a path, relative to `state`; creates the objects on the way.
    UpdateState {
        /// The path.
        path: StatePath,
        /// The new value; `null` is stored as `null`.
        value: Value,
    },
    /// Removes the value at a path, if there is one.
    RemoveState {
        /// The path.
        path: StatePath,
    },
    /// Changes the metadata by a merge patch (RFC 7396): a field that is null is removed. The
    /// `userId` is fixed. Two patches conflict where they name the same field of the metadata.
    UpdateMetadata {
        /// The patch.
        patch: Map<String, Value>,
    },
    /// Clears messages; the state stays. What is cleared stays in the change log until compaction.
    ClearHistory {
        /// Only messages whose own timestamp is before this instant (ISO 8601, any offset); those
        /// without a readable timestamp are kept. `None` clears all.
        before: Option<String>,
    },
}

/// A message to add, as its JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    id: String,
    text: Arc<str>,
    timestamp: Option<String>,
}

#[derive(Deserialize)]
struct Peek<'a> {
    #[serde(borrow, rename = "messageId")]
    message_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
}

impl NewMessage {
    /// Creates a message from one that has at least a `messageId`; it is kept as it is.
    ///
    /// # Errors
    /// [`ContextError::Invalid`] for anything but an object with a `messageId`.
    pub fn new(message: &Value) -> Result<Self, ContextError> {
        let Value::Object(fields) = message else {
            return Err(ContextError::invalid("", "an object", kind(message)));
        };
        let id = match fields.get("messageId") {
            Some(Value::String(id)) if !id.is_empty() => id.clone(),
            Some(Value::String(_)) => {
                return Err(ContextError::invalid("/messageId", "a text", "an empty text"));
            }
            Some(other) => return Err(ContextError::invalid("/messageId", "a text", kind(other))),
            None => return Err(ContextError::invalid("/messageId", "a text", "nothing")),
        };
        let timestamp = fields.get("timestamp").and_then(Value::as_str).map(str::to_owned);
        Ok(Self { id, text: message.to_string().into(), timestamp })
    }

    /// Creates a message from one of the protocol.
    #[must_use]
    pub fn of(message: &Message) -> Self {
        let timestamp = Some(message.timestamp.as_str().to_owned());
        Self { id: message.message_id.clone(), text: message.to_json().into(), timestamp }
    }

    /// Creates a message from its JSON text, which is kept to the letter.
    ///
    /// # Errors
    /// [`ContextError::Invalid`] for anything but an object with a `messageId`.
    pub fn parse(text: &str) -> Result<Self, ContextError> {
        // What is borrowed can't be read after the stack has grown, so a common message is peeked
        // at in place, and whatever that refuses is read whole, which returns the reason.
        match serde_json::from_str::<Peek<'_>>(text) {
            Ok(Peek { message_id: Some(id), timestamp }) if !id.is_empty() => {
                let timestamp = timestamp.map(Cow::into_owned);
                Ok(Self { id: id.into_owned(), text: text.into(), timestamp })
            }
            _ => {
                let value: Value = json::read(text.as_bytes()).map_err(|error| {
                    ContextError::invalid("", "a JSON object", &error.to_string())
                })?;
                Ok(Self { text: text.into(), ..Self::new(&value)? })
            }
        }
    }

    /// Adds the label of what the message was made of, unless nothing low is in it (GU-4). Whoever
    /// reads the message back as a client does not see it.
    #[must_use]
    pub fn labelled(mut self, label: &Label) -> Self {
        if label.is_below_user() || !label.readers.is_everyone() || label.is_of_low_sources() {
            self.text = envelope::labelled(&self.text, label).into();
        }
        self
    }

    /// Returns the `messageId`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the JSON text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Returns the `timestamp`, as it was written.
    #[must_use]
    pub fn timestamp(&self) -> Option<&str> {
        self.timestamp.as_deref()
    }
}

/// The name of a message that has effect once: owner (of the call), contextId, messageId (CP-7).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyName {
    /// The `contextId` that stood in the message; `None` when it had none.
    pub context_id: Option<String>,
    /// The `messageId`.
    pub message_id: String,
}

/// The key of a message, what it held, and its answer.
#[derive(Debug, Clone)]
pub struct MessageKey {
    /// The `messageId`. The contextId of the key is the update's own.
    pub message_id: String,
    /// The digest of what the message holds: the same key with another digest is
    /// [`ContextError::MessageIdConflict`].
    pub digest: [u8; 32],
    /// The answer to keep.
    pub answer: Answer,
}

/// The answer that is stored with a key.
#[derive(Clone, Default)]
pub enum Answer {
    /// It comes later, by a [`Settlement`].
    #[default]
    Pending,
    /// It comes later, and the work on it begins when those before it in its context that are queued too
    /// have their answers ([`ContextStore::begin`](super::ContextStore::begin)).
    Queued,
    /// A JSON text.
    Ready(String),
    /// A JSON text made of the outcome, inside the transaction: it must be quick.
    Made(Arc<dyn Fn(&Applied) -> String + Send + Sync>),
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Self::Ready(text)
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pending => f.write_str("Pending"),
            Self::Queued => f.write_str("Queued"),
            Self::Ready(text) => f.debug_tuple("Ready").field(text).finish(),
            Self::Made(_) => f.write_str("Made"),
        }
    }
}

/// The answer of a key that was pending; or that of one which waits for an answer again.
#[derive(Debug, Clone)]
pub struct Settlement {
    /// The key.
    pub key: KeyName,
    /// Its answer; [`Answer::Pending`] takes back the one that it has, [`Answer::Queued`] leaves the key as
    /// it is.
    pub answer: Answer,
}

/// The result of an update.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The context.
    pub context_id: String,
    /// Its version after the update.
    pub version: u64,
    /// The places of the messages that were added, in their order (`metadata.seq`).
    pub seqs: Vec<u64>,
    /// The changes: the delta for subscribers.
    pub changes: Vec<Change>,
    /// The earlier message, if there was one: nothing was done now.
    pub repeated: Option<Repeated>,
    /// True if the update had seen an older version and was merged with later changes.
    pub merged: bool,
    /// True if the update created the context.
    pub created: bool,
    /// Its time, in microseconds since 1970-01-01 UTC.
    pub time_us: u64,
    /// The number that distinguishes the context from deleted ones of its id; 0 without a context.
    pub incarnation: u64,
}

/// The state of an earlier message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repeated {
    /// Its answer, a JSON text.
    Done(String),
    /// It is being worked on.
    Pending,
}

/// A key that has no answer yet: after a start, an interrupted turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingKey {
    /// Its owner.
    pub owner: String,
    /// The name of its message.
    pub key: KeyName,
    /// The context that it went to, if any.
    pub context_id: Option<String>,
    /// The [`Applied::incarnation`] of that context, if it is there (WA-1): a server that starts has it for
    /// all that waits without asking for each.
    pub incarnation: Option<u64>,
    /// Its time, in microseconds since 1970-01-01 UTC.
    pub time_us: u64,
    /// True if the work on it may have begun. A store for one process alone does not know that it did not.
    pub has_begun: bool,
}
