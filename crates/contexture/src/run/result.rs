//! The result of a run: its value, or an error that can be sent, boxed and shown (HO-1).

use super::{RunFailure, RunReport};
use crate::host::DryPrompt;
use contexture_context::Trust;
use contexture_diagnostic::{Diagnostic, SourceFile};
use contexture_prompt::Usage;
use serde_json::Value;
use std::fmt;

/// A run that gave a value.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Run {
    /// The id under which the run is kept, as for `contexture trace`; `None` when it is not kept.
    pub id: Option<String>,
    /// The program's value.
    pub value: Value,
    /// How far the value may be believed: as the least of all that is in it (AS-20).
    pub trust: Trust,
    /// The tokens that the models took.
    pub usage: Usage,
    /// Likely mistakes of the program, each once.
    pub warnings: Vec<String>,
    /// The prompts that a dry run built.
    pub prompts: Vec<DryPrompt>,
}

/// A run that gave no value: why, and what is kept of it.
#[derive(Debug)]
pub struct RunError(Box<Failed>);

#[derive(Debug)]
struct Failed {
    failure: RunFailure,
    id: Option<String>,
    trust: Trust,
    usage: Usage,
    warnings: Vec<String>,
    prompts: Vec<DryPrompt>,
}

impl RunError {
    /// Returns the reason.
    #[must_use]
    pub fn failure(&self) -> &RunFailure {
        &self.0.failure
    }

    /// Returns the stable code of the reason, such as `shape_mismatch`, `timeout` or
    /// `program_refused`.
    #[must_use]
    pub fn code(&self) -> &str {
        match &self.0.failure {
            RunFailure::Source(_) => "program_refused",
            RunFailure::Setup(error) => &error.code,
            RunFailure::Program { error, .. } => &error.code,
        }
    }

    /// Returns how to fix it.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        match &self.0.failure {
            RunFailure::Source(_) => None,
            RunFailure::Setup(error) => error.help.as_deref(),
            RunFailure::Program { error, .. } => error.help.as_deref(),
        }
    }

    /// Returns the diagnostics with their places: all faults of a refused source, or the one of a
    /// program that failed. Nothing when the run could not begin.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        match &self.0.failure {
            RunFailure::Source(checked) => checked.diagnostics.clone(),
            RunFailure::Setup(_) => Vec::new(),
            RunFailure::Program { error, .. } => vec![error.to_diagnostic()],
        }
    }

    /// Returns the files of the program, for rendering [`RunError::diagnostics`].
    #[must_use]
    pub fn files(&self) -> &[SourceFile] {
        match &self.0.failure {
            RunFailure::Source(checked) => &checked.files,
            RunFailure::Setup(_) => &[],
            RunFailure::Program { files, .. } => files,
        }
    }

    /// Returns the id under which the run is kept; `None` when it is not kept or did not begin.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.0.id.as_deref()
    }

    /// Returns the tokens that the models took until then.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.0.usage
    }

    /// Returns likely mistakes of the program, each once.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.0.warnings
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.failure.fmt(f)
    }
}

impl std::error::Error for RunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.0.failure)
    }
}

impl From<RunReport> for Result<Run, RunError> {
    fn from(report: RunReport) -> Self {
        let RunReport { run: id, outcome, trust, usage, warnings, prompts } = report;
        match outcome {
            Ok(value) => Ok(Run { id, value, trust, usage, warnings, prompts }),
            Err(failure) => {
                let failed = Failed { failure, id, trust, usage, warnings, prompts };
                Err(RunError(Box::new(failed)))
            }
        }
    }
}

impl From<Result<Run, RunError>> for RunReport {
    fn from(result: Result<Run, RunError>) -> Self {
        match result {
            Ok(Run { id: run, value, trust, usage, warnings, prompts }) => {
                Self { run, outcome: Ok(value), trust, usage, warnings, prompts }
            }
            Err(RunError(failed)) => {
                let Failed { failure, id: run, trust, usage, warnings, prompts } = *failed;
                Self { run, outcome: Err(failure), trust, usage, warnings, prompts }
            }
        }
    }
}
