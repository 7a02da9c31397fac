//! A program that is loaded once for many runs.

use super::load_in;
use super::result::{RunFailure, SetupError};
use crate::observe::Silent;
use crate::project::Project;
use crate::run::{RunRequest, references_of};
use crate::written::OnDemand;
use contexture_script::program::Program;
use contexture_script::runtime::{Executable, compile};
use contexture_tools::Workspace;
use std::path::Path;
use std::sync::Arc;

/// A checked and compiled program, which any number of runs of its project share. What has changed on
/// disk since is not seen.
#[derive(Debug)]
pub struct Loaded {
    pub(crate) program: Program,
    pub(crate) executable: Executable,
    /// Knows which files belong to the program.
    workspace: Arc<Workspace>,
}

impl Loaded {
    /// Loads a program with all its imports.
    ///
    /// # Errors
    /// [`RunFailure`] when it can't be read or is refused.
    pub fn new(project: &Project, path: &Path) -> Result<Arc<Self>, RunFailure> {
        Self::alone(project, path, None)
    }

    /// Loads a program whose text is at hand: the path names it, and its imports are found from there.
    ///
    /// # Errors
    /// [`RunFailure`] when an import can't be read, or the program is refused.
    pub fn of_text(project: &Project, path: &Path, text: &str) -> Result<Arc<Self>, RunFailure> {
        Self::alone(project, path, Some(text))
    }

    fn alone(project: &Project, path: &Path, text: Option<&str>) -> Result<Arc<Self>, RunFailure> {
        let request = RunRequest { dry_run: true, ..RunRequest::default() };
        let references = references_of(project, &request, Arc::new(Silent))?;
        Ok(Arc::new(Self::within(&references, path, text)?))
    }

    /// Returns the program of a request: the one that it shares, or a new one.
    pub(super) fn of(
        request: &RunRequest,
        references: &Arc<OnDemand>,
    ) -> Result<Arc<Self>, RunFailure> {
        let Some(loaded) = &request.loaded else {
            let text = request.text.as_deref();
            return Ok(Arc::new(Self::within(references, &request.program, text)?));
        };
        references.workspace().learn_of(&loaded.workspace);
        Ok(Arc::clone(loaded))
    }

    fn within(
        references: &Arc<OnDemand>,
        path: &Path,
        text: Option<&str>,
    ) -> Result<Self, RunFailure> {
        let loaded: Result<_, SetupError> = load_in(references, path, text);
        let (program, checked) = loaded?;
        if checked.has_errors() {
            return Err(RunFailure::Source(checked));
        }
        let (executable, workspace) = (compile(&program), Arc::clone(references.workspace()));
        Ok(Self { program, executable, workspace })
    }
}
