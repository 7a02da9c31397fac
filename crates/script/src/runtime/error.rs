//! Errors of a run: code, reason, fix, place and the calls that led there (AS-9).

pub use super::codes;

use super::value::tag::{Tag, Tags};
use crate::host::HostError;
use contexture_context::{Position, Trust};
use contexture_core::profile::COST_LIMIT;
use contexture_diagnostic::{Diagnostic, Span};
use serde::Serialize;
use serde_json::{Value as Json, json};
use std::borrow::Cow;

/// A call that was open when a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallFrame {
    /// The function, as `Agent.name`; `main func` reads `Agent.main`.
    pub function: String,
    /// Its file.
    pub file: String,
    /// The line being executed, from 1.
    pub line: u32,
    /// Its column in characters, from 1.
    pub column: u32,
}

/// The kind of a failure; it decides whether `try` can catch it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The program broke a rule of the language.
    Program,
    /// An effect failed: a model, tool, memory or file.
    Effect,
    /// A limit was reached. Not catchable.
    Limit,
    /// The run was cancelled. Not catchable.
    Cancelled,
}

/// The error of a failed run.
///
/// `code` is one of [`codes::CODES`], or for a failed effect the code that the host returned, such
/// as `file_not_found`.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[error("{file}:{line}:{column}: {code}: {message}")]
pub struct RunError {
    /// Stable code.
    pub code: String,
    /// The message, in one line.
    pub message: String,
    /// The way to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The kind of failure.
    pub kind: FailureKind,
    /// The file in which it happened, by its source name.
    pub file: String,
    /// The span in the file, in bytes.
    pub span: Span,
    /// The line of the span's start, from 1.
    pub line: u32,
    /// The column of the span's start in characters, from 1.
    pub column: u32,
    /// The open calls, innermost first; of very many the middle ones are omitted.
    pub trace: Vec<CallFrame>,
    /// The number of calls omitted from `trace`.
    pub trace_omitted: usize,
    /// Further data, such as errors by field path or the failed items of a `parallel for`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Json>,
    /// The tag of message and details, and of that it happened.
    #[serde(skip)]
    pub(crate) tag: Tag,
}

impl RunError {
    /// Returns the failure as a diagnostic, with the calls that led there in its help.
    #[must_use]
    pub fn to_diagnostic(&self) -> Diagnostic {
        let known = codes::find(&self.code);
        let message = match known {
            Some(_) => self.message.clone(),
            None => format!("{} ({})", self.message, self.code),
        };
        // A code of its own is that of a program's `fail`, or of a host.
        let other = match self.kind {
            // A `parallel for` whose items met the limit of cost has its code.
            FailureKind::Program if self.code != COST_LIMIT => codes::FAILED,
            _ => codes::EFFECT,
        };
        let code = known.map_or(other, |known| known.code);
        let mut diagnostic = Diagnostic::error(code, message, self.span).in_file(&self.file);
        let mut help = self.help.clone().unwrap_or_default();
        for frame in self.trace.iter().skip(1) {
            let CallFrame { function, file, line, column } = frame;
            if !help.is_empty() {
                help.push('\n');
            }
            help.push_str(&format!("called from {function} at {file}:{line}:{column}"));
        }
        if !help.is_empty() {
            diagnostic = diagnostic.with_help(help);
        }
        diagnostic
    }

    pub(crate) fn to_event(&self, caught: bool) -> Json {
        let mut data = json!({
            "code": self.code,
            "message": self.message,
            "file": self.file,
            "line": self.line,
            "column": self.column,
        });
        if let Some(data) = data.as_object_mut() {
            if caught {
                data.insert("caught".to_owned(), Json::Bool(true));
            }
            if let Some(details) = &self.details {
                data.insert("details".to_owned(), details.clone());
            }
        }
        data
    }
}

