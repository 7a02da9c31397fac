//! Larger texts, kept as parts that they share (GR-1).
//!
//! Decision: a text that grows is almost the text that was kept before. Its seams are found by
//! content ([`seams`]), each part is kept once under its digest, and a text is a list of parts that
//! is itself cut by content into lists that are kept once ([`lists`]). So a list of messages costs
//! what is new in it, wherever it grew and whichever run kept the others. Files for parts would take
//! a block of the disk each; SQLite gives rows of any size, writers in several processes, and the
//! removal of parts beside a run under way. What it costs to open (2 ms, 4 MB) is paid by the first
//! larger text of a process.

mod lists;
mod seams;
mod tables;
#[cfg(test)]
mod tests;

use super::upkeep::YOUNG;
use crate::runs::RunError;
use crate::stamp::now_us;
use contexture_context::Digest;
use lists::{Depth, Part};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The longest text that is kept.
const TEXT_BYTES: usize = 1 << 30;

/// A text that is kept again after so many seconds is young again: a fraction of [`YOUNG`].
const RENEWED: i64 = 600;

/// The most parts whose places are remembered.
const KNOWN: usize = 1 << 17;

/// A text to be kept.
pub(super) struct Text<'t> {
    pub(super) digest: &'t Digest,
    pub(super) text: Cow<'t, str>,
    /// True if secrets were taken out, so that the digest is that of another text.
    pub(super) masked: bool,
}

/// The texts of all runs of a folder; the file is opened when it is needed.
#[derive(Debug)]
pub(super) struct Parts {
    path: PathBuf,
    open: Mutex<Option<Open>>,
}

#[derive(Debug)]
struct Open {
    connection: Connection,
    known: Known,
    /// The number of the file on its disk: somebody may remove it while it is open.
    file: Option<u64>,
}

/// The first half of a part's digest.
type Name = [u8; 16];

/// The places of parts, as long as nobody removes any.
#[derive(Debug, Default)]
struct Known {
    generation: i64,
    ids: HashMap<Name, i64>,
}

type Outcome<T> = Result<T, rusqlite::Error>;

impl Parts {
    /// Small texts that are kept with larger ones cost little here: most are those of the call before.
    pub(super) const TAKES_SMALL: bool = true;

    pub(super) fn new(folder: &Path) -> Self {
        Self { path: folder.join("texts").join("parts.db"), open: Mutex::default() }
    }

    /// Keeps texts, all or none.
    pub(super) fn keep(&self, texts: &[Text<'_>]) -> Result<(), RunError> {
        if texts.is_empty() {
            return Ok(());
        }
        if texts.iter().any(|large| large.text.len() > TEXT_BYTES) {
            return Err(self.fault(format!("a text has more than {TEXT_BYTES} bytes")));
        }
        let mut slot = self.lock();
        let open = self.opened(&mut slot, true)?;
        let Some(Open { connection, known, .. }) = open else {
            return Err(self.fault("it could not be made".to_owned()));
        };
        let written = write(connection, known, texts);
        if written.is_err() {
            // Places of parts that are not there after all.
            known.ids.clear();
        }
        written.map_err(|error| self.explain(&error))
    }

    /// Returns a text; `None` when it was not kept, or when a part of it is missing or altered.
    pub(super) fn get(&self, digest: &Digest) -> Result<Option<String>, RunError> {
        let mut slot = self.lock();
        let Some(Open { connection, .. }) = self.opened(&mut slot, false)? else { return Ok(None) };
        // One moment: a removal in between would take parts away.
        let read = connection.transaction().and_then(|moment| read(&moment, digest));
        read.map_err(|error| self.explain(&error))
    }

    /// Reports why the file can't be used, if it can't.
    pub(super) fn check(&self) -> Result<(), RunError> {
        self.opened(&mut self.lock(), false).map(drop)
    }

    /// Removes the texts that no run names, unless they are young, and the parts that no text has.
    pub(super) fn free(&self, named: &HashSet<Digest>) -> Result<(), RunError> {
        let mut slot = self.lock();
        let Some(Open { connection, .. }) = self.opened(&mut slot, false)? else { return Ok(()) };
        let freed = free(connection, named).and_then(|any| match any {
            true => tables::shrink(connection),
            false => Ok(()),
        });
        freed.map_err(|error| self.explain(&error))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened<'s>(
        &self,
        slot: &'s mut Option<Open>,
        create: bool,
    ) -> Result<Option<&'s mut Open>, RunError> {
        if slot.as_ref().is_some_and(|open| open.file != number(&self.path)) {
            *slot = None;
        }
        if slot.is_none() && (create || self.path.exists()) {
            let connection = tables::open(&self.path, create)?;
            let file = number(&self.path);
            *slot = connection.map(|connection| Open { connection, known: Known::default(), file });
        }
        Ok(slot.as_mut())
    }

