//! The tables of a file of runs, their version, and what its errors mean.

use super::FlowStoreError;
use crate::tables::{self, Tables, Unfit};
use rusqlite::{Connection, ErrorCode};
use std::path::{Path, PathBuf};

/// Marked "CTXF".
const TABLES: Tables = Tables { application_id: 0x4354_5846, steps: &STEPS };

/// What leads from each version to the next; the first makes the tables. The id of an entry is the
/// place of its run and its own number in one, so that the entries of a run stand together and
/// those of one step in one page, which is all that a commit of it writes. The row of a run is
/// written when it begins and ends, and its document, which may be large, only once.
const STEPS: [&str; 1] = ["
    create table runs (
        place integer primary key autoincrement,
        run text not null unique,
        name text not null,
        owner text not null,
        context text,
        steps integer not null,
        started integer not null,
        ended integer,
        status text,
        done integer,
        holder text,
        wish text,
        wishes integer not null default 0
    ) strict;
    create index runs_by_owner on runs (owner, place);
    create index runs_by_context on runs (context, name, place) where context is not null;
    create index runs_unfinished on runs (place) where ended is null;
    create index runs_with_wish on runs (holder) where wish is not null;
    create table documents (
        place integer primary key,
        masked integer not null,
        text text not null
    ) strict;
    create table entries (
        id integer primary key,
        kind integer not null,
        time integer not null,
        masked integer not null,
        text text not null
    ) strict;
"];

/// How many bits of an entry's id are its number in its run.
const NUMBER_BITS: u32 = 32;
const NUMBER_MASK: i64 = (1 << NUMBER_BITS) - 1;
const MOST_RUNS: i64 = (1 << (63 - NUMBER_BITS)) - 1;

/// The kind of an entry that says how a step ended.
pub(super) const ENDED: i64 = 1;
/// That of every other.
pub(super) const OTHER: i64 = 0;

/// The id of an entry; `None` beyond 2,147 million runs or 4,294 million entries of one.
pub(super) fn id(place: i64, number: u64) -> Option<i64> {
    let number = i64::try_from(number).ok().filter(|number| *number <= NUMBER_MASK)?;
    (place <= MOST_RUNS).then_some(place << NUMBER_BITS | number)
}

/// The ids before the first and of the last entry of a run.
pub(super) fn span(place: i64) -> (i64, i64) {
    let first = place.min(MOST_RUNS) << NUMBER_BITS;
    (first, first | NUMBER_MASK)
}

/// The number of an entry in its run.
pub(super) fn number(id: i64) -> u64 {
    (id & NUMBER_MASK).cast_unsigned()
}

/// The file's place with its folder made and links followed.
pub(super) fn place(path: &Path, name: &str) -> Result<PathBuf, FlowStoreError> {
    tables::place(path).map_err(|error| FlowStoreError::Io {
        path: name.to_owned(),
        reason: crate::reason::reason(&error),
    })
}

/// Opens a file of runs for writing; makes it when it is missing. `name` stands in errors.
pub(super) fn open(path: &Path, name: &str) -> Result<Connection, FlowStoreError> {
    let mut connection = connect(path, name)?;
    TABLES.ready(&mut connection).map_err(|unfit| match unfit {
        Unfit::Newer(found) => {
            FlowStoreError::Newer { path: name.to_owned(), found, known: TABLES.version() }
        }
        Unfit::Foreign => {
            let reason = "it is an SQLite file of another program";
            FlowStoreError::Foreign { path: name.to_owned(), reason }
        }
        Unfit::Sql(error) => explain(name, &error),
    })?;
    Ok(connection)
}

/// Opens another connection to a file that is there.
pub(super) fn connect(path: &Path, name: &str) -> Result<Connection, FlowStoreError> {
    if path.is_dir() {
        let reason = "it is a folder".to_owned();
        return Err(FlowStoreError::Io { path: name.to_owned(), reason });
    }
    let connection = tables::connect(path).and_then(|mut connection| {
        tables::patient(&mut connection)?;
        tables::protect(&connection)?;
        // What was said to be kept is on the disk (FL-11).
        connection.pragma_update(None, "synchronous", "full")?;
        Ok(connection)
    });
    connection.map_err(|error| explain(name, &error))
}

/// What an error of SQLite means for runs.
pub(super) fn explain(name: &str, error: &rusqlite::Error) -> FlowStoreError {
    let path = name.to_owned();
    let reason = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            FlowStoreError::Foreign { path, reason: "it is not an SQLite file" }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => FlowStoreError::Busy(path),
        Some(ErrorCode::DatabaseCorrupt) => FlowStoreError::Damaged { path, reason },
        Some(ErrorCode::DiskFull) => FlowStoreError::Full(path),
        Some(_) => FlowStoreError::Io { path, reason },
        // Rows of another type than the tables have, or tables that are not there.
        None => FlowStoreError::Damaged { path, reason },
    }
}
