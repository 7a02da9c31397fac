//! The rows of contexts: what a database has to keep, without any rule about them.
//!
//! Decision: the smallest set of reads and writes from which every call of the port is made, so that
//! a rule stands once and each store follows it. A store for another database implements [`Ledger`]
//! over its rows inside a transaction and [`Ledgers`] for its transactions;
//! [`Contexts`](super::Contexts) makes a `ContextStore` of it, with versions, conflicts, imports,
//! limits and seals.
//!
//! A database has to provide: one write at a time, all of it or nothing; a read that sees one
//! moment; places that rise and are never given again, those of removed contexts included.

use super::metadata;
use contexture_core::store::contexts::{ContextError, Head, KeyName, PendingKey, What};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The result of a call.
pub type Outcome<T> = Result<T, ContextError>;

/// A JSON text as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The text.
    pub text: Arc<str>,
    /// Which places of it are sealed, in the order in which they were, as a JSON list of paths; the
    /// empty path is the whole. `None`: nothing is.
    pub sealed: Option<Arc<str>>,
}

impl Stored {
    /// Creates a text of which nothing is sealed.
    #[must_use]
    pub fn plain(text: impl Into<Arc<str>>) -> Self {
        Self { text: text.into(), sealed: None }
    }
}

/// A text of which something is sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sealed {
    /// A state.
    State(Stored),
    /// A message.
    Message(Stored),
}

/// A context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its number, in the order of creation.
    pub place: i64,
    /// The `contextId`.
    pub context_id: String,
    /// The owner.
    pub owner: String,
    /// The time of its creation, in microseconds since 1970-01-01 UTC.
    pub creation_us: u64,
    /// The time of its last change.
    pub last_update_us: u64,
    /// Its version.
    pub version: u64,
    /// Changes up to this version are no longer in the log.
    pub oldest: u64,
    /// The place of the last message that was ever added.
    pub last_seq: u64,
    /// The number of messages that are not cleared.
    pub messages: u64,
    /// All messages up to this place are cleared.
    pub cleared_through: u64,
}

impl Row {
    /// Tells it from one of the same id before: places are never given again.
    pub(super) fn incarnation(&self) -> u64 {
        incarnation(self.place)
    }

    pub(super) fn head(self, metadata: Map<String, Value>) -> Head {
        Head {
            incarnation: self.incarnation(),
            context_id: self.context_id,
            owner: self.owner,
            creation_us: self.creation_us,
            last_update_us: self.last_update_us,
            version: self.version,
            oldest: self.oldest,
            last_seq: self.last_seq,
            messages: self.messages,
            metadata,
        }
    }
}

/// Returns the incarnation of the context at a place.
pub(crate) const fn incarnation(place: i64) -> u64 {
    place.unsigned_abs()
}

/// Returns the name of a message by its scope, which is empty where the message names no context.
pub(crate) fn key_name(scope: String, message_id: String) -> KeyName {
    KeyName { context_id: Some(scope).filter(|scope| !scope.is_empty()), message_id }
}

/// A message of a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    /// Its place in the context, from 1.
    pub seq: u64,
    /// The version that added it.
    pub version: u64,
    /// Its place among the changes of its version.
    pub index: u64,
    /// Its own timestamp; `None` when that can't be read.
    pub instant: Option<i64>,
    /// The messageId that caused it.
    pub cause: Option<Arc<str>>,
    /// The time of its arrival, in microseconds since 1970-01-01 UTC.
    pub time_us: u64,
    /// Its text.
    pub kept: Stored,
}

/// A change that added no message.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeRow {
    /// The version that it belongs to.
    pub version: u64,
    /// Its place among the changes of its version.
    pub index: u64,
    /// The edit.
    pub edit: Edit,
    /// The messageId that caused it.
    pub cause: Option<Arc<str>>,
    /// The time, in microseconds since 1970-01-01 UTC.
    pub time_us: u64,
}

/// An edit of a context.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// A part of the state was set.
    Set {
        /// The path.
        path: String,
        /// The value.
        value: Stored,
    },
    /// A part of the state was removed.
    Remove {
        /// The path.
        path: String,
    },
    /// The metadata was changed.
    Metadata {
        /// The merge patch.
        patch: Stored,
    },
    /// Messages were cleared.
    Clear {
        /// The filter, as it was written.
        before: Option<String>,
        /// Messages up to this place were there.
        through: u64,
        /// The number of cleared messages.
        cleared: u64,
    },
}

