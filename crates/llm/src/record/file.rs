//! Journals in files.

use crate::file::{self, fault};
use crate::replay::RECORDING_BYTES;
use contexture_core::error::LlmError;
use contexture_core::store::journals::{JournalError, JournalLines, JournalPlace};
use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The journal of a run in a file of its own, in a folder that is there.
#[derive(Debug, Clone)]
pub struct JournalFile {
    path: PathBuf,
    /// The file by which the run is told from outside that it is cancelled.
    cancel: PathBuf,
}

impl JournalFile {
    /// Creates the place at a path.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { cancel: path.with_extension("cancel"), path }
    }

    fn failed(&self, error: &io::Error) -> JournalError {
        reason(fault(&self.path, error))
    }

    fn bytes(&self) -> Result<Vec<u8>, JournalError> {
        file::read(&self.path, RECORDING_BYTES).map_err(reason)
    }
}

/// Returns the reason alone: whoever has the journal names it.
fn reason(error: LlmError) -> JournalError {
    JournalError(match error {
        LlmError::Recording { message, .. } => message,
        other => other.to_string(),
    })
}

impl JournalPlace for JournalFile {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn exists(&self) -> bool {
        self.path.exists()
    }

    fn create(&self) -> Result<Box<dyn JournalLines>, JournalError> {
        let file = file::private(&self.path, |options| options.append(true).create_new(true));
        let file = file.map_err(|error| self.failed(&error))?;
        locked(&file)?;
        Ok(Box::new(Lines(file)))
    }

    fn open(&self) -> Result<(Vec<u8>, Box<dyn JournalLines>), JournalError> {
        let fail = |error: io::Error| self.failed(&error);
        let file = File::options().append(true).read(true).open(&self.path).map_err(fail)?;
        locked(&file)?;
        let mut bytes = self.bytes()?;
        bytes.truncate(whole(&bytes).len());
        file.set_len(bytes.len() as u64).map_err(fail)?;
        Ok((bytes, Box::new(Lines(file))))
    }

    fn read(&self) -> Result<Vec<u8>, JournalError> {
        self.bytes()
    }

    fn is_open(&self) -> bool {
        File::open(&self.path).is_ok_and(|file| {
            let is_held = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
            if !is_held {
                // It is unlocked with the file at the latest.
                let _ = file.unlock();
            }
            is_held
        })
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.exists()
    }

    fn cancel(&self) -> Result<(), JournalError> {
        let made = file::private(&self.cancel, |options| options.write(true));
        made.map(drop).map_err(|error| reason(fault(&self.cancel, &error)))
    }

    fn resume(&self) {
        drop(std::fs::remove_file(&self.cancel));
    }

    fn remove(&self) {
        self.resume();
        drop(std::fs::remove_file(&self.path));
    }
}

/// Keeps other processes out as long as it is open.
fn locked(file: &File) -> Result<(), JournalError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(JournalError("it is open in another process".to_owned()))
        }
        // A system without locks has none to wait for.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Returns the lines that have their ends.
pub(super) fn whole(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    bytes.get(..end).unwrap_or_default()
}

struct Lines(File);

fn failed(error: &io::Error) -> JournalError {
    reason(fault(Path::new(""), error))
}

impl JournalLines for Lines {
    fn append(&mut self, line: &str) -> Result<(), JournalError> {
        self.0.write_all(line.as_bytes()).map_err(|error| failed(&error))
    }

    fn sync(&self) -> Result<(), JournalError> {
        self.0.sync_data().map_err(|error| failed(&error))
    }
}
