//! Copies of the embedded stores' files, whole ones and what can still be read (GU-12).
//!
//! Decision: copies are made through SQLite, beside the processes that use the files. Several files
//! are copied as they were at one moment: for as long as it takes to look at each of them nobody
//! writes, and the pages are copied after that from what each connection saw then.

use crate::contexts::{ContextError, Report, verify};
use crate::sqlite::{FileError as _, tables};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use std::path::{Path, PathBuf};

pub use crate::counts::Counts;

/// A file that is copied, and its copy.
#[derive(Debug, Clone)]
pub struct Copied {
    /// The file.
    pub from: PathBuf,
    /// Its copy, which is not there yet.
    pub to: PathBuf,
}

/// Counts what the files of a folder hold.
///
/// # Errors
/// What SQLite reports.
pub fn counts(contexts: &Path, flows: &Path) -> Result<Counts, ContextError> {
    let mut counts = Counts::default();
    let of_contexts = [
        (&mut counts.contexts, "select count(*) from contexts"),
        (
            &mut counts.entries,
            "select (select count(*) from messages) + (select count(*) from changes)",
        ),
        (&mut counts.answers, "select count(*) from keys"),
    ];
    count(contexts, of_contexts)?;
    let of_flows = [
        (&mut counts.runs, "select count(*) from runs"),
        (&mut counts.waits, "select count(*) from waits where state <> 2"),
    ];
    count(flows, of_flows)?;
    Ok(counts)
}

fn count<const N: usize>(path: &Path, all: [(&mut u64, &str); N]) -> Result<(), ContextError> {
    if !path.exists() {
        return Ok(());
    }
    let connection = look(path).map_err(|error| explained(path, &error))?;
    for (count, sql) in all {
        let found = connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        *count = found.map_err(|error| explained(path, &error))?.unsigned_abs();
    }
    Ok(())
}

/// Copies SQLite files as they are at one moment; `meanwhile` is called while nobody writes to them.
///
/// # Errors
/// What SQLite reports; copies that were begun are left.
pub fn snapshot<T>(files: &[Copied], meanwhile: impl FnOnce() -> T) -> Result<T, ContextError> {
    let (mut held, mut seen) = (Vec::new(), Vec::new());
    for file in files {
        let explain = |error| explained(&file.from, &error);
        let writer = look(&file.from).map_err(explain)?;
        writer.execute_batch("begin immediate").map_err(explain)?;
        let reader = look(&file.from).map_err(explain)?;
        let begin = "begin; select count(*) from sqlite_schema";
        reader.execute_batch(begin).map_err(explain)?;
        held.push(writer);
        seen.push((file, reader));
    }
    let value = meanwhile();
    // Who waited goes on; what was seen stays.
    drop(held);
    for (file, reader) in seen {
        let mut copy = tables::connect(&file.to).map_err(|error| explained(&file.to, &error))?;
        pages(&reader, &mut copy).map_err(|error| explained(&file.to, &error))?;
    }
    Ok(value)
}

fn pages(from: &Connection, to: &mut Connection) -> Result<(), rusqlite::Error> {
    let backup = Backup::new(from, to)?;
    loop {
        match backup.step(-1)? {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            _ => std::thread::sleep(std::time::Duration::from_millis(5)),
        }
    }
}

/// Returns what is wrong with the structure of an SQLite file, as SQLite tells it.
///
/// # Errors
/// [`ContextError::Busy`].
pub fn faults(path: &Path) -> Result<Vec<String>, ContextError> {
    let lines = look(path).and_then(|connection| {
        let mut check = connection.prepare("pragma integrity_check(20)")?;
        let rows = check.query_map([], |row| row.get::<_, String>(0))?;
        rows.collect::<Result<Vec<_>, _>>()
    });
    match lines.map_err(|error| explained(path, &error)) {
        Ok(lines) => Ok(lines.into_iter().filter(|line| line != "ok").collect()),
        Err(error @ ContextError::Busy(_)) => Err(error),
        Err(error) => Ok(vec![error.to_string()]),
    }
}

/// Opens a file that is there; closing it moves nothing from a log that was there before.
pub(crate) fn look(path: &Path) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let has_log = std::fs::metadata(&log).is_ok_and(|log| log.len() > 0);
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_log)?;
    tables::patient(&mut connection)?;
    tables::protect(&connection)?;
    Ok(connection)
}

pub(crate) fn explained(path: &Path, error: &rusqlite::Error) -> ContextError {
    ContextError::of_sqlite(&path.display().to_string(), error)
}