impl Edit {
    /// Returns the change as others see it, with the value opened.
    pub(super) fn what(self, value: Value) -> What {
        match self {
            Self::Set { path, .. } => What::UpdateState { path, value },
            Self::Remove { path } => What::RemoveState { path },
            Self::Metadata { .. } => What::UpdateMetadata { patch: metadata::fields(value) },
            Self::Clear { before, through, cleared } => {
                What::ClearHistory { before, through, cleared }
            }
        }
    }
}

/// A message that has effect once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    /// The owner.
    pub owner: String,
    /// The contextId that stood in the message; empty without one.
    pub scope: String,
    /// The `messageId`.
    pub message_id: String,
    /// The digest of what the message holds.
    pub digest: [u8; 32],
    /// The context that it went to.
    pub context: Option<String>,
    /// Its answer.
    pub answer: StoredAnswer,
    /// Its time, in microseconds since 1970-01-01 UTC.
    pub time_us: u64,
}

impl KeyRow {
    /// Returns it as a key without an answer whose work may have begun. `place` is that of its context,
    /// `None` when that is not there.
    #[must_use]
    pub fn pending(&self, place: Option<i64>) -> PendingKey {
        PendingKey {
            owner: self.owner.clone(),
            key: key_name(self.scope.clone(), self.message_id.clone()),
            context_id: self.context.clone(),
            incarnation: place.map(incarnation),
            time_us: self.time_us,
            has_begun: true,
        }
    }
}

/// The answer of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredAnswer {
    /// It comes later.
    Pending,
    /// It comes later, in the order of its context. A database of one process may keep it as pending.
    Queued,
    /// A JSON text.
    Ready(Stored),
    /// There is none: the message came inside another one, and stands in the context.
    Stands,
}

/// The rows that a write looks at first, as far as they are known before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reads {
    /// The owner of all of them.
    pub owner: String,
    /// The context.
    pub context: Option<String>,
    /// The keys, each by its scope and its `messageId`.
    pub keys: Vec<(String, String)>,
}

/// A stretch of versions: after the first, up to and with the second.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// Versions after this one,
    pub after: u64,
    /// up to and with this one.
    pub through: u64,
}

impl Span {
    /// Reports whether a version is one of these.
    #[must_use]
    pub const fn holds(self, version: u64) -> bool {
        self.after < version && version <= self.through
    }
}

/// The rows of all contexts, inside a transaction. Lists come in the order of seq, of version and
/// index, or of place. The errors of each call are what the database reports.
#[allow(clippy::missing_errors_doc, reason = "said once, above")]
pub trait Ledger {
    /// Finds a context of an owner.
    fn find(&mut self, owner: &str, context: &str) -> Outcome<Option<Row>>;
    /// Returns who owns a context of this id, by name.
    fn holders(&mut self, context: &str) -> Outcome<Vec<String>>;
    /// Adds a context; returns its place, whatever `row` has there.
    fn insert(&mut self, row: &Row, state: &Stored, metadata: &str) -> Outcome<i64>;
    /// Rewrites the row of a context.
    fn update(&mut self, row: &Row) -> Outcome<()>;
    /// Removes a context, its messages and its changes.
    fn remove(&mut self, place: i64) -> Outcome<()>;
    /// Returns contexts of an owner behind a place.
    fn owned(&mut self, owner: &str, after: i64, limit: usize) -> Outcome<Vec<Row>>;
    /// Returns all who own a context, by name.
    fn owners(&mut self) -> Outcome<Vec<String>>;

    /// Returns the state of a context.
    fn state(&mut self, place: i64) -> Outcome<Stored>;
    /// Sets the state of a context.
    fn put_state(&mut self, place: i64, state: &Stored) -> Outcome<()>;
    /// Returns the metadata of a context.
    fn metadata(&mut self, place: i64) -> Outcome<String>;
    /// Sets the metadata of a context.
    fn put_metadata(&mut self, place: i64, metadata: &str) -> Outcome<()>;

