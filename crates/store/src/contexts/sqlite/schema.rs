//! The tables of a file of contexts, their version, and what its errors mean.

use crate::contexts::ContextError;
use crate::tables::{self, State, Tables};
use rusqlite::{Connection, ErrorCode};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Marked "CTXC".
const TABLES: Tables = Tables { application_id: 0x4354_5843, steps: &STEPS };

/// What leads from each version to the next; the first makes the tables. Every update rewrites the
/// row of its context, so what is large stands in `details`. The id of a message is the place of
/// its context and its own in one number, so that the messages of a context stand together in a
/// tree that is flat, which one whose keys stand beside the texts would not be.
const STEPS: [&str; 1] = ["
    create table contexts (
        place integer primary key autoincrement,
        name text not null unique,
        owner text not null,
        creation integer not null,
        last_update integer not null,
        version integer not null,
        oldest integer not null,
        last_seq integer not null,
        messages integer not null,
        cleared_through integer not null
    ) strict;
    create index contexts_by_owner on contexts (owner, place);
    create table details (
        place integer primary key,
        metadata text not null,
        sealed text,
        state text not null
    ) strict;
    create table messages (
        id integer primary key,
        version integer not null,
        place integer not null,
        cleared integer not null,
        instant integer,
        time integer not null,
        cause text,
        sealed text,
        text text not null
    ) strict;
    create table changes (
        context integer not null,
        version integer not null,
        place integer not null,
        kind integer not null,
        time integer not null,
        cause text,
        path text,
        through integer,
        cleared integer,
        sealed text,
        value text,
        primary key (context, version, place)
    ) without rowid, strict;
    create table keys (
        owner text not null,
        scope text not null,
        message_id text not null,
        digest blob not null,
        context text,
        status integer not null,
        time integer not null,
        sealed text,
        answer text,
        primary key (owner, scope, message_id)
    ) strict;
    create index keys_pending on keys (time) where status = 0;
"];

/// How long another process may hold the file.
const PATIENCE: Duration = Duration::from_secs(10);

/// The file's place with its folder made and links followed: SQLite itself follows none, lest a
/// file that turns into a link leads it elsewhere.
pub(super) fn place(path: &Path, name: &str) -> Result<PathBuf, ContextError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| io(name, &error))?;
    let folder = folder.canonicalize().map_err(|error| io(name, &error))?;
    Ok(path.file_name().map_or_else(|| folder.clone(), |file| folder.join(file)))
}

/// Opens a file of contexts for writing; makes it when it is missing. `name` stands in errors.
pub(super) fn open(path: &Path, name: &str) -> Result<Connection, ContextError> {
    let explain = |error: rusqlite::Error| self::explain(name, &error);
    let mut connection = connect(path, name)?;
    match TABLES.snapshot(&connection).map_err(explain)? {
        State::Ours(version) if version == TABLES.version() => {}
        State::Ours(found) if found > TABLES.version() => {
            return Err(ContextError::Newer {
                path: name.to_owned(),
                found,
                known: TABLES.version(),
            });
        }
        State::Empty | State::Ours(_) => {
            TABLES.migrate(&mut connection).map_err(explain)?;
        }
        State::Foreign => {
            let reason = "it is an SQLite file of another program";
            return Err(ContextError::Foreign { path: name.to_owned(), reason });
        }
    }
    Ok(connection)
}

/// Opens another connection to a file that is there.
pub(super) fn connect(path: &Path, name: &str) -> Result<Connection, ContextError> {
    if path.is_dir() {
        let reason = "it is a folder".to_owned();
        return Err(ContextError::Io { path: name.to_owned(), reason });
    }
    let connection = tables::connect(path);
    let mut connection = connection.map_err(|error| explain(name, &error))?;
    prepare(&mut connection).map_err(|error| explain(name, &error))?;
    Ok(connection)
}

fn prepare(connection: &mut Connection) -> Result<(), rusqlite::Error> {
    connection.busy_handler(Some(wait))?;
    tables::protect(connection)?;
    // What was answered for is on the disk (CP-12).
    connection.pragma_update(None, "synchronous", "full")?;
    // The log is moved beside the writing (`writer`): this is what a commit does itself at last.
    connection.pragma_update(None, "wal_autocheckpoint", 16_000)?;
    connection.pragma_update(None, "cache_size", -16_000)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Short naps: a busy writer lets go of the file for a moment only.
fn wait(tried: i32) -> bool {
    let nap = Duration::from_millis(if tried < 50 { 1 } else { 5 });
    let waited = nap.saturating_mul(u32::try_from(tried).unwrap_or_default());
    if waited >= PATIENCE {
        return false;
    }
    std::thread::sleep(nap);
    true
}

fn io(name: &str, error: &std::io::Error) -> ContextError {
    ContextError::Io { path: name.to_owned(), reason: crate::reason::reason(error) }
}

/// What an error of SQLite means for contexts.
pub(super) fn explain(name: &str, error: &rusqlite::Error) -> ContextError {
    let path = name.to_owned();
    let reason = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            ContextError::Foreign { path, reason: "it is not an SQLite file" }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ContextError::Busy(path),
        Some(ErrorCode::DatabaseCorrupt) => ContextError::Damaged { path, reason },
        Some(ErrorCode::DiskFull) => ContextError::Full(path),
        Some(_) => ContextError::Io { path, reason },
        // Rows of another type than the tables have, or tables that are not there.
        None => ContextError::Damaged { path, reason },
    }
}
