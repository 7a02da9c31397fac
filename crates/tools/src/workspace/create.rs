//! Making files that are not there: whole or not at all, and never over one that is.

use super::write::create_temporary;
use super::{FileError, Workspace, WorkspacePath};
use cap_std::fs::Dir;
use contexture_core::policy::paths::Access;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

impl Workspace {
    /// Makes a file of `bytes`, with missing parent folders; false when something is there already,
    /// which stays as it is.
    ///
    /// # Errors
    /// [`FileError`] when the path leads out, the policy refuses it, or the file can't be written.
    pub fn create(&self, path: &WorkspacePath, bytes: &[u8]) -> Result<bool, FileError> {
        self.permit_place(path, Access::Write)?;
        let folders = self.create_parents(path)?;
        let made = self.create_in_parent(path, bytes);
        if !matches!(made, Ok(true)) {
            self.forget_folders(&folders);
        }
        made
    }

    fn create_in_parent(&self, path: &WorkspacePath, bytes: &[u8]) -> Result<bool, FileError> {
        let real = self.permit_place(path, Access::Write)?;
        let (folder, name) = self.open_parent(&real, path)?;
        let name = name.as_str();
        create_beside(&folder, Path::new(name), bytes).map_err(|error| self.failed(error, path))
    }
}

/// Writes a temporary file and gives it its name, if that is free.
fn create_beside(folder: &Dir, name: &Path, bytes: &[u8]) -> std::io::Result<bool> {
    let (temporary, mut file) = create_temporary(folder)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    let named = written.and_then(|()| name_it(folder, &temporary, name));
    if !matches!(named, Ok(Named::Renamed)) {
        // The first error is the one to report.
        let _ = folder.remove_file(&temporary);
    }
    named.map(|named| named != Named::Taken)
}

#[derive(PartialEq)]
enum Named {
    Taken,
    Linked,
    Renamed,
}

fn name_it(folder: &Dir, temporary: &str, name: &Path) -> std::io::Result<Named> {
    match folder.hard_link(temporary, folder, name) {
        Ok(()) => Ok(Named::Linked),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Named::Taken),
        // A file system without links: there a rename has to do, right after a look.
        Err(_) if folder.symlink_metadata(name).is_ok() => Ok(Named::Taken),
        Err(_) => folder.rename(temporary, folder, name).map(|()| Named::Renamed),
    }
}
