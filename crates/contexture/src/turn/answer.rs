//! From the value of a run to the answer of a turn.

use super::event::Finish;
use super::watch::Watch;
use super::{Taken, TurnReport};
use crate::run::CheckReport;
use contexture_diagnostic::{Severity, render};
use contexture_prompt::Usage;
use serde_json::Value;

/// How many faults of a refused program are told.
const FAULTS: usize = 5;

/// The report of a turn.
pub(super) fn report(taken: Taken, watch: &Watch) -> TurnReport {
    let model = watch.model();
    let (run, outcome, usage, warnings) = match taken {
        Ok(report) => (report.run, report.outcome, report.usage, report.warnings),
        Err(failure) => (None, Err(failure), Usage::default(), Vec::new()),
    };
    let (text, finish) = match &outcome {
        Ok(value) => (text_of(value), watch.finish()),
        Err(_) => (watch.told(), Finish::Error),
    };
    TurnReport { run, outcome, text, finish, model, usage, warnings }
}

/// The answer in words.
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

/// Why a program is refused, in a few lines.
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
    fn cp_5_the_text_of_an_answer() {
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
