//! Contexts in an SQLite file.
//!
//! Decisions: the journal is a write-ahead log that is synced at each commit, so an update that was
//! answered survives the end of the process and of the machine (CP-12). One thread writes: whatever
//! waits when it is free goes into one transaction, so that the sync is paid once. Reads have
//! connections of their own and do not wait for writes. Another process may open the same file. What was
//! acknowledged is known beside SQLite, too (`marks`), and all rows are chained by digests (`chain`), so
//! that a file that lost something is not taken for a whole one (GU-12).

mod chain;
#[cfg(feature = "postgres")]
pub(super) mod copied;
mod ledger;
mod rows;
pub(super) mod salvage;
pub(super) mod schema;
#[cfg(test)]
mod tests;
pub(super) mod verify;

use super::engine::Engine;
use super::ledger::{Ledger, Ledgers, Outcome, Reads};
use super::store::Contexts;
use crate::contexts::engine::Options;
use crate::marks::Marks;
use crate::sqlite::checkpointer::Checkpointer;
use crate::sqlite::writer::{Beside, Refuse, WriterThread};
use crate::sqlite::{Database, FileError as _, file_error};
use contexture_core::store::contexts::ContextError;
use ledger::Tables;
use rusqlite::Connection;
use schema::TABLES;
use std::path::Path;
use std::sync::Arc;

/// Contexts in an SQLite file; see [`Options`] for limits and seals.
pub type SqliteContexts = Contexts<SqliteLedgers>;

/// The rows of contexts in an SQLite file.
pub struct SqliteLedgers {
    file: Database<ContextError>,
    marks: Arc<Marks>,
    writer: WriterThread<ContextError>,
}

/// The work beside the writing.
struct Upkeep {
    checkpointer: Checkpointer,
    marks: Arc<Marks>,
    name: Arc<str>,
}

impl Beside<ContextError> for Upkeep {
    fn committed(&mut self) -> Outcome<()> {
        self.marks.committed().map_err(|error| ContextError::of_system(&self.name, &error))
    }

    fn undone(&mut self) {
        self.marks.undone();
    }

    fn answered(&mut self) {
        self.checkpointer.hold();
    }
}

impl SqliteContexts {
    /// Opens a file of contexts; makes it, and its folder, when it is missing.
    ///
    /// # Errors
    /// [`ContextError::Damaged`], [`ContextError::Foreign`] and [`ContextError::Newer`] for a file
    /// that can't be used, which is left as it is; [`ContextError::Sealed`] when something is
    /// declared sensitive and no sealer is given; what the system reports.
    pub fn open(path: &Path, options: Options) -> Result<Self, ContextError> {
        Engine::new(options.clone()).vault.check_key()?;
        let most_waiting = options.limits.waiting;
        Self::on(SqliteLedgers::open(path, most_waiting)?, options)
    }
}

impl SqliteLedgers {
    fn open(path: &Path, most_waiting: usize) -> Outcome<Self> {
        // Before anything is written: what is damaged stays as it is.
        verify::acknowledged(path)?;
        let (file, mut connection) = Database::open(path, &path.display().to_string(), &TABLES)?;
        let marks = Arc::new(verify::marks(&file, &connection)?);
        let syncs = Arc::clone(&marks);
        let checkpointer = Checkpointer::start(file.connect()?, move || syncs.sync());
        let checkpointer =
            checkpointer.map_err(|error| ContextError::of_system(&file.name, &error))?;
        file.explain(checkpointer.watch(&mut connection))?;
        let refuse: Refuse<ContextError> = Box::new(move |tasks, _| {
            (tasks >= most_waiting).then_some(ContextError::Overloaded(tasks))
        });
        let name = Arc::clone(&file.name);
        let upkeep = Upkeep { checkpointer, marks: Arc::clone(&marks), name: Arc::clone(&name) };
        let writer = WriterThread::start(connection, ("contexts", name), refuse, upkeep)?;
        Ok(Self { file, marks, writer })
    }
}

impl Ledgers for SqliteLedgers {
    fn read<T>(&self, work: impl FnOnce(&mut dyn Ledger) -> Outcome<T>) -> Outcome<T> {
        self.file.read(|moment| work(&mut Tables::new(moment, &self.file.name, None)))
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Ledger) -> Outcome<T> + Send + 'static,
        done: impl FnOnce(Outcome<T>) + Send + 'static,
    ) {
        self.write_after(0, Reads::default, work, done);
    }

    fn write_after<T: Send + 'static>(
        &self,
        bytes: usize,
        _reads: impl FnOnce() -> Reads,
        work: impl Fn(&mut dyn Ledger) -> Outcome<T> + Send + 'static,
        done: impl FnOnce(Outcome<T>) + Send + 'static,
    ) {
        let (name, marks) = (Arc::clone(&self.file.name), Arc::clone(&self.marks));
        let work =
            move |connection: &Connection| work(&mut Tables::new(connection, &name, Some(&marks)));
        self.writer.post_sized(bytes, work, done);
    }
}

file_error!(ContextError, Self::Closed, Self::Closed, Self::Full);
