//! Events and runs that were acknowledged and are not there any more (GU-12).
//!
//! Decision: each run has a mark with the number of its last event. A run that has ended by its row
//! holds all of them; of one that has not, the last event is compared.

use super::schema::{self, Outcome, TABLES};
use crate::marks::{Book, Mark};
use crate::sqlite::tables::State;
use crate::sqlite::{Database, FileError as _, marked};
use contexture_core::store::flows::FlowStoreError;
use rusqlite::Connection;
use std::collections::HashMap;
use std::path::Path;

type Sql<T> = Result<T, rusqlite::Error>;

/// The most runs that a refusal names.
const TOLD: usize = 3;

/// Returns the mark of a run whose last event has this number.
pub(super) fn mark(run: &str, last: u64) -> Mark {
    let context = run.to_owned();
    Mark::Kept { owner: String::new(), context, version: last, chain: [0; 32] }
}

/// Returns the marks of all runs as they are there.
pub(super) fn all(connection: &Connection) -> Sql<Vec<(i64, Mark)>> {
    let mut rows = connection.prepare("select place, run from runs")?;
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let marked = rows.map(|row| {
        let (place, run) = row?;
        Ok((place, mark(&run, last(connection, place)?)))
    });
    marked.collect()
}

/// Returns the number of the last event of a run.
fn last(connection: &Connection, place: i64) -> Sql<u64> {
    let (before, last) = schema::span(place);
    let mut sql =
        connection.prepare_cached("select max(id) from entries where id > ?1 and id <= ?2")?;
    let id = sql.query_row([before, last], |row| row.get::<_, Option<i64>>(0))?;
    Ok(id.map_or(0, schema::number))
}

/// Returns what was acknowledged of a file of runs and is missing, in words. Changes nothing.
///
/// # Errors
/// [`FlowStoreError::Busy`], and what the system reports; what else is wrong with the file is told by
/// whoever opens it.
pub fn lost(path: &Path) -> Result<Vec<String>, FlowStoreError> {
    look(path, &path.display().to_string())
}

/// Refuses a file in which something is missing.
pub(super) fn refuse(path: &Path, name: &str) -> Outcome<()> {
    let lost = look(path, name)?;
    if lost.is_empty() {
        return Ok(());
    }
    let more = lost.len().saturating_sub(TOLD);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    let told: Vec<String> = lost.into_iter().take(TOLD).collect();
    Err(FlowStoreError::Damaged {
        path: name.to_owned(),
        reason: format!("not as it was acknowledged: {}{more}", told.join(", ")),
    })
}

fn look(path: &Path, name: &str) -> Outcome<Vec<String>> {
    // The marks come first: what is acknowledged meanwhile is only in the file.
    let read = || Book::read(path).map_err(|error| FlowStoreError::of_system(name, &error));
    let Some(book) = read()? else { return Ok(Vec::new()) };
    // SQLite would remove the log beside an empty file.
    let found = match path.metadata() {
        Ok(file) if file.len() > 0 => compared(path, &book),
        Ok(_) => Ok(missing(&book, &HashMap::new())),
        // Whoever removed the file meant to begin anew.
        Err(_) => return Ok(Vec::new()),
    };
    let (mut lost, gone) = match found {
        Ok(found) => found,
        Err(error) => match FlowStoreError::of_sqlite(name, &error) {
            busy @ FlowStoreError::Busy(_) => return Err(busy),
            // Whoever opens the file tells what is wrong with it.
            _ => return Ok(Vec::new()),
        },
    };
    if !gone.is_empty() {
        // What was removed meanwhile was marked before.
        let now = read()?.unwrap_or_default();
        let is_kept = |place: i64| matches!(now.marks.get(&place), Some(Mark::Kept { .. }));
        lost.extend(gone.into_iter().filter(|(place, _)| is_kept(*place)).map(|(_, text)| text));
    }
    Ok(lost)
}

/// What is lost, and the runs that are not there at all, by their places.
type Found = (Vec<String>, Vec<(i64, String)>);

fn compared(path: &Path, book: &Book) -> Sql<Found> {
    let connection = crate::copy::look(path)?;
    connection.pragma_update(None, "query_only", true)?;
    let moment = connection.unchecked_transaction()?;
    match TABLES.state(&moment)? {
        State::Ours(version) if version == TABLES.version() => {}
        State::Empty => return Ok(missing(book, &HashMap::new())),
        State::Ours(_) | State::Foreign => return Ok(Found::default()),
    }
    let faults = marked::faults(Some(book), &moment)?;
    if !faults.is_empty() {
        return Ok((faults, Vec::new()));
    }
    let mut rows = moment.prepare("select place, ended is not null from runs")?;
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let known: HashMap<i64, bool> = rows.collect::<Sql<_>>()?;
    let (mut lost, gone) = missing(book, &known);
    for (place, mark) in &book.marks {
        let Mark::Kept { context, version, .. } = mark else { continue };
        if known.get(place) == Some(&false) {
            let found = last(&moment, *place)?;
            if found < *version {
                lost.push(format!("the run `{context}` has {found} of {version} events"));
            }
        }
    }
    Ok((lost, gone))
}

fn missing(book: &Book, known: &HashMap<i64, bool>) -> Found {
    let gone = book.marks.iter().filter_map(|(place, mark)| match mark {
        Mark::Kept { context, version, .. } if !known.contains_key(place) => {
            Some((*place, format!("the run `{context}` with {version} events is missing")))
        }
        _ => None,
    });
    (Vec::new(), gone.collect())
}

/// Takes what is missing from a file for lost: the marks say from now on what is there.
///
/// # Errors
/// [`FlowStoreError`].
pub fn accept_loss(path: &Path) -> Result<(), FlowStoreError> {
    let name = path.display().to_string();
    let (file, connection) = Database::<FlowStoreError>::open(path, &name, &TABLES)?;
    marked::make(&file, &connection, true, all)
}
