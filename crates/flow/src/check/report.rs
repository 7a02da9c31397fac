//! The result of a check: every fault, each with its place in the document.

use crate::codes::{self, Code};
use crate::condition::SyntaxError;
use contexture_diagnostic::{Severity, SourceFile, Span, render};
use contexture_protocol::ErrorCode;
use serde_json::{Value, json};
use std::fmt;

/// The greatest number of faults listed in one report; further ones are counted.
pub const MAX_LISTED: usize = 1_000;

/// The greatest number of warnings among them, so that they hide no error.
const MAX_WARNINGS: usize = 200;

/// A fault of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The protocol's code for it (CP-17).
    pub code: &'static str,
    /// The kind of fault: an entry of [`codes::ALL`].
    pub rule: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// The message.
    pub message: String,
    /// The fix.
    pub help: Option<String>,
    /// The place: a JSON pointer into the document.
    pub path: String,
    /// The text that contains it, with the place in that text; of a very long text the part around
    /// the place.
    pub source: Option<(String, Span)>,
    /// The offset in the whole text, in bytes.
    pub offset: Option<u32>,
}

/// The bytes of text that a fault keeps; a report has many faults.
const MAX_SOURCE: usize = 64 << 10;

/// The bytes kept before the place in a longer text.
const BEFORE: usize = 200;

impl Diagnostic {
    pub(crate) fn new(kind: Code, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: word(kind),
            rule: kind.code,
            severity: kind.severity,
            message: message.into(),
            help: None,
            path: path.into(),
            source: None,
            offset: None,
        }
    }

    pub(crate) fn syntax(kind: Code, path: String, text: &str, fault: &SyntaxError) -> Self {
        let new = Self { help: fault.help.clone(), ..Self::new(kind, path, fault.to_string()) };
        new.with_source(text, fault.span)
    }

    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    pub(crate) fn with_source(self, text: &str, span: Span) -> Self {
        let (mut from, mut to) = (0, text.len());
        if text.len() > MAX_SOURCE {
            let start = span.start as usize;
            from = text.floor_char_boundary(start.saturating_sub(BEFORE));
            to = text.floor_char_boundary((start + MAX_SOURCE).min(text.len()));
        }
        let part = text.get(from..to).unwrap_or_default().to_owned();
        let moved = |at: u32| at.saturating_sub(crate::graph::number(from));
        let within = Span::new(moved(span.start), moved(span.end));
        Self { source: Some((part, within)), offset: Some(span.start), ..self }
    }

    /// Returns the fault as JSON: `code`, `rule`, `severity`, `message`, `help`, `path`, and
    /// `offset` for a fault within a text.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut value = json!({
            "code": self.code,
            "rule": self.rule,
            "severity": self.severity.as_str(),
            "message": self.message,
            "help": self.help,
            "path": self.path,
        });
        if let (Some(offset), Value::Object(map)) = (self.offset, &mut value) {
            map.insert("offset".to_owned(), offset.into());
        }
        value
    }

    /// Formats the fault for a terminal: headline, place, the text with a caret, and the help.
    #[must_use]
    pub fn render(&self, file: &str, colour: bool) -> String {
        let place =
            if self.path.is_empty() { file.to_owned() } else { format!("{file}#{}", self.path) };
        let (text, span) = match &self.source {
            Some((text, span)) => (text.as_str(), *span),
            None => ("", Span::at(0)),
        };
        let mut fault = contexture_diagnostic::Diagnostic::error(self.rule, &*self.message, span);
        fault.severity = self.severity;
        fault.help.clone_from(&self.help);
        let shown = render::terminal(&fault, &SourceFile::new(&place, text), colour);
        if self.source.is_some() {
            return shown;
        }
        // There is no line to show: only the headline, the place and the help.
        let lines = shown.lines().filter(|line| !is_excerpt(line));
        lines.map(|line| line.replace(":1:1", "") + "\n").collect()
    }
}

