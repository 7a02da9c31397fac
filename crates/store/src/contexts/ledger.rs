//! What a twin keeps: rows, without any rule about them.
//!
//! Decision: the smallest set of reads and writes from which every call is made, so that a rule
//! stands once and both twins follow it.

use super::view::Head;
use super::{ContextError, What};
use crate::contexts::vault::Kept;
use serde_json::{Map, Value};
use std::sync::Arc;

pub(super) type Outcome<T> = Result<T, ContextError>;

/// A context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// Its number, in the order of creation.
    pub(super) place: i64,
    pub(super) context_id: String,
    pub(super) owner: String,
    pub(super) creation_us: u64,
    pub(super) last_update_us: u64,
    pub(super) version: u64,
    pub(super) oldest: u64,
    pub(super) last_seq: u64,
    /// How many messages are not cleared.
    pub(super) messages: u64,
    /// All messages up to this place are cleared.
    pub(super) cleared_through: u64,
}

impl Row {
    /// Tells it from one of the same id before: places are never given again.
    pub(super) fn incarnation(&self) -> u64 {
        self.place.unsigned_abs()
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

/// A message of a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MessageRow {
    pub(super) seq: u64,
    pub(super) version: u64,
    /// Its place among the changes of its version.
    pub(super) index: u64,
    /// Its own timestamp; `None` when that can't be read.
    pub(super) instant: Option<i64>,
    pub(super) cause: Option<Arc<str>>,
    pub(super) time_us: u64,
    pub(super) kept: Kept,
}

/// A change that added no message.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ChangeRow {
    pub(super) version: u64,
    /// Its place among the changes of its version.
    pub(super) index: u64,
    pub(super) edit: Edit,
    pub(super) cause: Option<Arc<str>>,
    pub(super) time_us: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Edit {
    Set { path: String, value: Kept },
    Remove { path: String },
    Clear { before: Option<String>, through: u64, cleared: u64 },
}

impl Edit {
    /// As others see it, with the value opened.
    pub(super) fn what(self, value: Value) -> What {
        match self {
            Self::Set { path, .. } => What::UpdateState { path, value },
            Self::Remove { path } => What::RemoveState { path },
            Self::Clear { before, through, cleared } => {
                What::ClearHistory { before, through, cleared }
            }
        }
    }
}

/// A message that has effect once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyRow {
    pub(super) owner: String,
    /// The contextId that stood in the message; empty without one.
    pub(super) scope: String,
    pub(super) message_id: String,
    pub(super) digest: [u8; 32],
    /// The context that it went to.
    pub(super) context: Option<String>,
    pub(super) answer: KeptAnswer,
    pub(super) time_us: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeptAnswer {
    Pending,
    Ready(Kept),
    /// There is none: the message came inside another one, and stands in the context.
    Stands,
}

/// A stretch of versions: after the first, up to and with the second.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) after: u64,
    pub(super) through: u64,
}

impl Span {
    pub(super) const fn holds(self, version: u64) -> bool {
        self.after < version && version <= self.through
    }
}

/// The rows of a twin. Lists come in the order of seq, of version and index, or of place.
pub(super) trait Ledger {
    fn find(&mut self, owner: &str, context: &str) -> Outcome<Option<Row>>;
    /// Who owns a context of this id, by name.
    fn holders(&mut self, context: &str) -> Outcome<Vec<String>>;
    /// Adds a context; gives its place, whatever `row` has there.
    fn insert(&mut self, row: &Row, state: &Kept, metadata: &str) -> Outcome<i64>;
    fn update(&mut self, row: &Row) -> Outcome<()>;
    /// Removes a context, its messages and its changes.
    fn remove(&mut self, place: i64) -> Outcome<()>;
    fn owned(&mut self, owner: &str, after: i64, limit: usize) -> Outcome<Vec<Row>>;
    fn owners(&mut self) -> Outcome<Vec<String>>;

    fn state(&mut self, place: i64) -> Outcome<Kept>;
    fn put_state(&mut self, place: i64, state: &Kept) -> Outcome<()>;
    fn metadata(&mut self, place: i64) -> Outcome<String>;

    fn add_message(&mut self, place: i64, message: &MessageRow) -> Outcome<()>;
    /// Messages that are not cleared.
    fn messages(&mut self, row: &Row, after: u64, limit: usize) -> Outcome<Vec<MessageRow>>;
    /// The last messages that are not cleared.
    fn last(&mut self, row: &Row, limit: usize) -> Outcome<Vec<MessageRow>>;
    /// All messages of some versions, cleared ones too.
    fn added(&mut self, row: &Row, span: Span, limit: usize) -> Outcome<Vec<MessageRow>>;
    /// Clears messages before an instant, or all, and counts them off in `row`, which is not stored
    /// yet. Gives how many.
    fn clear(&mut self, row: &mut Row, before: Option<i64>) -> Outcome<u64>;
    /// Gives the messages of a context that are not cleared to another.
    fn copy_messages(&mut self, from: &Row, to: i64) -> Outcome<()>;

    fn add_change(&mut self, place: i64, change: &ChangeRow) -> Outcome<()>;
    fn changes(&mut self, place: i64, span: Span, limit: usize) -> Outcome<Vec<ChangeRow>>;
    /// Drops changes up to a version, and messages that are cleared and were added by then.
    fn compact(&mut self, row: &Row, through: u64) -> Outcome<()>;

    fn key(&mut self, owner: &str, scope: &str, message_id: &str) -> Outcome<Option<KeyRow>>;
    fn put_key(&mut self, key: &KeyRow) -> Outcome<()>;
    /// Sets the answer of a key that is there.
    fn settle(&mut self, key: &KeyRow, answer: &Kept) -> Outcome<()>;
    /// Notes that a messageId is in use in a context, unless it has a key there.
    fn take_id(&mut self, row: &Row, message_id: &str) -> Outcome<()>;
    /// Does that for all messages of a context that are not cleared.
    fn take_ids(&mut self, row: &Row) -> Outcome<()>;
    /// Drops the keys of a context, and of messages without one that made it.
    fn forget_keys(&mut self, owner: &str, context: &str) -> Outcome<()>;
    /// The keys without an answer, the oldest first.
    fn pending(&mut self) -> Outcome<Vec<KeyRow>>;
    /// Writes something that changes nothing.
    fn touch(&mut self) -> Outcome<()>;
}
