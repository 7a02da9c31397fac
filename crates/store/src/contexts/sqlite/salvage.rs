//! What can still be read of a damaged file of contexts (GU-12).
//!
//! Decision: rows are copied as they are, and then only those stay that are as they were written. A
//! history that is not whole gives up its log: the messages and the state that are sound begin a new
//! chain, as those of a compacted context do.

use super::chain::{self, Digest};
use super::rows;
use super::schema::TABLES;
use super::verify::{Damage, Finding, mark_anew, verify};
use crate::contexts::ledger::{Row, Stored};
use crate::copy;
use crate::sqlite::{Database, FileError as _};
use contexture_core::store::contexts::ContextError;
use rusqlite::{Connection, params};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

type Sql<T> = Result<T, rusqlite::Error>;

/// The result of saving a file of contexts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Salvaged {
    /// The number of contexts.
    pub contexts: u64,
    /// The number of their messages and changes.
    pub entries: u64,
    /// What is lost, or was damaged.
    pub lost: Vec<Finding>,
}

/// Writes what can be read of a damaged file into a new one; the damaged one stays as it is.
///
/// # Errors
/// [`ContextError::Newer`] for a file of a newer version; what the system reports.
pub fn salvage(from: &Path, to: &Path) -> Result<Salvaged, ContextError> {
    let name = to.display().to_string();
    let mut lost = verify(from)?.findings;
    let (file, connection) = Database::<ContextError>::open(to, &name, &TABLES)?;
    let system = |error: std::io::Error| ContextError::of_system(&name, &error);
    let aside = file.path().with_extension("aside");
    drop(std::fs::remove_dir_all(&aside));
    std::fs::create_dir(&aside).map_err(system)?;
    let copied = copy::aside(from, &aside).map_err(system);
    let saved = copied.and_then(|damaged| {
        // One that can't be opened at all has nothing to read.
        let refused = match copy::look(&damaged) {
            Ok(mut damaged) => {
                // What an earlier version wrote has other tables.
                drop(TABLES.ready(&mut damaged));
                file.explain(fill(&damaged, &connection))?
            }
            Err(_) => 0,
        };
        file.explain(repair(&connection, refused, &mut lost))
    });
    let removed = std::fs::remove_dir_all(&aside).map_err(system);
    saved.and(removed)?;
    drop(connection);
    mark_anew(to)?;
    let report = verify(to)?;
    lost.extend(report.findings);
    Ok(Salvaged { contexts: report.contexts, entries: report.entries, lost })
}

/// Copies the rows that can be read.
fn fill(damaged: &Connection, connection: &Connection) -> Sql<u64> {
    connection.execute_batch("begin immediate; delete from marks")?;
    let refused = copy::rows(damaged, connection)?;
    connection.execute_batch(
        "insert into marks (identity, made) select randomblob(16), 0
             where not exists (select 1 from marks);
         delete from marks where rowid > (select min(rowid) from marks);
         update marks set identity = randomblob(16), made = 0;
         insert or ignore into details (place, metadata, state) select place, '{}', '{}' from contexts
             where place not in (select place from details);
         commit",
    )?;
    Ok(refused)
}

/// Leaves only what is as it was written; tells what is lost.
fn repair(connection: &Connection, refused: u64, lost: &mut Vec<Finding>) -> Sql<()> {
    connection.execute_batch("begin immediate")?;
    let mut all = connection.prepare(&format!("{} order by place", rows::CONTEXT))?;
    let all: Vec<_> = all.query_map([], rows::chained)?.filter_map(Result::ok).collect();
    let places: BTreeSet<i64> = all.iter().map(|(row, _, _)| row.place).collect();
    for (mut row, chain, digest) in all {
        let left_out = |entry: String, reason: &str| Finding::broken(&row, entry, reason);
        let (unsound, is_log_whole) = unsound(connection, &row, &chain, digest)?;
        if is_log_whole && unsound.is_empty() {
            continue;
        }
        for (entry, delete, key) in unsound {
            connection.execute(delete, [key])?;
            lost.push(left_out(entry, "it is not as it was written, and left out"));
        }
        if !is_log_whole {
            lost.push(left_out("the log of changes".to_owned(), "it is not whole, and left out"));
        }
        connection.execute(DELETE_CHANGES, [row.place])?;
        begin_anew(connection, &mut row)?;
    }
    remove_orphans(connection, &places, lost)?;
    if refused > 0 {
        let reason = format!("{refused} rows can't be read, and are left out");
        lost.push(Finding::of_file(Damage::Broken, reason));
    }
    connection.execute_batch("commit")
}

const DELETE_CHANGES: &str = "delete from changes where context = ?1";