fn is_excerpt(line: &str) -> bool {
    let bare = line.replace("\u{1b}[34m", "").replace("\u{1b}[0m", "");
    let bare = bare.trim_start().trim_start_matches('1').trim_start();
    bare.starts_with('|')
}

fn word(kind: Code) -> &'static str {
    let word = match kind.code {
        code if code == codes::DUPLICATE_ID.code => ErrorCode::DuplicateId,
        code if code == codes::UNKNOWN_ID.code => ErrorCode::UnknownId,
        code if code == codes::CYCLE.code => ErrorCode::Cycle,
        code if code == codes::UNDECLARED_REFERENCE.code => ErrorCode::UndeclaredReference,
        code if code == codes::UNKNOWN_ROOT.code => ErrorCode::UndeclaredReference,
        code if code == codes::UNKNOWN_ACTION.code => ErrorCode::UnknownAction,
        code if code == codes::TOO_MANY.code => ErrorCode::TooLarge,
        _ => ErrorCode::ValidationFailed,
    };
    word.as_str()
}

/// All faults of a set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The faults, roughly in the order of their places.
    pub diagnostics: Vec<Diagnostic>,
    /// The number of faults beyond [`MAX_LISTED`].
    pub unlisted: usize,
    /// The number of listed warnings.
    warnings: usize,
    /// The number of errors not listed.
    hidden_errors: usize,
}

impl Report {
    pub(crate) fn malformed(code: ErrorCode, path: &str, message: String) -> Self {
        let fault = Diagnostic::new(codes::MALFORMED, path, message);
        Self { diagnostics: vec![Diagnostic { code: code.as_str(), ..fault }], ..Self::default() }
    }

    /// Sets the help of its only fault.
    pub(crate) fn with_help(mut self, help: Option<String>) -> Self {
        if let Some(fault) = self.diagnostics.first_mut() {
            fault.help = help;
        }
        self
    }

    /// Adds an error; the message of an unlisted one is not built.
    pub(crate) fn add(&mut self, fault: impl FnOnce() -> Diagnostic) {
        if self.diagnostics.len() < MAX_LISTED {
            self.diagnostics.push(fault());
        } else {
            self.leave_out(1);
        }
    }

    pub(crate) fn warn(&mut self, fault: impl FnOnce() -> Diagnostic) {
        if self.warnings < MAX_WARNINGS && self.diagnostics.len() < MAX_LISTED {
            self.warnings += 1;
            self.diagnostics.push(fault());
        } else {
            self.unlisted += 1;
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        other.diagnostics.into_iter().for_each(|fault| self.add(|| fault));
        self.leave_out(other.unlisted);
    }

    /// Counts errors that are not listed.
    pub(crate) fn leave_out(&mut self, count: usize) {
        self.unlisted += count;
        self.hidden_errors += count;
    }

    /// Reports whether the set is refused. Warnings do not refuse it.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.hidden_errors > 0 || self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }

    /// Returns the report as JSON: `{"diagnostics": [...]}`; a last entry counts the unlisted
    /// faults.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut list: Vec<Value> = self.diagnostics.iter().map(Diagnostic::to_value).collect();
        if self.unlisted > 0 {
            let message = format!("{} more faults are not listed", self.unlisted);
            let rest = Diagnostic::new(codes::TOO_MANY, "", message);
            let severity = if self.hidden_errors > 0 { Severity::Error } else { Severity::Warning };
            list.push(Diagnostic { severity, ..rest }.to_value());
        }
        json!({ "diagnostics": list })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.diagnostics.iter().enumerate() {
            let separator = if index > 0 { "\n" } else { "" };
            let place = if fault.path.is_empty() { "/" } else { &fault.path };
            write!(f, "{separator}{place}: {} [{}]", fault.message, fault.code)?;
        }
        if self.unlisted > 0 {
            write!(f, "\nand {} more", self.unlisted)?;
        }
        Ok(())
    }
}

impl std::error::Error for Report {}
