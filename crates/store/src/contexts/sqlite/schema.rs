//! The tables of a file of contexts, their version, and what its errors mean.

use crate::contexts::ContextError;
use crate::tables::{self, Tables, Unfit};
use rusqlite::{Connection, ErrorCode};
use std::path::{Path, PathBuf};

/// Marked "CTXC".
const TABLES: Tables = Tables { application_id: 0x4354_5843, steps: &STEPS };

/// What leads from each version to the next; the first makes the tables. Every update rewrites the
/// row of its context, so what is large stands in `details`. The id of a message is the place of
/// its context and its own in one number, so that the messages of a context stand together in a
/// tree that is flat, which one whose keys stand beside the texts would not be.
///
/// Step 2: an id is its owner's alone; the ids of messages that came inside others are keys too;
/// keys of contexts that were deleted are forgotten.
const STEPS: [&str; 2] = [
    "
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
",
    "
    create table contexts_of_owners (
        place integer primary key autoincrement,
        name text not null,
        owner text not null,
        creation integer not null,
        last_update integer not null,
        version integer not null,
        oldest integer not null,
        last_seq integer not null,
        messages integer not null,
        cleared_through integer not null,
        unique (name, owner)
    ) strict;
    insert into contexts_of_owners (place, name, owner, creation, last_update, version, oldest,
        last_seq, messages, cleared_through)
        select place, name, owner, creation, last_update, version, oldest, last_seq, messages,
        cleared_through from contexts;
    insert or replace into sqlite_sequence (rowid, name, seq)
        select (select rowid from sqlite_sequence where name = 'contexts_of_owners'),
        'contexts_of_owners', seq from sqlite_sequence where name = 'contexts';
    drop table contexts;
    alter table contexts_of_owners rename to contexts;
    create index contexts_by_owner on contexts (owner, place);
    delete from keys where status = 2;
    insert into keys (owner, scope, message_id, digest, context, status, time)
        select contexts.owner, contexts.name, json_extract(text, '$.messageId'), zeroblob(32),
        contexts.name, 3, time from contexts join messages
        on messages.id > contexts.place << 36 and messages.id < (contexts.place + 1) << 36
        where json_valid(text) and json_type(text, '$.messageId') = 'text' on conflict do nothing;
",
];

/// The file's place with its folder made and links followed.
pub(super) fn place(path: &Path, name: &str) -> Result<PathBuf, ContextError> {
    tables::place(path).map_err(|error| ContextError::Io {
        path: name.to_owned(),
        reason: crate::reason::reason(&error),
    })
}

/// Opens a file of contexts for writing; makes it when it is missing. `name` stands in errors.
pub(super) fn open(path: &Path, name: &str) -> Result<Connection, ContextError> {
    let mut connection = connect(path, name)?;
    TABLES.ready(&mut connection).map_err(|unfit| match unfit {
        Unfit::Newer(found) => {
            ContextError::Newer { path: name.to_owned(), found, known: TABLES.version() }
        }
        Unfit::Foreign => {
            let reason = "it is an SQLite file of another program";
            ContextError::Foreign { path: name.to_owned(), reason }
        }
        Unfit::Sql(error) => explain(name, &error),
    })?;
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
    tables::patient(connection)?;
    tables::protect(connection)?;
    // What was answered for is on the disk (CP-12).
    connection.pragma_update(None, "synchronous", "full")?;
    // The log is moved beside the writing (`writer`): this is what a commit does itself at last.
    connection.pragma_update(None, "wal_autocheckpoint", 16_000)?;
    connection.pragma_update(None, "cache_size", -16_000)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
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
