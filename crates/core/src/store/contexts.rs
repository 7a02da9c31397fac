//! The port of contexts: the messages, the state and the change log of conversations (CP-9 to CP-12),
//! and the keys by which a message has effect once (CP-7).
//!
//! An id is its owner's alone: others do not find the context, and may make their own of that id.
//! `contexture_store::contexts::Contexts` implements this port over a storage of rows, so that a
//! store for another database need not repeat its rules.

mod envelope;
mod error;
mod limits;
mod seal;
mod update;
mod view;

pub use envelope::complete;
pub use error::{ContextError, SealError};
pub use limits::Limits;
pub use seal::{MessageField, Sealer, Sensitive};
pub use update::{
    Answer, Applied, Key, KeyName, MessageKey, NewMessage, Operation, PendingKey, Repeated,
    Settlement, Update,
};
pub use view::{
    Change, Changes, Fork, Head, Heads, Import, Origin, Page, Review, State, StoredMessage, What,
};

use serde_json::Value;
use std::io::{BufRead, Write};
use std::sync::mpsc;

/// What is called when an update is durable, or refused. It runs on the store's own thread: it must
/// be quick, and a panic in it is caught and dropped.
pub type Done = Box<dyn FnOnce(Result<Applied, ContextError>) + Send>;

/// Keeps contexts. All calls but [`submit`](Self::submit) wait for what they do.
pub trait ContextStore: Send + Sync {
    /// Hands an update in; `done` is called once, after it is durable or when it is refused.
    /// Updates take effect in the order in which they were handed in.
    fn submit(&self, update: Update, done: Done);

    /// Hands an update in and waits.
    ///
    /// # Errors
    /// [`ContextError`]; nothing was changed then.
    fn apply(&self, update: Update) -> Result<Applied, ContextError> {
        let (send, receive) = mpsc::sync_channel(1);
        self.submit(update, Box::new(move |outcome| drop(send.send(outcome))));
        receive.recv().unwrap_or(Err(ContextError::Closed))
    }

    /// Gives a pending key its answer, and waits; see [`Update::settles`] for doing it together
    /// with the last messages of a turn. An answer that is there already stays.
    ///
    /// # Errors
    /// [`ContextError::KeyNotFound`], or what goes wrong in writing.
    fn answer(&self, owner: &str, key: KeyName, answer: String) -> Result<(), ContextError> {
        let settles = Some(Settlement { key, answer: answer.into() });
        let update = Update { owner: owner.to_owned(), settles, ..Update::default() };
        self.apply(update).map(drop)
    }

    /// What is known of a message; `None` when it was never here (CP-7).
    ///
    /// # Errors
    /// [`ContextError::MessageIdConflict`] when it held something else.
    fn repeated(
        &self,
        owner: &str,
        key: &KeyName,
        digest: &[u8; 32],
    ) -> Result<Option<Repeated>, ContextError>;

    /// All keys without an answer, of all owners, the oldest first.
    ///
    /// # Errors
    /// What goes wrong in reading.
    fn pending(&self) -> Result<Vec<PendingKey>, ContextError>;

