//! The tables of an SQLite memory, their version, and what its errors mean.

use crate::memory::{MemoryError, require_file};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// Marks a file as a memory of ours: "CTXM".
const APPLICATION_ID: i64 = 0x4354_584d;

/// The newest version of the tables; `user_version` of the file.
const VERSION: i64 = 1;

/// What leads from each version to the next; the first makes the tables.
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

/// How long another process may hold the file.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) enum Opened {
    /// There is no such file.
    Missing,
    /// The file is open and its tables are of [`VERSION`].
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
                reason: crate::reason::reason(&error),
            })?;
        }
    }
    require_file(path, name)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let explain = |error: rusqlite::Error| self::explain(name, &error);
    let mut connection = Connection::open_with_flags(path, flags).map_err(explain)?;
    protect(&connection).map_err(explain)?;
    match snapshot(&connection).map_err(explain)? {
        State::Ours(VERSION) => {}
        State::Ours(found) if found > VERSION => {
            let path = name.to_owned();
            return Err(MemoryError::Newer { path, found, known: VERSION });
        }
        State::Empty if !create => return Ok(Opened::Missing),
        State::Empty | State::Ours(_) => {
            // The mode stays with the file. It can't change inside a transaction.
            connection.pragma_update(None, "journal_mode", "wal").map_err(explain)?;
            migrate(&mut connection).map_err(explain)?;
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

/// A file from elsewhere must not make SQLite do more than keep rows.
fn protect(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.busy_timeout(PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "cell_size_check", true)
}

enum State {
    Empty,
    Ours(i64),
    Foreign,
}

/// The state at one moment: another process may be making the tables right now.
fn snapshot(connection: &Connection) -> Result<State, rusqlite::Error> {
    let moment = connection.unchecked_transaction()?;
    state(&moment)
}

fn state(connection: &Connection) -> Result<State, rusqlite::Error> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    if number("pragma application_id")? == APPLICATION_ID {
        return Ok(State::Ours(number("pragma user_version")?));
    }
    let tables = number("select count(*) from sqlite_schema")?;
    let version = number("pragma user_version")?;
    Ok(if tables == 0 && version == 0 { State::Empty } else { State::Foreign })
}

/// Brings the tables to [`VERSION`] in one transaction; someone else may have been faster.
fn migrate(connection: &mut Connection) -> Result<(), rusqlite::Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    let from = match state(&transaction)? {
        State::Ours(version) => usize::try_from(version).unwrap_or(STEPS.len()),
        State::Empty | State::Foreign => 0,
    };
    for step in STEPS.iter().skip(from) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// What an error of SQLite means for a memory.
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
