//! A run as lists have it, in JSON, and what lists are filtered by (IN-4).

use super::view::state;
use contexture_diagnostic::suggestion;
use contexture_store::runs::RunEntry;
use contexture_store::stamp::iso_time;
use serde_json::{Value, json};

/// Returns the outcome of a run; one without an end was killed.
#[must_use]
pub fn outcome(entry: &RunEntry) -> &str {
    let without = if entry.running { "running" } else { "no end" };
    entry.outcome.as_deref().unwrap_or(without)
}

/// The words for how a run ended, and the states that say the same.
const WORDS: [(&str, &str); 5] = [
    ("done", "COMPLETED"),
    ("failed", "FAILED"),
    ("cancelled", "CANCELLED"),
    ("running", "RUNNING"),
    ("no end", "INTERRUPTED"),
];

/// A word for how runs ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome(&'static str);

impl Outcome {
    /// Reads an outcome such as `done`, or a state such as `COMPLETED` in small or capital letters.
    ///
    /// # Errors
    /// What is expected, with the word that may be meant.
    pub fn parse(asked: &str) -> Result<Self, String> {
        let is_asked =
            |(word, state): &&(&str, &str)| *word == asked || state.eq_ignore_ascii_case(asked);
        WORDS.iter().find(is_asked).map(|(_, state)| Self(state)).ok_or_else(|| {
            let words = WORDS.map(|(word, _)| word);
            let similar = suggestion(asked, words).map(|it| format!(" ({it})")).unwrap_or_default();
            format!("one of {}{similar}", words.join(", "))
        })
    }

    /// Reports whether a run ended so.
    #[must_use]
    pub fn is_of(self, entry: &RunEntry) -> bool {
        state(entry) == self.0
    }
}

/// Reports whether a run asked a model whose URI has this part.
#[must_use]
pub fn asks_model(entry: &RunEntry, part: &str) -> bool {
    entry.models.iter().chain(&entry.model).any(|model| model.contains(part))
}

/// Returns a run as lists have it.
#[must_use]
pub fn listed(entry: &RunEntry) -> Value {
    let error = entry.code.as_ref().map(|code| json!({ "code": code, "message": entry.message }));
    let mut value = json!({
        "run": entry.run,
        "program": entry.program,
        "outcome": outcome(entry),
        "start": entry.start_us.map(iso_time),
        "duration_us": entry.duration_us,
        "bytes": entry.bytes,
        "model": entry.model,
        "models": entry.models,
        "calls": entry.calls,
        "input": entry.input,
        "output": entry.output,
        "cached": entry.cached,
        "estimated": entry.estimated,
        "finish": entry.finish,
        "cost": entry.cost,
        "error": error,
    });
    if let (Some(fields), Some(whole)) = (value.as_object_mut(), &entry.part_of) {
        fields.insert("part_of".to_owned(), whole.clone());
    }
    value
}
