//! The result of a run: its value, or an error that can be sent, boxed and shown (HO-1).

use super::cost::RunCost;
use contexture_context::Label;
use contexture_context::manifest::{AttemptRecord, PassedOver, RankedRecord};
use contexture_diagnostic::{Diagnostic, Severity, SourceFile, render};
use contexture_prompt::Usage;
use contexture_script::runtime::RunError as ProgramError;
use contexture_script::semantic::GenerateFacts;
use serde::Serialize;
use serde_json::Value;
use std::fmt;

/// The report of a run, successful or not.
#[derive(Debug)]
pub struct RunReport {
    /// The id under which the run is kept.
    pub run: Option<String>,
    /// The id under which it can be taken up again.
    pub durable: Option<String>,
    /// The program's value, or the failure.
    pub outcome: Result<Value, RunFailure>,
    /// The label of the value, or of the failure's text: its trust level is the least of all that is
    /// in it (AS-20, GU-4).
    pub label: Label,
    /// The tokens that the models took.
    pub usage: Usage,
    /// True if a part of them was counted here, as a provider reported none.
    pub usage_estimated: bool,
    /// The model calls, in the order in which their prompts were built.
    pub calls: Vec<CallReport>,
    /// What they cost.
    pub cost: RunCost,
    /// Likely mistakes of the program, each once.
    pub warnings: Vec<String>,
    /// The prompts that a dry run built.
    pub prompts: Vec<DryPrompt>,
}

impl RunReport {
    /// Returns the report of a run that could not begin.
    pub(crate) fn refused(failure: RunFailure) -> Self {
        Self {
            run: None,
            durable: None,
            outcome: Err(failure),
            label: Label::default(),
            usage: Usage::default(),
            usage_estimated: false,
            calls: Vec::new(),
            cost: RunCost::none(),
            warnings: Vec::new(),
            prompts: Vec::new(),
        }
    }
}

/// The reason why a run gave no value.
#[derive(Debug, thiserror::Error)]
pub enum RunFailure {
    /// The source was refused; nothing ran.
    #[error("{0}")]
    Source(CheckReport),
    /// Something that the run needs is missing or invalid; nothing ran.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The program failed.
    #[error("{}:{}:{}: {}", error.file, error.line, error.column, error.message)]
    Program {
        /// The error, with its place and calls.
        #[source]
        error: Box<ProgramError>,
        /// The files of the program, for excerpts.
        files: Vec<SourceFile>,
    },
}

impl RunFailure {
    /// Returns the stable code of the reason, such as `shape_mismatch`, `timeout` or
    /// `program_refused`.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Source(_) => "program_refused",
            Self::Setup(error) => &error.code,
            Self::Program { error, .. } => &error.code,
        }
    }
}

/// The reason why a run could not begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SetupError {
    /// Stable code.
    pub code: String,
    /// The message.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
}

impl SetupError {
    pub(crate) fn new(code: &str, message: impl ToString, help: Option<String>) -> Self {
        Self { code: code.to_owned(), message: message.to_string(), help }
    }
}

/// A checked program.
#[derive(Debug, Clone)]
pub struct CheckReport {
    /// All files of the program.
    pub files: Vec<SourceFile>,
    /// The findings, sorted by file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// What each model call of the program may cause, sorted by file and place.
    pub generates: Vec<GenerateFacts>,
}

impl CheckReport {
    /// Reports whether the program is refused.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|found| found.severity == Severity::Error)
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = || self.diagnostics.iter().filter(|found| found.severity == Severity::Error);
        let Some(first) = errors().next() else { return f.write_str("the program is correct") };
        let file = self.files.iter().find(|file| file.name() == first.file).or(self.files.first());
        match file {
            Some(file) => f.write_str(&render::one_line(first, file))?,
            None => f.write_str(&first.message)?,
        }
        match errors().count() - 1 {
            0 => Ok(()),
            1 => f.write_str(" (and 1 more error)"),
            more => write!(f, " (and {more} more errors)"),
        }
    }
}

/// A model call that has ended, with or without an answer (CA-1).
#[derive(Debug, Clone, PartialEq)]
pub struct CallReport {
    /// Its number in the run, from 1, as `contexture trace prompt` takes it.
    pub call: u64,
    /// Its place in the program, as `file:line:column`.
    pub site: String,
    /// The model that answered, or that was asked last.
    pub model: String,
    /// The models that were passed over before it.
    pub passed_over: Vec<PassedOver>,
    /// Its attempts.
    pub attempts: Vec<AttemptRecord>,
    /// The requests that were sent, to the models that were passed over, too.
    pub requests: usize,
    /// True if a limit refused it before its first request: no model was asked.
    pub is_refused: bool,
}

impl CallReport {
    /// Returns the reason why the last answer ended, if the provider reported one.
    #[must_use]
    pub fn finish(&self) -> Option<&str> {
        self.attempts.last()?.finish_reason.as_deref()
    }
}

