//! `.contexture/`, the folder in which a workspace keeps its state, stays out of version control.
//!
//! Decision: whatever makes a file below the folder marks it, not the runs alone: conversations and
//! tokens may be the first thing that is kept, and must not be committed unseen.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

/// The paths that version control ignores: all but the definitions of protocols and the packs, which
/// people write.
const IGNORE: &[u8] = b"*\n!/resources/\n!/resources/**\n!/knowledge/\n!/knowledge/**\n";

/// Marks the folder `.contexture` that a path lies in, if it lies in one that is there. One that
/// can't be marked stays as it is.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// let data = folder.path().join(".contexture/data");
/// std::fs::create_dir_all(&data)?;
/// contexture_store::home::mark(&data);
/// assert!(std::fs::read_to_string(data.with_file_name(".gitignore"))?.starts_with("*\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn mark(path: &Path) {
    let is_home = |part: &&Path| part.file_name().is_some_and(|name| name == ".contexture");
    let home = path.ancestors().find(is_home);
    if let Some(home) = home.filter(|home| !home.is_symlink()) {
        drop(ignore(home));
    }
}

/// Creates a folder, and those above it that are missing, for their owner alone; one that is there
/// stays as it is.
///
/// # Errors
/// The system's, when it can't be made.
pub fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Returns the options to create a file that only its owner can read.
#[must_use]
pub fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates a file for its owner alone; what it held is gone, and others can't read it any longer.
///
/// # Errors
/// The system's, when it can't be written.
pub fn create_private(path: &Path) -> io::Result<File> {
    let file = private_file().write(true).create(true).truncate(true).open(path)?;
    #[cfg(unix)]
    if file.metadata()?.is_file() {
        use std::os::unix::fs::PermissionsExt as _;
        // One that was there and is another user's stays as it is.
        let _ = file.set_permissions(std::fs::Permissions::from_mode(0o600));
    }
    Ok(file)
}

/// Writes the folder's `.gitignore`, unless there is one.
pub(crate) fn ignore(folder: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).create_new(true).open(folder.join(".gitignore")) {
        Ok(mut file) => file.write_all(IGNORE),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}
