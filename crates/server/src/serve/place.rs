//! The lock of a data folder: a second server would treat running turns as interrupted.

use super::codes;
use crate::fault::Fault;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// The file whose lock says that a server has the folder. The system takes the lock away when the
/// process ends, however it ends.
const FILE: &str = "serve.lock";

/// The lock, held as long as it lives.
#[derive(Debug)]
pub(crate) struct Held {
    _file: Option<File>,
}

/// Locks the folder.
///
/// # Errors
/// A [`Fault`] when another server holds the lock.
pub(crate) fn hold(folder: &Path) -> Result<Held, Fault> {
    let failed = |error: io::Error| {
        let message = format!("{} can't be used: {error}", folder.join(FILE).display());
        Fault::of(codes::BAD_DATA, message)
    };
    let mut options = OpenOptions::new();
    let file = options.create(true).truncate(false).write(true).open(folder.join(FILE));
    let file = file.map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Held { _file: Some(file) }),
        Err(TryLockError::WouldBlock) => {
            let message = format!("another server has the folder {}", folder.display());
            Err(Fault::of(codes::BAD_DATA, message)
                .with_help("end the other server, or give this one a folder with --data"))
        }
        // A file system without locks can't prevent two servers.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
            Ok(Held { _file: None })
        }
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_12_data_folder_is_locked_by_one_server() {
        let folder = tempfile::tempdir().unwrap();
        let held = hold(folder.path()).unwrap();
        let refused = hold(folder.path()).unwrap_err();
        assert!(refused.message.contains("another server has the folder"), "{refused}");
        drop(held);
        hold(folder.path()).unwrap();
        assert_eq!(hold(&folder.path().join("none")).unwrap_err().code, codes::BAD_DATA.code);
    }
}
