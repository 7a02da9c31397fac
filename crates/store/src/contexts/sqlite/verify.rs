//! Whether a file of contexts holds what was acknowledged, as it was written (GU-12).
//!
//! Decision: looking changes nothing. The file is opened so that neither its log nor its tables are
//! written, not even at the end, so that what is damaged can still be looked at with other tools.

use super::chain::Digest;
use super::rows::{self, Chain};
use super::schema::TABLES;
use crate::contexts::ledger::{Outcome, Row};
use crate::marks::{self, Book, Mark, Marks};
use crate::sqlite::marked;
use crate::sqlite::tables::{self, State};
use crate::sqlite::{Database, FileError as _};
use contexture_core::store::contexts::ContextError;
use rusqlite::{Connection, OptionalExtension as _};
use serde::Serialize;
use std::fmt;
use std::path::Path;

#[cfg(test)]
mod tests;
mod walk;

#[cfg(feature = "postgres")]
pub(super) use walk::chain_of;
pub(super) use walk::is_log_whole;

type Sql<T> = Result<T, rusqlite::Error>;

/// The most faults of one kind that SQLite itself is asked for.
const INTEGRITY: &str = "pragma integrity_check(20)";
/// The most findings that stand in one error.
const SHOWN: usize = 3;

/// A fault of a file of contexts, or of one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Finding {
    /// The kind of damage.
    pub kind: Damage,
    /// The owner of the context; `None` for the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_id: Option<String>,
    /// The version that was acknowledged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<u64>,
    /// The version that is there; `None` when the context is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<u64>,
    /// The first entry that is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// What is wrong.
    pub reason: String,
}

impl Finding {
    pub(super) fn of_file(kind: Damage, reason: impl Into<String>) -> Self {
        let (owner, context_id, acknowledged, found, entry) = (None, None, None, None, None);
        Self { kind, owner, context_id, acknowledged, found, entry, reason: reason.into() }
    }

    pub(super) fn broken(row: &Row, entry: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            owner: Some(row.owner.clone()),
            context_id: Some(row.context_id.clone()),
            entry: Some(entry.into()),
            ..Self::of_file(Damage::Broken, reason)
        }
    }
}

/// The kinds of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Damage {
    /// What was acknowledged is not there.
    Lost,
    /// What is there is not what was written.
    Broken,
    /// The marks, which tell what was acknowledged, can't be read.
    Marks,
    /// The file can't be read.
    File,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(owner), Some(context)) = (&self.owner, &self.context_id) {
            write!(f, "context `{context}` of `{owner}`: ")?;
        }
        if let Some(entry) = &self.entry {
            write!(f, "{entry}: ")?;
        }
        f.write_str(&self.reason)
    }
}

/// The findings in a file of contexts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Report {
    /// The number of contexts.
    pub contexts: u64,
    /// The number of messages and changes.
    pub entries: u64,
    /// What is wrong, by context.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Reports whether all that was acknowledged is there, as it was written.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.findings.is_empty()
    }

    fn file(&mut self, kind: Damage, reason: impl Into<String>) {
        self.findings.push(Finding::of_file(kind, reason));
    }

    /// Returns the error that a file with these findings is refused with.
    fn refusal(&self, path: &Path) -> Option<ContextError> {
        let mut shown: Vec<String> =
            self.findings.iter().take(SHOWN).map(ToString::to_string).collect();
        if let Some(more) = self.findings.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            shown.push(format!("and {more} more"));
        }
        let (path, reason) = (path.display().to_string(), shown.join("; "));
        (!self.is_whole()).then_some(ContextError::Damaged { path, reason })
    }
}

/// Checks a file of contexts: its structure, the digests and chains of all contexts, and that nothing
/// that was acknowledged is missing. Changes nothing.
///
/// # Errors
/// [`ContextError::Newer`], [`ContextError::Foreign`] and [`ContextError::Busy`] for a file that can't be
/// judged.
pub fn verify(path: &Path) -> Result<Report, ContextError> {
    Look::at(path, true)
}

/// Refuses a file in which something that was acknowledged is missing, as far as the versions of its
/// contexts tell.
///
/// # Errors
/// [`ContextError::Damaged`], which names some of what is missing; what [`verify`] returns.
pub fn acknowledged(path: &Path) -> Outcome<()> {
    if !marks::beside(path).exists() {
        return Ok(());
    }
    match Look::at(path, false)?.refusal(path) {
        Some(refusal) => Err(refusal),
        None => Ok(()),
    }
}

