//! What a run reports when it fails: code, reason, mend, place and the calls that led there (AS-9).

pub mod codes;

use crate::host::HostError;
use contexture_context::Trust;
use contexture_diagnostic::{Diagnostic, Span};
use serde::Serialize;
use serde_json::{Value as Json, json};
use std::borrow::Cow;

/// A call that was open when a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallFrame {
    /// The function, as `Agent.name`; `main func` reads `Agent.main`.
    pub function: String,
    /// The file it stands in.
    pub file: String,
    /// The line that was under way, from 1.
    pub line: u32,
    /// Its column in characters, from 1.
    pub column: u32,
}

/// What kind of failure it is; decides whether `try` can catch it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The program did what the language does not allow.
    Program,
    /// An effect failed: a model, tool, memory or file.
    Effect,
    /// A limit was reached. Not catchable.
    Limit,
    /// The run was cancelled. Not catchable.
    Cancelled,
}

/// Why a run failed.
///
/// `code` is one of [`codes::CODES`], or for a failed effect the word that the host gave, such as
/// `file_not_found`.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[error("{file}:{line}:{column}: {code}: {message}")]
pub struct RunError {
    /// Stable code.
    pub code: String,
    /// What happened, in one line.
    pub message: String,
    /// How to mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The kind of failure.
    pub kind: FailureKind,
    /// The file in which it happened, by its source name.
    pub file: String,
    /// Where in the file, in bytes.
    pub span: Span,
    /// The line of the span's start, from 1.
    pub line: u32,
    /// The column of the span's start in characters, from 1.
    pub column: u32,
    /// The open calls, innermost first; of very many the middle ones are left out.
    pub trace: Vec<CallFrame>,
    /// How many calls `trace` leaves out.
    pub trace_omitted: usize,
    /// Further data, such as errors by field path or the failed items of a `parallel for`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Json>,
    /// How far message and details may be believed.
    #[serde(skip)]
    pub(crate) trust: Trust,
}

impl RunError {
    /// The failure as a diagnostic, with the calls that led there in its help.
    #[must_use]
    pub fn to_diagnostic(&self) -> Diagnostic {
        let known = codes::find(&self.code);
        let message = match known {
            Some(_) => self.message.clone(),
            None => format!("{} ({})", self.message, self.code),
        };
        let code = known.map_or(codes::EFFECT, |known| known.code);
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

    /// What a trace event says of it.
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

/// A failure that does not know its place yet.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) code: Cow<'static, str>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) details: Option<Json>,
    pub(crate) kind: FailureKind,
    /// How far `message` and `details` may be believed once a handler has them.
    pub(crate) trust: Trust,
    /// Whether the call is to blame and not the function that noticed.
    pub(crate) at_caller: bool,
    /// The failure that this one is, if it was placed before.
    pub(crate) origin: Option<Box<RunError>>,
}

/// The outcome of a step that may fail. Boxed, so that success stays small.
pub(crate) type Checked<T> = Result<T, Box<Fault>>;

impl Fault {
    /// A fault of the program.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            code: Cow::Borrowed(code),
            message: message.into(),
            help: None,
            details: None,
            kind: FailureKind::Program,
            trust: Trust::Program,
            at_caller: false,
            origin: None,
        })
    }

    /// A limit that was reached.
    pub(crate) fn limit(code: &'static str, message: impl Into<String>) -> Box<Self> {
        let mut fault = Self::new(code, message);
        fault.kind = FailureKind::Limit;
        fault
    }

    /// The end that the host asked for.
    pub(crate) fn cancelled() -> Box<Self> {
        let mut fault = Self::new(codes::CANCELLED, "the run was cancelled");
        fault.kind = FailureKind::Cancelled;
        fault
    }

    /// A failed effect; `trust` is that of what the effect would have given.
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
            trust,
            at_caller: false,
            origin: None,
        })
    }

    /// Says how to mend it.
    pub(crate) fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    /// Says how to mend it, if that is known.
    pub(crate) fn maybe_help(mut self: Box<Self>, help: Option<String>) -> Box<Self> {
        self.help = help.or(self.help);
        self
    }

    /// How to mend it: as said, else as is known of its kind.
    pub(crate) fn how_to_mend(&self) -> String {
        if let Some(help) = self.help.as_deref().filter(|help| !help.is_empty()) {
            return help.to_owned();
        }
        match self.kind {
            FailureKind::Effect => {
                "`try { … } else err { … }` goes on without it; `err.code` says what failed"
                    .to_owned()
            }
            FailureKind::Cancelled => "start it again to have the whole result".to_owned(),
            FailureKind::Program | FailureKind::Limit => codes::find(&self.code).map_or_else(
                || "look at the calls that led here".to_owned(),
                |known| known.meaning.to_owned(),
            ),
        }
    }

    /// Adds data for a handler.
    pub(crate) fn details(mut self: Box<Self>, details: Json) -> Box<Self> {
        self.details = Some(details);
        self
    }

    /// Says how far its words may be believed.
    pub(crate) fn believed(mut self: Box<Self>, trust: Trust) -> Box<Self> {
        self.trust = self.trust.least(trust);
        self
    }

    /// A failure of another fiber, which keeps its place.
    pub(crate) fn from_fiber(error: Box<RunError>) -> Box<Self> {
        let mut fault = Self::new(codes::PARALLEL_FAILED, "");
        fault.kind = error.kind;
        fault.trust = error.trust;
        fault.origin = Some(error);
        fault
    }

    /// Blames the call.
    pub(crate) fn at_caller(mut self: Box<Self>) -> Box<Self> {
        self.at_caller = true;
        self
    }
}
