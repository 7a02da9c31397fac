//! The folder that a program's files are confined to (AS-2, AS-25).
//!
//! Decision: every path is opened through `cap-std`, which walks it below a handle of the root
//! folder (`openat2` with `RESOLVE_BENEATH` on Linux, component by component elsewhere). A symlink
//! is followed while it stays inside, so a check made by name and a later opening by name can't be
//! driven apart by someone who swaps a folder for a link in between.

mod create;
mod error;
mod guard;
mod path;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use error::FileError;
pub use path::WorkspacePath;
pub use read::{Entry, EntryKind, Listing};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use contexture_core::policy::paths::{Access, Door, PathPolicy};
use guard::Guard;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A root folder, opened once, with the policy about its paths (GU-1). A clone is the same
/// workspace.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # std::fs::write(folder.path().join("README.md"), "# Title\n")?;
/// use contexture_tools::Workspace;
///
/// let workspace = Workspace::open(folder.path())?;
/// let path = workspace.resolve("./docs/../README.md")?;
/// assert_eq!(path.as_str(), "README.md");
/// assert_eq!(workspace.read_text(&path, 1 << 20)?, "# Title\n");
/// assert_eq!(workspace.resolve("../secrets").unwrap_err().code(), "path_outside_workspace");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Workspace {
    root: Arc<Path>,
    given: Arc<Path>,
    dir: Arc<Dir>,
    guard: Arc<Guard>,
    door: Door,
}

impl Workspace {
    /// Opens a folder as a workspace, with the policy that has no permissions.
    ///
    /// # Errors
    /// [`FileError`] when there is no such folder or it can't be opened.
    pub fn open(root: &Path) -> Result<Self, FileError> {
        Self::with_policy(root, PathPolicy::default())
    }

    /// Opens a folder as a workspace, with the policy about its paths.
    ///
    /// # Errors
    /// [`FileError`] when there is no such folder or it can't be opened.
    pub fn with_policy(root: &Path, policy: PathPolicy) -> Result<Self, FileError> {
        let shown = root.display().to_string();
        let fail = |error| FileError::from_io(error, &shown);
        let given = std::path::absolute(root).map_err(fail)?;
        let root = given.canonicalize().map_err(fail)?;
        let dir = Dir::open_ambient_dir(&root, ambient_authority()).map_err(fail)?;
        Ok(Self {
            root: root.into(),
            given: given.into(),
            dir: Arc::new(dir),
            guard: Arc::new(Guard::new(policy)),
            door: Door::Program,
        })
    }

    /// Returns the same workspace as another part of Contexture uses it.
    #[must_use]
    pub fn through(&self, door: Door) -> Self {
        Self { door, ..self.clone() }
    }

    /// Returns the root folder, without symlinks.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the place that a program means by `path`: relative to the root, or absolute and
    /// inside it. Nothing needs to be there.
    ///
    /// # Errors
    /// [`FileError`] when the path is empty, has a NUL, or leads out of the workspace by name.
    pub fn resolve(&self, path: &str) -> Result<WorkspacePath, FileError> {
        self.resolve_from(&WorkspacePath::root(), path)
    }

    /// Like [`Self::resolve`], with relative paths starting in `folder`: an import starts from the
    /// folder of the importing file.
    ///
    /// # Errors
    /// As [`Self::resolve`].
    pub fn resolve_from(
        &self,
        folder: &WorkspacePath,
        path: &str,
    ) -> Result<WorkspacePath, FileError> {
        path::resolve(&[&self.root, &self.given], folder, path)
    }

    /// Returns the absolute path of a place, for a library that opens files by itself (SQLite).
    ///
    /// Symlinks are resolved; the file and folders on the way to it may be missing. What is opened
    /// by such a path was confined at this moment only: prefer the other methods.
    ///
    /// # Errors
    /// [`FileError`] when a symlink on the way leads out of the workspace or nowhere, something
    /// other than a regular file is there, or the policy refuses the use.
    pub fn locate(&self, path: &WorkspacePath, access: Access) -> Result<PathBuf, FileError> {
        let real = self.permit_place(path, access)?;
        match self.dir.metadata(real.os_path()) {
            Ok(found) => {
                read::require_file(&found, path)?;
                if access == Access::Write {
                    guard::require_own(&found, path)?;
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(FileError::from_io(error, path.as_str())),
        }
        Ok(self.root.join(real.os_path()))
    }

    /// Returns the same place without symlinks; what is missing at its end stays as it is.
    fn real_path(&self, path: &WorkspacePath) -> Result<WorkspacePath, FileError> {
        let mut here = path.clone();
        let mut missing = Vec::new();
        let real = loop {
            match self.dir.canonicalize(here.os_path()) {
                Ok(real) => break WorkspacePath::from_relative(&real, path.as_str())?,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(FileError::from_io(error, path.as_str())),
            }
            if self.dir.symlink_metadata(here.os_path()).is_ok_and(|found| found.is_symlink()) {
                return Err(FileError::Dangling(path.to_string()));
            }
            let Some((parent, name)) = here.split() else { break here };
            missing.push(name.to_owned());
            here = parent;
        };
        Ok(missing.iter().rev().fold(real, |folder, name| folder.join(name)))
    }
}
