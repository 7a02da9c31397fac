//! Faults of a set that are found before it runs.

use crate::run::{CheckReport, SetupError};
use contexture_diagnostic::Severity;
use contexture_flow::check::Report;

/// A fault of a set, found before it runs.
#[derive(Debug)]
pub enum FlowError {
    /// All faults of the set, with warnings.
    Refused(Report),
    /// A program that it needs has faults.
    Program(CheckReport),
    /// Something that it needs is missing or invalid.
    Setup(SetupError),
}

impl FlowError {
    pub(super) fn setup(code: &str, message: impl ToString, help: impl Into<String>) -> Self {
        Self::Setup(SetupError::new(code, message, Some(help.into())))
    }

    /// Returns a stable code: of the first fault, or of what is missing.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Refused(report) => {
                report.diagnostics.first().map_or("VALIDATION_FAILED", |fault| fault.code)
            }
            Self::Program(_) => "program_refused",
            Self::Setup(error) => &error.code,
        }
    }

    /// Returns how to fix it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Refused(report) => report.diagnostics.first()?.help.clone(),
            Self::Program(_) => {
                Some("`contexture check` shows all faults of the program".to_owned())
            }
            Self::Setup(error) => error.help.clone(),
        }
    }
}

impl std::fmt::Display for FlowError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(report) => report.fmt(f),
            Self::Program(checked) => {
                let file = checked.files.first().map_or("", |file| file.name());
                let is_error =
                    |fault: &&contexture_diagnostic::Diagnostic| fault.severity == Severity::Error;
                let first = checked.diagnostics.iter().find(is_error);
                let words = first.map_or("it is refused", |fault| fault.message.as_str());
                write!(f, "the program {file} has faults: {words}")
            }
            Self::Setup(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FlowError {}

impl From<SetupError> for FlowError {
    fn from(error: SetupError) -> Self {
        Self::Setup(error)
    }
}
