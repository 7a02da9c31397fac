//! The port of contexts: the messages, the state and the change log of conversations (CP-9 to CP-12),
//! and the keys by which a message has effect once (CP-7).
//!
//! An id is its owner's alone: others do not find the context, and may create one of that id.
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

/// The callback for an update that is durable, or refused. It runs on the store's own thread: it
/// must be quick, and a panic in it is caught and dropped.
pub type Done = Box<dyn FnOnce(Result<Applied, ContextError>) + Send>;

/// Keeps contexts. All calls but [`submit`](Self::submit) wait for what they do.
pub trait ContextStore: Send + Sync {
    /// Submits an update; `done` is called once, after it is durable or when it is refused.
    /// Updates take effect in the order in which they were submitted.
    fn submit(&self, update: Update, done: Done);

    /// Submits an update and waits.
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
    /// [`ContextError::KeyNotFound`], or an error of writing.
    fn answer(&self, owner: &str, key: KeyName, answer: String) -> Result<(), ContextError> {
        let settles = Some(Settlement { key, answer: answer.into() });
        let update = Update { owner: owner.to_owned(), settles, ..Update::default() };
        self.apply(update).map(drop)
    }

    /// Returns the state of an earlier message; `None` when there was none (CP-7).
    ///
    /// # Errors
    /// [`ContextError::MessageIdConflict`] when it had another content.
    fn repeated(
        &self,
        owner: &str,
        key: &KeyName,
        digest: &[u8; 32],
    ) -> Result<Option<Repeated>, ContextError>;

    /// Returns all keys without an answer, of all owners, the oldest first, each with the incarnation of
    /// its context.
    ///
    /// # Errors
    /// [`ContextError`] if they can't be read.
    fn pending(&self) -> Result<Vec<PendingKey>, ContextError>;

    /// Notes that the work on a queued message begins; false while a queued message before it in its
    /// context has no answer. Where one process alone has the store, its own queue is the order, and
    /// nothing is noted.
    ///
    /// # Errors
    /// [`ContextError`] if it can't be noted.
    fn begin(&self, _owner: &str, _key: &KeyName) -> Result<bool, ContextError> {
        Ok(true)
    }

    /// Returns a context without its messages and its state.
    ///
    /// # Errors
    /// [`ContextError::NotFound`], also for another owner's.
    fn head(&self, key: Key<'_>) -> Result<Head, ContextError>;

    /// Returns a page of an owner's contexts in the order of creation; `after` is a page's `next`.
    ///
    /// # Errors
    /// [`ContextError::Invalid`] for an `after` or a `limit` that no page gives.
    fn list(&self, owner: &str, after: Option<&str>, limit: usize) -> Result<Heads, ContextError>;

    /// Returns a page of those of an owner's contexts that hold a text, in the order of creation; `after`
    /// is a page's `next`. Searched are the title, the topic (`currentTopic` of the state) and the
    /// `content.text` of messages that are not cleared; upper and lower case count as one. The work on a
    /// page is limited: one may have fewer contexts than `limit`, even none, and a `next`.
    ///
    /// # Errors
    /// [`ContextError::Invalid`] for a text that is blank or longer than 200 characters, and as
    /// [`list`](Self::list).
    fn search(
        &self,
        owner: &str,
        text: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Heads, ContextError>;

    /// Returns the owners of this id, by name: for the command line, which opens the file itself.
    ///
    /// # Errors
    /// [`ContextError`] if they can't be read.
    fn holders(&self, context: &str) -> Result<Vec<String>, ContextError>;

    /// Returns all owners of contexts: for the command line, which opens the file itself.
    ///
    /// # Errors
    /// [`ContextError`] if they can't be read.
    fn owners(&self) -> Result<Vec<String>, ContextError>;

    /// Returns the state.
    ///
    /// # Errors
    /// [`ContextError::NotFound`], also for another owner's.
    fn state(&self, key: Key<'_>) -> Result<State, ContextError>;

    /// Returns a page of messages: those after the place `after` (0 from the start).
    ///
    /// # Errors
    /// [`ContextError::NotFound`], also for another owner's; [`ContextError::Invalid`] for a limit
    /// of 0 or above [`Limits::page`].
    fn messages(&self, key: Key<'_>, after: u64, limit: usize) -> Result<Page, ContextError>;

    /// Returns a page of messages: the last ones before the place `before`, in their order. Its `next`
    /// is the `before` of the page of those before them.
    ///
    /// # Errors
    /// As [`messages`](Self::messages).
    fn before(&self, key: Key<'_>, before: u64, limit: usize) -> Result<Page, ContextError>;

    /// Returns the last messages, in their order.
    ///
    /// # Errors
    /// As [`messages`](Self::messages).
    fn last(&self, key: Key<'_>, limit: usize) -> Result<Vec<StoredMessage>, ContextError> {
        self.before(key, u64::MAX, limit).map(|page| page.messages)
    }

    /// Returns the part of the change log after the version `since`. A page continues to the end of
    /// the version in which it reaches `limit`.
    ///
    /// # Errors
    /// [`ContextError::Compacted`] when the log no longer reaches back, [`ContextError::Ahead`] for
    /// a version that never was, [`ContextError::NotFound`].
    fn changes(&self, key: Key<'_>, since: u64, limit: usize) -> Result<Changes, ContextError>;

    /// Returns the whole context as in 8.1, with its `version`.
    ///
    /// # Errors
    /// [`ContextError::TooLarge`] above [`Limits::whole`] messages: read pages then.
    fn get(&self, key: Key<'_>) -> Result<Value, ContextError>;

    /// Removes a context with all it holds, the keys of its messages too: the same message sent
    /// again is a new one (CP-7, CP-9).
    ///
    /// # Errors
    /// [`ContextError::NotFound`], also for another owner's.
    fn delete(&self, key: Key<'_>) -> Result<(), ContextError>;

    /// Copies a context with its messages and its state, not its log; `metadata.forkedFrom` names
    /// its origin. The fork continues from its origin's version.
    ///
    /// # Errors
    /// [`ContextError::NotFound`]; [`ContextError::Taken`] when the owner has a context of the id.
    fn fork(&self, key: Key<'_>, fork: Fork) -> Result<Head, ContextError>;

    /// Writes a context as JSON lines: `{contextId, creationTime, lastUpdateTime, version, state,
    /// metadata, messageCount, format: "contexture-context/1"}`, then one message on each line as
    /// [`messages`](Self::messages) reads it back. Sealed fields are written open. Returns the
    /// number of messages.
    ///
    /// # Errors
    /// [`ContextError::NotFound`]; [`ContextError::Io`] of `out`.
    fn export(&self, key: Key<'_>, out: &mut dyn Write) -> Result<u64, ContextError>;

    /// Imports the output of [`export`](Self::export), or an object as in 8.1 with its `messages`
    /// inside. Everything is checked before anything is kept. A message needs messageId, type and
    /// content; the rest of the envelope is filled in (CP-9), and then it has to follow the
    /// protocol; the content of unknown types is not checked. Its times are kept unless they are in
    /// the future, and the places of its messages where they ascend. The log restarts at its
    /// version.
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

    /// Checks that sealed parts open with the given keys (CP-19): with other keys, no earlier
    /// conversation could be read. A store may check the first and the last alone.
    ///
    /// # Errors
    /// [`ContextError::Sealed`], or an error of reading.
    fn check_seals(&self) -> Result<(), ContextError>;

    /// Checks that the store can be read and written now.
    ///
    /// # Errors
    /// [`ContextError`] if it can't.
    fn check(&self) -> Result<(), ContextError>;
}
