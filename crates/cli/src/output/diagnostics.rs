//! Diagnostics for people and for programs (AS-32).

use crate::output::error::CommandError;
use crate::output::paint::Paint;
use crate::output::terminal::Terminal;
use crate::output::text::{counted, sanitized};
use contexture::diagnostic::{Diagnostic, Severity, SourceFile, render};
use contexture::reference::syntax::{cover, redact};
use contexture::run::CheckReport;
use serde_json::Value;
use std::borrow::Cow;
use std::path::Path;

/// The most diagnostics that are shown with their source; the rest is counted.
const SHOWN: usize = 50;

/// Returns the source of a diagnostic; one that names no file belongs to the first.
fn source<'a>(fault: &Diagnostic, files: &[&'a SourceFile]) -> Option<&'a SourceFile> {
    let named = files.iter().find(|file| file.name() == fault.file);
    named.or_else(|| files.first().filter(|_| fault.file.is_empty())).copied()
}

/// Returns diagnostics as the list that editors and scripts read.
pub(crate) fn json(faults: &[Diagnostic], files: &[&SourceFile]) -> Value {
    let one = |fault| Some(render::json(&without_credentials(fault), source(fault, files)?));
    faults.iter().filter_map(one).collect()
}

/// Removes credentials from the message of a diagnostic.
fn without_credentials(fault: &Diagnostic) -> Cow<'_, Diagnostic> {
    match redact(&fault.message) {
        Cow::Borrowed(_) => Cow::Borrowed(fault),
        Cow::Owned(message) => Cow::Owned(Diagnostic { message, ..fault.clone() }),
    }
}

/// Returns the place of a diagnostic in lines and columns.
pub(crate) fn span(fault: &Diagnostic, files: &[&SourceFile]) -> Value {
    let found = source(fault, files).map(|source| render::json(fault, source));
    found.and_then(|fault| fault.get("span").cloned()).unwrap_or_default()
}

/// Renders diagnostics with their source and, when there are several, their number.
pub(crate) fn text(faults: &[Diagnostic], files: &[&SourceFile], paint: Paint) -> String {
    let mut text = excerpts(faults, files, paint);
    if faults.len() > 1 {
        text.push_str(&counts(faults));
        text.push('\n');
    }
    text
}

/// Renders diagnostics with their source, a blank line after each. Credentials in the source are
/// masked (REF-23).
pub(crate) fn excerpts(faults: &[Diagnostic], files: &[&SourceFile], paint: Paint) -> String {
    let mut text = String::new();
    for fault in faults.iter().take(SHOWN) {
        let fault = &*without_credentials(fault);
        match source(fault, files) {
            Some(source) => {
                let source = match cover(source.text()) {
                    Cow::Borrowed(_) => Cow::Borrowed(source),
                    Cow::Owned(text) => Cow::Owned(SourceFile::new(source.name(), text)),
                };
                text.push_str(&render::terminal(fault, &source, paint.is_on()));
            }
            None => text.push_str(&without_source(fault, paint)),
        }
        text.push('\n');
    }
    if faults.len() > SHOWN {
        text.push_str(&format!("… and {} more\n\n", faults.len() - SHOWN));
    }
    text
}

/// Counts diagnostics by severity: `2 errors, 1 warning`.
pub(crate) fn counts<'a>(faults: impl IntoIterator<Item = &'a Diagnostic>) -> String {
    let found: Vec<Severity> = faults.into_iter().map(|fault| fault.severity).collect();
    let kinds = [Severity::Error, Severity::Warning, Severity::Hint];
    let parts = kinds.into_iter().filter_map(|kind| {
        let count = found.iter().filter(|severity| **severity == kind).count() as u64;
        (count > 0).then(|| counted(count, kind.as_str()))
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// Returns the coloured head of a one-line diagnostic: `warning[KN1003]:`.
pub(crate) fn heading(severity: Severity, code: &str, paint: Paint) -> String {
    let head = format!("{}[{code}]:", severity.as_str());
    match severity {
        Severity::Error => paint.red(&head),
        Severity::Warning => paint.yellow(&head),
        Severity::Hint => paint.cyan(&head),
    }
}

pub(crate) fn refused_program(checked: &CheckReport, terminal: &Terminal) -> CommandError {
    let files: Vec<&SourceFile> = checked.files.iter().collect();
    let all = json(&checked.diagnostics, &files);
    let is_error = |fault: &&Value| fault.get("severity").is_some_and(|word| word == "error");
    let list = all.as_array().map_or(&[][..], Vec::as_slice);
    let first = list.iter().find(is_error).or(list.first());
    let field = |name: &str| first.and_then(|first| first.get(name)).cloned().unwrap_or_default();
    let words = |name: &str| field(name).as_str().unwrap_or_default().to_owned();
    let mut error = CommandError::refused(&words("code"), words("message"))
        .rendered(text(&checked.diagnostics, &files, terminal.err))
        .with("file", field("file"))
        .with("span", field("span"))
        .with("help", field("help"));
    error.siblings.insert("diagnostics".to_owned(), all);
    error
}

/// Returns the refusal for a fault of a file that is not a program.
pub(crate) fn refused_file(file: &SourceFile, fault: &Diagnostic, paint: Paint) -> CommandError {
    CommandError::refused(fault.code, format!("{}: {}", file.name(), fault.message))
        .file(Path::new(file.name()))
        .rendered(text(std::slice::from_ref(fault), &[file], paint))
        .maybe_help(fault.help.clone())
        .with("span", span(fault, &[file]))
}

/// Renders a diagnostic whose source is not available.
fn without_source(fault: &Diagnostic, paint: Paint) -> String {
    let head = format!("{}[{}]", fault.severity.as_str(), fault.code);
    let mut text =
        format!("{}: {}\n --> {}\n", paint.red(&head), sanitized(&fault.message), fault.file);
    if let Some(help) = &fault.help {
        text.push_str(&format!("  = help: {}\n", sanitized(help)));
    }
    text
}
