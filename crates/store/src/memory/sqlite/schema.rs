//! The tables of an SQLite memory, their version, and what its errors mean.

use crate::memory::{MemoryError, require_file};
use crate::sqlite::tables::{self, State, Tables};
use rusqlite::{Connection, ErrorCode};
use std::path::Path;
use std::time::Duration;

/// Marked "CTXM".
const TABLES: Tables = Tables { application_id: 0x4354_584d, steps: &STEPS, prepare: |_| Ok(()) };

/// The migration from each version to the next; the first creates the tables.
const STEPS: [&str; 1] = ["
    create table namespaces (
        id integer primary key,
        name text not null unique
    );
    create table records (
        place integer primary key autoincrement,
        namespace integer not null references namespaces (id),
        id text not null,
        kind text,
        data text not null,
        unique (namespace, id)
    );
    create index records_by_kind on records (namespace, kind, place);
    create virtual table search using fts5 (
        text, rest, content = '', contentless_delete = 1, tokenize = 'ascii'
    );
"];

/// The longest time that another process may hold the file.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) enum Opened {
    /// There is no such file.
    Missing,
    /// The file is open and its tables are of the newest version.
    Ready(Connection),
}

/// Opens a memory; makes it when it is missing and `create` is set. `name` stands in errors.
pub(super) fn open(path: &Path, name: &str, create: bool) -> Result<Opened, MemoryError> {
    if !path.exists() {
        if !create {
            return Ok(Opened::Missing);
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| MemoryError::Io {
                path: name.to_owned(),
                reason: contexture_core::store::reason(&error),
            })?;
        }
    }
    require_file(path, name)?;
    let explain = |error: rusqlite::Error| self::explain(name, &error);
    let mut connection = tables::connect(path).map_err(explain)?;
    connection.busy_timeout(PATIENCE).map_err(explain)?;
    tables::protect(&connection).map_err(explain)?;
    match TABLES.snapshot(&connection).map_err(explain)? {
        State::Ours(version) if version == TABLES.version() => {}
        State::Ours(found) if found > TABLES.version() => {
            let path = name.to_owned();
            return Err(MemoryError::Newer { path, found, known: TABLES.version() });
        }
        State::Empty if !create => return Ok(Opened::Missing),
        State::Empty | State::Ours(_) => {
            TABLES.migrate(&mut connection).map_err(explain)?;
        }
        State::Foreign => {
            let path = name.to_owned();
            let reason = "it is an SQLite file of another program";
            return Err(MemoryError::Foreign { path, reason });
        }
    }
    connection.pragma_update(None, "synchronous", "normal").map_err(explain)?;
    Ok(Opened::Ready(connection))
}

pub(super) fn explain(name: &str, error: &rusqlite::Error) -> MemoryError {
    let path = name.to_owned();
    let reason = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            MemoryError::Foreign { path, reason: "it is not an SQLite file" }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => MemoryError::Busy(path),
        Some(ErrorCode::DatabaseCorrupt) => MemoryError::Damaged { path, reason },
        Some(_) => MemoryError::Io { path, reason },
        // Rows of another type than the tables have, or tables that are not there.
        None => MemoryError::Damaged { path, reason },
    }
}
