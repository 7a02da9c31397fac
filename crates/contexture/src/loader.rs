//! Source files of the workspace, for programs and what they import (AS-2).

use contexture_script::host::{LoadError, LoadedSource, SourceLoader};
use contexture_tools::{FileError, Workspace, WorkspacePath};
use std::path::Path;
use std::sync::Arc;

/// Loads programs from a workspace, and from nowhere else.
#[derive(Debug, Clone)]
pub struct WorkspaceLoader {
    workspace: Arc<Workspace>,
    limit: u64,
}

impl WorkspaceLoader {
    /// A loader that reads files of at most `limit` bytes.
    #[must_use]
    pub fn new(workspace: Arc<Workspace>, limit: usize) -> Self {
        Self { workspace, limit: limit as u64 }
    }

    /// The program at `path`, a path of the file system.
    ///
    /// # Errors
    /// [`LoadError`] when it is not there, no text, too large, or outside the workspace.
    pub fn program(&self, path: &Path) -> Result<LoadedSource, LoadError> {
        let shown = path.display().to_string();
        let absolute = std::path::absolute(path)
            .map_err(|error| LoadError { message: format!("{shown}: {error}"), help: None })?;
        let text = absolute.to_str().ok_or_else(|| LoadError {
            message: format!("the path {shown} is not valid Unicode"),
            help: Some("rename the file".to_owned()),
        })?;
        self.read(self.workspace.resolve(text))
    }

    fn read(&self, place: Result<WorkspacePath, FileError>) -> Result<LoadedSource, LoadError> {
        let place = place.map_err(load_error)?;
        let text = self.workspace.read_text(&place, self.limit).map_err(load_error)?;
        Ok(LoadedSource { name: place.as_str().to_owned(), text })
    }
}

impl SourceLoader for WorkspaceLoader {
    fn load(&self, importer: &str, path: &str) -> Result<LoadedSource, LoadError> {
        self.read(resolve_import(&self.workspace, importer, path))
    }
}

/// The place that an import means: relative to the folder of the importing file.
///
/// # Errors
/// [`FileError`] when it lies outside the workspace.
pub(crate) fn resolve_import(
    workspace: &Workspace,
    importer: &str,
    path: &str,
) -> Result<WorkspacePath, FileError> {
    let importer = workspace.resolve(importer)?;
    workspace.resolve_from(&importer.parent(), path)
}

fn load_error(error: FileError) -> LoadError {
    LoadError { message: error.to_string(), help: Some(error.help()) }
}
