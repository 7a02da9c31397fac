//! A run as lists have it, in JSON.

use contexture_store::runs::RunEntry;
use contexture_store::stamp::iso_time;
use serde_json::{Value, json};

/// Returns the outcome of a run; one without an end was killed.
#[must_use]
pub fn outcome(entry: &RunEntry) -> &str {
    let without = if entry.running { "running" } else { "no end" };
    entry.outcome.as_deref().unwrap_or(without)
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
