//! One server has a data folder at a time: another would take the turns of this one for broken off.

use super::codes;
use crate::fault::Fault;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// The file whose lock says that a server has the folder. The system takes the lock away when the
/// process ends, however it ends.
const FILE: &str = "serve.lock";

/// The folder, as long as this lives.
#[derive(Debug)]
pub(crate) struct Held {
    _file: Option<File>,
}

/// Takes the folder.
///
/// # Errors
/// A [`Fault`] when another server has it.
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
        // A file system without locks: whoever starts two servers there has to know.
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
    fn cp_12_a_folder_is_held_by_one_server_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let held = hold(folder.path()).unwrap();
        let refused = hold(folder.path()).unwrap_err();
        assert!(refused.message.contains("another server has the folder"), "{refused}");
        drop(held);
        hold(folder.path()).unwrap();
        assert_eq!(hold(&folder.path().join("none")).unwrap_err().code, codes::BAD_DATA.code);
    }
}
