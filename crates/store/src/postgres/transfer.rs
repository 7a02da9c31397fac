//! Copies of all that a place of contexts keeps, into one of another kind (WA-11).
//!
//! Decision: rows are copied as they stand, with their places, so that nothing is sealed anew and what
//! names a place still fits. A database is filled in one transaction, so that it holds all or nothing; who
//! fills files puts them into their place when they are whole. What was read is of one moment.

mod database;
mod files;
mod tables;
#[cfg(test)]
mod tests;

pub use database::DatabasePlace;
pub use files::Files;

use super::{PostgresError, Value};
use crate::contexts::ContextError;
use crate::copy::Counts;
use crate::flows::FlowStoreError;
use database::Moment;
use files::Opened;
use tables::{TABLES, Table};

type Outcome<T> = Result<T, TransferError>;

/// The reason why nothing was copied.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// A server works on a database.
    #[error("a server works on {0}")]
    InUse(String),
    /// There is nothing to copy.
    #[error("nothing is stored in {0}")]
    Nothing(String),
    /// The place that is to be filled holds something.
    #[error("{name} is not empty: it holds {what}")]
    NotEmpty {
        /// The place.
        name: String,
        /// What it holds.
        what: &'static str,
    },
    /// The tables that are to be read have another format.
    #[error("the tables in {name} have format {found}, this program copies format {known}")]
    Format {
        /// The place.
        name: String,
        /// Their format.
        found: i64,
        /// That of this program.
        known: i64,
    },
    /// There are more contexts or runs than a file has room for.
    #[error("{name} has room for {limit} contexts or runs, found {found}")]
    Room {
        /// The place.
        name: String,
        /// The last number.
        found: i64,
        /// The largest number.
        limit: i64,
    },
    /// The database refuses.
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// A file can't be read or written.
    #[error(transparent)]
    Contexts(#[from] ContextError),
    /// A journal can't be read or written.
    #[error(transparent)]
    Flows(#[from] FlowStoreError),
    /// What a folder keeps beside its files can't be read or written.
    #[error("{0}")]
    Beside(String),
}

impl TransferError {
    /// Returns how to fix it.
    #[must_use]
    pub fn help(&self) -> String {
        let help = match self {
            Self::InUse(_) => {
                "end its servers; what one held that was killed is free after four seconds"
            }
            Self::Nothing(_) => "name the place that a server keeps its contexts in",
            Self::NotEmpty { .. } => {
                "name an empty database, or another schema of this one: `?options=-csearch_path%3Dname`"
            }
            Self::Format { .. } => {
                "start a server of this version on it once: it brings the tables up to date"
            }
            Self::Room { .. } => "keep them in the database",
            Self::Postgres(error) => error.help(),
            Self::Contexts(error) => return error.help(),
            Self::Flows(error) => return error.help(),
            Self::Beside(_) => "see what the system reports",
        };
        help.to_owned()
    }
}

/// What a folder keeps beside its SQLite files: the texts that servers of a database share, and the
/// journals of turns. Errors are words for a person.
pub trait Beside {
    /// Returns the texts, each behind its name.
    ///
    /// # Errors
    /// What the system reports.
    fn texts(&self) -> Result<Vec<(String, String)>, String>;
    /// Writes a text.
    ///
    /// # Errors
    /// What the system reports.
    fn put_text(&mut self, name: &str, text: &str) -> Result<(), String>;
    /// Returns the runs of the journals.
    ///
    /// # Errors
    /// What the system reports.
    fn journals(&self) -> Result<Vec<String>, String>;
    /// Returns the lines of a journal.
    ///
    /// # Errors
    /// What the system reports.
    fn journal(&self, run: &str) -> Result<Vec<String>, String>;
    /// Adds a line to the journal of a run; begins the journal with the first.
    ///
    /// # Errors
    /// What the system reports.
    fn put_line(&mut self, run: &str, line: &str) -> Result<(), String>;
}

/// One side of a copy.
trait Side {
    /// Calls `take` with each row of a table.
    fn each(&self, table: &Table, take: &mut dyn FnMut(Vec<Value>) -> Outcome<()>) -> Outcome<()>;
    /// Returns the last places that the numbered tables gave.
    fn last_places(&self) -> Outcome<Vec<i64>>;
    /// Adds a row to a table.
    fn put(&self, table: &Table, row: Vec<Value>) -> Outcome<()>;
    /// Has the numbered tables give places after these.
    fn go_on_after(&self, places: &[i64]) -> Outcome<()>;
}

/// Copies the files of a folder, which nobody else uses, into an empty database; they stay as they are.
///
/// # Errors
/// [`TransferError`]; the database holds nothing then.
pub fn into_database(
    from: &Files,
    beside: &dyn Beside,
    to: DatabasePlace,
) -> Result<Counts, TransferError> {
    let (from, to, mut copied) = (Opened::there(from)?, Moment::writing(to)?, Counts::default());
    rows(&from, &to, &mut copied)?;
    for (name, text) in beside.texts().map_err(told)? {
        to.put_text(&name, &text)?;
    }
    for run in beside.journals().map_err(told)? {
        to.put_journal(&run)?;
        for line in beside.journal(&run).map_err(told)? {
            to.put_line(&run, &line)?;
        }
        copied.journals += 1;
    }
    to.finish()?;
    Ok(copied)
}

/// Copies a database into new files of a folder; the database stays as it is.
///
/// # Errors
/// [`TransferError`]; what was begun is left to the caller.
pub fn into_files(
    from: DatabasePlace,
    to: &Files,
    beside: &mut dyn Beside,
) -> Result<Counts, TransferError> {
    let (from, to, mut copied) = (Moment::reading(from)?, Opened::new(to)?, Counts::default());
    rows(&from, &to, &mut copied)?;
    from.texts(&mut |name, text| beside.put_text(name, text).map_err(told))?;
    journals(&from, &mut copied, &mut |run, line, _| beside.put_line(run, line).map_err(told))?;
    to.finish()?;
    Ok(copied)
}

/// Copies a database into another one, which is empty; the first stays as it is.
///
/// # Errors
/// [`TransferError`]; the second database holds nothing then.
pub fn between(from: DatabasePlace, to: DatabasePlace) -> Result<Counts, TransferError> {
    let (from, to, mut copied) = (Moment::reading(from)?, Moment::writing(to)?, Counts::default());
    rows(&from, &to, &mut copied)?;
    from.texts(&mut |name, text| to.put_text(name, text))?;
    journals(&from, &mut copied, &mut |run, line, is_first| {
        if is_first {
            to.put_journal(run)?;
        }
        to.put_line(run, line)
    })?;
    to.finish()?;
    Ok(copied)
}

fn told(reason: String) -> TransferError {
    TransferError::Beside(reason)
}

/// Calls `take` with each line of each journal of a database, and whether it is its first.
fn journals(
    from: &Moment,
    copied: &mut Counts,
    take: &mut dyn FnMut(&str, &str, bool) -> Outcome<()>,
) -> Outcome<()> {
    let mut last = None;
    from.journals(&mut |run, line| {
        let is_first = last.as_deref() != Some(run);
        if is_first {
            copied.journals += 1;
            last = Some(run.to_owned());
        }
        take(run, line, is_first)
    })
}

fn rows(from: &dyn Side, to: &dyn Side, copied: &mut Counts) -> Outcome<()> {
    for table in &TABLES {
        from.each(table, &mut |row| {
            count(copied, table, &row);
            to.put(table, row)
        })?;
    }
    to.go_on_after(&from.last_places()?)
}

/// Counts a row.
const fn count(counts: &mut Counts, table: &Table, row: &[Value]) {
    let of = match table.name.as_bytes() {
        b"contexts" => &mut counts.contexts,
        b"messages" | b"changes" => &mut counts.entries,
        b"keys" => &mut counts.answers,
        b"runs" => &mut counts.runs,
        // What has ended keeps its identity for a while.
        b"waits" if !matches!(row, [.., Value::Number(2)]) => &mut counts.waits,
        _ => return,
    };
    *of += 1;
}
