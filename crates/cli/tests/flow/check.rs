use crate::support::Sandbox;
use crate::{flow, found};
use serde_json::json;

/// One of every fault.
fn faulty() -> String {
    json!({"type": "INSTRUCTION", "content": {"instructions": [
        {"instructionId": "a", "action": "echo", "dependencies": ["b"]},
        {"instructionId": "b", "action": "echo", "dependencies": ["c"]},
        {"instructionId": "c", "action": "echo", "dependencies": ["a"]},
        {"instructionId": "d", "action": "ecko"},
        {"instructionId": "d", "action": "echo", "dependencies": ["gone", "d"]},
        {"instructionId": "e", "action": "echo",
         "parameters": {"x": "${dependencies.d.result}", "y": "${nothing.z}", "u": "${open"}},
        {"instructionId": "f", "action": "echo", "condition": "a == 1 and b"},
    ]}})
    .to_string()
}

#[test]
fn fl_6_report_has_all_errors_with_places() {
    let sandbox = Sandbox::new();
    sandbox.write("set.json", faulty());
    let done = flow(&sandbox, &["check", "set.json", "--json"]).exits(2);
    let mut all = found(&done);
    all.sort();
    let at = |code: &str, path: &str| (code.to_owned(), format!("/content/instructions/{path}"));
    let mut wanted = vec![
        at("CYCLE", "0/dependencies/0"),
        at("CYCLE", "4/dependencies/1"),
        at("DUPLICATE_ID", "4/instructionId"),
        at("UNDECLARED_REFERENCE", "5/parameters/x"),
        at("UNDECLARED_REFERENCE", "5/parameters/y"),
        at("UNKNOWN_ACTION", "3/action"),
        at("UNKNOWN_ID", "4/dependencies/0"),
        at("VALIDATION_FAILED", "5/parameters/u"),
        at("VALIDATION_FAILED", "6/condition"),
    ];
    wanted.sort();
    assert_eq!(all, wanted);
    let list = done.json()["diagnostics"].as_array().unwrap().clone();
    for fault in &list {
        assert_eq!(fault["severity"], "error", "{fault}");
        assert!(fault["message"].is_string() && fault["help"].is_string(), "{fault}");
    }
    let of = |path: &str| {
        list.iter().find(|fault| fault["path"].as_str().unwrap().ends_with(path)).unwrap()
    };
    assert!(of("0/dependencies/0")["message"].as_str().unwrap().contains("a → b → c → a"));
    assert!(of("3/action")["help"].as_str().unwrap().contains("`echo`"));
    assert_eq!(of("6/condition")["offset"], 7);
    assert_eq!(done.stderr, "");
}

#[test]
fn fl_6_text_shows_errors_with_place_caret_and_summary() {
    let sandbox = Sandbox::new();
    sandbox.write("set.json", faulty());
    let text = flow(&sandbox, &["check", "set.json"]).exits(2).stdout;
    for part in [
        "error[FLOW1004]: cycle of dependencies: a → b → c → a",
        " --> set.json#/content/instructions/0/dependencies/0",
        "did you mean `echo`?",
        "1 | a == 1 and b\n  |        ^",
        "9 errors",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn fl_4_only_warnings_exit_0() {
    let sandbox = Sandbox::new();
    let set = json!({"instructions": [
        {"instructionId": "a", "action": "echo"},
        {"instructionId": "b", "action": "echo", "dependencies": ["a"],
         "condition": "dependencies.a.status == 'SUCCESS'"},
    ]});
    sandbox.write("set.json", set.to_string());
    let done = flow(&sandbox, &["check", "set.json", "--json"]).exits(0);
    let fault = &done.json()["diagnostics"][0];
    assert_eq!(
        (&fault["severity"], &fault["path"]),
        (&json!("warning"), &json!("/instructions/1/condition"))
    );
    assert!(fault["help"].as_str().unwrap().contains("COMPLETED"), "{fault}");
    let text = flow(&sandbox, &["check", "set.json"]).exits(0).stdout;
    assert!(text.contains("warning[FLOW1012]") && text.contains("1 warning"), "{text}");
}

#[test]
fn fl_6_valid_set_has_no_diagnostics_in_any_form() {
    let sandbox = Sandbox::with_examples();
    for file in ["hello.json", "branches.json", "recover.json"] {
        let file = format!("examples/flows/{file}");
        let done = flow(&sandbox, &["check", &file, "--json"]).exits(0);
        assert_eq!(done.json(), json!({"diagnostics": []}), "{file}");
        let done = flow(&sandbox, &["check", &file]).exits(0);
        assert_eq!(done.stdout, "");
        assert!(done.stderr.starts_with("ok: "), "{}", done.stderr);
    }
    let step = json!({"instructionId": "a", "action": "echo"});
    let call = json!({"callId": "a", "name": "echo", "parameters": {}});
    let content = json!({"instructions": [step]});
    let calls = json!({"calls": [call]});
    let envelope = |kind: &str, content: &serde_json::Value| {
        json!({"messageId": "m", "contextId": "c", "timestamp": "2025-12-01T10:00:00Z",
            "sender": {"id": "s", "type": "SYSTEM"}, "type": kind, "content": content})
    };
    for set in [
        envelope("INSTRUCTION", &content),
        json!({"type": "INSTRUCTION", "content": content}),
        content.clone(),
        envelope("TOOL_CALL_REQUEST", &calls),
        json!({"type": "TOOL_CALL_REQUEST", "content": calls}),
        calls.clone(),
        json!({"toolCalls": [call]}),
    ] {
        let done = sandbox.run_with(["flow", "check", "-", "--json"], set.to_string()).exits(0);
        assert_eq!(done.json(), json!({"diagnostics": []}), "{set}");
        let done = sandbox.run_with(["flow", "run", "-", "--json", "--no-keep"], set.to_string());
        let report = done.exits(0).json();
        assert_eq!((&report["status"], &report["order"]), (&json!("COMPLETED"), &json!(["a"])));
    }
}
