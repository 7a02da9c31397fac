//! A memory in an SQLite file (`sqlite://path#namespace`), with FTS5 for text search.
//!
//! Decisions: the words are made here ([`super::words`]) and stored in the index as plain ASCII
//! tokens, so that search finds the same in every backend whatever SQLite knows of Unicode; each
//! token carries its namespace, so that a search touches only its own rows. The journal is a
//! write-ahead log: a record that was added survives the end of the process, and readers don't wait
//! for writers.

mod schema;
#[cfg(test)]
mod tests;

use super::table::{TEXT_WEIGHT, note_on};
use super::words::{indexed, searched};
use super::{Fields, Found, Memory, MemoryError, Query, record};
use crate::stamp::Ids;
use contexture_context::json;
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, TransactionBehavior, params};
use schema::Opened;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Records in one namespace of an SQLite file.
#[derive(Debug)]
pub struct SqliteMemory {
    path: PathBuf,
    name: String,
    namespace: String,
    ids: Ids,
    connection: Mutex<Option<Connection>>,
}

type Outcome<T> = Result<T, rusqlite::Error>;

impl SqliteMemory {
    /// Creates the memory `namespace` in `path`, which need not exist.
    #[must_use]
    pub fn new(path: PathBuf, namespace: &str, ids: Ids) -> Self {
        let name = path.display().to_string();
        Self { path, name, namespace: namespace.to_owned(), ids, connection: Mutex::default() }
    }

    /// Calls the file so in errors, instead of by its whole path.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Reads; `None` when the file is not there, which is then not made.
    fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> Outcome<T>,
    ) -> Result<Option<T>, MemoryError> {
        let mut slot = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.is_none() {
            match schema::open(&self.path, &self.name, false)? {
                Opened::Missing => return Ok(None),
                Opened::Ready(connection) => *slot = Some(connection),
            }
        }
        let Some(connection) = slot.as_ref() else { return Ok(None) };
        work(connection).map(Some).map_err(|error| schema::explain(&self.name, &error))
    }

    /// Writes in one transaction, making the file if need be.
    fn write<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>, i64) -> Result<T, Failure>,
    ) -> Result<T, MemoryError> {
        let mut slot = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.is_none()
            && let Opened::Ready(connection) = schema::open(&self.path, &self.name, true)?
        {
            *slot = Some(connection);
        }
        let Some(connection) = slot.as_mut() else {
            let reason = "it could not be made".to_owned();
            return Err(MemoryError::Io { path: self.name.clone(), reason });
        };
        let explain = |error: rusqlite::Error| schema::explain(&self.name, &error);
        // Taking the lock at once: two readers that both want to write would block each other.
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(explain)?;
        let result = namespace_id(&transaction, &self.namespace, true)
            .map_err(Failure::from)
            .and_then(|namespace| work(&transaction, namespace.unwrap_or_default()));
        match result {
            Ok(value) => transaction.commit().map(|()| value).map_err(explain),
            Err(Failure::Memory(error)) => Err(error),
            Err(Failure::Sql(error)) => Err(explain(error)),
        }
    }
}

