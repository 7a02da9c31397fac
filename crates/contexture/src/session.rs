//! A session: lines that build on each other, with the models, tools and memories of a project
//! (AS-31).
//!
//! All lines of a session are one run: one trace, one undo history, one set of memories.

use crate::host::LiveHost;
use crate::loader::WorkspaceLoader;
use crate::observe::Observer;
use crate::project::Project;
use crate::recorder::recorded;
use crate::run::{self, RunRequest, SetupError};
use contexture_diagnostic::SourceFile;
use contexture_llm::CancelToken;
use contexture_prompt::Usage;
use contexture_script::program::Program;
use contexture_script::runtime::{self, SessionError, SessionOutcome};
use std::sync::Arc;

/// A session in a project.
pub struct Session {
    lines: runtime::Session,
    host: LiveHost,
    run: Option<String>,
}

impl Session {
    /// Opens a session. The program and the input of the request do not matter.
    ///
    /// # Errors
    /// [`SetupError`] when something that it needs is missing or invalid.
    pub fn open(
        project: &Project,
        request: &RunRequest,
        observer: Arc<dyn Observer>,
    ) -> Result<Self, SetupError> {
        let references = run::references_of(project, request, Arc::clone(&observer))?;
        let loader = WorkspaceLoader::new(Arc::clone(&references));
        let program = Program::default();
        let run::Opened { host, run, .. } = run::host(
            project,
            request,
            references,
            (&program, None),
            observer,
            CancelToken::new(),
        )?;
        let options = run::options(project, request);
        let lines = runtime::Session::with_loader(options, Box::new(loader));
        Ok(Self { lines, host, run })
    }

    /// Reads and runs a line, which may be several lines of text; `cancel` ends it.
    ///
    /// # Errors
    /// [`SessionError`]; after `Incomplete` the same text is to be given again with more.
    pub async fn eval(
        &mut self,
        line: &str,
        cancel: CancelToken,
    ) -> Result<SessionOutcome, SessionError> {
        self.host.cancel_by(cancel);
        let outcome = recorded(self.host.recorder(), self.lines.eval(line, &self.host)).await;
        // The next line may be long in coming.
        self.host.recorder().flush();
        outcome
    }

    /// Returns the names of the variables so far.
    #[must_use]
    pub fn variables(&self) -> Vec<&str> {
        self.lines.variables()
    }

    /// Returns all lines so far as one text, to show an excerpt for an error.
    #[must_use]
    pub fn source(&self) -> SourceFile {
        self.lines.source()
    }

    /// Returns the id under which the session is kept.
    #[must_use]
    pub fn run(&self) -> Option<&str> {
        self.run.as_deref()
    }

    /// Returns the tokens that the models took so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.host.usage()
    }
}
