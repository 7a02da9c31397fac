//! The walk along the chain of a context (GU-12).

use super::super::chain::{self, Digest};
use super::super::rows::{self, Chain};
use super::Sql;
use crate::contexts::ledger::Row;
use rusqlite::{Connection, params};

/// Reports whether a context has all entries of its log, as they were written.
pub(in super::super) fn is_log_whole(
    connection: &Connection,
    row: &Row,
    chain: &Chain,
) -> Sql<bool> {
    match walked(connection, row, chain, None) {
        Ok(walk) => Ok(walk.broken.is_none()),
        // A value of another type is damage; a failure to read is not what this tells.
        Err(error) if error.sqlite_error_code().is_none() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the digest at the end of the chain of the entries that are there.
#[cfg(feature = "postgres")]
pub(in super::super) fn chain_of(connection: &Connection, row: &Row, chain: &Chain) -> Sql<Digest> {
    walked(connection, row, chain, None).map(|walk| walk.chain)
}

/// Walks the chain of a context.
pub(super) fn walked(
    connection: &Connection,
    row: &Row,
    chain: &Chain,
    marked: Option<(u64, Digest)>,
) -> Sql<Walk> {
    let mut walk = Walk::new(row, chain, marked);
    let sql = "select id, version, place, instant, time, cause, sealed, text, digest, cleared
            from messages where id > ?1 and id <= ?2 order by id";
    let mut messages = connection.prepare_cached(sql)?;
    let mut messages = messages.query(params![rows::id(row.place, 0), rows::last_id(row.place)])?;
    let sql = "select version, place, kind, time, cause, path, through, cleared, sealed, value,
            digest from changes where context = ?1 order by version, place";
    let mut changes = connection.prepare_cached(sql)?;
    let mut changes = changes.query([row.place])?;
    let (mut message, mut change) = (next_message(&mut messages)?, next_change(&mut changes)?);
    loop {
        let is_message = match (&message, &change) {
            (None, None) => break,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some(one), Some(other)) => one.at <= other.at,
        };
        let entry = if is_message {
            std::mem::replace(&mut message, next_message(&mut messages)?)
        } else {
            std::mem::replace(&mut change, next_change(&mut changes)?)
        };
        entry.iter().for_each(|entry| walk.step(entry));
    }
    walk.end(row, chain);
    Ok(walk)
}

/// An entry of a history.
struct Entry {
    /// Its version, and its place among the entries of that.
    at: (u64, u64),
    /// Its place among the messages; `None` for a change.
    seq: Option<u64>,
    is_live: bool,
    kept: Option<Digest>,
    found: Digest,
}

fn next_message(rows: &mut rusqlite::Rows<'_>) -> Sql<Option<Entry>> {
    let Some(row) = rows.next()? else { return Ok(None) };
    let message = rows::message(row)?;
    let found = rows::digest_of_message(&message);
    let (at, seq) = ((message.version, message.index), Some(message.seq));
    Ok(Some(Entry { at, seq, is_live: !row.get::<_, bool>(9)?, kept: row.get(8)?, found }))
}

fn next_change(rows: &mut rusqlite::Rows<'_>) -> Sql<Option<Entry>> {
    let Some(row) = rows.next()? else { return Ok(None) };
    let change = rows::change(row)?;
    let found = rows::digest_of_change(&change);
    let at = (change.version, change.index);
    Ok(Some(Entry { at, seq: None, is_live: false, kept: row.get(10)?, found }))
}

/// A walk along the chain of a context.
pub(super) struct Walk {
    begins: u64,
    cleared_through: u64,
    marked: Option<(u64, Digest)>,
    chain: Digest,
    last: (u64, u64),
    pub(super) entries: u64,
    live: u64,
    pub(super) broken: Option<(String, String)>,
}

impl Walk {
    const fn new(row: &Row, chain: &Chain, marked: Option<(u64, Digest)>) -> Self {
        Self {
            begins: chain.begins,
            cleared_through: row.cleared_through,
            marked,
            chain: chain.anchor,
            last: (chain.begins, 0),
            entries: 0,
            live: 0,
            broken: None,
        }
    }

    fn step(&mut self, entry: &Entry) {
        self.entries += 1;
        let is_live = entry.is_live && entry.seq.is_some_and(|seq| seq > self.cleared_through);
        self.live += u64::from(is_live);
        let (version, index) = entry.at;
        let is_chained = version > self.begins;
        let name = || match entry.seq {
            Some(seq) => format!("message {seq}, version {version}"),
            None => format!("change {index} of version {version}"),
        };
        match entry.kept {
            Some(kept) if kept != entry.found => {
                self.fault(name(), "it is not as it was written");
            }
            None if is_chained => self.fault(name(), "it has no digest"),
            _ => {}
        }
        if !is_chained {
            return;
        }
        let (last, before) = self.last;
        let is_next =
            if version == last { index == before + 1 } else { version == last + 1 && index == 0 };
        if !is_next {
            self.fault(name(), "an entry is missing before it");
        }
        if version > last {
            self.at_version(last);
        }
        self.chain = chain::link(&self.chain, &entry.found);
        self.last = entry.at;
    }

    /// Compares the chain with what was acknowledged at a version, whose entries are all in it.
    fn at_version(&mut self, version: u64) {
        if self.marked.is_some_and(|(marked, chain)| marked == version && chain != self.chain) {
            let entry = format!("version {version}");
            self.fault(entry, "the history up to it is another one than was acknowledged");
        }
    }

    fn end(&mut self, row: &Row, chain: &Chain) {
        let (last, _) = self.last;
        self.at_version(last);
        if last < row.version {
            self.fault(format!("version {}", last + 1), "its entries are missing");
        } else if self.chain != chain.last {
            self.fault(format!("version {last}"), "the chain does not end where it was written");
        }
        if self.live != row.messages {
            let reason = format!("{} messages are there, {} were kept", self.live, row.messages);
            self.fault("the messages".to_owned(), &reason);
        }
    }

    fn fault(&mut self, entry: String, reason: &str) {
        self.broken.get_or_insert_with(|| (entry, reason.to_owned()));
    }
}
