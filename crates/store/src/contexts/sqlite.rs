//! Contexts in an SQLite file.
//!
//! Decisions: the journal is a write-ahead log that is synced at each commit, so an update that was
//! answered survives the end of the process and of the machine (CP-12). One thread writes: whatever
//! waits when it is free goes into one transaction, so that the sync is paid once. Reads have
//! connections of their own and do not wait for writes. Another process may open the same file.

mod ledger;
mod schema;
#[cfg(test)]
mod tests;

use super::engine::{Engine, Twin, applied};
use super::ledger::{Ledger, Outcome};
use super::vault::Kept;
use super::{ContextError, Done, Options, SealError, Update};
use crate::sqlite::checkpointer::Checkpointer;
use crate::sqlite::writer::{Refuse, WriterThread};
use crate::sqlite::{Database, FileError as _, file_error};
use ledger::Tables;
use rusqlite::{Connection, OptionalExtension as _};
use schema::TABLES;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// What was sealed among the newest and the oldest rows, and whether it is a state. So few are looked
/// at that it takes no time where nothing is sealed.
const SEALED: [(bool, &str); 4] = [
    (
        true,
        "select state, sealed from (select state, sealed from details order by place desc limit 100)
            where sealed is not null limit 1",
    ),
    (
        true,
        "select state, sealed from (select state, sealed from details order by place limit 100)
            where sealed is not null limit 1",
    ),
    (
        false,
        "select text, sealed from (select text, sealed from messages order by id desc limit 100)
            where sealed is not null limit 1",
    ),
    (
        false,
        "select text, sealed from (select text, sealed from messages order by id limit 100)
            where sealed is not null limit 1",
    ),
];

/// Contexts in an SQLite file; see [`Options`] for limits and seals.
pub struct SqliteContexts {
    file: Database<ContextError>,
    engine: Arc<Engine>,
    writer: WriterThread<ContextError>,
}

impl fmt::Debug for SqliteContexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteContexts").field("path", &self.file.path()).finish_non_exhaustive()
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
        let engine = Arc::new(Engine::new(options));
        if engine.vault.lacks_key() {
            let what = "what is declared sensitive";
            return Err(ContextError::Sealed { what, error: SealError::NoKey });
        }
        let (file, connection) = Database::open(path, &path.display().to_string(), &TABLES)?;
        let checkpointer = Checkpointer::start(file.connect()?);
        let mut checkpointer =
            checkpointer.map_err(|error| ContextError::of_system(&file.name, &error))?;
        let most_waiting = engine.limits.waiting;
        let refuse: Refuse<ContextError> = Box::new(move |tasks, _| {
            (tasks >= most_waiting).then_some(ContextError::Overloaded(tasks))
        });
        let name = ("contexts", Arc::clone(&file.name));
        let before = move |tasks| checkpointer.count(tasks);
        let writer = WriterThread::start(connection, name, refuse, before)?;
        Ok(Self { file, engine, writer })
    }

    /// Makes a write of the writer out of work on rows.
    fn job<T>(
        &self,
        work: impl Fn(&mut dyn Ledger, &Engine) -> Outcome<T> + Send + 'static,
    ) -> impl Fn(&Connection) -> Outcome<T> + Send + 'static {
        let (engine, name) = (Arc::clone(&self.engine), Arc::clone(&self.file.name));
        move |connection| work(&mut Tables::new(connection, &name), &engine)
    }

    /// Whether what was sealed first and last opens with the keys there are (CP-19): with other keys,
    /// no conversation from before could be read.
    ///
    /// # Errors
    /// [`ContextError::Sealed`], or what goes wrong in reading.
    pub fn check_seals(&self) -> Result<(), ContextError> {
        self.file.read(|connection| {
            SEALED.iter().try_for_each(|(is_state, sql)| {
                let read = |row: &rusqlite::Row<'_>| {
                    let (text, sealed): (String, Option<String>) = (row.get(0)?, row.get(1)?);
                    Ok(Kept { text: text.into(), sealed: sealed.map(Into::into) })
                };
                let found = connection.query_row(sql, [], read).optional();
                match (self.file.explain(found)?, is_state) {
                    (None, _) => Ok(()),
                    (Some(kept), true) => self.engine.vault.open_state(&kept).map(drop),
                    (Some(kept), false) => self.engine.vault.open_message(&kept).map(drop),
                }
            })
        })
    }
}

impl Twin for SqliteContexts {
    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn read<T>(&self, work: impl FnOnce(&mut dyn Ledger) -> Outcome<T>) -> Outcome<T> {
        self.file.read(|moment| work(&mut Tables::new(moment, &self.file.name)))
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Ledger, &Engine) -> Outcome<T> + Send + 'static,
    ) -> Outcome<T> {
        self.writer.write(self.job(work))
    }

    fn hand_in(&self, update: Update, done: Done) {
        let work = move |ledger: &mut dyn Ledger, engine: &Engine| applied(ledger, engine, &update);
        self.writer.post(true, self.job(work), done);
    }

    fn writable(&self) -> Outcome<()> {
        self.writer.write(self.job(|ledger, _| ledger.touch()))
    }
}

file_error!(ContextError, Self::Closed, Self::Closed, Self::Full);
