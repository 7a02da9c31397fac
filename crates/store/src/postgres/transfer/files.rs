//! The files of a folder, as they are read and as new ones are filled.

use super::tables::{File, NUMBERED, Table};
use super::{Outcome, Side, TransferError};
use crate::contexts::{self, ContextError};
use crate::copy;
use crate::flows;
use crate::postgres::Value;
use crate::sqlite::FileError as _;
use crate::sqlite::tables::{State, Tables};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row, ToSql, params, params_from_iter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Sql<T> = Result<T, rusqlite::Error>;

/// The places of the SQLite files of a folder.
#[derive(Debug, Clone)]
pub struct Files {
    /// The contexts.
    pub contexts: PathBuf,
    /// The runs and waits.
    pub flows: PathBuf,
}

impl Files {
    const fn of(&self, file: File) -> &PathBuf {
        match file {
            File::Contexts => &self.contexts,
            File::Flows => &self.flows,
        }
    }
}

const fn tables(file: File) -> &'static Tables {
    match file {
        File::Contexts => &contexts::TABLES,
        File::Flows => &flows::TABLES,
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> Sql<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Self::Number(number) => (*number).into(),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            Self::Texts(_) => {
                let reason = "a list of texts is not a value of a row".into();
                return Err(rusqlite::Error::ToSqlConversionFailure(reason));
            }
        })
    }
}

fn values(row: &Row<'_>, count: usize) -> Sql<Vec<Value>> {
    let value = |column: usize| {
        Ok(match row.get_ref(column)? {
            ValueRef::Null => Value::Null,
            ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
            ValueRef::Text(_) => Value::Text(row.get::<_, Arc<str>>(column)?),
            _ => Value::Number(row.get(column)?),
        })
    };
    (0..count).map(value).collect()
}

/// One or both files of a folder.
pub(super) struct Opened {
    files: Files,
    contexts: Option<Connection>,
    flows: Option<Connection>,
}

impl Opened {
    const fn connection(&self, file: File) -> Option<&Connection> {
        match file {
            File::Contexts => self.contexts.as_ref(),
            File::Flows => self.flows.as_ref(),
        }
    }

    fn explain<T>(&self, file: File, outcome: Sql<T>) -> Outcome<T> {
        explain(self.files.of(file), outcome)
    }

    /// Opens the files that are there, and sees them from here on as they are now.
    pub(super) fn there(files: &Files) -> Outcome<Self> {
        let open = |file: File| {
            let path = files.of(file);
            if !path.exists() {
                return Ok(None);
            }
            let opened = copy::look(path).and_then(|connection| {
                connection.pragma_update(None, "query_only", true)?;
                connection.execute_batch("begin; select count(*) from sqlite_schema")?;
                let state = tables(file).state(&connection)?;
                Ok((connection, state))
            });
            match explain(path, opened)? {
                (connection, State::Ours(found)) if found == tables(file).version() => {
                    Ok(Some(connection))
                }
                (_, State::Ours(found)) => Err(TransferError::Format {
                    name: path.display().to_string(),
                    found,
                    known: tables(file).version(),
                }),
                (_, State::Empty | State::Foreign) => {
                    Err(TransferError::Nothing(path.display().to_string()))
                }
            }
        };
        let (contexts, flows) = (open(File::Contexts)?, open(File::Flows)?);
        Ok(Self { files: files.clone(), contexts, flows })
    }

    /// Makes both files; what is added is kept by [`Opened::finish`].
    pub(super) fn new(files: &Files) -> Outcome<Self> {
        let open = |file: File| {
            let made = crate::sqlite::tables::connect(files.of(file)).and_then(|mut connection| {
                tables(file).migrate(&mut connection)?;
                connection.execute_batch("begin immediate")?;
                Ok(Some(connection))
            });
            explain(files.of(file), made)
        };
        let (contexts, flows) = (open(File::Contexts)?, open(File::Flows)?);
        Ok(Self { files: files.clone(), contexts, flows })
    }

    /// Keeps what was added; the digests and marks of the files vouch for it.
    pub(super) fn finish(self) -> Outcome<()> {
        if let Some(connection) = &self.contexts {
            self.explain(File::Contexts, contexts::vouch(connection))?;
        }
        for file in [File::Contexts, File::Flows] {
            let connection = self.connection(file);
            let done = connection.map_or(Ok(()), |connection| connection.execute_batch("commit"));
            self.explain(file, done)?;
        }
        let Self { files, contexts, flows } = self;
        drop((contexts, flows));
        let report = copy::finish_contexts(&files.contexts)?;
        if let Some(finding) = report.findings.first() {
            let (path, reason) = (files.contexts.display().to_string(), finding.to_string());
            return Err(ContextError::Damaged { path, reason }.into());
        }
        Ok(flows::accept_loss(&files.flows)?)
    }
}

fn explain<T>(path: &Path, outcome: Sql<T>) -> Outcome<T> {
    outcome.map_err(|error| ContextError::of_sqlite(&path.display().to_string(), &error).into())
}

impl Side for Opened {
    fn each(&self, table: &Table, take: &mut dyn FnMut(Vec<Value>) -> Outcome<()>) -> Outcome<()> {
        let Some(connection) = self.connection(table.file) else { return Ok(()) };
        let explain = |error| self.explain::<()>(table.file, Err(error));
        let mut rows = match connection.prepare(table.select) {
            Ok(rows) => rows,
            Err(error) => return explain(error),
        };
        let read = |row: &Row<'_>| values(row, table.columns.len());
        let rows = match rows.query_map([], read) {
            Ok(rows) => rows,
            Err(error) => return explain(error),
        };
        for row in rows {
            match row {
                Ok(row) => take(row)?,
                Err(error) => return explain(error),
            }
        }
        Ok(())
    }

    fn last_places(&self) -> Outcome<Vec<i64>> {
        let last = |(file, name, _): (File, &str, i64)| {
            let Some(connection) = self.connection(file) else { return Ok(0) };
            let sql = "select seq from sqlite_sequence where name = ?1";
            let last = connection.query_row(sql, [name], |row| row.get(0)).optional();
            Ok(self.explain(file, last)?.unwrap_or_default())
        };
        NUMBERED.into_iter().map(last).collect()
    }

    fn put(&self, table: &Table, row: Vec<Value>) -> Outcome<()> {
        let Some(connection) = self.connection(table.file) else { return Ok(()) };
        for insert in table.inserts {
            let put = connection.prepare_cached(insert);
            let put = put.and_then(|mut insert| insert.execute(params_from_iter(&row)));
            self.explain(table.file, put)?;
        }
        Ok(())
    }

    fn go_on_after(&self, places: &[i64]) -> Outcome<()> {
        for ((file, name, most), place) in NUMBERED.into_iter().zip(places) {
            let Some(connection) = self.connection(file) else { continue };
            if *place > most {
                let name = self.files.of(file).display().to_string();
                return Err(TransferError::Room { name, found: *place, limit: most });
            }
            let delete = connection.execute("delete from sqlite_sequence where name = ?1", [name]);
            let set = "insert into sqlite_sequence (name, seq) values (?1, ?2)";
            let set = delete.and_then(|_| connection.execute(set, params![name, place]));
            self.explain(file, set)?;
        }
        Ok(())
    }
}
