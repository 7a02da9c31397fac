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
mod writer;

use super::engine::{Engine, Twin};
use super::ledger::{Ledger, Outcome};
use super::vault::Kept;
use super::{ContextError, Done, Options, SealError, Update};
use ledger::Tables;
use rusqlite::{Connection, OptionalExtension as _};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use writer::Writer;

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

/// How many connections for reading are kept open.
const IDLE_READERS: usize = 8;

/// Contexts in an SQLite file; see [`Options`] for limits and seals.
pub struct SqliteContexts {
    path: PathBuf,
    name: Arc<str>,
    engine: Engine,
    writer: Writer,
    readers: Mutex<Vec<Connection>>,
}

impl fmt::Debug for SqliteContexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteContexts").field("path", &self.path).finish_non_exhaustive()
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
        let engine = Engine::new(options);
        if engine.vault.lacks_key() {
            let what = "what is declared sensitive";
            return Err(ContextError::Sealed { what, error: SealError::NoKey });
        }
        let name: Arc<str> = path.display().to_string().into();
        let path = schema::place(path, &name)?;
        let connection = schema::open(&path, &name)?;
        let spare = schema::connect(&path, &name)?;
        let writer = Writer::start(connection, spare, engine.clone(), Arc::clone(&name))?;
        Ok(Self { path, name, engine, writer, readers: Mutex::default() })
    }

    /// Whether what was sealed first and last opens with the keys there are (CP-19): with other keys,
    /// no conversation from before could be read.
    ///
    /// # Errors
    /// [`ContextError::Sealed`], or what goes wrong in reading.
    pub fn check_seals(&self) -> Result<(), ContextError> {
        let connection = self.reader()?;
        let outcome = SEALED.iter().try_for_each(|(is_state, sql)| {
            let read = |row: &rusqlite::Row<'_>| {
                let (text, sealed): (String, Option<String>) = (row.get(0)?, row.get(1)?);
                Ok(Kept { text: text.into(), sealed: sealed.map(Into::into) })
            };
            let found = connection.query_row(sql, [], read).optional();
            let found = found.map_err(|error| schema::explain(&self.name, &error))?;
            match (found, is_state) {
                (None, _) => Ok(()),
                (Some(kept), true) => self.engine.vault.open_state(&kept).map(drop),
                (Some(kept), false) => self.engine.vault.open_message(&kept).map(drop),
            }
        });
        self.give_back(connection);
        outcome
    }

    fn reader(&self) -> Outcome<Connection> {
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(connection) = idle {
            return Ok(connection);
        }
        let connection = schema::connect(&self.path, &self.name)?;
        let only = connection.pragma_update(None, "query_only", true);
        only.map_err(|error| schema::explain(&self.name, &error))?;
        Ok(connection)
    }

    fn give_back(&self, connection: Connection) {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < IDLE_READERS {
            readers.push(connection);
        }
    }
}

impl Twin for SqliteContexts {
    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn read<T>(&self, work: impl FnOnce(&mut dyn Ledger) -> Outcome<T>) -> Outcome<T> {
        let connection = self.reader()?;
        let outcome = {
            let moment = connection.unchecked_transaction();
            let moment = moment.map_err(|error| schema::explain(&self.name, &error))?;
            work(&mut Tables::new(&moment, &self.name))
        };
        self.give_back(connection);
        outcome
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Ledger, &Engine) -> Outcome<T> + Send + 'static,
    ) -> Outcome<T> {
        self.writer.write(work)
    }

    fn hand_in(&self, update: Update, done: Done) {
        self.writer.hand_in(update, done);
    }

    fn writable(&self) -> Outcome<()> {
        self.writer.write(|ledger, _| ledger.touch())
    }
}
