//! The holder of runs, and the check that it still lives.
//!
//! Decision: a lock of the system on a file of its own shows that a holder lives. It ends with the
//! process, however that ends, and can't be mistaken for that of a later process, as a number of a
//! process could be: the name of the file is made of time and chance.

use crate::stamp::Ids;
use contexture_core::store::flows::FlowStoreError;
use contexture_core::store::reason;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The folder beside a file of runs in which holders have their files.
#[derive(Debug, Clone)]
pub(super) struct Holders {
    folder: Arc<Path>,
}

impl Holders {
    pub(super) fn beside(path: &Path) -> Self {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push("-holders");
        Self { folder: path.with_file_name(name).into() }
    }

    fn place(&self, token: &str) -> Option<PathBuf> {
        // A name that was not made here must lead nowhere.
        let is_ours = token.len() == 26
            && token.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        is_ours.then(|| self.folder.join(token))
    }

    /// Takes away the files of those that ended without doing so themselves.
    fn tidy(&self) {
        // What can't be looked at now is looked at by the next.
        let Ok(files) = std::fs::read_dir(&self.folder) else { return };
        for file in files.flatten() {
            if let Some(token) = file.file_name().to_str() {
                let _ = self.is_alive(token, true);
            }
        }
    }

    /// Reports whether a holder lives. The file of one that does not is removed if `tidy` is set.
    pub(super) fn is_alive(&self, token: &str, tidy: bool) -> Result<bool, FlowStoreError> {
        let Some(place) = self.place(token) else { return Ok(false) };
        let file = match File::open(&place) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(failed(&place, &error)),
        };
        // Shared, so that two who look at the same time do not take each other for the holder.
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(failed(&place, &error)),
            Ok(()) => {
                if tidy {
                    // If it can't be, it lies about and does no harm.
                    let _ = std::fs::remove_file(&place);
                }
                Ok(false)
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct Holder {
    pub(super) holders: Holders,
    token: Arc<str>,
    /// Made when the first run is held.
    file: Mutex<Option<File>>,
}

impl Holder {
    pub(super) fn new(path: &Path, ids: &Ids) -> Self {
        let token = ids.next().0.into();
        Self { holders: Holders::beside(path), token, file: Mutex::default() }
    }

    /// Returns the name of this holder, which counts as alive from now on.
    pub(super) fn token(&self) -> Result<Arc<str>, FlowStoreError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.is_none() {
            *file = Some(self.make()?);
        }
        Ok(Arc::clone(&self.token))
    }

    fn make(&self) -> Result<File, FlowStoreError> {
        let folder = &self.holders.folder;
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        self.holders.tidy();
        let place = folder.join(&*self.token);
        loop {
            let file = OpenOptions::new().write(true).create_new(true).open(&place);
            let file = file.map_err(|error| failed(&place, &error))?;
            file.lock().map_err(|error| failed(&place, &error))?;
            // Another one that tidies may have come between.
            if place.exists() {
                return Ok(file);
            }
        }
    }

    pub(super) fn is(&self, token: &str) -> bool {
        *self.token == *token
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if file.is_some() {
            // A file without a lock means the same as none.
            let _ = std::fs::remove_file(self.holders.folder.join(&*self.token));
        }
    }
}

fn failed(path: &Path, error: &Error) -> FlowStoreError {
    FlowStoreError::Io { path: path.display().to_string(), reason: reason(error) }
}