enum Failure {
    Memory(MemoryError),
    Sql(rusqlite::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<MemoryError> for Failure {
    fn from(error: MemoryError) -> Self {
        Self::Memory(error)
    }
}

impl Memory for SqliteMemory {
    fn add(&self, fields: Fields) -> Result<Value, MemoryError> {
        let (id, now) = self.ids.next();
        let record = record::create(&id, fields, now)?;
        self.write(|transaction, namespace| {
            transaction.execute(
                "insert into records (namespace, id, kind, data) values (?1, ?2, ?3, ?4)",
                params![namespace, id, kind_of(&record), json_of(&record)],
            )?;
            index(transaction, transaction.last_insert_rowid(), namespace, &record)?;
            Ok(Value::Object(record))
        })
    }

    fn query(&self, query: &Query) -> Result<Found, MemoryError> {
        let found =
            self.read(|connection| match namespace_id(connection, &self.namespace, false)? {
                Some(namespace) => find(connection, namespace, query),
                None => Ok(Found::default()),
            })?;
        Ok(found.unwrap_or_default())
    }

    fn update(&self, id: &str, fields: Fields) -> Result<Value, MemoryError> {
        if !self.path.exists() {
            return Err(MemoryError::NoRecord(id.to_owned()));
        }
        self.write(|transaction, namespace| {
            let Some((place, old)) = get(transaction, namespace, id)? else {
                return Err(MemoryError::NoRecord(id.to_owned()).into());
            };
            let record = record::change(old, fields, self.ids.now_us())?;
            transaction.execute(
                "update records set kind = ?1, data = ?2 where place = ?3",
                params![kind_of(&record), json_of(&record), place],
            )?;
            transaction.execute("delete from search where rowid = ?1", [place])?;
            index(transaction, place, namespace, &record)?;
            Ok(Value::Object(record))
        })
    }

    fn delete(&self, id: &str) -> Result<bool, MemoryError> {
        if !self.path.exists() {
            return Ok(false);
        }
        self.write(|transaction, namespace| {
            let Some((place, _)) = get(transaction, namespace, id)? else { return Ok(false) };
            transaction.execute("delete from search where rowid = ?1", [place])?;
            transaction.execute("delete from records where place = ?1", [place])?;
            Ok(true)
        })
    }
}

fn kind_of(record: &Fields) -> Option<&str> {
    record.get("kind").and_then(Value::as_str)
}

fn json_of(record: &Fields) -> String {
    Value::Object(record.clone()).to_string()
}

/// Returns the number of a namespace; made when it is missing and `create` is set.
fn namespace_id(connection: &Connection, name: &str, create: bool) -> Outcome<Option<i64>> {
    if create {
        connection.execute("insert or ignore into namespaces (name) values (?1)", [name])?;
    }
    connection
        .query_row("select id from namespaces where name = ?1", [name], |row| row.get(0))
        .optional()
}

fn get(connection: &Connection, namespace: i64, id: &str) -> Outcome<Option<(i64, Fields)>> {
    let found: Option<(i64, String)> = connection
        .query_row(
            "select place, data from records where namespace = ?1 and id = ?2",
            params![namespace, id],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    Ok(found.map(|(place, data)| (place, parse(&data).unwrap_or_default())))
}

fn parse(data: &str) -> Option<Fields> {
    json::read(data.as_bytes()).ok()
}

fn index(connection: &Connection, place: i64, namespace: i64, record: &Fields) -> Outcome<()> {
    let (text, rest) = record::texts(record);
    connection.execute(
        "insert into search (rowid, text, rest) values (?1, ?2, ?3)",
        params![place, tokens(namespace, &indexed(&text)), tokens(namespace, &indexed(&rest))],
    )?;
    Ok(())
}

fn tokens(namespace: i64, words: &[String]) -> String {
    let mut out = String::new();
    for word in words {
        push_token(namespace, word, &mut out);
        out.push(' ');
    }
    out
}

/// Appends a word as a token of ASCII letters and digits: as it is, or its bytes in hex digits.
fn push_token(namespace: i64, word: &str, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(out, "{namespace}");
    if word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        out.push('w');
        out.push_str(word);
    } else {
        out.push('u');
        for byte in word.bytes() {
            let _ = write!(out, "{byte:02x}");
        }
    }
}

fn find(connection: &Connection, namespace: i64, query: &Query) -> Outcome<Found> {
    let mut found = Found::default();
    let kind = query.kind.clone().map_or(Sql::Null, Sql::Text);
    let Some(text) = &query.text else {
        let mut statement = connection.prepare(
            "select data from records where namespace = ?1 and (?2 is null or kind = ?2)
             order by place desc",
        )?;
        let rows = statement.query_map(params![namespace, kind], data)?;
        collect(rows, query, &mut found)?;
        return Ok(found);
    };
    let (words, more) = searched(text);
    found.notes.extend(note_on(&words, more));
    if words.is_empty() {
        return Ok(found);
    }
    let mut expression = String::new();
    for word in &words {
        expression.push_str(if expression.is_empty() { "" } else { " OR " });
        push_token(namespace, word, &mut expression);
    }
    let mut statement = connection.prepare(
        "select records.data from search cross join records on records.place = search.rowid
         where search match ?1 and records.namespace = ?2 and (?3 is null or records.kind = ?3)
         order by bm25(search, ?4, 1.0), search.rowid desc",
    )?;
    let rows = statement.query_map(params![expression, namespace, kind, TEXT_WEIGHT], data)?;
    collect(rows, query, &mut found)?;
    Ok(found)
}

fn data(row: &Row<'_>) -> Outcome<String> {
    row.get(0)
}

/// Takes the rows that fit, up to the limit.
fn collect(
    rows: impl Iterator<Item = Outcome<String>>,
    query: &Query,
    found: &mut Found,
) -> Outcome<()> {
    let mut broken = 0;
    for row in rows {
        let Some(record) = parse(&row?) else {
            broken += 1;
            continue;
        };
        if !record::fits(&record, query) {
            continue;
        }
        if found.records.len() == query.limit {
            found.truncated = true;
            break;
        }
        found.records.push(Value::Object(record));
    }
    if broken > 0 {
        found.notes.push(format!("{broken} records are not JSON and are skipped"));
    }
    Ok(())
}
