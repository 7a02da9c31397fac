//! What decided that a step runs (GU-5).

use crate::common::Place;
use crate::flows::support::{error, instructions, result, run};
use serde_json::{Value, json};

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
