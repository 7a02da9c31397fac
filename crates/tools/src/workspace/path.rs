//! Paths by name alone: joining, `.` and `..`, and the border of the workspace.

use super::FileError;
use std::path::{Component, Path, PathBuf};

/// A place in a workspace: parts joined by `/`, without `.` and `..`; the root is `.`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkspacePath(String);

impl WorkspacePath {
    /// Returns the workspace itself.
    #[must_use]
    pub fn root() -> Self {
        Self(String::new())
    }

    /// Returns the path as a program writes it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        if self.0.is_empty() { "." } else { &self.0 }
    }

    /// Returns the last part; `.` for the root.
    #[must_use]
    pub fn name(&self) -> &str {
        self.split().map_or(".", |(_, name)| name)
    }

    /// Returns the folder it is in; the root is in itself.
    #[must_use]
    pub fn parent(&self) -> Self {
        self.split().map_or_else(Self::root, |(parent, _)| parent)
    }

    /// Returns the parts from the root down.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|part| !part.is_empty())
    }

    /// Returns the folder and the name; `None` for the root.
    pub(crate) fn split(&self) -> Option<(Self, &str)> {
        if self.0.is_empty() {
            return None;
        }
        let (parent, name) = self.0.rsplit_once('/').unwrap_or(("", &self.0));
        Some((Self(parent.to_owned()), name))
    }

    /// Returns a place in this folder.
    pub(crate) fn join(&self, name: &str) -> Self {
        if self.0.is_empty() { Self(name.to_owned()) } else { Self(format!("{}/{name}", self.0)) }
    }

    /// Returns the path below `folder`, or the whole path when it is not below it.
    pub(crate) fn below(&self, folder: &Self) -> &str {
        self.0.strip_prefix(&folder.0).map_or(self.0.as_str(), |rest| rest.trim_start_matches('/'))
    }

    /// Returns the path as the system takes it, relative to the root.
    pub(crate) fn os_path(&self) -> &Path {
        Path::new(self.as_str())
    }

    /// Returns a path that the system gave, relative to the root; `asked` stands in the error.
    pub(crate) fn from_relative(path: &Path, asked: &str) -> Result<Self, FileError> {
        let mut parts = Vec::new();
        for component in path.components() {
            match component {
                Component::CurDir => {}
                Component::Normal(part) => match part.to_str() {
                    Some(part) => parts.push(part),
                    None => return Err(FileError::NameNotText(asked.to_owned())),
                },
                _ => return Err(FileError::LeadsOut(asked.to_owned())),
            }
        }
        Ok(Self(parts.join("/")))
    }
}

impl std::fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Resolves `path` from `folder` below the first of `roots`, all of which name the same folder.
pub(super) fn resolve(
    roots: &[&Path],
    folder: &WorkspacePath,
    path: &str,
) -> Result<WorkspacePath, FileError> {
    if path.is_empty() {
        return Err(FileError::Empty);
    }
    if path.contains('\0') {
        return Err(FileError::Nul(path.to_owned()));
    }
    let root = roots.first().copied().unwrap_or(Path::new("/"));
    if is_tidy(path) {
        return Ok(folder.join(path));
    }
    // `join` drops what stands before an absolute path.
    let joined = tidy(&root.join(folder.os_path()).join(path));
    roots
        .iter()
        .find_map(|root| joined.strip_prefix(root).ok())
        .ok_or_else(|| FileError::Outside(path.to_owned()))
        .and_then(|inside| WorkspacePath::from_relative(inside, path))
}

/// Reports whether a path is relative, has no `.`, `..` or empty part, and only slashes part it:
/// most paths are so, and joining them to a folder is all there is to do.
fn is_tidy(path: &str) -> bool {
    cfg!(unix) && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Takes `.` and `..` out of an absolute path by name.
fn tidy(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
