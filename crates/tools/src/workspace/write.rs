//! Writing files: whole or not at all, and never where a symlink leads out.
//!
//! Decision: a new text goes to a temporary file beside its place and is renamed over it, in a
//! folder that was opened once; a reader sees the old text or the new one. Permissions stay; a
//! read-only file is refused, though a rename could replace it.

use super::{FileError, Workspace, WorkspacePath, guard, read};
use cap_std::fs::{Dir, OpenOptions, Permissions};
use contexture_core::policy::paths::Access;
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
        self.permit_place(path, Access::Write)?;
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
        let real = self.permit_place(path, Access::Write)?;
        let fail = |error| self.failed(error, path);
        let (folder, name) = self.open_parent(&real, path)?;
        let permissions = match folder.symlink_metadata(&name) {
            Ok(found) => {
                read::require_file(&found, path)?;
                guard::require_own(&found, path)?;
                let permissions = found.permissions();
                if permissions.readonly() {
                    return Err(FileError::ReadOnly(path.to_string()));
                }
                Some(permissions)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(fail(error)),
        };
        self.note_content(self.class(&real), bytes);
        write_beside(&folder, Path::new(&name), bytes, permissions).map_err(fail)?;
        Ok(real)
    }

    /// Opens the folder that a file is to be written in, and checks the place once more: where the
    /// folder lies now.
    pub(super) fn open_parent(
        &self,
        real: &WorkspacePath,
        asked: &WorkspacePath,
    ) -> Result<(Dir, String), FileError> {
        let Some((parent, name)) = real.split() else {
            return Err(FileError::IsFolder(asked.to_string()));
        };
        let folder = self.dir.open_dir(parent.os_path());
        let folder = folder.map_err(|error| self.failed(error, asked))?;
        let (parent, _) = self.permit_opened(&folder, &parent, Access::Read)?;
        self.permit_real(&parent.join(name), asked, Access::Write)?;
        Ok((folder, name.to_owned()))
    }

    /// Makes the folders that `path` needs and returns the ones that were missing. Who may write the
    /// file may have them: nothing else is changed in them.
    pub(crate) fn create_parents(
        &self,
        path: &WorkspacePath,
    ) -> Result<Vec<WorkspacePath>, FileError> {
        let mut created = Vec::new();
        let mut folder = WorkspacePath::root();
        let parent = path.parent();
        for part in parent.parts() {
            folder = folder.join(part);
            match self.make_folder(&folder) {
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
        self.permit_place(folder, Access::Write)?;
        self.make_folder(folder)
    }

    fn make_folder(&self, folder: &WorkspacePath) -> Result<bool, FileError> {
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
        let place = self.permit_name(path)?;
        self.dir.remove_file(place.os_path()).map_err(|error| self.failed(error, path))
    }

    /// Removes a folder if it is empty; false when it is not.
    pub(crate) fn remove_folder(&self, path: &WorkspacePath) -> Result<bool, FileError> {
        let place = self.permit_name(path)?;
        match self.dir.remove_dir(place.os_path()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(false),
            Err(error) => Err(self.failed(error, path)),
        }
    }

    /// Checks that a name may be removed, and returns its place with the links of its folders
    /// resolved: a link at its end is removed and not what it leads to.
    fn permit_name(&self, path: &WorkspacePath) -> Result<WorkspacePath, FileError> {
        self.permit(path, Access::Write)?;
        let Some((parent, name)) = path.split() else { return Ok(path.clone()) };
        let place = self.real_path(&parent)?.join(name);
        self.permit_real(&place, path, Access::Write)?;
        Ok(place)
    }

    /// Takes back folders made for a file that was not written after all.
    pub(super) fn forget_folders(&self, folders: &[WorkspacePath]) {
        for folder in folders.iter().rev() {
            // Someone may have put something into it meanwhile; then it stays.
            let _ = self.dir.remove_dir(folder.os_path());
        }
    }
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
