//! The port of the journals of runs that survive their process (WA-3).
//!
//! Decision: a journal is lines that are appended and read again from the beginning; what stands in them
//! is the matter of whoever writes. One process goes on with a journal at a time.

use std::sync::Arc;

/// The reason why a journal can't be read or written, in the words of who keeps it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JournalError(pub String);

/// Keeps journals.
pub trait Journals: Send + Sync {
    /// Returns the place of the journal of a run, which need not be there.
    fn place(&self, run: &str) -> Arc<dyn JournalPlace>;

    /// Returns the runs with a journal, newest first.
    ///
    /// # Errors
    /// [`JournalError`] if they can't be read.
    fn ids(&self) -> Result<Vec<String>, JournalError>;
}

/// The place of the journal of one run.
pub trait JournalPlace: Send + Sync {
    /// Returns the name that errors have.
    fn name(&self) -> String;

    /// Reports whether there is a journal.
    fn exists(&self) -> bool;

    /// Begins the journal, which only its owner can read. It may be there no sooner than its first lines.
    ///
    /// # Errors
    /// [`JournalError`] when it can't be written, or is there.
    fn create(&self) -> Result<Box<dyn JournalLines>, JournalError>;

    /// Goes on with a journal that no other process goes on with, and returns its whole lines.
    ///
    /// # Errors
    /// [`JournalError`] when it can't be read or written, or is open elsewhere.
    fn open(&self) -> Result<(Vec<u8>, Box<dyn JournalLines>), JournalError>;

    /// Returns the lines of a journal, which may be open elsewhere. The last one may be cut off.
    ///
    /// # Errors
    /// [`JournalError`] when it can't be read.
    fn read(&self) -> Result<Vec<u8>, JournalError>;

    /// Reports whether a process has it open.
    fn is_open(&self) -> bool;

    /// Reports whether somebody asked for the end of the run.
    fn is_cancelled(&self) -> bool;

    /// Asks the process of the run to end it.
    ///
    /// # Errors
    /// [`JournalError`] when that can't be noted.
    fn cancel(&self) -> Result<(), JournalError>;

    /// Forgets that somebody asked for the end.
    fn resume(&self);

    /// Removes the journal. What stays is found and removed by the next start.
    fn remove(&self);
}

/// The lines of a journal that is open, as long as this lives.
pub trait JournalLines: Send {
    /// Appends a line, which ends with its line feed.
    ///
    /// # Errors
    /// [`JournalError`] when it can't be written.
    fn append(&mut self, line: &str) -> Result<(), JournalError>;

    /// Waits until what was appended is on disk.
    ///
    /// # Errors
    /// [`JournalError`] when it is not.
    fn sync(&self) -> Result<(), JournalError>;
}
