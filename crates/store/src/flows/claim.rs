//! A run that this process does.

use super::SqliteJournal;
use super::holds::Hold;
use super::{Ask, Asked, ClaimedRun, Entry, FlowStoreError, Journal as _, JournalError};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The right to do a run, which no one else has as long as it lives. Its events are kept only so
/// long. Dropped before the run has ended, it leaves the run to whoever claims it next.
#[must_use = "dropped, it gives the run up at once"]
pub struct Claim {
    pub(super) journal: Arc<SqliteJournal>,
    pub(super) run: String,
    pub(super) hold: Arc<Hold>,
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim").field("run", &self.run).finish_non_exhaustive()
    }
}

impl Claim {
    /// The id of the run.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Reports whether it was cancelled before it was claimed: then nothing of it is run.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.hold.is_cancelled
    }

    /// Returns the entries so far: none in a new run.
    ///
    /// # Errors
    /// [`JournalError`] if it can't be read.
    pub fn entries(&self) -> Result<Vec<Entry>, JournalError> {
        self.journal.entries(&self.run)
    }

    /// Hands on to a run what others ask of it ([`SqliteJournal::ask`]), in this process or
    /// another, within a quarter of a second, as long as this lives. What was asked before counts
    /// too: a run that was to be cancelled is cancelled when it is gone on with.
    ///
    /// # Errors
    /// [`FlowStoreError`] if nothing can be watched.
    pub fn watch(&self, asked: impl Into<Asked>) -> Result<(), FlowStoreError> {
        let asked = asked.into();
        if self.hold.is_cancelled {
            asked(Ask::Cancel);
        }
        self.journal.watch(self.hold.place, asked)
    }
}

impl ClaimedRun for Claim {
    fn run(&self) -> &str {
        self.run()
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled()
    }

    fn entries(&self) -> Result<Vec<Entry>, JournalError> {
        self.entries()
    }

    fn watch(&self, asked: Asked) -> Result<(), FlowStoreError> {
        self.watch(asked)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.journal.let_go(&self.run, self.hold.place, self.hold.is_ended.load(Ordering::Relaxed));
    }
}
