//! The faults of a document, as its text is now.

use crate::protocol::{self, Range};
use crate::state::{State, View};
use contexture_diagnostic::{Code, Diagnostic, Severity};
use contexture_script::codes;
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;

/// Codes of faults about what is not needed, which editors show in grey.
const NEEDLESS: [Code; 2] = [codes::UNUSED_IMPORT, codes::UNREACHABLE];

/// A fault as clients read it. There may be thousands, and they are told at each keystroke: only the
/// whole message becomes a JSON value.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Told<'f> {
    range: Range,
    severity: u8,
    code: &'f str,
    source: &'static str,
    message: Cow<'f, str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_information: Vec<Value>,
    #[serde(skip_serializing_if = "<[u8]>::is_empty")]
    tags: &'static [u8],
}

/// Returns the message that tells the faults of a document.
pub(crate) fn faults(state: &mut State<'_>, uri: &str) -> Option<Value> {
    let view = state.view(uri)?;
    let told = view.analysed.faults().iter().map(|fault| diagnostic(view, fault));
    let told: Vec<Told<'_>> = told.collect();
    Some(json!({ "uri": uri, "version": view.document.version, "diagnostics": told }))
}

pub(crate) fn diagnostic<'f>(view: View<'_>, fault: &'f Diagnostic) -> Told<'f> {
    let message = match &fault.help {
        Some(help) => format!("{}\n{help}", fault.message).into(),
        None => fault.message.as_str().into(),
    };
    Told {
        range: protocol::range(view.source(), fault.span),
        severity: severity(fault.severity),
        code: fault.code,
        source: "contexture",
        message,
        related_information: related(view, fault),
        tags: if NEEDLESS.iter().any(|code| code.code == fault.code) { &[1] } else { &[] },
    }
}

/// Returns the other places that a fault is about.
fn related(view: View<'_>, fault: &Diagnostic) -> Vec<Value> {
    if fault.labels.is_empty() {
        return Vec::new();
    }
    let Some(uri) = view.uri(0) else { return Vec::new() };
    let place = |span| json!({ "uri": uri, "range": protocol::range(view.source(), span) });
    let labels = fault.labels.iter();
    let told =
        labels.map(|label| json!({ "location": place(label.span), "message": label.message }));
    told.collect()
}

const fn severity(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Hint => 4,
    }
}
