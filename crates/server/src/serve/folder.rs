//! The data folder: its lock, and folders that only their owner can read.

use super::codes;
use crate::fault::Fault;
use contexture::store::home;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// The file whose lock shows that a server uses the folder. The system releases the lock when the
/// process ends, however it ends.
pub(crate) const LOCK_FILE: &str = "serve.lock";

/// The lock of a data folder: a second server would treat running turns as interrupted.
#[derive(Debug)]
pub(crate) struct FolderLock {
    _file: Option<File>,
}

impl FolderLock {
    /// Locks the folder.
    ///
    /// # Errors
    /// A [`Fault`] when another server holds the lock.
    pub(crate) fn take(folder: &Path) -> Result<Self, Fault> {
        let path = folder.join(LOCK_FILE);
        let failed = |error: io::Error| {
            Fault::of(codes::BAD_DATA, format!("{} can't be used: {error}", path.display()))
        };
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: Some(file) }),
            Err(TryLockError::WouldBlock) => {
                let message = format!("another server has the folder {}", folder.display());
                Err(Fault::of(codes::BAD_DATA, message)
                    .with_help("end the other server, or give this one a folder with --data"))
            }
            // A file system without locks can't prevent two servers.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(Self { _file: None })
            }
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}

/// Creates a folder for its owner alone; an existing one stays unchanged.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    home::private_folder(path)?;
    home::mark(path);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_12_data_folder_is_locked_by_one_server() {
        let folder = tempfile::tempdir().unwrap();
        let held = FolderLock::take(folder.path()).unwrap();
        let refused = FolderLock::take(folder.path()).unwrap_err();
        assert!(refused.message.contains("another server has the folder"), "{refused}");
        drop(held);
        FolderLock::take(folder.path()).unwrap();
        assert_eq!(
            FolderLock::take(&folder.path().join("none")).unwrap_err().code,
            codes::BAD_DATA.code
        );
    }
}
