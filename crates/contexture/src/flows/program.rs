//! Runs programs for steps: agents and generations.
//!
//! A step whose future is dropped cancels its run.

use super::kit::{Kit, StepTrace};
use crate::driver::drive;
use crate::observe::Silent;
use crate::run::{Ready, RunReport, RunRequest};
use crate::turn::told;
use contexture_context::Label;
use contexture_flow::action::ActionFailure;
use contexture_llm::CancelToken;
use contexture_script::runtime::Given;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The work of a step.
pub(super) struct Work {
    /// The run of the set.
    pub(super) flow: String,
    /// The step.
    pub(super) step: String,
    /// The number of the attempt.
    pub(super) attempt: u32,
    pub(super) request: RunRequest,
    pub(super) input: Given,
}

/// The result, and its label.
pub(super) type Came = (Result<Value, ActionFailure>, Label);

pub(super) async fn run(kit: &Arc<Kit>, work: Work) -> Came {
    let report = match started(kit, work).await {
        Ok(report) => report,
        Err(failure) => return (Err(failure), Label::default()),
    };
    let RunReport { run, outcome, label, .. } = report;
    let result = outcome.map_err(|failure| {
        let error = told(&failure);
        let code = if error.cancelled { "CANCELLED".to_owned() } else { error.code };
        let mut details = Map::new();
        let help = error.help.map(Value::from);
        for (name, value) in [("help", help), ("run", run.map(Value::from))] {
            details.extend(value.map(|value| (name.to_owned(), value)));
        }
        details.extend(error.details.map(|value| ("details".to_owned(), value)));
        let details = Some(Value::Object(details)).filter(|map| *map != Value::Object(Map::new()));
        ActionFailure { details, ..ActionFailure::new(code, error.message) }
    });
    (result, label)
}

async fn started(kit: &Arc<Kit>, work: Work) -> Result<RunReport, ActionFailure> {
    let ended = |_| ActionFailure::new("CANCELLED", "the run has ended");
    let permit = Arc::clone(&kit.seats).acquire_owned().await.map_err(ended)?;
    let cancel = CancelToken::new();
    let (kit, token) = (Arc::clone(kit), cancel.clone());
    let driven = drive(cancel, move || async move {
        let _permit = permit;
        ready(&kit, work, token).await
    });
    driven.await.map_err(|broken| ActionFailure::new("EXECUTION_FAILED", broken.to_string()))
}

async fn ready(kit: &Kit, work: Work, cancel: CancelToken) -> RunReport {
    let Work { flow, step, attempt, request, input } = work;
    let observer = kit.request.progress.clone().unwrap_or_else(|| Arc::new(Silent));
    match Ready::new(&kit.project, &request, observer, cancel) {
        Ok(ready) => {
            if let Some(run) = ready.id() {
                let run = run.to_owned();
                kit.note_trace(StepTrace { flow, step, attempt, run });
            }
            ready.run(request, input).await
        }
        Err(failure) => RunReport::refused(failure),
    }
}
