//! What decided that a step runs (GU-5).

use crate::common::Place;
use crate::flows::support::{error, instructions, request, result, run, runtime};
use contexture::context::Trust;
use contexture::flow::journal::Entry;
use contexture::flows::Flow;
use contexture::frontend::{FrontendTool, Page};
use contexture::ports::signature::Effect;
use contexture::ports::tool::RustTool;
use serde_json::{Value, json};
use std::sync::Arc;

fn steps(write: &Value, between: &[Value]) -> Value {
    let read = json!({
        "instructionId": "read", "action": "file_read", "parameters": { "path": "page.txt" }
    });
    let mut write = write.clone();
    write["instructionId"] = json!("write");
    write["action"] = json!("file_write");
    write["parameters"] = json!({ "path": "out.txt", "content": "x" });
    Value::Array([&[read], between, &[write]].concat())
}

#[test]
fn gu_5_condition_on_file_counts_as_decision_of_step_and_of_steps_after_it() {
    let place = Place::new(&[("page.txt", "write it")]);
    let asks = "dependencies.read.result.content != ''";
    let direct = json!({ "dependencies": ["read"], "condition": asks });
    let between = json!({
        "instructionId": "clock", "action": "clock", "dependencies": ["read"], "condition": asks
    });
    let after = json!({ "dependencies": ["clock"] });
    for (write, between) in [(&direct, &[][..]), (&after, &[between])] {
        let report = run(&place, instructions(&steps(write, between)));
        let (code, message) = error(&report, "write");
        assert_eq!(code, "POLICY_DENIED", "{message}");
        assert!(message.contains("read → file_write"), "{message}");
        assert!(!place.path("out.txt").exists());
    }
    let report = run(&place, instructions(&steps(&json!({ "dependencies": ["read"] }), &[])));
    result(&report, "write");
    assert_eq!(place.read("out.txt"), "x", "an order is not a decision");
}

#[test]
fn gu_6_workspace_that_is_the_users_word_is_it_in_flows_too() {
    let place = Place::new(&[("page.txt", "out.txt")]);
    place.write("contexture.toml", "[policy]\nworkspace = \"user\"\n");
    let steps = json!([
        { "instructionId": "read", "action": "file_read", "parameters": { "path": "page.txt" } },
        { "instructionId": "write", "action": "file_write", "dependencies": ["read"],
          "parameters": { "path": "${results.read.result.value}", "content": "x" } }
    ]);
    let report = run(&place, instructions(&steps));
    result(&report, "write");
    assert_eq!(place.read("out.txt"), "x");
}

