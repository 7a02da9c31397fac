//! Sets that are run in a workspace.

use crate::common::Place;
use contexture::context::manifest::ItemRecord;
use contexture::flow::run::Report;
use contexture::flows::{Flow, FlowError, FlowRequest};
use contexture::inspect::Kept;
use contexture::models::StandIn;
use contexture::protocol::content::{Outcome, Status};
use contexture::runs;
use contexture::store::runs::{RunStore as _, select};
use serde_json::{Value, json};

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

pub(crate) fn request(document: &Value) -> FlowRequest {
    FlowRequest {
        document: document.to_string().into_bytes(),
        name: "test".to_owned(),
        ..FlowRequest::default()
    }
}

/// Instructions one after another.
pub(crate) fn instructions(list: &Value) -> FlowRequest {
    request(&json!({ "instructions": list }))
}

pub(crate) fn prepare(place: &Place, request: FlowRequest) -> Result<Flow, FlowError> {
    Flow::prepare(&place.project(), request)
}

pub(crate) fn run(place: &Place, request: FlowRequest) -> Report {
    let flow = prepare(place, request).unwrap_or_else(|error| panic!("{error}"));
    runtime().block_on(flow.run())
}

pub(crate) fn outcome(report: &Report, id: &str) -> Outcome {
    report.outcomes().find(|outcome| outcome.instruction_id == id).unwrap()
}

/// What a step gave, which is to be COMPLETED.
pub(crate) fn result(report: &Report, id: &str) -> Value {
    let outcome = outcome(report, id);
    assert_eq!(outcome.status, Status::Completed, "{outcome:?}");
    outcome.result.unwrap()
}

/// The code and message of a step that is to have failed.
pub(crate) fn error(report: &Report, id: &str) -> (String, String) {
    let outcome = outcome(report, id);
    assert_eq!(outcome.status, Status::Failed, "{outcome:?}");
    let error = outcome.error.unwrap();
    (error.code, error.message)
}

pub(crate) fn answers(place: &Place, answers: &Value) -> StandIn {
    place.write("answers.json", &answers.to_string());
    StandIn::Answers(place.path("answers.json"))
}

/// The items that the model calls of a run saw.
pub(crate) fn items(place: &Place, run: &str) -> Vec<ItemRecord> {
    let store = runs(&place.project());
    let log = store.load(&select(&store, run).unwrap()).unwrap();
    let kept = Kept { store: &store, log: &log };
    kept.calls().iter().flat_map(|call| call.manifest.items.clone()).collect()
}

/// The data of the first event of a run.
pub(crate) fn about(place: &Place, run: &str) -> Value {
    let store = runs(&place.project());
    let log = store.load(&select(&store, run).unwrap()).unwrap();
    log.events[0].data.clone()
}