/// A prompt that a dry run built and did not send.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DryPrompt {
    /// The place in the program, as `file:line:column`.
    pub site: String,
    /// The model that would have been called.
    pub model: String,
    /// The system message.
    pub system: Option<String>,
    /// The user message.
    pub user: String,
    /// The JSON Schema of the answer.
    pub schema: Option<Value>,
    /// The items, in prompt order.
    pub items: Vec<DryItem>,
    /// What questions of `use` selected, and what they left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranked: Vec<RankedRecord>,
    /// The functions that the model is offered with it.
    pub tools: Vec<DryTool>,
    /// Tokens of its messages.
    pub tokens: u64,
    /// Tokens of the whole prompt: of its messages, and of the definitions of its tools.
    pub total_tokens: u64,
    /// False if they were counted by another tokenizer than the model's own.
    pub tokens_exact: bool,
    /// True if a placeholder was given before it: its text, and whether it is sent at all, may then
    /// differ.
    pub on_placeholders: bool,
    /// The parts of it that hold text of placeholders: items by `[label]` or source,
    /// `the instruction`.
    pub placeholders: Vec<String>,
    /// The operations for which placeholders were given before it.
    pub after: Vec<String>,
}

/// A function that a model is offered with a [`DryPrompt`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DryTool {
    /// Its name, as the model sees it.
    pub name: String,
    /// Its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of its parameters.
    pub schema: Value,
    /// Tokens of its definition.
    pub tokens: u64,
}

/// An item of a [`DryPrompt`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DryItem {
    /// Its place, from 0.
    pub index: usize,
    /// Its label.
    pub label: Option<String>,
    /// Its source expression.
    pub source: String,
    /// Its text as it stands in the prompt.
    pub text: String,
    /// Tokens of that text.
    pub tokens: u64,
    /// Tokens before any cut.
    pub tokens_before: u64,
    /// Its own budget, as `{amount, unit, …}`.
    pub budget: Option<Value>,
    /// True if something is missing.
    pub clipped: bool,
    /// Its trust level.
    pub trust: String,
    /// Its best score, if a question selected it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// A run that gave a value.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Run {
    /// The id under which the run is kept, as for `contexture trace`; `None` when it is not kept.
    pub id: Option<String>,
    /// The id under which it can be taken up again; `None` without a journal.
    pub durable: Option<String>,
    /// The program's value.
    pub value: Value,
    /// The label of the value: its trust level is the least of all that is in it (AS-20), its sources
    /// are those of all (GU-4).
    pub label: Label,
    /// The tokens that the models took.
    pub usage: Usage,
    /// True if a part of them was counted here, as a provider reported none.
    pub usage_estimated: bool,
    /// The model calls, in the order in which their prompts were built.
    pub calls: Vec<CallReport>,
    /// What they cost.
    pub cost: RunCost,
    /// Likely mistakes of the program, each once.
    pub warnings: Vec<String>,
    /// The prompts that a dry run built.
    pub prompts: Vec<DryPrompt>,
}

/// A run that gave no value, with the reason and its record.
#[derive(Debug)]
pub struct RunError(Box<Failed>);

#[derive(Debug)]
struct Failed {
    failure: RunFailure,
    id: Option<String>,
    durable: Option<String>,
    label: Label,
    usage: Usage,
    usage_estimated: bool,
    calls: Vec<CallReport>,
    cost: RunCost,
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
        self.0.failure.code()
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

    /// Returns the id under which the run can be taken up again; `None` without a journal.
    #[must_use]
    pub fn durable(&self) -> Option<&str> {
        self.0.durable.as_deref()
    }

    /// Returns the tokens that the models took until then.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.0.usage
    }

    /// Returns the model calls until then, in the order in which their prompts were built.
    #[must_use]
    pub fn calls(&self) -> &[CallReport] {
        &self.0.calls
    }

    /// Returns what they cost.
    #[must_use]
    pub fn cost(&self) -> RunCost {
        self.0.cost
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
        let RunReport {
            run: id,
            durable,
            outcome,
            label,
            usage,
            usage_estimated,
            calls,
            cost,
            warnings,
            prompts,
        } = report;
        match outcome {
            Ok(value) => Ok(Run {
                id,
                durable,
                value,
                label,
                usage,
                usage_estimated,
                calls,
                cost,
                warnings,
                prompts,
            }),
            Err(failure) => {
                let failed = Failed {
                    failure,
                    id,
                    durable,
                    label,
                    usage,
                    usage_estimated,
                    calls,
                    cost,
                    warnings,
                    prompts,
                };
                Err(RunError(Box::new(failed)))
            }
        }
    }
}

impl From<Result<Run, RunError>> for RunReport {
    fn from(result: Result<Run, RunError>) -> Self {
        match result {
            Ok(Run {
                id: run,
                durable,
                value,
                label,
                usage,
                usage_estimated,
                calls,
                cost,
                warnings,
                prompts,
            }) => Self {
                run,
                durable,
                outcome: Ok(value),
                label,
                usage,
                usage_estimated,
                calls,
                cost,
                warnings,
                prompts,
            },
            Err(RunError(failed)) => {
                let Failed {
                    failure,
                    id: run,
                    durable,
                    label,
                    usage,
                    usage_estimated,
                    calls,
                    cost,
                    warnings,
                    prompts,
                } = *failed;
                Self {
                    run,
                    durable,
                    outcome: Err(failure),
                    label,
                    usage,
                    usage_estimated,
                    calls,
                    cost,
                    warnings,
                    prompts,
                }
            }
        }
    }
}
