//! Writing files: whole or not at all, and never where a symlink leads out.
//!
//! Decision: a new text goes to a temporary file beside its place and is renamed over it, in a
//! folder that was opened once; a reader sees the old text or the new one. Permissions stay; a
//! read-only file is refused, though a rename could replace it.

use super::{FileError, PROTECTED, Workspace, WorkspacePath, read};
use cap_std::fs::{Dir, OpenOptions, Permissions};
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

static TEMPORARY: AtomicU64 = AtomicU64::new(0);

pub(crate) struct Written {
    /// Where, after symlinks.
    pub(crate) path: WorkspacePath,
    /// The parent folders that were made, from the root down.
    pub(crate) folders: Vec<WorkspacePath>,
}

impl Workspace {
    /// Makes `bytes` the content of a file, with missing parent folders.
    pub(crate) fn replace(&self, path: &WorkspacePath, bytes: &[u8]) -> Result<Written, FileError> {
        require_open(path, path)?;
        let folders = self.create_parents(path)?;
        let written = self.replace_in_parent(path, bytes);
        if written.is_err() {
            self.forget_folders(&folders);
        }
        Ok(Written { path: written?, folders })
    }

    fn replace_in_parent(
        &self,
        path: &WorkspacePath,
        bytes: &[u8],
    ) -> Result<WorkspacePath, FileError> {
        let real = self.real_path(path)?;
        require_open(&real, path)?;
        let fail = |error| self.failed(error, path);
        let Some((parent, name)) = real.split() else {
            return Err(FileError::IsFolder(path.to_string()));
        };
        let folder = self.dir.open_dir(parent.os_path()).map_err(fail)?;
        let permissions = match folder.symlink_metadata(name) {
            Ok(found) => {
                read::require_file(&found, path)?;
                let permissions = found.permissions();
                if permissions.readonly() {
                    return Err(FileError::ReadOnly(path.to_string()));
                }
                Some(permissions)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(fail(error)),
        };
        write_beside(&folder, Path::new(name), bytes, permissions).map_err(fail)?;
        Ok(real)
    }

    /// Makes the folders that `path` needs and returns the ones that were missing.
    pub(crate) fn create_parents(
        &self,
        path: &WorkspacePath,
    ) -> Result<Vec<WorkspacePath>, FileError> {
        let mut created = Vec::new();
        let mut folder = WorkspacePath::root();
        let parent = path.parent();
        for part in parent.parts() {
            folder = folder.join(part);
            match self.create_folder(&folder) {
                Ok(true) => created.push(folder.clone()),
                Ok(false) => {}
                Err(error) => {
                    self.forget_folders(&created);
                    return Err(error);
                }
            }
        }
        Ok(created)
    }

    /// Makes a folder; false when it is there already.
    pub(crate) fn create_folder(&self, folder: &WorkspacePath) -> Result<bool, FileError> {
        match self.dir.create_dir(folder.os_path()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if self.metadata(folder)?.is_dir() {
                    Ok(false)
                } else {
                    Err(FileError::NotFolder(folder.to_string()))
                }
            }
            Err(error) => Err(self.failed(error, folder)),
        }
    }

    pub(crate) fn remove_file(&self, path: &WorkspacePath) -> Result<(), FileError> {
        require_open(path, path)?;
        self.dir.remove_file(path.os_path()).map_err(|error| self.failed(error, path))
    }

    /// Removes a folder if it is empty; false when it is not.
    pub(crate) fn remove_folder(&self, path: &WorkspacePath) -> Result<bool, FileError> {
        require_open(path, path)?;
        match self.dir.remove_dir(path.os_path()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(false),
            Err(error) => Err(self.failed(error, path)),
        }
    }

    /// Takes back folders made for a file that was not written after all.
    pub(super) fn forget_folders(&self, folders: &[WorkspacePath]) {
        for folder in folders.iter().rev() {
            // Someone may have put something into it meanwhile; then it stays.
            let _ = self.dir.remove_dir(folder.os_path());
        }
    }
}

/// Refuses protected folders; `asked` stands in the error.
pub(super) fn require_open(path: &WorkspacePath, asked: &WorkspacePath) -> Result<(), FileError> {
    let protected = |part: &str| PROTECTED.iter().any(|name| part.eq_ignore_ascii_case(name));
    if path.parts().any(protected) {
        return Err(FileError::Protected(asked.to_string()));
    }
    Ok(())
}

/// Writes a temporary file and renames it to `name`.
fn write_beside(
    folder: &Dir,
    name: &Path,
    bytes: &[u8],
    permissions: Option<Permissions>,
) -> std::io::Result<()> {
    let (temporary, mut file) = create_temporary(folder)?;
    let written = permissions
        .map_or(Ok(()), |permissions| file.set_permissions(permissions))
        .and_then(|()| file.write_all(bytes))
        .and_then(|()| folder.rename(&temporary, folder, name));
    if written.is_err() {
        // The first error is the one to report.
        let _ = folder.remove_file(&temporary);
    }
    written
}

pub(super) fn create_temporary(folder: &Dir) -> std::io::Result<(String, cap_std::fs::File)> {
    let process = std::process::id();
    loop {
        let number = TEMPORARY.fetch_add(1, Ordering::Relaxed);
        let name = format!(".contexture-{process}-{number}.tmp");
        match folder.open_with(&name, OpenOptions::new().write(true).create_new(true)) {
            // Left behind by a process that had this number before.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (name, file)),
        }
    }
}
