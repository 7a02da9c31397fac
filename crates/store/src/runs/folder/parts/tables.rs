//! The tables of texts and their parts, their version, and what their errors mean.

use super::super::failed;
use crate::runs::RunError;
use crate::sqlite::tables::{self, State, Tables};
use rusqlite::{Connection, ErrorCode, Transaction};
use std::path::Path;

/// Marked "CTXP".
const TABLES: Tables = Tables { application_id: 0x4354_5850, steps: &STEPS, prepare: |_| Ok(()) };

/// The migration from each version to the next; the first creates the tables.
const STEPS: [&str; 1] = ["
    create table parts (
        id integer primary key,
        name blob not null unique,
        data blob not null
    );
    create table texts (
        digest blob primary key,
        masked blob,
        bytes integer not null,
        kept_at integer not null,
        parts blob not null
    ) without rowid;
    create table removals (number integer not null);
    insert into removals values (0);
"];

/// The pages of the log after which they are written into the file, and the bytes that it keeps.
const LOG_PAGES: i64 = 256;
const LOG_BYTES: i64 = 1 << 20;

/// Opens the file; makes it when it is missing and `create` is set, else returns none.
pub(super) fn open(path: &Path, create: bool) -> Result<Option<Connection>, RunError> {
    let explain = |error: rusqlite::Error| explain(path, &error);
    if create && let Some(folder) = path.parent() {
        crate::home::private_folder(folder).map_err(|error| failed(folder, &error))?;
    }
    let mut connection = tables::connect(path).map_err(explain)?;
    prepare(&mut connection).map_err(explain)?;
    match TABLES.snapshot(&connection).map_err(explain)? {
        State::Ours(version) if version == TABLES.version() => {}
        State::Ours(found) if found > TABLES.version() => {
            let known = TABLES.version();
            let reason = format!("it has format {found}, this program knows up to {known}");
            return Err(fault(path, reason, "use the version of this program that wrote it"));
        }
        State::Empty if !create => return Ok(None),
        State::Empty | State::Ours(_) => TABLES.migrate(&mut connection).map_err(explain)?,
        State::Foreign => {
            return Err(fault(path, "it is an SQLite file of another program".to_owned(), ASIDE));
        }
    }
    Ok(Some(connection))
}

fn prepare(connection: &mut Connection) -> Result<(), rusqlite::Error> {
    tables::patient(connection)?;
    tables::protect(connection)?;
    // Before there are tables: room of removed parts can be given back to the disk.
    connection.pragma_update(None, "auto_vacuum", "incremental")?;
    // A crash of the system loses the last texts, as it loses the last lines, and damages nothing.
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", LOG_BYTES)
}

/// Gives the room of removed parts back to the disk.
pub(super) fn shrink(connection: &Connection) -> Result<(), rusqlite::Error> {
    // Each step gives back one page.
    let mut vacuum = connection.prepare("pragma incremental_vacuum")?;
    let mut steps = vacuum.query([])?;
    while steps.next()?.is_some() {}
    Ok(())
}

/// Returns how often parts were removed.
pub(super) fn generation(transaction: &Transaction<'_>) -> Result<i64, rusqlite::Error> {
    let mut find = transaction.prepare_cached("select number from removals")?;
    find.query_row([], |row| row.get(0))
}

/// Notes that parts are removed: other processes forget where those are that they know.
pub(super) fn count_removal(transaction: &Transaction<'_>) -> Result<(), rusqlite::Error> {
    transaction.execute("update removals set number = number + 1", []).map(drop)
}

pub(super) fn explain(path: &Path, error: &rusqlite::Error) -> RunError {
    let (reason, help) = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => ("it is not an SQLite file".to_owned(), ASIDE),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            ("another process holds it".to_owned(), "try again")
        }
        Some(ErrorCode::DiskFull) => ("the disk is full".to_owned(), "make room on it"),
        // Beside damage: rows of another type than the tables have, or tables that are not there.
        Some(ErrorCode::DatabaseCorrupt) | None => (format!("it is damaged ({error})"), ASIDE),
        Some(_) => (error.to_string(), "see what the system reports"),
    };
    fault(path, reason, help)
}

/// How to go on without the file.
const ASIDE: &str = "move it aside: runs keep their traces and lose texts";

fn fault(path: &Path, reason: String, help: &'static str) -> RunError {
    RunError::Unusable { path: path.display().to_string(), reason, help }
}
