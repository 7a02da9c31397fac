//! The roots that files lie below, and where a path leads among them.

use crate::text;
use contexture_context::Trust;
use contexture_core::reference::{Content, LoadError, Parameter, ParameterKind, Place, Resource};
use contexture_tools::{FileError, Workspace, WorkspacePath};
use std::sync::Arc;

/// The `file` protocol.
#[derive(Debug, Clone)]
pub struct Files {
    pub(super) roots: Vec<Arc<Workspace>>,
    pub(super) parameters: Vec<Parameter>,
}

/// The place where a path was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Which root; 0 is the workspace.
    pub root: usize,
    /// The place within it.
    pub path: WorkspacePath,
    /// True if the workspace root was taken, because nothing is there in the document's folder.
    pub fell_back: bool,
}

impl Files {
    /// Files below these roots, the workspace first; a [`Place`] names a root by its index.
    #[must_use]
    pub fn new(roots: Vec<Arc<Workspace>>) -> Self {
        let ignore = "whether a pattern passes over what .gitignore files name";
        let ignore = Parameter::new("ignore", ParameterKind::Boolean, ignore).or("true");
        Self { roots, parameters: vec![ignore] }
    }

    /// Returns where a path without wildcards leads, from a place.
    ///
    /// # Errors
    /// [`FileError`] when it leads out of the root, or nothing is there.
    pub fn locate(&self, path: &str, place: &Place) -> Result<Located, FileError> {
        let located = self.place_of(path, place)?;
        self.root(&located)?.kind(&located.path)?;
        Ok(located)
    }

    /// Returns the file of a path: from the place, or from the workspace when nothing is there.
    /// A path to nothing starts at the place.
    pub(super) fn place_of(&self, path: &str, place: &Place) -> Result<Located, FileError> {
        let first = self.at(place.root, &place.folder, path);
        let at_root = place.root == 0 && place.folder.is_empty();
        if at_root || first.as_ref().is_ok_and(|located| self.has(located)) {
            return first;
        }
        match self.at(0, "", path) {
            Ok(second) if self.has(&second) => Ok(Located { fell_back: true, ..second }),
            _ => first,
        }
    }

    fn at(&self, root: usize, folder: &str, path: &str) -> Result<Located, FileError> {
        let outside = || FileError::Outside(path.to_owned());
        let workspace = self.roots.get(root).ok_or_else(outside)?;
        let path = if folder.is_empty() {
            workspace.resolve(path)?
        } else {
            workspace.resolve_from(&workspace.resolve(folder)?, path)?
        };
        Ok(Located { root, path, fell_back: false })
    }

    fn has(&self, located: &Located) -> bool {
        self.root(located).is_ok_and(|workspace| workspace.has(&located.path))
    }

    pub(super) fn root(&self, located: &Located) -> Result<&Workspace, FileError> {
        let workspace = self.roots.get(located.root).map(Arc::as_ref);
        workspace.ok_or_else(|| FileError::Outside(located.path.to_string()))
    }
}

pub(super) fn resource(reference: &str, located: &Located, bytes: Vec<u8>) -> Resource {
    Resource {
        reference: reference.to_owned(),
        media_type: text::media_type_of(located.path.name()).to_owned(),
        content: Content::Bytes(bytes),
        trust: trust(located.root),
        place: Some(folder_of(located)),
    }
}

/// Returns the place from which references in a file start.
fn folder_of(located: &Located) -> Place {
    let folder = located.path.parent();
    let folder = if folder == WorkspacePath::root() { "" } else { folder.as_str() };
    Place { root: located.root, folder: folder.to_owned() }
}

/// Returns the trust level of a root: lower outside the workspace.
pub(super) fn trust(root: usize) -> Trust {
    if root == 0 { Trust::Resource } else { Trust::External }
}

pub(super) fn failed(reference: &str, error: &FileError) -> LoadError {
    let code = match error {
        FileError::NotFound { .. } => "REF3030",
        FileError::Outside(_) | FileError::LeadsOut(_) => "REF3031",
        FileError::TooLarge { .. } => "REF3013",
        FileError::Refused(_) => error.code(),
        _ => "REF3032",
    };
    let help = match error {
        FileError::IsFolder(path) => format!("name a file in it, or all of them: @file://{path}/*"),
        FileError::TooLarge { .. } => {
            "name a smaller file, or raise `file_bytes` under [limits] in contexture.toml"
                .to_owned()
        }
        other => other.help(),
    };
    LoadError::new(code, reference, error.to_string()).with_help(help)
}
