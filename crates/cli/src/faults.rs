//! Diagnostics for people and for programs (AS-32).

use crate::paint::{Paint, harmless};
use contexture::diagnostic::{Diagnostic, Severity, SourceFile, render};
use contexture::reference::syntax::{cover, redact};
use serde_json::Value;
use std::borrow::Cow;

/// How many diagnostics are shown with their source; the rest is counted.
const SHOWN: usize = 50;

/// The source that a diagnostic is about; one that names no file is about the first.
fn source<'a>(fault: &Diagnostic, files: &[&'a SourceFile]) -> Option<&'a SourceFile> {
    let named = files.iter().find(|file| file.name() == fault.file);
    named.or_else(|| files.first().filter(|_| fault.file.is_empty())).copied()
}

/// A list of objects as editors and scripts read them.
pub(crate) fn json(faults: &[Diagnostic], files: &[&SourceFile]) -> Value {
    let one = |fault| Some(render::json(&without_credentials(fault), source(fault, files)?));
    faults.iter().filter_map(one).collect()
}

/// A diagnostic that quotes no credentials.
fn without_credentials(fault: &Diagnostic) -> Cow<'_, Diagnostic> {
    match redact(&fault.message) {
        Cow::Borrowed(_) => Cow::Borrowed(fault),
        Cow::Owned(message) => Cow::Owned(Diagnostic { message, ..fault.clone() }),
    }
}

/// The place of a diagnostic, in lines and columns.
pub(crate) fn span(fault: &Diagnostic, files: &[&SourceFile]) -> Value {
    let found = source(fault, files).map(|source| render::json(fault, source));
    found.and_then(|fault| fault.get("span").cloned()).unwrap_or_default()
}

/// Each diagnostic with its source, a blank line after each; when there are several, their number.
pub(crate) fn text(faults: &[Diagnostic], files: &[&SourceFile], paint: Paint) -> String {
    let mut text = excerpts(faults, files, paint);
    if faults.len() > 1 {
        text.push_str(&counts(faults));
        text.push('\n');
    }
    text
}

/// Each diagnostic with its source, a blank line after each. Credentials that the source holds are
/// covered (REF-23).
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

/// `2 errors, 1 warning`
pub(crate) fn counts<'a>(faults: impl IntoIterator<Item = &'a Diagnostic>) -> String {
    let found: Vec<Severity> = faults.into_iter().map(|fault| fault.severity).collect();
    let kinds = [Severity::Error, Severity::Warning, Severity::Hint];
    let parts = kinds.into_iter().filter_map(|kind| {
        let count = found.iter().filter(|severity| **severity == kind).count();
        let plural = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{count} {}{plural}", kind.as_str()))
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// A diagnostic about a text that is not at hand.
fn without_source(fault: &Diagnostic, paint: Paint) -> String {
    let head = format!("{}[{}]", fault.severity.as_str(), fault.code);
    let mut text =
        format!("{}: {}\n --> {}\n", paint.red(&head), harmless(&fault.message), fault.file);
    if let Some(help) = &fault.help {
        text.push_str(&format!("  = help: {}\n", harmless(help)));
    }
    text
}