/// A failure without a place yet.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) code: Cow<'static, str>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) details: Option<Json>,
    pub(crate) kind: FailureKind,
    /// The tag of `message` and `details` in a handler, and of that it happened.
    pub(crate) tag: Tag,
    /// True if the call is at fault and not the function that noticed.
    pub(crate) at_caller: bool,
    /// The original failure, if it already has a place.
    pub(crate) origin: Option<Box<RunError>>,
}

/// The result of a step that may fail. The fault is boxed, so that success stays small.
pub(crate) type Checked<T> = Result<T, Box<Fault>>;

impl Fault {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            code: Cow::Borrowed(code),
            message: message.into(),
            help: None,
            details: None,
            kind: FailureKind::Program,
            tag: Tag::PROGRAM,
            at_caller: false,
            origin: None,
        })
    }

    pub(crate) fn limit(code: &'static str, message: impl Into<String>) -> Box<Self> {
        let mut fault = Self::new(code, message);
        fault.kind = FailureKind::Limit;
        fault
    }

    /// Reports whether the run made more than it may hold, whatever of it is still held.
    pub(crate) fn is_heap(&self) -> bool {
        self.code == codes::HEAP_BYTES && self.origin.is_none()
    }

    pub(crate) fn cancelled() -> Box<Self> {
        let mut fault = Self::new(codes::CANCELLED, "the run was cancelled");
        fault.kind = FailureKind::Cancelled;
        fault
    }

    /// Creates the fault of a failed effect; `trust` is that of its result.
    pub(crate) fn effect(error: HostError, trust: Trust) -> Box<Self> {
        if error.cancelled {
            return Self::cancelled();
        }
        Box::new(Self {
            code: Cow::Owned(error.code),
            message: error.message,
            help: error.help,
            details: error.details,
            kind: FailureKind::Effect,
            tag: trust.into(),
            at_caller: false,
            origin: None,
        })
    }

    pub(crate) fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn maybe_help(mut self: Box<Self>, help: Option<String>) -> Box<Self> {
        self.help = help.or(self.help);
        self
    }

    /// Returns the help: its own, else the general one of its kind.
    pub(crate) fn help_text(&self) -> String {
        if let Some(help) = self.help.as_deref().filter(|help| !help.is_empty()) {
            return help.to_owned();
        }
        match self.kind {
            FailureKind::Effect => {
                "handle it with `try { … } else err { … }`; `err.code` names the failure".to_owned()
            }
            FailureKind::Cancelled => "run it again for the complete result".to_owned(),
            FailureKind::Program | FailureKind::Limit => codes::find(&self.code).map_or_else(
                || "check the calls that led here".to_owned(),
                |known| known.meaning.to_owned(),
            ),
        }
    }

    pub(crate) fn details(mut self: Box<Self>, details: Json) -> Box<Self> {
        self.details = Some(details);
        self
    }

    /// Notes that something had an influence on it.
    pub(crate) fn under(mut self: Box<Self>, tag: Tag, tags: &Tags) -> Box<Self> {
        self.tag = tags.join(self.tag, tag.of_decision());
        self
    }

    /// Creates a failure of another fiber, which keeps its place.
    pub(crate) fn from_fiber(error: Box<RunError>) -> Box<Self> {
        let mut fault = Self::new(codes::PARALLEL_FAILED, "");
        fault.kind = error.kind;
        fault.tag = error.tag;
        fault.origin = Some(error);
        fault
    }

    /// Returns the failure at its place, without the calls that led there.
    pub(crate) fn placed(self, position: Position, span: Span) -> RunError {
        RunError {
            help: Some(self.help_text()),
            code: self.code.into_owned(),
            message: self.message,
            kind: self.kind,
            file: position.file,
            span,
            line: position.line,
            column: position.column,
            trace: Vec::new(),
            trace_omitted: 0,
            details: self.details,
            tag: self.tag,
        }
    }

    pub(crate) fn at_caller(mut self: Box<Self>) -> Box<Self> {
        self.at_caller = true;
        self
    }
}
