//! Tools of a front end in a set (FL-1, FL-3).

use crate::common::Place;
use crate::flows::support::{error, outcome, request, result, run};
use contexture::flows::FlowRequest;
use contexture::frontend::{FrontendFailure, FrontendTool, PERMISSION_DENIED, Page};
use contexture::permission::{Action, Permission};
use contexture::protocol::content::Status;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

fn picker() -> FrontendTool {
    FrontendTool::new(
        "file_picker",
        json!({
            "type": "object",
            "properties": { "accept": { "type": "string" } },
            "required": ["accept"],
        }),
    )
}

fn with_page(mut request: FlowRequest, page: &Arc<Page>) -> FlowRequest {
    request.run.frontend = Some(Arc::clone(page) as _);
    request
}

#[test]
fn fl_1_calls_of_clients_and_of_this_side_work_on_each_others_results() {
    let page = Arc::new(
        Page::new()
            .with(picker(), |call| {
                assert_eq!(call.parameters["accept"], "image/*");
                Ok(json!({ "name": "cat.png", "size": 12 }))
            })
            .with(FrontendTool::new("overlay", json!({ "type": "object" })), |call| {
                Ok(json!({ "shown": call.parameters["text"] }))
            }),
    );
    let place = Place::new(&[]);
    let document = json!({
        "executionMode": "SEQUENTIAL",
        "calls": [
            { "callId": "pick", "name": "file_picker", "runtime": "FRONTEND", "userPrompt": "Which picture?",
              "parameters": { "accept": "image/*" } },
            { "callId": "count", "name": "calculator", "requiredAfter": ["pick"],
              "parameters": { "expression": "${results.pick.result.size} * 2" } },
            { "callId": "show", "name": "overlay", "requiredAfter": ["pick", "count"],
              "parameters": { "text": "${results.pick.result.name}: ${results.count.result.value}" } }
        ]
    });
    let report = run(&place, with_page(request(&document), &page));
    assert_eq!(result(&report, "show"), json!({ "shown": "cat.png: 24" }));
    let calls = page.calls();
    assert_eq!(calls.len(), 2);
    let flow = calls[0].flow.as_deref().unwrap();
    assert_eq!((flow.id.as_str(), flow.attempt), ("pick", 1));
    assert_eq!(flow.says.as_ref().unwrap().user_prompt.as_deref(), Some("Which picture?"));
    assert_eq!(calls[0].call_id, format!("{}:pick", flow.run));
    assert!(!calls[0].from_model);
}

#[test]
fn fl_3_a_tool_that_no_client_offers_is_unavailable() {
    let document = json!({ "calls": [
        { "callId": "pick", "name": "file_picker", "runtime": "FRONTEND", "parameters": { "accept": "*" } }
    ]});
    let place = Place::new(&[]);
    for asked in [request(&document), with_page(request(&document), &Arc::new(Page::new()))] {
        let report = run(&place, asked);
        assert_eq!(error(&report, "pick").0, "CLIENT_UNAVAILABLE");
        assert_eq!(report.status(), Status::Failed);
    }
}

#[test]
fn fl_1_alternative_to_client_tool_runs_on_server() {
    let document = json!({ "calls": [
        { "callId": "pick", "name": "file_picker", "runtime": "FRONTEND", "parameters": { "accept": "*" },
          "fallbackBehavior": "USE_ALTERNATIVE",
          "alternative": { "name": "echo", "parameters": { "name": "default.png" } } }
    ]});
    let report = run(&Place::new(&[]), request(&document));
    assert_eq!(result(&report, "pick"), json!({ "name": "default.png" }));
}

#[test]
fn fl_2_parameters_are_checked_against_client_announcement() {
    let page = Arc::new(Page::new().with(picker(), |_| Ok(json!(1))));
    let document = json!({ "calls": [
        { "callId": "known", "name": "file_picker", "parameters": { "accept": 5 } },
        { "callId": "side", "name": "file_picker", "runtime": "FRONTEND", "parameters": {} },
        { "callId": "refused", "name": "file_picker", "runtime": "BACKEND", "parameters": { "accept": "*" } }
    ]});
    let report = run(&Place::new(&[]), with_page(request(&document), &page));
    assert_eq!(error(&report, "known").0, "VALIDATION_FAILED");
    assert_eq!(error(&report, "side").0, "VALIDATION_FAILED");
    assert_eq!(error(&report, "refused").0, "UNKNOWN_ACTION");
    assert!(page.calls().is_empty(), "a client is asked with sound parameters alone");
}

#[test]
fn fl_3_agents_of_set_reach_client() {
    let page =
        Arc::new(Page::new().with(
            FrontendTool::new("where", json!({ "type": "object", "properties": {} })),
            |_| Ok(json!({ "city": "Oslo" })),
        ));
    let place = Place::new(&[(
        "where.as",
        "import tool Page from \"frontend://where\"\nmain func() { Page.run({}).city }",
    )]);
    let document = json!({ "instructions": [{ "instructionId": "a", "action": "agent:where" }] });
    let report = run(&place, with_page(request(&document), &page));
    assert_eq!(result(&report, "a"), json!("Oslo"));
}

/// Says no to one action.
struct Refusing(&'static str, Mutex<Vec<(String, Option<String>)>>);

impl Permission for Refusing {
    fn ask<'a>(
        &'a self,
        action: Action<'a>,
    ) -> contexture::llm::BoxFuture<'a, Result<(), FrontendFailure>> {
        let prompt = action.prompt.map(str::to_owned);
        self.1.lock().unwrap().push((action.name.to_owned(), prompt));
        let denied = || Err(FrontendFailure::new(PERMISSION_DENIED, "the user said no"));
        Box::pin(std::future::ready(if action.name == self.0 { denied() } else { Ok(()) }))
    }
}

#[test]
fn cp_19_step_that_user_refuses_is_not_run() {
    let asked = Arc::new(Refusing("fail", Mutex::default()));
    let document = json!({ "calls": [
        { "callId": "a", "name": "fail", "userPrompt": "Really?", "parameters": { "code": "X" } },
        { "callId": "b", "name": "echo", "parameters": { "n": 1 } }
    ]});
    let mut request = request(&document);
    request.run.permission = Some(Arc::clone(&asked) as _);
    let report = run(&Place::new(&[]), request);
    assert_eq!(error(&report, "a").0, "PERMISSION_DENIED");
    assert_eq!(result(&report, "b"), json!({ "n": 1 }));
    let heard = asked.1.lock().unwrap().clone();
    assert_eq!(heard, [("fail".to_owned(), Some("Really?".to_owned())), ("echo".to_owned(), None)]);
}

#[test]
fn fl_3_functions_of_this_process_win() {
    use contexture::flow::action::{ActionInfo, ActionKind};
    let mut request = request(&json!({ "instructions": [
        { "instructionId": "a", "action": "echo", "parameters": { "n": 1 } },
        { "instructionId": "b", "action": "own", "parameters": { "n": "${results.a.result}" }, "dependencies": ["a"] }
    ]}));
    request.host.add("echo", ActionInfo::of(ActionKind::Query), |_| async { Ok(json!("mine")) });
    request.host.add("own", ActionInfo::of(ActionKind::Query), |call| async move {
        Ok(Value::Object(call.parameters))
    });
    let report = run(&Place::new(&[]), request);
    assert_eq!(result(&report, "b"), json!({ "n": "mine" }));
    assert_eq!(outcome(&report, "a").status, Status::Completed);
}