    fn fault(&self, reason: String) -> RunError {
        RunError::Io { path: self.path.display().to_string(), reason }
    }

    fn explain(&self, error: &rusqlite::Error) -> RunError {
        tables::explain(&self.path, error)
    }
}

/// Returns the number of a file on its disk, 0 where the system has none; `None` when it is not there.
#[cfg(unix)]
fn number(path: &Path) -> Option<u64> {
    path.metadata().ok().map(|file| std::os::unix::fs::MetadataExt::ino(&file))
}

#[cfg(not(unix))]
fn number(path: &Path) -> Option<u64> {
    path.exists().then_some(0)
}

fn write(connection: &mut Connection, known: &mut Known, texts: &[Text<'_>]) -> Outcome<()> {
    // Taking the lock at once: two writers that both began to read would block each other.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    known.check(&transaction)?;
    let now = seconds();
    for large in texts {
        if !renew(&transaction, large.digest, now)? {
            add(&transaction, known, large, now)?;
        }
    }
    transaction.commit()
}

/// Reports whether a text is there, and sees to it that it is not old.
fn renew(transaction: &Transaction<'_>, digest: &Digest, now: i64) -> Outcome<bool> {
    let sql = "select kept_at from texts where digest = ?1";
    let mut found = transaction.prepare_cached(sql)?;
    let kept_at: Option<i64> = found.query_row([digest.as_bytes()], |row| row.get(0)).optional()?;
    if kept_at.is_some_and(|at| at.saturating_add(RENEWED) < now) {
        let sql = "update texts set kept_at = ?2 where digest = ?1";
        transaction.prepare_cached(sql)?.execute(params![digest.as_bytes(), now])?;
    }
    Ok(kept_at.is_some())
}

fn add(
    transaction: &Transaction<'_>,
    known: &mut Known,
    large: &Text<'_>,
    now: i64,
) -> Outcome<()> {
    let mut ids = Vec::new();
    for part in seams::parts(large.text.as_bytes()) {
        ids.push(known.place(transaction, part)?);
    }
    while ids.len() > lists::SHORT {
        let mut above = Vec::new();
        for group in lists::groups(&ids) {
            above.push(known.place(transaction, &lists::write(group))?);
        }
        ids = above;
    }
    let masked = large.masked.then(|| Digest::of_text(&large.text));
    let masked = masked.as_ref().map(Digest::as_bytes);
    let sql =
        "insert into texts (digest, masked, bytes, kept_at, parts) values (?1, ?2, ?3, ?4, ?5)";
    let bytes = large.text.len().cast_signed() as i64;
    let row = params![large.digest.as_bytes(), masked, bytes, now, lists::write(&ids)];
    transaction.prepare_cached(sql)?.execute(row)?;
    Ok(())
}

impl Known {
    /// Forgets all places if parts were removed since they were learnt.
    fn check(&mut self, transaction: &Transaction<'_>) -> Outcome<()> {
        let generation = tables::generation(transaction)?;
        if generation != self.generation || self.ids.len() > KNOWN {
            self.ids.clear();
        }
        self.generation = generation;
        Ok(())
    }

    /// Returns the place of a part, which is kept if it is new.
    fn place(&mut self, transaction: &Transaction<'_>, part: &[u8]) -> Outcome<i64> {
        let name = name(part);
        if let Some(id) = self.ids.get(&name) {
            return Ok(*id);
        }
        let sql = "select id from parts where name = ?1";
        let found: Option<i64> =
            transaction.prepare_cached(sql)?.query_row([name], |row| row.get(0)).optional()?;
        let id = if let Some(id) = found {
            id
        } else {
            let sql = "insert into parts (name, data) values (?1, ?2)";
            transaction.prepare_cached(sql)?.insert(params![name, part])?
        };
        self.ids.insert(name, id);
        Ok(id)
    }
}

/// Returns the seconds since 1970-01-01 UTC.
fn seconds() -> i64 {
    i64::try_from(now_us() / 1_000_000).unwrap_or(i64::MAX)
}

fn name(part: &[u8]) -> Name {
    let digest = Digest::of_bytes(part);
    let (name, _) = digest.as_bytes().as_chunks::<16>();
    name.first().copied().unwrap_or_default()
}

fn read(moment: &Transaction<'_>, digest: &Digest) -> Outcome<Option<String>> {
    let sql = "select masked, bytes, parts from texts where digest = ?1";
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let found: Option<(Option<[u8; 32]>, i64, Vec<u8>)> =
        moment.prepare_cached(sql)?.query_row([digest.as_bytes()], row).optional()?;
    let Some((masked, bytes, list)) = found else { return Ok(None) };
    let most = usize::try_from(bytes).unwrap_or_default().min(TEXT_BYTES);
    let mut text = Vec::new();
    let is_whole = gather(moment, &list, most, Depth::default(), &mut text)?;
    let wanted = masked.map_or_else(|| digest.clone(), Digest::from);
    let text = String::from_utf8(text).ok().filter(|_| is_whole);
    Ok(text.filter(|text| Digest::of_text(text) == wanted))
}

/// Adds the text of a list to `text`, at most `most` bytes in all; false if the list is damaged.
fn gather(
    moment: &Transaction<'_>,
    list: &[u8],
    most: usize,
    depth: Depth,
    text: &mut Vec<u8>,
) -> Outcome<bool> {
    let (Some(ids), Some(below)) = (lists::read(list), depth.below()) else { return Ok(false) };
    let mut find = moment.prepare_cached("select data from parts where id = ?1")?;
    for id in ids {
        let data: Option<Vec<u8>> = find.query_row([id], |row| row.get(0)).optional()?;
        let is_whole = match data.as_deref().map(lists::part) {
            Some(Part::Text(part)) if text.len() + part.len() <= most => {
                text.extend_from_slice(part);
                true
            }
            Some(Part::List(list)) => gather(moment, list, most, below, text)?,
            _ => false,
        };
        if !is_whole {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Removes texts and parts; false if there was nothing to remove.
fn free(connection: &mut Connection, named: &HashSet<Digest>) -> Outcome<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let oldest = seconds().saturating_sub_unsigned(YOUNG.as_secs());
    let (gone, roots) = sorted(&transaction, named, oldest)?;
    if gone.is_empty() {
        return Ok(false);
    }
    for digest in gone {
        transaction.prepare_cached("delete from texts where digest = ?1")?.execute([digest])?;
    }
    let live = reached(&transaction, roots)?;
    let mut all = transaction.prepare("select id from parts")?;
    let ids: Vec<i64> = all.query_map([], |row| row.get(0))?.collect::<Outcome<_>>()?;
    drop(all);
    for id in ids.iter().filter(|id| !live.contains(id)) {
        transaction.prepare_cached("delete from parts where id = ?1")?.execute([id])?;
    }
    tables::count_removal(&transaction)?;
    transaction.commit()?;
    Ok(true)
}

/// The digest of a text.
type Bytes = [u8; 32];

/// Returns the texts to be removed, and the parts at the top of all others.
fn sorted(
    transaction: &Transaction<'_>,
    named: &HashSet<Digest>,
    oldest: i64,
) -> Outcome<(Vec<Bytes>, Vec<i64>)> {
    let (mut gone, mut roots) = (Vec::new(), Vec::new());
    let mut texts = transaction.prepare("select digest, kept_at, parts from texts")?;
    let mut rows = texts.query([])?;
    while let Some(row) = rows.next()? {
        let (digest, kept_at): (Bytes, i64) = (row.get(0)?, row.get(1)?);
        if kept_at < oldest && !named.contains(&Digest::from(digest)) {
            gone.push(digest);
        } else {
            let list: Vec<u8> = row.get(2)?;
            roots.extend(lists::read(&list).unwrap_or_default());
        }
    }
    Ok((gone, roots))
}

/// Returns the parts that are reached from others.
fn reached(transaction: &Transaction<'_>, mut waiting: Vec<i64>) -> Outcome<HashSet<i64>> {
    let mut live = HashSet::new();
    let sql = "select data from parts where id = ?1 and substr(data, 1, 1) = x'ff'";
    let mut find = transaction.prepare(sql)?;
    while let Some(id) = waiting.pop() {
        if !live.insert(id) {
            continue;
        }
        let list: Option<Vec<u8>> = find.query_row([id], |row| row.get(0)).optional()?;
        waiting.extend(list.and_then(|list| lists::read(&list)).unwrap_or_default());
    }
    Ok(live)
}
