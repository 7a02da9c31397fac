//! The tables of a file of contexts.

use crate::sqlite::tables::Tables;
use rusqlite::Connection;

/// Marked "CTXC".
pub(crate) const TABLES: Tables = Tables { application_id: 0x4354_5843, steps: &STEPS, prepare };

/// The migration from each version to the next; the first creates the tables. Every update rewrites the
/// row of its context, so what is large stands in `details`. The id of a message is the place of
/// its context and its own in one number, so that the messages of a context stand together in a
/// tree that is flat, which one whose keys stand beside the texts would not be.
///
/// Step 2: an id is its owner's alone; the ids of messages that came inside others are keys too;
/// keys of contexts that were deleted are forgotten.
///
/// Step 3: digests of entries, states and contexts, and a chain in each context, which begins after
/// version `chained` with the digest `anchor` (see [`chain`](super::chain)). What was there before has
/// none, and its chain begins at the upgrade. `removed` tells a context that was deleted from one that is
/// missing, for as long as its mark may say that it is there (see [`marks`](super::marks)).
const STEPS: [&str; 3] = [
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
    "
    alter table contexts add column chained integer not null default 0;
    alter table contexts add column anchor blob not null default x'';
    alter table contexts add column chain blob not null default x'';
    alter table contexts add column digest blob;
    update contexts set chained = version;
    alter table details add column metadata_digest blob;
    alter table details add column state_digest blob;
    alter table messages add column digest blob;
    alter table changes add column digest blob;
    create table removed (place integer primary key) strict;
    create table marks (identity blob not null, made integer not null) strict;
    insert into marks (identity, made) values (randomblob(16), 0);
",
];

fn prepare(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.pragma_update(None, "cache_size", -16_000)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}
