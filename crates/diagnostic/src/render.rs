//! Renderers: the same diagnostic as JSON, in one line, or as an excerpt for a terminal.
//!
//! Decision: the excerpt is our own few lines, because a source line may be megabytes long, or
//! contain control characters or full-width text, and must still be printed short, harmless and
//! aligned.
//!
//! ```
//! use contexture_diagnostic::render::{one_line, terminal};
//! use contexture_diagnostic::{Diagnostic, SourceFile, Span};
//!
//! let file = SourceFile::new("a.as", "x = y\n");
//! let fault = Diagnostic::error("AS2001", "nothing is called `y` here", Span::new(4, 5));
//! assert_eq!(one_line(&fault, &file), "a.as:1:5: error[AS2001]: nothing is called `y` here");
//! assert_eq!(
//!     terminal(&fault, &file, false),
//!     "error[AS2001]: nothing is called `y` here\n --> a.as:1:5\n  |\n1 | x = y\n  |     ^\n"
//! );
//! ```

mod excerpt;
#[cfg(test)]
mod tests;

use crate::{Diagnostic, Edit, Label, Severity, SourceFile, Span};
use excerpt::Excerpt;
use serde_json::{Value, json};
use std::fmt::Write;

/// The colours of a terminal, or none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    pub(crate) fn put(self, out: &mut String, style: &str, text: &str) {
        if self.on && !text.is_empty() {
            out.push_str("\u{1b}[");
            out.push_str(style);
            out.push('m');
            out.push_str(text);
            out.push_str("\u{1b}[0m");
        } else {
            out.push_str(text);
        }
    }
}

pub(crate) const BOLD: &str = "1";
pub(crate) const GUTTER: &str = "34";

const fn style(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
        Severity::Hint => "1;36",
    }
}

impl Severity {
    /// Returns `error`, `warning` or `hint`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

/// Returns the name of the file of a diagnostic.
fn file_of<'a>(fault: &'a Diagnostic, source: &'a SourceFile) -> &'a str {
    if fault.file.is_empty() { source.name() } else { &fault.file }
}

/// Formats a diagnostic as `file:line:col: severity[code]: message`, always one line.
#[must_use]
pub fn one_line(fault: &Diagnostic, source: &SourceFile) -> String {
    let place = source.position(fault.span.start);
    let file = file_of(fault, source);
    let severity = fault.severity.as_str();
    let line = format!(
        "{file}:{}:{}: {severity}[{}]: {}",
        place.line, place.column, fault.code, fault.message
    );
    harmless(&line)
}

/// Returns the diagnostic as JSON for editors and scripts (AS-32, TY-4): `code`, `severity`,
/// `message`, `help` (null when there is none), `file`, `span` with lines and columns from 1,
/// columns in characters, the end exclusive; `labels`, further places with their messages; `notes`;
/// and `fixes`, each with its `title`, its `edits` and whether it is `safe` to apply unseen. The edits
/// of the first fix also stand in `fix`, when there is one.
#[must_use]
pub fn json(fault: &Diagnostic, source: &SourceFile) -> Value {
    let label =
        |label: &Label| json!({ "span": span_json(label.span, source), "message": label.message });
    let mut value = json!({
        "code": fault.code,
        "severity": fault.severity.as_str(),
        "message": fault.message,
        "help": fault.help,
        "file": file_of(fault, source),
        "span": span_json(fault.span, source),
        "labels": fault.labels.iter().map(label).collect::<Vec<_>>(),
        "notes": fault.notes,
        "fixes": [],
    });
    if let Some(value) = value.as_object_mut().filter(|_| !fault.fix.is_empty()) {
        let old = |edit: &Edit| json!({ "span": span_json(edit.span, source), "replacement": edit.replacement });
        value.insert("fix".to_owned(), fault.fix.iter().map(old).collect());
        value.insert("fixes".to_owned(), json!([fix_json(fault, source)]));
    }
    value
}

fn fix_json(fault: &Diagnostic, source: &SourceFile) -> Value {
    let edit =
        |edit: &Edit| json!({ "span": span_json(edit.span, source), "text": edit.replacement });
    json!({
        "title": fault.help.as_deref().unwrap_or(&fault.message),
        "safe": fault.safe,
        "edits": fault.fix.iter().map(edit).collect::<Vec<_>>(),
    })
}

/// Returns a span with lines and columns from 1, as [`json()`] has it.
#[must_use]
pub fn span_json(span: Span, source: &SourceFile) -> Value {
    let (start, end) = (source.position(span.start), source.position(span.end));
    json!({
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    })
}

/// Formats the headline, the place, the source lines with marks, and the help.
#[must_use]
pub fn terminal(fault: &Diagnostic, source: &SourceFile, colour: bool) -> String {
    let paint = Paint { on: colour };
    let mut out = String::new();
    let head = format!("{}[{}]", fault.severity.as_str(), fault.code);
    paint.put(&mut out, style(fault.severity), &head);
    paint.put(&mut out, BOLD, &format!(": {}", harmless(&fault.message)));
    out.push('\n');
    let excerpt = Excerpt::new(fault, source);
    let margin = excerpt.margin();
    let place = source.position(fault.span.start);
    let arrow = format!("{:margin$}--> ", "");
    paint.put(&mut out, GUTTER, &arrow);
    let file = harmless(file_of(fault, source));
    // Writing to a string can't fail.
    let _ = writeln!(out, "{file}:{}:{}", place.line, place.column);
    excerpt.write(&mut out, paint, style(fault.severity));
    let notes = fault.notes.iter().map(|note| ("note", note));
    for (word, text) in notes.chain(fault.help.iter().map(|help| ("help", help))) {
        remark(&mut out, paint, margin, (word, text));
    }
    out
}

/// Writes `= help: …`, with the lines of the text below each other.
fn remark(out: &mut String, paint: Paint, margin: usize, (word, text): (&str, &str)) {
    paint.put(out, GUTTER, &format!("{:margin$} = ", ""));
    paint.put(out, BOLD, word);
    let indent = format!("\n{:width$}", "", width = margin + word.len() + 5);
    let lines: Vec<String> = text.lines().map(harmless).collect();
    // Writing to a string can't fail.
    let _ = writeln!(out, ": {}", lines.join(&indent));
}

/// Removes everything that a terminal would take for a command.
fn harmless(text: &str) -> String {
    text.chars().map(|c| if is_harmful(c) { '\u{fffd}' } else { c }).collect()
}

/// Reports whether a character is a control character or reverses the direction of a text.
pub(crate) fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}
