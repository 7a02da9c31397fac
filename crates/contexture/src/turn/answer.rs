//! From the value of a run to the answer of a turn.

use super::event::Finish;
use super::watch::{Left, Watch};
use crate::run::result::{CheckReport, RunFailure, RunReport, SetupError};
use contexture_context::Label;
use contexture_diagnostic::{Severity, render};
use contexture_llm::Ended;
use contexture_prompt::{ToolCall, Usage};
use contexture_script::runtime::FailureKind;
use serde_json::Value;

/// The report of a turn, successful or not.
#[derive(Debug)]
pub struct TurnReport {
    /// The id under which the run is kept.
    pub run: Option<String>,
    /// The agent's value, or the failure.
    pub outcome: Result<Value, RunFailure>,
    /// The answer; for a failed turn, the part of it that was sent as
    /// [`TurnEvent::Delta`](super::TurnEvent::Delta) since the last
    /// [`TurnEvent::ToolCalls`](super::TurnEvent::ToolCalls).
    pub text: String,
    /// The way it ended.
    pub finish: Finish,
    /// The calls of the caller's tools that ended it.
    pub calls: Vec<ToolCall>,
    /// The URI of the model that was called last, if any.
    pub model: Option<String>,
    /// The tokens that the models took in all.
    pub usage: Usage,
    /// Likely mistakes of the program, each once.
    pub warnings: Vec<String>,
    /// The label of the answer: that of all that it was made of.
    pub label: Label,
}

/// The reason why a turn gave no answer.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnError {
    /// A stable code: of the program (`timeout`, `shape_mismatch`), of a front-end tool
    /// (`PERMISSION_DENIED`), or of what the turn needs (`turn_input`).
    pub code: String,
    /// The message, in one line.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
    /// Further data.
    pub details: Option<Value>,
    /// True if the turn was cancelled.
    pub cancelled: bool,
}

impl TurnReport {
    /// Returns the report of a turn that could not begin.
    pub(crate) fn refused(error: SetupError) -> Self {
        Self {
            run: None,
            outcome: Err(RunFailure::Setup(error)),
            text: String::new(),
            finish: Finish::Error,
            calls: Vec::new(),
            model: None,
            usage: Usage::default(),
            warnings: Vec::new(),
            label: Label::default(),
        }
    }

    /// Returns the value if it is more than the text, for `metadata.value`.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        self.outcome.as_ref().ok().filter(|value| !value.is_string() && !value.is_null())
    }

    /// Returns the reason why there is no answer.
    #[must_use]
    pub fn error(&self) -> Option<TurnError> {
        self.outcome.as_ref().err().map(told)
    }
}

/// Returns a failure as a [`TurnError`].
pub(crate) fn told(failure: &RunFailure) -> TurnError {
    let (message, help, details, cancelled) = match failure {
        RunFailure::Setup(error) => (error.message.clone(), error.help.clone(), None, false),
        RunFailure::Source(checked) => {
            let help = "`contexture check` shows all faults of the program";
            (refused(checked), Some(help.to_owned()), None, false)
        }
        RunFailure::Program { error, .. } => {
            let is_cancelled = error.kind == FailureKind::Cancelled;
            (error.message.clone(), error.help.clone(), error.details.clone(), is_cancelled)
        }
    };
    TurnError { code: failure.code().to_owned(), message, help, details, cancelled }
}

/// The most faults of a refused program that are listed.
const FAULTS: usize = 5;

/// Returns the report of a turn.
pub(super) fn report(taken: Result<RunReport, RunFailure>, watch: &Watch) -> TurnReport {
    let model = watch.model();
    let (run, outcome, usage, warnings, label) = match taken {
        Ok(report) => (report.run, report.outcome, report.usage, report.warnings, report.label),
        Err(failure) => (None, Err(failure), Usage::default(), Vec::new(), Label::default()),
    };
    if let Some(Left { text, calls, label }) = watch.take_left() {
        // Its run ends there, and the turn is as it should be.
        let (outcome, finish) = (Ok(Value::Null), Finish::ToolCalls);
        return TurnReport { run, outcome, text, finish, calls, model, usage, warnings, label };
    }
    let (text, finish) = match &outcome {
        Ok(value) => (text_of(value), watch.finish()),
        // What was cut off is kept for whoever can use a part (CA-1).
        Err(failure) => match cut_text(failure) {
            Some(text) => (text.to_owned(), Finish::Length),
            None => (watch.told(), Finish::Error),
        },
    };
    let calls = Vec::new();
    TurnReport { run, outcome, text, finish, calls, model, usage, warnings, label }
}

/// Returns the text so far of an answer that was cut off.
fn cut_text(failure: &RunFailure) -> Option<&str> {
    match failure {
        RunFailure::Program { error, .. } if failure.code() == Ended::CutOff.code() => {
            error.details.as_ref()?.get("answer")?.as_str()
        }
        _ => None,
    }
}

/// Returns the text of the answer.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Object(fields) => match fields.get("text") {
            Some(Value::String(text)) => text.clone(),
            _ => value.to_string(),
        },
        value => value.to_string(),
    }
}

/// Returns why a program is refused, in one line.
pub(super) fn refused(checked: &CheckReport) -> String {
    let errors = checked.diagnostics.iter().filter(|fault| fault.severity == Severity::Error);
    let lines = errors.take(FAULTS).filter_map(|fault| {
        let file = checked.files.iter().find(|file| file.name() == fault.file);
        Some(render::one_line(fault, file.or(checked.files.first())?))
    });
    format!("the program is refused: {}", lines.collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cp_5_text_of_answer_follows_from_its_value() {
        for (value, text) in [
            (json!("hello"), "hello"),
            (json!({ "text": "hello", "sources": ["a"] }), "hello"),
            (json!({ "text": 3 }), "{\"text\":3}"),
            (json!({ "b": 1, "a": [true] }), "{\"b\":1,\"a\":[true]}"),
            (json!([1, 2]), "[1,2]"),
            (json!(null), ""),
            (json!(4), "4"),
        ] {
            assert_eq!(text_of(&value), text);
        }
    }
}
