//! The tables of a database, and their version.

use super::PostgresError;
use super::session::{Fault, Session};

/// The migration from each version to the next; the first creates the tables. Numbers are `bigint`, texts
/// compare by their bytes. Every update rewrites the row of its context, so what is large stands in
/// `contexture_details`, and no index stands on what changes.
pub(super) const STEPS: [&str; 2] = [
    "
    create table contexture_servers (
        token text primary key,
        is_server bigint not null,
        expires timestamptz not null
    );
    create table contexture_writers (
        token text not null references contexture_servers on delete cascade,
        kind text not null,
        batch bigint not null,
        primary key (token, kind)
    );

    create table contexture_contexts (
        place bigint generated always as identity primary key,
        name text collate \"C\" not null,
        owner text collate \"C\" not null,
        creation bigint not null,
        last_update bigint not null,
        version bigint not null,
        oldest bigint not null,
        last_seq bigint not null,
        messages bigint not null,
        cleared_through bigint not null,
        unique (name, owner)
    ) with (fillfactor = 70);
    create index on contexture_contexts (owner, place);
    create table contexture_details (
        place bigint primary key,
        metadata text not null,
        sealed text,
        state text not null
    );
    create table contexture_messages (
        context bigint not null,
        seq bigint not null,
        version bigint not null,
        place bigint not null,
        cleared bigint not null,
        instant bigint,
        time bigint not null,
        cause text,
        sealed text,
        text text not null,
        primary key (context, seq)
    );
    create index on contexture_messages (context, version, seq);
    create table contexture_changes (
        context bigint not null,
        version bigint not null,
        place bigint not null,
        kind bigint not null,
        time bigint not null,
        cause text,
        path text,
        through bigint,
        cleared bigint,
        sealed text,
        value text,
        primary key (context, version, place)
    );
    create table contexture_keys (
        owner text collate \"C\" not null,
        scope text collate \"C\" not null,
        message_id text collate \"C\" not null,
        digest bytea not null,
        context text,
        status bigint not null,
        time bigint not null,
        sealed text,
        answer text,
        primary key (owner, scope, message_id)
    );
    create index on contexture_keys (time) where status = 0;

    create table contexture_runs (
        place bigint generated always as identity primary key,
        run text collate \"C\" not null unique,
        name text not null,
        owner text not null,
        context text,
        steps bigint not null,
        started bigint not null,
        ended bigint,
        status text,
        done bigint,
        holder text,
        wish text,
        wishes bigint not null default 0,
        masked bigint not null,
        document text not null
    );
    create index on contexture_runs (owner, place);
    create index on contexture_runs (context, name, place) where context is not null;
    create index on contexture_runs (place) where ended is null;
    create index on contexture_runs (holder) where wish is not null;
    create table contexture_entries (
        run bigint not null,
        number bigint not null,
        kind bigint not null,
        time bigint not null,
        masked bigint not null,
        text text not null,
        primary key (run, number)
    );
    create table contexture_waits (
        place bigint generated always as identity primary key,
        owner text collate \"C\" not null,
        context text collate \"C\" not null,
        message text collate \"C\" not null,
        call text collate \"C\" not null,
        kind text not null,
        run text collate \"C\" not null,
        step text not null,
        client text not null,
        since bigint not null,
        expires bigint not null,
        state bigint not null,
        parked bigint not null,
        request text not null,
        answer text,
        unique (owner, call, context, message)
    );
    create index on contexture_waits (owner, client) where state = 0;
    create index on contexture_waits (run) where state < 2;
    create index on contexture_waits (expires) where state = 0 and parked = 1;
    create index on contexture_waits (place) where state = 1;
    create index on contexture_waits (expires) where state = 2;
",
    "
    create table contexture_texts (
        name text collate \"C\" primary key,
        version bigint not null,
        text text not null
    );
    alter table contexture_keys add column holder text;
    alter table contexture_keys add column queued bigint not null default 0;
    alter table contexture_keys add column begun bigint not null default 0;
    alter table contexture_keys add column cancelled bigint not null default 0;
    alter table contexture_keys add column place bigint generated always as identity;
    create index on contexture_keys (owner, context, place) where status = 0 and queued = 1;
    create index on contexture_keys (holder) where status = 0;
    alter table contexture_waits add column holder text;
    create index on contexture_waits (holder) where state < 2;
    create index on contexture_runs (holder) where ended is null;
    create table contexture_journals (
        run text collate \"C\" primary key,
        holder text not null
    );
    create table contexture_lines (
        run text collate \"C\" not null references contexture_journals on delete cascade,
        number bigint generated always as identity,
        text text not null,
        primary key (run, number)
    );
    create table contexture_clients (
        place bigint generated always as identity primary key,
        holder text not null,
        session text collate \"C\" not null,
        owner text collate \"C\" not null,
        capabilities text not null,
        service bigint not null,
        here bigint not null,
        until timestamptz,
        unique (session)
    );
    create index on contexture_clients (until) where until is not null;
",
];

pub(super) const KNOWN: i64 = STEPS.len() as i64;

/// Makes the tables, or brings them to the version of this program.
pub(super) fn ready(session: &Session, name: &str) -> Result<(), PostgresError> {
    let failed =
        |fault: Fault| PostgresError::Failed { name: name.to_owned(), reason: fault.to_string() };
    let encoding = session.row("select current_setting('server_encoding')", Vec::new());
    if let Some(row) = encoding.map_err(failed)?
        && row.text(0).map_err(failed)? != "UTF8"
    {
        let reason = "its encoding is not UTF8";
        return Err(PostgresError::Foreign { name: name.to_owned(), reason });
    }
    let found = version(session).map_err(failed)?;
    if found == KNOWN {
        return Ok(());
    }
    if found > KNOWN {
        return Err(PostgresError::Newer { name: name.to_owned(), found, known: KNOWN });
    }
    let made = migrate(session);
    if made.is_err() {
        drop(session.batch("rollback"));
    }
    made.map_err(failed)
}

pub(super) fn version(session: &Session) -> Result<i64, Fault> {
    let format = session.row("select to_regclass('contexture_format')::text", Vec::new())?;
    if format.map_or(Ok(None), |row| row.some_text(0))?.is_none() {
        return Ok(0);
    }
    let row = session.row("select max(version) from contexture_format", Vec::new())?;
    Ok(row.map_or(Ok(None), |row| row.some_place(0))?.unwrap_or_default())
}

fn migrate(session: &Session) -> Result<(), Fault> {
    // Two servers that begin together make them once.
    session.batch(
        "begin; select pg_advisory_xact_lock(1129600084, hashtext(current_schema()));
         create table if not exists contexture_format (version bigint not null)",
    )?;
    let from = usize::try_from(version(session)?).unwrap_or(STEPS.len());
    for (step, to) in STEPS.iter().zip(1_i64..).skip(from) {
        session.batch(step)?;
        session.write("insert into contexture_format (version) values ($1)", vec![to.into()])?;
    }
    session.batch("commit").map(drop)
}
