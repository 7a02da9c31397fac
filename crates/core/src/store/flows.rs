//! The port of the runs of flows: the journal of each (FL-11), their list, their claims, and the
//! requests of others to them (FL-12).
//!
//! Decision: the engine needs a [`Journal`] alone, which takes events and reads them back;
//! programs around it need a [`FlowJournal`]. A run is done by one process at a time, the holder of
//! its [`ClaimedRun`]; a store defines how it finds out that a holder lives.

mod error;
mod journal;
mod view;
mod wait;

pub use error::FlowStoreError;
pub use journal::{
    EndedStep, Entry, Event, Journal, JournalError, Kept, Listener, Ticket, Verdict,
};
pub use view::{Ask, Document, Filter, Line, RunHead, RunState, RunSummary};
pub use wait::{Answered, Wait, WaitFilter, WaitId, WaitKind, WaitState, Waits, WaitsDone};

use contexture_protocol::content::Status;
use std::sync::Arc;

/// The longest id of a run, in bytes.
pub const LONGEST_ID: usize = 256;

/// A function that takes the requests to a run.
pub type Asked = Arc<dyn Fn(Ask) + Send + Sync>;

/// Keeps runs of flows.
pub trait FlowJournal: Journal + Waits {
    /// Begins a run and holds it. When this returns, the run is durable.
    ///
    /// # Errors
    /// [`FlowStoreError::Exists`] if there is a run of this id; [`FlowStoreError::Id`]; an error of
    /// writing.
    fn begin(&self, head: &RunHead<'_>) -> Result<Box<dyn ClaimedRun>, FlowStoreError>;

    /// Takes over an interrupted run, and holds it.
    ///
    /// # Errors
    /// [`FlowStoreError::Held`] while it is being done; [`FlowStoreError::Ended`],
    /// [`FlowStoreError::NotFound`]; an error of writing.
    fn claim(&self, run: &str) -> Result<Box<dyn ClaimedRun>, FlowStoreError>;

    /// Holds a run that is interrupted or has ended, which is then an interrupted one (WA-4). The ends of
    /// steps at the places `void` of its [log](Self::log), counted from 0, do not count any more.
    ///
    /// # Errors
    /// [`FlowStoreError::Held`] while it is being done; [`FlowStoreError::NotFound`]; an error of
    /// writing.
    fn reopen(&self, run: &str, void: &[usize]) -> Result<Box<dyn ClaimedRun>, FlowStoreError>;

    /// Records the end of a run that nobody resumes. A run that ends by itself records it in its
    /// events.
    ///
    /// # Errors
    /// As [`claim`](Self::claim), but for a run that this journal holds.
    fn finish(&self, run: &str, status: Status) -> Result<(), FlowStoreError>;

    /// Sends a request to a run, whichever process does it (FL-12); true if one does it now.
    /// Otherwise a request to cancel counts when the run is resumed.
    ///
    /// # Errors
    /// [`FlowStoreError::NotFound`], [`FlowStoreError::Ended`]; an error of writing.
    fn ask(&self, run: &str, ask: Ask) -> Result<bool, FlowStoreError>;

    /// Records a request that a run of this process got by another way than [`ask`](Self::ask), so
    /// that lists show it; it is not passed on again. It does not wait for the disk.
    fn note(&self, run: &str, ask: Ask);

    /// Removes runs that have ended, with the runs of sets within their steps, and skips those that
    /// have not ended or are not there. Returns the ids of the removed runs.
    ///
    /// # Errors
    /// An error of writing; the runs removed before it stay removed.
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

    /// Returns the entry of a run in a list.
    ///
    /// # Errors
    /// [`FlowStoreError::NotFound`], or an error of reading.
    fn summary(&self, run: &str) -> Result<RunSummary, FlowStoreError>;

    /// Returns the set of a run.
    ///
    /// # Errors
    /// [`FlowStoreError::NotFound`], or an error of reading.
    fn document(&self, run: &str) -> Result<Document, FlowStoreError>;

    /// Returns all changes of a run, in order (FL-12).
    ///
    /// # Errors
    /// [`FlowStoreError::NotFound`], or an error of reading.
    fn log(&self, run: &str) -> Result<Vec<Line>, FlowStoreError>;
}

/// The exclusive right to do a run, as long as this value lives. The run's events are kept only so
/// long. Dropped before the run has ended, it leaves the run to whoever claims it next.
pub trait ClaimedRun: Send + Sync {
    /// Returns the id of the run.
    fn run(&self) -> &str;

    /// Reports whether its cancellation was asked for before the claim: nothing of it may run then.
    fn is_cancelled(&self) -> bool;

    /// Returns the events so far: none in a run that begins.
    ///
    /// # Errors
    /// [`JournalError`] if it can't be read.
    fn entries(&self) -> Result<Vec<Entry>, JournalError>;

    /// Passes on the requests of others to the run ([`FlowJournal::ask`]), in this process or
    /// another, within a quarter of a second, as long as this lives. Earlier requests count too: a
    /// run that was to be cancelled is cancelled when it is resumed.
    ///
    /// # Errors
    /// [`FlowStoreError`] if nothing can be watched.
    fn watch(&self, asked: Asked) -> Result<(), FlowStoreError>;
}
