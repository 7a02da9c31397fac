//! What a check found: every fault, each with its place in the document.

use crate::codes::{self, Code};
use crate::condition::SyntaxError;
use contexture_diagnostic::{Severity, SourceFile, Span, render};
use contexture_protocol::ErrorCode;
use serde_json::{Value, json};
use std::fmt;

/// Faults that one report lists; what is beyond is counted.
pub const MAX_LISTED: usize = 1_000;

/// A fault of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The protocol's word for it (CP-17).
    pub code: &'static str,
    /// The kind of fault: an entry of [`codes::ALL`].
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
    /// The place: a JSON pointer into the document.
    pub path: String,
    /// The text in which it is, and where in it.
    pub source: Option<(String, Span)>,
}

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
        }
    }

    pub(crate) fn syntax(kind: Code, path: String, text: &str, fault: &SyntaxError) -> Self {
        Self {
            help: fault.help.clone(),
            source: Some((text.to_owned(), fault.span)),
            ..Self::new(kind, path, fault.to_string())
        }
    }

    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    pub(crate) fn with_source(self, text: &str, span: Span) -> Self {
        Self { source: Some((text.to_owned(), span)), ..self }
    }

    /// As JSON: `code`, `rule`, `severity`, `message`, `help`, `path`, and `offset` where the fault
    /// lies within a text.
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
        if let (Some((_, span)), Value::Object(map)) = (&self.source, &mut value) {
            map.insert("offset".to_owned(), span.start.into());
        }
        value
    }

    /// For a terminal: headline, place, the text with a caret, and the help.
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

/// The protocol's word for a kind of fault.
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
    /// The faults, in the order of their places as far as they were found so.
    pub diagnostics: Vec<Diagnostic>,
    /// Faults beyond [`MAX_LISTED`].
    pub unlisted: usize,
}

impl Report {
    pub(crate) fn malformed(code: ErrorCode, path: &str, message: String) -> Self {
        let fault = Diagnostic::new(codes::MALFORMED, path, message);
        Self { diagnostics: vec![Diagnostic { code: code.as_str(), ..fault }], unlisted: 0 }
    }

    /// Adds a fault; what is not listed is not worded.
    pub(crate) fn add(&mut self, fault: impl FnOnce() -> Diagnostic) {
        if self.diagnostics.len() < MAX_LISTED {
            self.diagnostics.push(fault());
        } else {
            self.unlisted += 1;
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        other.diagnostics.into_iter().for_each(|fault| self.add(|| fault));
        self.unlisted += other.unlisted;
    }

    pub(crate) fn leave_out(&mut self, count: usize) {
        self.unlisted += count;
    }

    /// Whether the set is refused. Warnings do not refuse it; what was not listed does.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.unlisted > 0 || self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }

    /// As JSON: `{"diagnostics": [...]}`; a last entry counts what is not listed.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut list: Vec<Value> = self.diagnostics.iter().map(Diagnostic::to_value).collect();
        if self.unlisted > 0 {
            let message = format!("{} more faults are not listed", self.unlisted);
            list.push(Diagnostic::new(codes::TOO_MANY, "", message).to_value());
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