/// Takes what is missing from a file for lost: the marks say from now on what is there. Returns what was
/// missing.
///
/// # Errors
/// [`ContextError::Damaged`] when more is wrong than that something is missing; what the system reports.
pub fn accept_loss(path: &Path) -> Result<Report, ContextError> {
    let report = verify(path)?;
    let is_loss = |finding: &Finding| matches!(finding.kind, Damage::Lost | Damage::Marks);
    let rest = report.findings.iter().filter(|finding| !is_loss(finding)).cloned().collect();
    let rest = Report { findings: rest, ..Report::default() };
    if let Some(refusal) = rest.refusal(path) {
        return Err(refusal);
    }
    if !report.is_whole() {
        mark_anew(path)?;
    }
    Ok(report)
}

/// Makes the marks of a file say what is in it.
pub(crate) fn mark_anew(path: &Path) -> Outcome<()> {
    let name = path.display().to_string();
    let (file, connection) = Database::<ContextError>::open(path, &name, &TABLES)?;
    marked::make(&file, &connection, true, all_marks)
}

/// Opens the marks of a file, which are made with the file or at its upgrade.
pub(super) fn marks(file: &Database<ContextError>, connection: &Connection) -> Outcome<Marks> {
    marked::open(file, connection, all_marks)
}

/// Returns the marks of all contexts as they are there.
fn all_marks(connection: &Connection) -> Sql<Vec<(i64, Mark)>> {
    let mut rows = connection.prepare(&format!("{} order by place", rows::CONTEXT))?;
    let all = rows.query_map([], |row| {
        let (found, Chain { last: chain, .. }, _) = rows::chained(row)?;
        let (owner, context, version) = (found.owner, found.context_id, found.version);
        Ok((found.place, Mark::Kept { owner, context, version, chain }))
    })?;
    all.collect()
}

/// Opens a file to look at it.
fn open(path: &Path) -> Sql<Connection> {
    let connection = crate::copy::look(path)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// A look at a file at one moment.
struct Look<'c> {
    connection: &'c Connection,
    /// Digests, chains and structure are looked at, too.
    is_whole: bool,
    book: Option<Book>,
    report: Report,
}