/// Removes the entries whose context can't be read.
fn remove_orphans(
    connection: &Connection,
    places: &BTreeSet<i64>,
    lost: &mut Vec<Finding>,
) -> Sql<()> {
    for (sql, what) in [
        ("select id >> 36 from messages group by 1", "messages"),
        ("select context from changes group by 1", "changes"),
    ] {
        let mut found = connection.prepare(sql)?;
        let found = found.query_map([], |row| row.get::<_, i64>(0))?.collect::<Sql<Vec<_>>>()?;
        for place in found.into_iter().filter(|place| !places.contains(place)) {
            let sql = "delete from messages where id > ?1 and id <= ?2";
            connection.execute(sql, [rows::id(place, 0), rows::last_id(place)])?;
            connection.execute(DELETE_CHANGES, [place])?;
            let reason = format!("{what} of context number {place}, which itself can't be read");
            lost.push(Finding::of_file(Damage::Broken, reason));
        }
    }
    Ok(())
}

/// An entry that is not as it was written: its name, and how it is removed.
type Unsound = (String, &'static str, i64);

/// Returns what of a context is not as it was written, and whether its log is whole.
fn unsound(
    connection: &Connection,
    row: &Row,
    chain: &rows::Chain,
    digest: Option<Digest>,
) -> Sql<(Vec<Unsound>, bool)> {
    let mut found = Vec::new();
    let sql = "select id, version, place, instant, time, cause, sealed, text, digest from messages
        where id > ?1 and id <= ?2 order by id";
    let mut messages = connection.prepare_cached(sql)?;
    let ids = params![rows::id(row.place, 0), rows::last_id(row.place)];
    let messages = messages.query_map(ids, |row| {
        let (id, message) = (row.get::<_, i64>(0)?, rows::message(row));
        Ok((id, message, row.get::<_, Option<Digest>>(8).ok()))
    })?;
    for read in messages {
        let (id, message, digest) = read?;
        let is_sound = match (&message, digest) {
            (Ok(message), Some(Some(digest))) => rows::digest_of_message(message) == digest,
            (Ok(_), Some(None)) => true,
            _ => false,
        };
        if !is_sound {
            let seq = id - rows::id(row.place, 0);
            found.push((format!("message {seq}"), "delete from messages where id = ?1", id));
        }
    }
    let clear = [
        "update details set metadata = '{}' where place = ?1",
        "update details set sealed = null, state = '{}' where place = ?1",
    ];
    for ((part, is_sound), clear) in rows::details(connection, row.place).into_iter().zip(clear) {
        if !is_sound.unwrap_or(false) {
            found.push((part.to_owned(), clear, row.place));
        }
    }
    let is_row_sound = digest.is_none_or(|digest| digest == rows::digest_of(row, chain));
    let is_whole = super::verify::is_log_whole(connection, row, chain)?;
    Ok((found, is_row_sound && is_whole))
}

/// Lets a context begin with what is there.
fn begin_anew(connection: &Connection, row: &mut Row) -> Sql<()> {
    let ids = params![
        rows::id(row.place, row.cleared_through),
        rows::last_id(row.place),
        rows::id(row.place, 0)
    ];
    let sql = "select coalesce(sum(cleared = 0), 0), coalesce(max(id) - ?3, 0),
        coalesce(max(version), 0) from messages where id > ?1 and id <= ?2";
    let (live, last, version) = connection.query_row(sql, ids, |row| {
        Ok((rows::number(row, 0)?, rows::number(row, 1)?, rows::number(row, 2)?))
    })?;
    (row.messages, row.last_seq) = (live, row.last_seq.max(last));
    row.version = row.version.max(version);
    row.oldest = row.version;
    let begins = row.version;
    let (anchor, last) = (Digest::default(), Digest::default());
    let chain = rows::Chain { place: row.place, begins, anchor, last };
    connection.execute(
        "update contexts set messages = ?2, last_seq = ?3, version = ?4, oldest = ?4, chained = ?4,
         anchor = x'', chain = x'', digest = ?5 where place = ?1",
        params![
            row.place,
            rows::Num(live),
            rows::Num(row.last_seq),
            rows::Num(row.version),
            rows::digest_of(row, &chain)
        ],
    )?;
    // The digests that were of something else are of what stands there now.
    let sql = "select metadata, sealed, state from details where place = ?1";
    let (metadata, state) = connection.query_row(sql, [row.place], |row| {
        Ok((row.get::<_, String>(0)?, Stored { sealed: row.get(1)?, text: row.get(2)? }))
    })?;
    connection.execute(
        "update details set metadata_digest = ?2, state_digest = ?3 where place = ?1",
        params![row.place, chain::of(&[metadata.as_bytes()]), rows::digest_of_state(&state)],
    )?;
    Ok(())
}