/// Copies all rows that can be read from one file into the tables of another, which is empty; returns how
/// many could not be kept. Tables are read from both ends, up to a page that is damaged.
pub(crate) fn rows(from: &Connection, to: &Connection) -> Result<u64, rusqlite::Error> {
    let mut names = to.prepare(
        "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
    )?;
    let names = names.query_map([], |row| row.get::<_, String>(0))?;
    let mut refused = 0;
    for name in names.collect::<Result<Vec<_>, _>>()? {
        refused += table(from, to, &name)?;
    }
    Ok(refused)
}

fn table(from: &Connection, to: &Connection, name: &str) -> Result<u64, rusqlite::Error> {
    let mut columns = to.prepare("select name, pk from pragma_table_info(?1) order by cid")?;
    let columns = columns.query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let columns: Vec<(String, i64)> = columns.collect::<Result<_, _>>()?;
    let listed: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let mut keys: Vec<&(String, i64)> = columns.iter().filter(|(_, key)| *key > 0).collect();
    keys.sort_by_key(|(_, key)| *key);
    let marks = vec!["?"; listed.len()].join(", ");
    let insert = format!("insert or ignore into {name} ({}) values ({marks})", listed.join(", "));
    let mut insert = to.prepare(&insert)?;
    let mut refused = 0;
    for order in ["", " desc"] {
        let by_key: Vec<String> = keys.iter().map(|(name, _)| format!("{name}{order}")).collect();
        let read = |by: &str| {
            let listed = listed.join(", ");
            from.prepare(&format!("select {listed} from {name} not indexed order by {by}"))
        };
        // Tables without rows of their own stand in the order of their keys.
        let rows = read(&format!("rowid{order}")).or_else(|_| read(&by_key.join(", ")));
        let Ok(mut rows) = rows else { return Ok(refused) };
        let Ok(mut rows) = rows.query([]) else { return Ok(refused) };
        let is_whole = loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => break true,
                Err(_) => break false,
            };
            let values =
                (0..listed.len()).map(|column| row.get::<_, rusqlite::types::Value>(column));
            // A value that no longer has the type of its column is refused by the new table.
            let kept = values
                .collect::<Result<Vec<_>, _>>()
                .and_then(|values| insert.execute(params_from_iter(values)));
            match kept {
                Ok(_) => {}
                Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull) => {
                    return Err(error);
                }
                Err(_) => refused += 1,
            }
        };
        if is_whole {
            break;
        }
    }
    Ok(refused)
}

/// Writes the runs of flows that can be read into a new file.
///
/// # Errors
/// What the system and SQLite report.
pub fn salvage_flows(file: &Copied) -> Result<(), ContextError> {
    let aside = file.to.with_extension("aside");
    let system =
        |error: std::io::Error| ContextError::of_system(&aside.display().to_string(), &error);
    std::fs::create_dir_all(&aside).map_err(system)?;
    let saved = self::aside(&file.from, &aside).map_err(system).and_then(|damaged| {
        let mut new = tables::connect(&file.to).map_err(|error| explained(&file.to, &error))?;
        let salvage = look(&damaged).and_then(|damaged| {
            crate::flows::TABLES.migrate(&mut new)?;
            new.execute_batch("begin immediate")?;
            new.execute_batch("delete from marks")?;
            rows(&damaged, &new)?;
            // They belong to the damaged file.
            new.execute_batch(
                "delete from marks; insert into marks values (randomblob(16), 0); commit",
            )
        });
        salvage.map_err(|error| explained(&file.from, &error))
    });
    let removed = std::fs::remove_dir_all(&aside).map_err(system);
    saved.and(removed)
}

/// Puts the files of a damaged store aside for reading: a copy in which SQLite may write.
///
/// # Errors
/// What the system reports.
pub(crate) fn aside(from: &Path, folder: &Path) -> std::io::Result<PathBuf> {
    let name = from.file_name().unwrap_or_default();
    let to = folder.join(name);
    for end in ["", "-wal"] {
        let with = |path: &Path| {
            let mut path = path.as_os_str().to_owned();
            path.push(end);
            PathBuf::from(path)
        };
        if with(from).is_file() {
            std::fs::copy(with(from), with(&to))?;
        } else if end.is_empty() {
            std::fs::write(&to, "")?;
        }
    }
    // SQLite passes over the log of an empty file, which may hold all pages: it begins at this one.
    if to.metadata()?.len() == 0 {
        std::fs::write(&to, [0; 4096])?;
    }
    Ok(to)
}

/// Finishes the copy of a file of contexts: its marks vouch for what is in it. Returns what is wrong with
/// it.
///
/// # Errors
/// What the system reports.
pub fn finish_contexts(path: &Path) -> Result<Report, ContextError> {
    crate::contexts::mark_anew(path)?;
    verify(path)
}
