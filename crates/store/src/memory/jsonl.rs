//! A memory in a file of JSON lines (`file://…jsonl`).
//!
//! Decision: lines are only ever appended. A changed record is written again under its id and the
//! last line counts; a deleted one is a line with `"$deleted": true`. So a broken line, whoever
//! broke it, is never rewritten or lost, a writer that is killed can spoil only its own last line,
//! and several processes may write at once under the file's lock. Lines that people wrote without
//! an id count too: their id is `line-` and the number of the line.

#[cfg(test)]
mod tests;

use super::table::Table;
use super::{
    FILE_BYTES, Fields, Found, Memory, MemoryError, Query, RECORD_BYTES, record, require_file,
};
use crate::stamp::Ids;
use contexture_core::store::lines::{self, Line};
use contexture_core::store::memory::record::DELETED;
use contexture_core::store::reason;
use serde_json::{Value, json};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufReader, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The longest time that another process may hold the file.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most broken lines that are reported one by one.
const TOLD: usize = 10;

/// Records in a file of JSON lines.
#[derive(Debug)]
pub struct JsonlMemory {
    path: PathBuf,
    name: String,
    ids: Ids,
    seen: Mutex<Seen>,
}

/// The file as it was read last.
#[derive(Debug, Default)]
struct Seen {
    at: Option<(u64, SystemTime)>,
    table: Table,
    notes: Vec<String>,
}

impl JsonlMemory {
    /// Creates the memory in `path`, which need not exist.
    #[must_use]
    pub fn new(path: PathBuf, ids: Ids) -> Self {
        Self { name: path.display().to_string(), path, ids, seen: Mutex::default() }
    }

