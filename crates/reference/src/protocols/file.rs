//! `file`: files of the workspace and of the other allowed roots (REF-13, REF-21).
//!
//! Decision: a relative path starts in the folder of the document that holds the reference; if
//! nothing is there, at the workspace root. Both go through a [`Workspace`], so that neither `..`
//! nor a symlink leads out, and only regular files are opened.

mod roots;
mod walk;

pub use roots::{Files, Located};

use crate::pattern;
use contexture_core::reference::{
    LoadError, LoadFuture, Loaded, Parameter, Protocol, Request, Role,
};
use contexture_tools::FileError;
use roots::{failed, resource};

impl Files {
    /// Returns why a pattern matches nothing, if so (CA-14).
    ///
    /// # Errors
    /// [`LoadError`] when it can't be searched.
    pub fn unmatched(&self, request: Request<'_>) -> Result<Option<String>, LoadError> {
        if pattern::is_pattern(request.path) { walk::unmatched(self, request) } else { Ok(None) }
    }

    /// Reads a file, or the files that a pattern matches, at once.
    ///
    /// # Errors
    /// [`LoadError`] when it can't be read.
    pub fn read(&self, request: Request<'_>) -> Result<Loaded, LoadError> {
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