    /// A context without its messages and its state.
    ///
    /// # Errors
    /// [`ContextError::NotFound`], also for another owner's.
    fn head(&self, key: Key<'_>) -> Result<Head, ContextError>;

    /// A page of an owner's contexts in the order of creation; `after` is a page's `next`.
    ///
    /// # Errors
    /// [`ContextError::Invalid`] for an `after` or a `limit` that no page gives.
    fn list(&self, owner: &str, after: Option<&str>, limit: usize) -> Result<Heads, ContextError>;

    /// Who owns a context of this id, by name: for the command line, which opens the file itself.
    ///
    /// # Errors
    /// What goes wrong in reading.
    fn holders(&self, context: &str) -> Result<Vec<String>, ContextError>;

    /// All who own a context: for the command line, which opens the file itself.
    ///
    /// # Errors
    /// What goes wrong in reading.
    fn owners(&self) -> Result<Vec<String>, ContextError>;

    /// The state.
    ///
    /// # Errors
    /// [`ContextError::NotFound`], also for another owner's.
    fn state(&self, key: Key<'_>) -> Result<State, ContextError>;

    /// A page of messages: those after the place `after` (0 from the start).
    ///
    /// # Errors
    /// [`ContextError::NotFound`], also for another owner's; [`ContextError::Invalid`] for a limit
    /// of 0 or above [`Limits::page`].
    fn messages(&self, key: Key<'_>, after: u64, limit: usize) -> Result<Page, ContextError>;

    /// The last messages, in their order.
    ///
    /// # Errors
    /// As [`messages`](Self::messages).
    fn last(&self, key: Key<'_>, limit: usize) -> Result<Vec<StoredMessage>, ContextError>;

    /// A part of the change log: what came after the version `since`. A page goes on to the end of
    /// the version in which it reaches `limit`.
    ///
    /// # Errors
    /// [`ContextError::Compacted`] when the log no longer reaches back, [`ContextError::Ahead`] for
    /// a version that never was, [`ContextError::NotFound`].
    fn changes(&self, key: Key<'_>, since: u64, limit: usize) -> Result<Changes, ContextError>;

    /// The whole context as in 8.1, with its `version`.
    ///
    /// # Errors
    /// [`ContextError::TooLarge`] above [`Limits::whole`] messages: read pages then.
    fn get(&self, key: Key<'_>) -> Result<Value, ContextError>;

    /// Removes a context with all it holds, the keys of its messages too: the same message sent
    /// again begins anew (CP-7, CP-9).
    ///
    /// # Errors
    /// [`ContextError::NotFound`], also for another owner's.
    fn delete(&self, key: Key<'_>) -> Result<(), ContextError>;

    /// Copies a context with its messages and its state, not its log; `metadata.forkedFrom` says
    /// where it came from. The fork goes on from its origin's version.
    ///
    /// # Errors
    /// [`ContextError::NotFound`]; [`ContextError::Taken`] when the owner has a context of the id.
    fn fork(&self, key: Key<'_>, fork: Fork) -> Result<Head, ContextError>;

    /// Writes a context as JSON lines: `{contextId, creationTime, lastUpdateTime, version, state,
    /// metadata, messageCount, format: "contexture-context/1"}`, then one message on each line as
    /// [`messages`](Self::messages) reads it back. Sealed fields are written open. Gives the
    /// number of messages.
    ///
    /// # Errors
    /// [`ContextError::NotFound`]; [`ContextError::Io`] of `out`.
    fn export(&self, key: Key<'_>, out: &mut dyn Write) -> Result<u64, ContextError>;

    /// Takes in what [`export`](Self::export) wrote, or an object as in 8.1 with its `messages`
    /// inside. Everything is looked at before anything is kept. A message needs messageId, type and
    /// content; the rest of the envelope is filled in (CP-9), and then it has to be one of the
    /// protocol; of types that are not known it is not said what their content is. Its times are
    /// kept as far as they have passed, and the places of its messages where they go up. The log
    /// starts anew at its version.
    ///
    /// # Errors
    /// [`ContextError::Import`] and [`ContextError::ImportedMessage`] with the line;
    /// [`ContextError::Taken`] when the owner has a context of the id.
    fn import(
        &self,
        owner: &str,
        input: &mut dyn BufRead,
        import: Import,
    ) -> Result<Head, ContextError>;

    /// Drops the log up to and with the version `through`, and the texts of the messages that were
    /// cleared by then.
    ///
    /// # Errors
    /// [`ContextError::NotFound`]; [`ContextError::Ahead`] for a version that never was.
    fn compact(&self, key: Key<'_>, through: u64) -> Result<Head, ContextError>;

    /// Reports whether what was sealed opens with the keys there are (CP-19): with other keys, no
    /// conversation from before could be read. A store may look at the first and the last alone.
    ///
    /// # Errors
    /// [`ContextError::Sealed`], or what goes wrong in reading.
    fn check_seals(&self) -> Result<(), ContextError>;

    /// Whether the store can be read and written now.
    ///
    /// # Errors
    /// What is in the way.
    fn check(&self) -> Result<(), ContextError>;
}
