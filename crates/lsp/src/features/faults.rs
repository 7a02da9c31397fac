//! The faults of a document, as its text is now.

use crate::protocol;
use crate::state::{State, View};
use contexture_diagnostic::{Code, Diagnostic, Severity};
use contexture_script::codes;
use serde_json::{Value, json};

/// Codes of faults about what is not needed, which editors show in grey.
const NEEDLESS: [Code; 2] = [codes::UNUSED_IMPORT, codes::UNREACHABLE];

/// Returns the message that tells the faults of a document.
pub(crate) fn faults(state: &mut State<'_>, uri: &str) -> Option<Value> {
    let view = state.view(uri)?;
    let told = view.analysed.faults().iter().map(|fault| diagnostic(view, fault));
    let told: Vec<Value> = told.collect();
    Some(json!({ "uri": uri, "version": view.document.version, "diagnostics": told }))
}

/// Returns a fault as clients read it.
pub(crate) fn diagnostic(view: View<'_>, fault: &Diagnostic) -> Value {
    let source = view.source();
    let message = match &fault.help {
        Some(help) => format!("{}\n{help}", fault.message),
        None => fault.message.clone(),
    };
    let mut told = json!({
        "range": protocol::range(source, fault.span),
        "severity": severity(fault.severity),
        "code": fault.code,
        "source": "contexture",
        "message": message,
    });
    let uri = view.uri(0);
    let related: Vec<Value> = fault
        .labels
        .iter()
        .map(|label| {
            let place = json!({ "uri": uri, "range": protocol::range(source, label.span) });
            json!({ "location": place, "message": label.message })
        })
        .collect();
    if let Some(told) = told.as_object_mut() {
        if !related.is_empty() && uri.is_some() {
            told.insert("relatedInformation".to_owned(), related.into());
        }
        if NEEDLESS.iter().any(|code| code.code == fault.code) {
            told.insert("tags".to_owned(), json!([1]));
        }
    }
    told
}

const fn severity(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Hint => 4,
    }
}
