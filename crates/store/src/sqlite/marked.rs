//! The marks of an SQLite file: made with it or at its upgrade, and compared with it (GU-12).

use super::{Database, FileError};
use crate::marks::{Book, Identity, Mark, Marks, beside};
use rusqlite::{Connection, Transaction, TransactionBehavior};

type Sql<T> = Result<T, rusqlite::Error>;

/// The table that says which marks belong to a file, and whether they were made.
pub(crate) const TABLE: &str = "
    create table marks (identity blob not null, made integer not null) strict;
    insert into marks (identity, made) values (randomblob(16), 0);
";

/// Opens the marks of a file; makes them, from `all` that is there, when they never were.
pub(crate) fn open<E: FileError>(
    file: &Database<E>,
    connection: &Connection,
    all: impl Fn(&Connection) -> Sql<Vec<(i64, Mark)>>,
) -> Result<Marks, E> {
    make(file, connection, false, all)?;
    Marks::open(file.path()).map_err(|error| {
        let place = beside(file.path());
        let reason = format!(
            "the marks of what was acknowledged, {}, can't be read: {}",
            place.display(),
            contexture_core::store::reason(&error)
        );
        E::damaged(file.name.as_ref().to_owned(), reason)
    })
}

/// Makes the marks of a file from `all` that is there; those that were made only with `is_anew`.
pub(crate) fn make<E: FileError>(
    file: &Database<E>,
    connection: &Connection,
    is_anew: bool,
    all: impl Fn(&Connection) -> Sql<Vec<(i64, Mark)>>,
) -> Result<(), E> {
    let is_made = || file.explain(belongs(connection)).map(|(_, is_made)| is_made);
    if !is_anew && is_made()? {
        return Ok(());
    }
    let moment = Transaction::new_unchecked(connection, TransactionBehavior::Immediate);
    let moment = file.explain(moment)?;
    if !is_anew && is_made()? {
        return Ok(());
    }
    let (identity, _) = file.explain(belongs(&moment))?;
    let all = file.explain(all(&moment))?;
    Marks::make(file.path(), &identity, all.into_iter())
        .map_err(|error| E::of_system(&file.name, &error))?;
    file.explain(moment.execute("update marks set made = 1", []))?;
    file.explain(moment.commit())
}

/// Reports what is wrong with the marks of a file as a whole.
pub(crate) fn faults(book: Option<&Book>, connection: &Connection) -> Sql<Vec<String>> {
    let (identity, is_made) = belongs(connection)?;
    let reason = match book {
        None if is_made => Some("the marks of what was acknowledged are missing"),
        Some(book) if book.identity.is_none() => {
            Some("the header of the marks of what was acknowledged is damaged")
        }
        Some(book) if book.identity != Some(identity) => {
            Some("the marks of what was acknowledged belong to another file")
        }
        _ => None,
    };
    let count = book.map_or(0, |book| book.damaged.len());
    let slots = format!("{count} marks of what was acknowledged are damaged");
    Ok(reason.map(str::to_owned).into_iter().chain((count > 0).then_some(slots)).collect())
}

fn belongs(connection: &Connection) -> Sql<(Identity, bool)> {
    let of_row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    connection.query_row("select identity, made from marks", [], of_row)
}
