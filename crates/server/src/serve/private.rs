//! Files and folders that only their owner can read.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::Path;

/// Makes a folder when it is missing, for its owner alone; one that is there stays as it is.
pub(crate) fn folder(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let mut builder = DirBuilder::new();
    // One that is there is no fault.
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    contexture::store::home::mark(path);
    Ok(())
}

/// Returns the options to create a file that only its owner can read.
pub(crate) fn file() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
