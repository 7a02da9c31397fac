//! SQLite files of ours: how one is opened, read beside its writer, and what its errors mean.

pub(crate) mod checkpointer;
pub(crate) mod marked;
pub(crate) mod tables;
pub(crate) mod writer;

use rusqlite::{Connection, ErrorCode};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tables::{Tables, Unfit};

/// The most connections for reading that stay open.
const IDLE_READERS: usize = 8;

/// The errors of a store, as far as its file makes them.
pub(crate) trait FileError: Clone + Send + Sized + 'static {
    /// Creates the error for a fault that the system reports.
    fn io(path: String, reason: String) -> Self;
    /// Creates the error for a file of something else.
    fn foreign(path: String, reason: &'static str) -> Self;
    /// Creates the error for a file of a newer version.
    fn newer(path: String, found: i64, known: i64) -> Self;
    /// Creates the error for a damaged file.
    fn damaged(path: String, reason: String) -> Self;
    /// Creates the error for a file that another process holds.
    fn busy(path: String) -> Self;
    /// Creates the error for a full disk.
    fn full(path: String) -> Self;
    /// Creates the error for a store that is being closed.
    fn closed() -> Self;
    /// Creates the error for a write that panicked.
    fn panicked() -> Self;
    /// Reports whether another process holds the file.
    fn is_busy(&self) -> bool;

    /// Explains an error of SQLite.
    fn of_sqlite(file: &str, error: &rusqlite::Error) -> Self {
        let path = file.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::foreign(path, "it is not an SQLite file"),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::busy(path),
            Some(ErrorCode::DatabaseCorrupt) => Self::damaged(path, error.to_string()),
            Some(ErrorCode::DiskFull) => Self::full(path),
            Some(_) => Self::io(path, error.to_string()),
            // Rows of another type than the tables have, or tables that are not there.
            None => Self::damaged(path, error.to_string()),
        }
    }

    /// Explains an error of the system.
    fn of_system(file: &str, error: &std::io::Error) -> Self {
        Self::io(file.to_owned(), contexture_core::store::reason(error))
    }
}

/// Implements [`FileError`] by an enum's variants; the last are those of a panic and of a full disk.
macro_rules! file_error {
    ($error:ident, $closed:expr, $panicked:expr, $full:expr) => {
        impl crate::sqlite::FileError for $error {
            fn io(path: String, reason: String) -> Self {
                Self::Io { path, reason }
            }

            fn foreign(path: String, reason: &'static str) -> Self {
                Self::Foreign { path, reason }
            }

            fn newer(path: String, found: i64, known: i64) -> Self {
                Self::Newer { path, found, known }
            }

            fn damaged(path: String, reason: String) -> Self {
                Self::Damaged { path, reason }
            }

            fn busy(path: String) -> Self {
                Self::Busy(path)
            }

            fn full(path: String) -> Self {
                $full(path)
            }

            fn closed() -> Self {
                $closed
            }

            fn panicked() -> Self {
                $panicked
            }

            fn is_busy(&self) -> bool {
                matches!(self, Self::Busy(_))
            }
        }
    };
}
pub(crate) use file_error;

/// A file that is written by one connection and read by others, which do not wait for it.
pub(crate) struct Database<E> {
    path: PathBuf,
    /// The name of the file in errors.
    pub(crate) name: Arc<str>,
    tables: &'static Tables,
    idle: Mutex<Vec<Connection>>,
    error: PhantomData<fn() -> E>,
}

impl<E: FileError> Database<E> {
    /// Opens a file; makes it, and its folder, when it is missing. Returns the connection that
    /// writes as well.
    pub(crate) fn open(
        path: &Path,
        name: &str,
        tables: &'static Tables,
    ) -> Result<(Self, Connection), E> {
        let place = tables::place(path).map_err(|error| E::of_system(name, &error))?;
        let (idle, error) = (Mutex::default(), PhantomData);
        let file = Self { path: place, name: name.into(), tables, idle, error };
        let mut connection = file.connect()?;
        tables.ready(&mut connection).map_err(|unfit| match unfit {
            Unfit::Newer(found) => E::newer(name.to_owned(), found, tables.version()),
            Unfit::Foreign => {
                E::foreign(name.to_owned(), "it is an SQLite file of another program")
            }
            Unfit::Sql(error) => E::of_sqlite(name, &error),
        })?;
        Ok((file, connection))
    }

    /// Returns the file's place, with its folder made and links to the folder followed.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens another connection.
    pub(crate) fn connect(&self) -> Result<Connection, E> {
        if self.path.is_dir() {
            return Err(E::io(self.name.as_ref().to_owned(), "it is a folder".to_owned()));
        }
        let connection = tables::connect(&self.path).and_then(|mut connection| {
            tables::patient(&mut connection)?;
            tables::protect(&connection)?;
            // What was answered for is on the disk (CP-12, FL-11).
            connection.pragma_update(None, "synchronous", "full")?;
            (self.tables.prepare)(&connection)?;
            Ok(connection)
        });
        self.explain(connection)
    }

    /// Opens a connection that only reads.
    pub(crate) fn reader(&self) -> Result<Connection, E> {
        let connection = self.connect()?;
        self.explain(connection.pragma_update(None, "query_only", true))?;
        Ok(connection)
    }

    /// Reads at one moment.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, E>) -> Result<T, E> {
        let idle = self.idle().pop();
        let connection = idle.map_or_else(|| self.reader(), Ok)?;
        let outcome = {
            let moment = self.explain(connection.unchecked_transaction())?;
            work(&moment)
        };
        let mut idle = self.idle();
        if idle.len() < IDLE_READERS {
            idle.push(connection);
        }
        outcome
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn explain<T>(&self, outcome: Result<T, rusqlite::Error>) -> Result<T, E> {
        outcome.map_err(|error| E::of_sqlite(&self.name, &error))
    }
}
