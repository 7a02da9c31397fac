//! Rows that came from a store without digests (WA-11, GU-12).

use super::chain::{self, Digest};
use super::rows::{self, Chain};
use super::verify;
use crate::contexts::ledger::Stored;
use rusqlite::{Connection, OptionalExtension as _, params};

type Sql<T> = Result<T, rusqlite::Error>;

/// Gives all rows their digests, and each context its chain.
pub(crate) fn vouch(connection: &Connection) -> Sql<()> {
    messages(connection)?;
    changes(connection)?;
    let mut all = connection.prepare("select place from contexts order by place")?;
    let all = all.query_map([], |row| row.get(0))?.collect::<Sql<Vec<i64>>>()?;
    all.into_iter().try_for_each(|place| context(connection, place))
}

fn messages(connection: &Connection) -> Sql<()> {
    let sql = format!("{} where id > ?1 order by id limit 1", rows::MESSAGE);
    let mut next = connection.prepare(&sql)?;
    let mut update = connection.prepare("update messages set digest = ?2 where id = ?1")?;
    let mut after = -1;
    loop {
        let read = |row: &rusqlite::Row<'_>| {
            Ok((row.get::<_, i64>(0)?, rows::digest_of_message(&rows::message(row)?)))
        };
        let Some((id, digest)) = next.query_row([after], read).optional()? else { return Ok(()) };
        update.execute(params![id, digest])?;
        after = id;
    }
}

fn changes(connection: &Connection) -> Sql<()> {
    let mut next = connection.prepare(
        "select version, place, kind, time, cause, path, through, cleared, sealed, value, context
         from changes where (context, version, place) > (?1, ?2, ?3)
         order by context, version, place limit 1",
    )?;
    let mut update = connection.prepare(
        "update changes set digest = ?4 where context = ?1 and version = ?2 and place = ?3",
    )?;
    let mut after = (-1_i64, -1_i64, -1_i64);
    loop {
        let read = |row: &rusqlite::Row<'_>| {
            let at = (row.get(10)?, row.get(0)?, row.get(1)?);
            Ok((at, rows::digest_of_change(&rows::change(row)?)))
        };
        let found = next.query_row(params![after.0, after.1, after.2], read).optional()?;
        let Some((at, digest)) = found else { return Ok(()) };
        update.execute(params![at.0, at.1, at.2, digest])?;
        after = at;
    }
}

/// Lets the chain of a context begin where its log does.
fn context(connection: &Connection, place: i64) -> Sql<()> {
    let row = connection.query_row(
        &format!("{} where place = ?1", rows::CONTEXT),
        [place],
        rows::context,
    )?;
    let none = Digest::default();
    let chain = Chain { place, begins: row.oldest, anchor: none, last: none };
    let last = verify::chain_of(connection, &row, &chain)?;
    let chain = Chain { last, ..chain };
    connection.execute(
        "update contexts set chained = ?2, chain = ?3, digest = ?4 where place = ?1",
        params![place, rows::Num(row.oldest), chain.last, rows::digest_of(&row, &chain)],
    )?;
    let sql = "select metadata, sealed, state from details where place = ?1";
    let (metadata, state) = connection.query_row(sql, [place], |row| {
        Ok((row.get::<_, String>(0)?, Stored { sealed: row.get(1)?, text: row.get(2)? }))
    })?;
    let digests = params![place, chain::of(&[metadata.as_bytes()]), rows::digest_of_state(&state)];
    connection.execute(
        "update details set metadata_digest = ?2, state_digest = ?3 where place = ?1",
        digests,
    )?;
    Ok(())
}
