//! Tools of a front end in a set (FL-1, FL-3).

use crate::common::Place;
use crate::flows::support::{error, outcome, request, result, run};
use contexture::context::Trust;
use contexture::flows::FlowRequest;
use contexture::frontend::{FrontendFailure, FrontendTool, PERMISSION_DENIED, Page};
use contexture::permission::{Action, Permission};
use contexture::ports::policy::{Class, Demands};
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

fn overlay() -> FrontendTool {
    FrontendTool::new("overlay", json!({ "type": "object" }))
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
            .with(overlay().with_class(Class::Read, Demands::new()), |call| {
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
fn gu_5_client_tool_in_flow_is_judged_by_its_class_and_settings() {
    let document = json!({ "calls": [
        { "callId": "read", "name": "file_read", "parameters": { "path": "page.txt" } },
        { "callId": "show", "name": "overlay", "runtime": "FRONTEND", "requiredAfter": ["read"],
          "parameters": { "text": "${results.read.result.value}" } },
        { "callId": "again", "name": "overlay", "runtime": "FRONTEND", "requiredAfter": ["show"],
          "parameters": { "text": "${results.show.result}" } }
    ]});
    let read = || overlay().with_class(Class::Read, Demands::new());
    let any_text = Demands::from([("text".to_owned(), Trust::Web)]);
    let send = |demands| overlay().with_class(Class::Send, demands);
    let deny = "[policy]\nexecute = \"deny\"\n";
    let of_owner = "[policy.tools.\"frontend:overlay\"]\nclass = \"execute\"\n";
    for (tool, settings, is_done) in [
        (overlay(), "", false),
        (overlay().asks_user(), "", true),
        (overlay().asks_user(), deny, false),
        (read(), deny, true),
        (read(), of_owner, false),
        (send(Demands::new()), "", false),
        (send(any_text.clone()), "", true),
        (send(any_text), "[policy.tools.\"frontend:overlay\"]\nintegrity = \"user\"\n", false),
    ] {
        let place = Place::new(&[("page.txt", "hello")]);
        place.write("contexture.toml", settings);
        let page = Arc::new(Page::new().with(tool.clone(), |_| Ok(json!("shown"))));
        let report = run(&place, with_page(request(&document), &page));
        if is_done {
            assert_eq!(result(&report, "again"), json!("shown"), "{tool:?} {settings}");
        } else {
            assert_eq!(error(&report, "show").0, "POLICY_DENIED", "{tool:?} {settings}");
            assert!(page.calls().is_empty());
        }
    }
    let document = json!({ "calls": [
        { "callId": "pick", "name": "file_picker", "parameters": { "accept": "*" } },
        { "callId": "show", "name": "overlay", "requiredAfter": ["pick"],
          "parameters": { "text": "${results.pick.result}" } }
    ]});
    let page = Page::new().with(picker(), |_| Ok(json!("cat"))).with(overlay(), |_| Ok(json!(1)));
    let report = run(&Place::new(&[]), with_page(request(&document), &Arc::new(page)));
    assert_eq!(result(&report, "show"), json!(1), "a page gets back what it gave");
}

#[test]
fn gu_5_action_of_unknown_class_is_the_worst_and_declared_one_is_obeyed() {
    use contexture::flow::action::{ActionInfo, ActionKind};
    let operation = || ActionInfo::of(ActionKind::Operation);
    let any_text = Demands::from([("text".to_owned(), Trust::Web)]);
    for (info, is_done) in [
        (operation(), false),
        (operation().with_class(Class::Write), true),
        (ActionInfo { demands: any_text, ..operation() }, false),
    ] {
        let place = Place::new(&[("page.txt", "hello")]);
        place.write("contexture.toml", "[policy]\nexecute = \"deny\"\n");
        let mut request = request(&json!({ "calls": [
            { "callId": "a", "name": "post", "parameters": { "text": "mine" } }
        ]}));
        request.host.add("post", info, |_| async { Ok(json!("done")) });
        let report = run(&place, request);
        if is_done {
            assert_eq!(result(&report, "a"), json!("done"));
        } else {
            assert_eq!(error(&report, "a").0, "POLICY_DENIED");
        }
    }
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