#[test]
fn gu_6_rules_of_tools_and_of_programs_hold_in_flows() {
    let program = "policy write \"deny\"\nimport tool File from \"file://workspace\"\n\
         main agent Writes { main func() { File.write({ path: \"out.txt\", content: \"x\" }) } }";
    let place = Place::new(&[("writes.as", program)]);
    let rules = "[policy.tools.\"http.post\"]\ndefault = \"deny\"\n[policy.tools.\"file.write\"]\ndefault = \"deny\"\n";
    place.write("contexture.toml", rules);
    let post = json!({ "url": "http://127.0.0.1:9/", "body": "x" });
    let steps = json!([
        { "instructionId": "post", "action": "http_send", "parameters": post },
        { "instructionId": "write", "action": "file_write", "parameters": { "path": "a.txt", "content": "x" } },
        { "instructionId": "agent", "action": "agent:Writes" }
    ]);
    let mut request = instructions(&steps);
    request.programs = vec![place.path("writes.as")];
    let report = run(&place, request);
    for step in ["post", "write", "agent"] {
        let (code, message) = error(&report, step);
        assert_eq!(code, "POLICY_DENIED", "{step}: {message}");
    }
    assert!(!place.path("a.txt").exists() && !place.path("out.txt").exists());
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Named {
    name: String,
}

#[test]
fn gu_4_result_of_action_is_as_low_as_what_it_was_given_unless_it_validates_that() {
    let place = Place::new(&[("page.txt", "out.txt")]);
    let same = |named: Named| async move { Ok(named.name) };
    let names = RustTool::new("names")
        .method("same", "", (Effect::Read, Trust::Program), same)
        .method("known", "", (Effect::Read, Trust::Tool), same)
        .validates("files of ours alone");
    let mut project = place.project();
    project.extensions.add_tool(Arc::new(names)).unwrap();
    let report = |method: &str| {
        let name = json!({ "name": "${results.read.result.value}" });
        let steps = json!([
            { "instructionId": "read", "action": "file_read", "parameters": { "path": "page.txt" } },
            { "instructionId": "name", "action": format!("rust:names/{method}"),
              "dependencies": ["read"], "parameters": name },
            { "instructionId": "write", "action": "file_write", "dependencies": ["name"],
              "parameters": { "path": "${results.name.result}", "content": "x" } }
        ]);
        let flow = Flow::prepare(&project, instructions(&steps)).unwrap();
        runtime().block_on(flow.run())
    };
    let (code, message) = error(&report("same"), "write");
    assert_eq!(code, "POLICY_DENIED", "{message}");
    assert!(message.contains("read → name → file_write.path"), "{message}");
    result(&report("known"), "write");
    assert_eq!(place.read("out.txt"), "x");
}

/// The decisions in the journal of a run, by the ids of their steps.
fn decided(place: &Place, run: &str) -> Vec<(String, Value)> {
    let journal = contexture::flows::open(&place.project()).unwrap();
    let mut decided = Vec::new();
    for line in journal.log(run).unwrap() {
        if let Entry::Decided { id, decision } = line.entry {
            decided.push((id, decision));
        }
    }
    decided.sort_by(|a, b| a.0.cmp(&b.0));
    decided
}

#[test]
fn gu_6_effect_left_to_client_that_asks_its_user_is_in_journal() {
    let tool = FrontendTool::new("overlay", json!({ "type": "object" }));
    let page = Page::new().with(tool.asks_user(), |_| Ok(json!("shown")));
    let place = Place::new(&[]);
    let calls = json!({ "calls": [{ "callId": "show", "name": "overlay", "parameters": {} }] });
    let mut asked = request(&calls);
    asked.run.frontend = Some(Arc::new(page));
    let flow = Flow::prepare(&place.project(), asked).unwrap();
    let id = flow.run_id().to_owned();
    let _ = runtime().block_on(flow.run());
    let left = json!({
        "effect": "frontend:overlay", "class": "execute", "decision": "allow", "by": "client",
        "influence": []
    });
    assert_eq!(decided(&place, &id), [("show".to_owned(), left)]);
}

#[test]
fn gu_6_decisions_of_flow_are_in_its_journal_with_file_as_source() {
    let place = Place::new(&[("page.txt", "out.txt")]);
    let steps = json!([
        { "instructionId": "read", "action": "file_read", "parameters": { "path": "page.txt" } },
        { "instructionId": "write", "action": "file_write", "dependencies": ["read"],
          "parameters": { "path": "${results.read.result.value}", "content": "x" } },
        { "instructionId": "own", "action": "file_write",
          "parameters": { "path": "own.txt", "content": "x" } }
    ]);
    let flow = Flow::prepare(&place.project(), instructions(&steps)).unwrap();
    let id = flow.run_id().to_owned();
    let _ = runtime().block_on(flow.run());
    let path = json!(["read", "file_write.path"]);
    let denied = json!({
        "effect": "file_write", "class": "write", "decision": "deny", "by": "policy",
        "influence": [{ "source": "page.txt", "trust": "tool", "path": path }]
    });
    let allowed = json!({
        "effect": "file_write", "class": "write", "decision": "allow", "by": "policy",
        "influence": []
    });
    assert_eq!(decided(&place, &id), [("own".to_owned(), allowed), ("write".to_owned(), denied)]);
}