    /// Adds a message.
    fn add_message(&mut self, place: i64, message: &MessageRow) -> Outcome<()>;
    /// Returns messages that are not cleared, behind a seq.
    fn messages(&mut self, row: &Row, after: u64, limit: usize) -> Outcome<Vec<MessageRow>>;
    /// Returns the last messages before a seq that are not cleared, in their order.
    fn last(&mut self, row: &Row, before: u64, limit: usize) -> Outcome<Vec<MessageRow>>;
    /// Returns all messages of some versions, cleared ones too.
    fn added(&mut self, row: &Row, span: Span, limit: usize) -> Outcome<Vec<MessageRow>>;
    /// Clears messages before an instant, or all, and counts them off in `row`, which is not stored
    /// yet. Returns how many.
    fn clear(&mut self, row: &mut Row, before: Option<i64>) -> Outcome<u64>;
    /// Gives the messages of a context that are not cleared to another.
    fn copy_messages(&mut self, from: &Row, to: i64) -> Outcome<()>;

    /// Adds a change.
    fn add_change(&mut self, place: i64, change: &ChangeRow) -> Outcome<()>;
    /// Returns changes of some versions.
    fn changes(&mut self, place: i64, span: Span, limit: usize) -> Outcome<Vec<ChangeRow>>;
    /// Drops changes up to a version, and messages that are cleared and were added by then.
    fn compact(&mut self, row: &Row, through: u64) -> Outcome<()>;

    /// Finds the key of a message.
    fn key(&mut self, owner: &str, scope: &str, message_id: &str) -> Outcome<Option<KeyRow>>;
    /// Adds a key.
    fn put_key(&mut self, key: &KeyRow) -> Outcome<()>;
    /// Sets the answer of a key that is there; without one it is pending.
    fn settle(&mut self, key: &KeyRow, answer: Option<&Stored>) -> Outcome<()>;
    /// Notes that a messageId is in use in a context, unless it has a key there.
    fn take_id(&mut self, row: &Row, message_id: &str) -> Outcome<()>;
    /// Does that for all messages of a context that are not cleared.
    fn take_ids(&mut self, row: &Row) -> Outcome<()>;
    /// Drops the keys of a context, and of messages without one that made it.
    fn forget_keys(&mut self, owner: &str, context: &str) -> Outcome<()>;
    /// Notes that the work on a queued message begins; false while one before it in its context has no
    /// answer. Only asked of a database that is shared.
    fn begin(&mut self, _key: &KeyRow) -> Outcome<bool> {
        Ok(true)
    }
    /// Returns the keys without an answer, the oldest first, with the incarnations of their contexts, as
    /// [`KeyRow::pending`] makes them.
    fn pending(&mut self) -> Outcome<Vec<PendingKey>>;
    /// Returns states and messages, the newest and the oldest, of which something is sealed, as far
    /// as that is quickly known.
    fn sealed(&mut self) -> Outcome<Vec<Sealed>> {
        Ok(Vec::new())
    }
    /// Writes something that changes nothing.
    fn touch(&mut self) -> Outcome<()>;
}

/// The transactions of a database.
pub trait Ledgers: Send + Sync + 'static {
    /// True if other processes write the database too: the order of a context is then that of its keys.
    const IS_SHARED: bool = false;

    /// Calls `work` with the rows of one moment.
    fn read<T>(&self, work: impl FnOnce(&mut dyn Ledger) -> Outcome<T>) -> Outcome<T>;

    /// Calls `work` in a transaction that is kept when it succeeds and undone when it fails, then
    /// `done`, once, with what came of it. Neither has to wait for this call to return: a group commit may
    /// do both on a thread of its own, in the order of the calls, and call `work` again after a
    /// transaction of many has failed. `done` must not be called inside the transaction, or under a
    /// lock that a call needs: it may write more.
    fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Ledger) -> Outcome<T> + Send + 'static,
        done: impl FnOnce(Outcome<T>) + Send + 'static,
    );

    /// Does the same with work that writes some `bytes` and looks at the rows of `reads` first. A database for
    /// which each read takes long may read those of many calls at once; others never ask for them.
    fn write_after<T: Send + 'static>(
        &self,
        _bytes: usize,
        _reads: impl FnOnce() -> Reads,
        work: impl Fn(&mut dyn Ledger) -> Outcome<T> + Send + 'static,
        done: impl FnOnce(Outcome<T>) + Send + 'static,
    ) {
        self.write(work, done);
    }
}
