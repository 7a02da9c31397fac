//! `file`: files of the workspace and of the other allowed roots (REF-13, REF-21).
//!
//! Decision: a relative path starts in the folder of the document that holds the reference; if
//! nothing is there, at the workspace root. Both go through a [`Workspace`], so that neither `..`
//! nor a symlink leads out, and only regular files are opened.

pub(super) mod media;
mod walk;

use crate::pattern;
use contexture_context::Trust;
use contexture_core::reference::{
    Content, LoadError, LoadFuture, Loaded, Parameter, ParameterKind, Place, Protocol, Request,
    Resource, Role,
};
use contexture_tools::{FileError, Workspace, WorkspacePath};
use std::sync::Arc;

/// The `file` protocol.
#[derive(Debug, Clone)]
pub struct Files {
    roots: Vec<Arc<Workspace>>,
    parameters: Vec<Parameter>,
}

/// Where a path was found.
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
        let ignore = Parameter {
            name: "ignore".to_owned(),
            kind: ParameterKind::Boolean,
            description: "whether a pattern passes over what .gitignore files name".to_owned(),
            default: Some("true".to_owned()),
            required: false,
        };
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

    /// Returns where a path leads: from the place, or from the workspace when nothing is there.
    /// What is not there at all is where the author meant it to be.
    fn place_of(&self, path: &str, place: &Place) -> Result<Located, FileError> {
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

    fn root(&self, located: &Located) -> Result<&Workspace, FileError> {
        let workspace = self.roots.get(located.root).map(Arc::as_ref);
        workspace.ok_or_else(|| FileError::Outside(located.path.to_string()))
    }

    fn read(&self, request: Request<'_>) -> Result<Loaded, LoadError> {
        if pattern::is_pattern(request.path) {
            return walk::matches(self, request);
        }
        let fail = |error: FileError| failed(request.reference, &error);
        let located = self.place_of(request.path, request.place).map_err(fail)?;
        let bytes =
            self.root(&located).and_then(|root| root.read_bytes(&located.path, request.max_bytes));
        let resource = resource(request.reference, &located, bytes.map_err(fail)?);
        Ok(Loaded { resources: vec![resource], ..Loaded::default() })
    }
}

fn resource(reference: &str, located: &Located, bytes: Vec<u8>) -> Resource {
    Resource {
        reference: reference.to_owned(),
        media_type: media::of_name(located.path.name()).to_owned(),
        content: Content::Bytes(bytes),
        trust: trust(located.root),
    }
}

/// Returns what lies outside the workspace is believed less.
fn trust(root: usize) -> Trust {
    if root == 0 { Trust::Resource } else { Trust::External }
}

fn failed(reference: &str, error: &FileError) -> LoadError {
    let code = match error {
        FileError::NotFound { .. } => "REF3030",
        FileError::Outside(_) | FileError::LeadsOut(_) => "REF3031",
        FileError::TooLarge { .. } => "REF3013",
        _ => "REF3032",
    };
    let help = match error {
        FileError::IsFolder(path) => format!("name a file in it, or all of them: @file://{path}/*"),
        FileError::TooLarge { .. } => "name a smaller file, or raise the limit".to_owned(),
        other => other.help(),
    };
    LoadError::new(code, reference, error.to_string()).with_help(help)
}

impl Protocol for Files {
    fn name(&self) -> &str {
        "file"
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn connects(&self) -> bool {
        false
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        Box::pin(async move { self.read(request) })
    }
}
