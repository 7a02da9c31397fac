//! Reports of evals: their cells, each with the run that was judged (EV-5, IN-12).

use super::Shared;
use super::answers::{Answer, Refused, read};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::{Value, json};

/// `GET /v1/evals`
pub(super) async fn evals(State(shared): State<Shared>) -> Answer {
    read(&shared, |shared| {
        let evals = shared.sources.evals.iter().map(|(name, report)| {
            json!({
                "name": name,
                "passed": report.passed,
                "failed": report.failed,
                "skipped": report.skipped,
            })
        });
        Ok(json!({ "evals": evals.collect::<Vec<Value>>() }))
    })
    .await
}

/// `GET /v1/evals/{eval}`
pub(super) async fn eval(State(shared): State<Shared>, Path(eval): Path<String>) -> Answer {
    read(&shared, move |shared| {
        let found = shared.sources.evals.iter().find(|(name, _)| *name == eval);
        found.map(|(_, report)| json!(report)).ok_or_else(|| {
            let message = format!("no report `{eval}` was named at the start: `--eval FILE`");
            Refused::new(StatusCode::NOT_FOUND, "eval_unknown", message)
        })
    })
    .await
}