impl Look<'_> {
    fn at(path: &Path, is_whole: bool) -> Outcome<Report> {
        let name = path.display().to_string();
        let mut report = Report::default();
        // The marks come first: what is acknowledged meanwhile is only in the file.
        let book = Book::read(path).unwrap_or_else(|error| {
            report.file(Damage::Marks, format!("the marks of what was acknowledged: {error}"));
            None
        });
        // SQLite would remove the log beside an empty file.
        if path.metadata().map_or(true, |file| file.len() == 0) {
            let connection = Connection::open_in_memory();
            let connection = connection.map_err(|error| ContextError::of_sqlite(&name, &error))?;
            let mut look = Look { connection: &connection, is_whole, book, report };
            look.missing(false);
            return Ok(look.report);
        }
        let place = tables::place(path).map_err(|error| ContextError::of_system(&name, &error))?;
        let opened = open(&place);
        let connection = match &opened {
            Ok(connection) => connection,
            Err(error) => return judged(report, ContextError::of_sqlite(&name, error)),
        };
        let moment = connection.unchecked_transaction();
        let mut look = Look { connection, is_whole, book, report };
        let looked = moment.and_then(|moment| look.look().map(|newer| (newer, moment)));
        match looked {
            Ok((None, _)) => Ok(look.report),
            Ok((Some(found), _)) => {
                Err(ContextError::Newer { path: name, found, known: TABLES.version() })
            }
            Err(error) => judged(look.report, ContextError::of_sqlite(&name, &error)),
        }
    }

    /// Looks at everything; returns the version of a file that is newer than this program.
    fn look(&mut self) -> Sql<Option<i64>> {
        match TABLES.state(self.connection)? {
            State::Ours(found) if found > TABLES.version() => return Ok(Some(found)),
            State::Ours(version) if version == TABLES.version() => self.current()?,
            State::Ours(_) | State::Empty => self.missing(false),
            State::Foreign if self.book.is_some() => {
                self.report.file(Damage::File, "its header is damaged");
                self.missing(false);
            }
            State::Foreign => {
                self.report.file(Damage::File, "it is an SQLite file of another program");
            }
        }
        if self.is_whole {
            let mut check = self.connection.prepare(INTEGRITY)?;
            let rows = check.query_map([], |row| row.get::<_, String>(0))?;
            for line in rows {
                match line {
                    Ok(text) if text == "ok" => {}
                    Ok(text) => self.report.file(Damage::File, text),
                    Err(error) => self.report.file(Damage::File, error.to_string()),
                }
            }
        }
        Ok(None)
    }

    fn current(&mut self) -> Sql<()> {
        if self.report.is_whole() {
            for reason in marked::faults(self.book.as_ref(), self.connection)? {
                self.report.file(Damage::Marks, reason);
            }
        }
        let mut rows = self.connection.prepare(&format!("{} order by place", rows::CONTEXT))?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            match rows::chained(row) {
                Ok((found, chain, digest)) => self.context(&found, &chain, digest),
                Err(error) => {
                    let place: i64 = row.get(0)?;
                    let name = self.name_of(place);
                    self.broken(name, "its row", format!("it can't be read: {error}"));
                }
            }
        }
        self.missing(true);
        Ok(())
    }

    fn name_of(&mut self, place: i64) -> (String, String) {
        match self.book.as_mut().and_then(|book| book.marks.remove(&place)) {
            Some(Mark::Kept { owner, context, .. }) => (owner, context),
            _ => (String::new(), format!("number {place}")),
        }
    }

    fn context(&mut self, row: &Row, chain: &Chain, digest: Option<Digest>) {
        self.report.contexts += 1;
        let mark = self.book.as_mut().and_then(|book| book.marks.remove(&row.place));
        let name = || (row.owner.clone(), row.context_id.clone());
        let marked = match mark {
            Some(Mark::Removed) => {
                let reason = "it was deleted, and is there again".to_owned();
                return self.lost(name(), None, Some(row.version), reason);
            }
            Some(Mark::Kept { version, .. }) if version > row.version => {
                let found = row.version;
                let reason =
                    format!("version {version} was acknowledged, version {found} is there");
                self.lost(name(), Some(version), Some(found), reason);
                None
            }
            Some(Mark::Kept { version, chain, .. }) => Some((version, chain)),
            None => None,
        };
        if !self.is_whole {
            return;
        }
        if digest.is_some_and(|digest| digest != rows::digest_of(row, chain)) {
            return self.broken(name(), "its row", "it is not as it was written");
        }
        for (part, is_sound) in rows::details(self.connection, row.place) {
            match is_sound {
                Ok(true) => {}
                Ok(false) => self.broken(name(), part, "it is not as it was written"),
                Err(error) => self.broken(name(), part, format!("it can't be read: {error}")),
            }
        }
        match walk::walked(self.connection, row, chain, marked) {
            Ok(walk) => {
                self.report.entries += walk.entries;
                if let Some((entry, reason)) = walk.broken {
                    self.broken(name(), entry, reason);
                }
            }
            Err(error) => {
                self.broken(name(), "its entries", format!("they can't be read: {error}"))
            }
        }
    }

    fn lost(
        &mut self,
        (owner, context): (String, String),
        acknowledged: Option<u64>,
        found: Option<u64>,
        reason: String,
    ) {
        self.report.findings.push(Finding {
            owner: Some(owner),
            context_id: Some(context),
            acknowledged,
            found,
            ..Finding::of_file(Damage::Lost, reason)
        });
    }

    fn broken(
        &mut self,
        (owner, context): (String, String),
        entry: impl Into<String>,
        reason: impl Into<String>,
    ) {
        self.report.findings.push(Finding {
            owner: Some(owner),
            context_id: Some(context),
            entry: Some(entry.into()),
            ..Finding::of_file(Damage::Broken, reason)
        });
    }

    /// Finds the contexts that were acknowledged and are not there at all.
    fn missing(&mut self, is_readable: bool) {
        let Some(book) = &mut self.book else { return };
        for (place, mark) in std::mem::take(&mut book.marks) {
            let Mark::Kept { owner, context, version, .. } = mark else { continue };
            let is_removed = is_readable && {
                let sql = "select 1 from removed where place = ?1";
                let found = self.connection.query_row(sql, [place], |_| Ok(())).optional();
                found.is_ok_and(|found| found.is_some())
            };
            if !is_removed {
                let reason = format!("version {version} was acknowledged, it is not there");
                self.lost((owner, context), Some(version), None, reason);
            }
        }
    }
}

/// Puts the reason why a file can't be looked at into a report; what tells nothing about damage is an
/// error.
fn judged(mut report: Report, error: ContextError) -> Outcome<Report> {
    match error {
        ContextError::Busy(_) | ContextError::Newer { .. } => Err(error),
        error => {
            report.file(Damage::File, error.to_string());
            Ok(report)
        }
    }
}