    /// Calls the file so in errors and notes, instead of by its whole path.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shown(&self) -> String {
        self.name.clone()
    }

    fn failed(&self, error: &std::io::Error) -> MemoryError {
        MemoryError::Io { path: self.shown(), reason: reason(error) }
    }

    /// Waits for the lock of the file.
    fn lock(&self, attempt: impl Fn() -> Result<(), TryLockError>) -> Result<(), MemoryError> {
        let began = Instant::now();
        loop {
            match attempt() {
                Ok(()) => return Ok(()),
                Err(TryLockError::Error(error)) => return Err(self.failed(&error)),
                Err(TryLockError::WouldBlock) if began.elapsed() > PATIENCE => {
                    return Err(MemoryError::Busy(self.shown()));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Opens the file for appending, with its folder, and takes its lock.
    fn open_to_write(&self) -> Result<File, MemoryError> {
        require_file(&self.path, &self.name)?;
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| self.failed(&error))?;
        }
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let file = options.open(&self.path).map_err(|error| self.failed(&error))?;
        self.lock(|| file.try_lock())?;
        Ok(file)
    }

    /// Reads the file if it changed since.
    fn refresh(&self, file: &File, seen: &mut Seen) -> Result<(), MemoryError> {
        let fail = |error: std::io::Error| self.failed(&error);
        let metadata = file.metadata().map_err(fail)?;
        let at = (metadata.len(), metadata.modified().map_err(fail)?);
        if seen.at == Some(at) {
            return Ok(());
        }
        if metadata.len() > FILE_BYTES {
            let (bytes, limit) = (metadata.len(), FILE_BYTES);
            return Err(MemoryError::FileTooLarge { path: self.shown(), bytes, limit });
        }
        *seen = Seen::default();
        let mut broken = Vec::new();
        // Room for what JSON adds in escapes.
        let limit = 8 * RECORD_BYTES as u64;
        let mut reader = file;
        reader.rewind().map_err(fail)?;
        let reader = BufReader::new(reader.take(FILE_BYTES));
        lines::read(reader, limit, |line| {
            let number = line.number;
            if let Err(reason) = seen.table.take_line(line) {
                broken.push(format!("{} line {number} is skipped: {reason}", self.shown()));
            }
        })
        .map_err(fail)?;
        let untold = broken.len().saturating_sub(TOLD);
        broken.truncate(TOLD);
        if untold > 0 {
            broken.push(format!("{untold} more lines of {} are skipped", self.shown()));
        }
        seen.notes = broken;
        seen.at = Some(at);
        Ok(())
    }

    /// Appends a line in one write, after a line end if the last line has none.
    fn append(&self, mut file: &File, record: &Value) -> Result<(), MemoryError> {
        let fail = |error: std::io::Error| self.failed(&error);
        let before = file.metadata().map_err(fail)?.len();
        let mut line = String::new();
        if before > 0 {
            let mut last = [0];
            file.seek(SeekFrom::End(-1)).map_err(fail)?;
            file.read_exact(&mut last).map_err(fail)?;
            if last != *b"\n" {
                line.push('\n');
            }
        }
        line.push_str(&record.to_string());
        line.push('\n');
        let after = before.saturating_add(line.len() as u64);
        if after > FILE_BYTES {
            let path = self.shown();
            return Err(MemoryError::FileTooLarge { path, bytes: after, limit: FILE_BYTES });
        }
        file.write_all(line.as_bytes()).map_err(|error| {
            // Half a line would be reported for ever; the error at hand is the one to report.
            let _ = file.set_len(before);
            self.failed(&error)
        })
    }
}

impl Memory for JsonlMemory {
    fn add(&self, fields: Fields) -> Result<Value, MemoryError> {
        let (id, now) = self.ids.next();
        let record = Value::Object(record::create(&id, fields, now)?);
        let file = self.open_to_write()?;
        self.append(&file, &record)?;
        Ok(record)
    }

    fn query(&self, query: &Query) -> Result<Found, MemoryError> {
        require_file(&self.path, &self.name)?;
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::default()),
            Err(error) => return Err(self.failed(&error)),
        };
        self.lock(|| file.try_lock_shared())?;
        let mut seen = self.seen();
        self.refresh(&file, &mut seen)?;
        let mut found = seen.table.query(query);
        found.notes.splice(0..0, seen.notes.iter().cloned());
        Ok(found)
    }

    fn update(&self, id: &str, fields: Fields) -> Result<Value, MemoryError> {
        let unknown = || MemoryError::NoRecord(id.to_owned());
        if !self.path.exists() {
            return Err(unknown());
        }
        let file = self.open_to_write()?;
        let mut seen = self.seen();
        self.refresh(&file, &mut seen)?;
        let record = seen.table.get(id).cloned().ok_or_else(unknown)?;
        let record = Value::Object(record::change(record, fields, self.ids.now_us())?);
        self.append(&file, &record)?;
        Ok(record)
    }

    fn delete(&self, id: &str) -> Result<bool, MemoryError> {
        if !self.path.exists() {
            return Ok(false);
        }
        let file = self.open_to_write()?;
        let mut seen = self.seen();
        self.refresh(&file, &mut seen)?;
        if seen.table.get(id).is_none() {
            return Ok(false);
        }
        self.append(&file, &json!({ "id": id, DELETED: true }))?;
        Ok(true)
    }
}

impl Table {
    fn take_line(&mut self, line: Line) -> Result<(), String> {
        let mut record = match line.value? {
            Value::Object(record) => record,
            _ => return Err("it is not a JSON object".to_owned()),
        };
        let id = match record.get("id") {
            Some(Value::String(id)) if !id.is_empty() => id.clone(),
            Some(Value::Number(id)) => id.to_string(),
            _ => format!("line-{}", line.number),
        };
        if record.get(DELETED) == Some(&Value::Bool(true)) {
            self.remove(&id);
            return Ok(());
        }
        record.insert("id".to_owned(), id.clone().into());
        for field in ["created_at", "updated_at"] {
            record.entry(field).or_insert(Value::Null);
        }
        self.put(id, record);
        Ok(())
    }
}
