//! The port of what flows have done: the journal of each run (FL-11), which runs there are, who does
//! one, and what others ask of it (FL-12).
//!
//! Decision: the engine needs a [`Journal`] alone, which takes events and reads them back; what
//! programs around it need of runs is a [`FlowJournal`]. A run is done by one process at a time,
//! whoever holds its [`ClaimedRun`]; a store says how it knows that a holder lives.

mod error;
mod journal;
mod view;

pub use error::FlowStoreError;
pub use journal::{EndedStep, Entry, Event, Journal, JournalError, Kept, Listener, Ticket};
pub use view::{Ask, Document, Filter, Line, RunHead, RunState, RunSummary};

use contexture_protocol::content::Status;
use std::sync::Arc;

/// The longest id of a run, in bytes.
pub const LONGEST_ID: usize = 256;

/// A function that hears what is asked of a run.
pub type Asked = Arc<dyn Fn(Ask) + Send + Sync>;

/// Keeps runs of flows.
pub trait FlowJournal: Journal {
    /// Begins a run and holds it. When this comes back, the run is durable.
    ///
    /// # Errors
    /// [`FlowStoreError::Exists`] if there is a run of this id; [`FlowStoreError::Id`]; what goes
    /// wrong in writing.
    fn begin(&self, head: &RunHead<'_>) -> Result<Box<dyn ClaimedRun>, FlowStoreError>;

    /// Takes a run over that was broken off, and holds it.
    ///
    /// # Errors
    /// [`FlowStoreError::Held`] while it is being done; [`FlowStoreError::Ended`],
    /// [`FlowStoreError::NotFound`]; what goes wrong in writing.
    fn claim(&self, run: &str) -> Result<Box<dyn ClaimedRun>, FlowStoreError>;

    /// Says how a run has ended that nobody goes on with. A run that ends by itself says so in its
    /// events.
    ///
    /// # Errors
    /// As [`claim`](Self::claim), but for a run that this journal holds.
    fn finish(&self, run: &str, status: Status) -> Result<(), FlowStoreError>;

    /// Asks something of a run that may be done by any process (FL-12); true if one does it now.
    /// Else it counts when the run is gone on with, where it is to be cancelled.
    ///
    /// # Errors
    /// [`FlowStoreError::NotFound`], [`FlowStoreError::Ended`]; what goes wrong in writing.
    fn ask(&self, run: &str, ask: Ask) -> Result<bool, FlowStoreError>;

    /// Notes what a run that this process does was told by another way than [`ask`](Self::ask), so
    /// that lists show it; nobody is told of it again. It does not wait for the disk.
    fn note(&self, run: &str, ask: Ask);

    /// Takes away runs that have ended, with the runs of sets within their steps. Those that have
    /// not ended, and those that are not there, are passed over. Returns the ids of those that went.
    ///
    /// # Errors
    /// What goes wrong in writing; what went before is gone.
    fn forget(&self, runs: &[String]) -> Result<Vec<String>, FlowStoreError>;

    /// Returns runs, the newest first.
    ///
    /// # Errors
    /// [`FlowStoreError`] if they can't be read.
    fn runs(&self, filter: &Filter) -> Result<Vec<RunSummary>, FlowStoreError>;

    /// Returns runs that have not ended, the newest first; of an owner, or of all.
    ///
    /// # Errors
    /// [`FlowStoreError`] if they can't be read.
    fn unfinished(&self, owner: Option<&str>) -> Result<Vec<RunSummary>, FlowStoreError> {
        let owner = owner.map(str::to_owned);
        self.runs(&Filter { owner, unfinished: true, ..Filter::default() })
    }

    /// Returns what a list says of a run.
    ///
    /// # Errors
    /// [`FlowStoreError::NotFound`], or what goes wrong in reading.
    fn summary(&self, run: &str) -> Result<RunSummary, FlowStoreError>;

    /// Returns the set of a run.
    ///
    /// # Errors
    /// [`FlowStoreError::NotFound`], or what goes wrong in reading.
    fn document(&self, run: &str) -> Result<Document, FlowStoreError>;

    /// Returns all that happened in a run, in order (FL-12).
    ///
    /// # Errors
    /// [`FlowStoreError::NotFound`], or what goes wrong in reading.
    fn log(&self, run: &str) -> Result<Vec<Line>, FlowStoreError>;
}

/// The right to do a run, which no one else has as long as it lives. Its events are kept only so
/// long. Dropped before the run has ended, it leaves the run to whoever claims it next.
pub trait ClaimedRun: Send + Sync {
    /// The id of the run.
    fn run(&self) -> &str;

    /// Reports whether it was to be cancelled before it was claimed: then nothing of it is to be run.
    fn is_cancelled(&self) -> bool;

    /// Returns what was done before: nothing in a run that begins.
    ///
    /// # Errors
    /// [`JournalError`] if it can't be read.
    fn entries(&self) -> Result<Vec<Entry>, JournalError>;

    /// Hands on what others ask of the run ([`FlowJournal::ask`]), in this process or another, within
    /// a quarter of a second, as long as this lives. What was asked before counts too: a run that
    /// was to be cancelled is cancelled when it is gone on with.
    ///
    /// # Errors
    /// [`FlowStoreError`] if nothing can be watched.
    fn watch(&self, asked: Asked) -> Result<(), FlowStoreError>;
}
