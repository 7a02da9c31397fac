//! `tokens.json` of a data folder.
//!
//! Decision: a change is made under a lock that every process takes, on a file beside it, and takes
//! the old file's place in one step; a reader sees the one or the other.

use super::new::{TOKENS_FILE, bad};
use crate::fault::Fault;
use crate::serve::folder;
use contexture::store::home;
use std::fs::{self, File, Metadata};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The largest file that is read, in bytes: some 40,000 tokens.
const FILE_BYTES: u64 = 16 << 20;

/// The file of a data folder.
#[derive(Debug, Clone)]
pub(super) struct TokenFile {
    folder: PathBuf,
    pub(super) path: PathBuf,
}

/// What tells that a file was changed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FileState {
    changed: Option<SystemTime>,
    bytes: u64,
    #[cfg(unix)]
    number: u64,
}

impl FileState {
    fn of(metadata: &Metadata) -> Self {
        Self {
            changed: metadata.modified().ok(),
            bytes: metadata.len(),
            #[cfg(unix)]
            number: std::os::unix::fs::MetadataExt::ino(metadata),
        }
    }
}

impl TokenFile {
    pub(super) fn in_folder(data: &Path) -> Self {
        Self { folder: data.to_owned(), path: data.join(TOKENS_FILE) }
    }

    pub(super) fn state(&self) -> Option<FileState> {
        self.path.metadata().ok().map(|metadata| FileState::of(&metadata))
    }

    /// Returns the text; empty before there is a file.
    pub(super) fn read(&self) -> Result<String, Fault> {
        match self.path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
            _ => {}
        }
        let read = contexture::reading::regular(&self.path, FILE_BYTES);
        let text = read.map_err(|error| bad(format!("the tokens can't be read: {error}")))?;
        match text.is_empty() {
            true => Err(bad(format!("{}: it is empty", self.path.display()))),
            false => Ok(text),
        }
    }

    /// Changes the text while nobody else does: to what `change` returns, if anything.
    pub(super) fn change<T>(
        &self,
        change: impl FnOnce(&str) -> Result<(T, Option<String>), Fault>,
    ) -> Result<T, Fault> {
        let _lock = self.lock()?;
        let (outcome, new) = change(&self.read()?)?;
        if let Some(new) = new {
            self.write(&new)?;
        }
        Ok(outcome)
    }

    fn lock(&self) -> Result<File, Fault> {
        let path = self.folder.join("tokens.lock");
        let failed = |error: io::Error| bad(format!("{}: {error}", path.display()));
        folder::create(&self.folder).map_err(failed)?;
        let lock = home::private_file()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        lock.lock().map_err(failed)?;
        Ok(lock)
    }

    fn write(&self, text: &str) -> Result<(), Fault> {
        let unfinished = self.folder.join(format!("tokens.{}.unfinished", std::process::id()));
        let written = (|| {
            // Left behind by a process of the same number.
            drop(fs::remove_file(&unfinished));
            let mut file = home::private_file().write(true).create_new(true).open(&unfinished)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            drop(file);
            fs::rename(&unfinished, &self.path)
        })();
        written.map_err(|error: io::Error| {
            drop(fs::remove_file(&unfinished));
            bad(format!("{} can't be written: {error}", self.path.display()))
        })
    }
}
