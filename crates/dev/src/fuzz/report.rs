//! What `cargo dev fuzz` prints.

use super::supervise::Ended;
use super::targets;
use serde_json::{Value, json};

/// Returns the targets with what each checks.
pub(super) fn list(is_json: bool) -> Vec<String> {
    let all = targets::ALL.iter();
    if is_json {
        let all: Vec<Value> =
            all.map(|one| json!({ "target": one.name, "checks": one.what })).collect();
        return vec![json!(all).to_string()];
    }
    all.map(|one| format!("{:12} {}", one.name, one.what)).collect()
}

/// Returns the lines about the run of a target.
pub(super) fn line(ended: &Ended) -> String {
    let Ended { target, runs, seconds, seeds, kept, answers, failure } = ended;
    let Some(failure) = failure else {
        return format!(
            "{target:12} {runs:>9} inputs in {seconds:>5.1} s from {seeds} seeds, {kept} kept, \
             {answers} kinds of answers"
        );
    };
    let (why, bytes, replay) = (&failure.why, failure.bytes, failure.replay(target));
    format!("{target:12} FAILED on {bytes} bytes: {why}\n{:12} replay: {replay}", "")
}

/// Returns the run as JSON.
pub(super) fn json(all: &[Ended], seed: u64) -> String {
    let targets: Vec<Value> = all.iter().map(target).collect();
    json!({ "seed": seed, "targets": targets }).to_string()
}

fn target(ended: &Ended) -> Value {
    let failure = ended.failure.as_ref().map(|failure| {
        json!({
            "why": failure.why, "file": failure.file, "bytes": failure.bytes,
            "replay": failure.replay(&ended.target),
        })
    });
    json!({
        "target": ended.target, "runs": ended.runs, "seconds": ended.seconds, "seeds": ended.seeds,
        "kept": ended.kept, "answers": ended.answers, "failure": failure,
    })
}
