//! Files that are no sets, or sets beyond all measure: errors in words, exit code 2, no panic.

use crate::flow;
use crate::support::Sandbox;
use serde_json::json;

#[test]
fn fl_6_every_command_refuses_invalid_set_with_diagnostics() {
    let sandbox = Sandbox::new();
    let deep = format!("{}{}", "{\"a\":[".repeat(100_000), "]}".repeat(100_000));
    let deep_in =
        json!({"instructions": [{"instructionId": "a", "action": "echo"}]}).to_string().replace(
            "\"echo\"",
            &format!(
                "\"echo\",\"parameters\":{{\"x\":{}1{}}}",
                "[".repeat(5_000),
                "]".repeat(5_000)
            ),
        );
    for (text, code) in [
        (b"".to_vec(), "PARSE_ERROR"),
        (b"   \n".to_vec(), "PARSE_ERROR"),
        (b"{".to_vec(), "PARSE_ERROR"),
        (b"\xff\xfe{}".to_vec(), "not_utf8"),
        (b"{}".to_vec(), "VALIDATION_FAILED"),
        (b"[]".to_vec(), "VALIDATION_FAILED"),
        (b"null".to_vec(), "VALIDATION_FAILED"),
        (b"7".to_vec(), "VALIDATION_FAILED"),
        (br#"{"instructions":7}"#.to_vec(), "VALIDATION_FAILED"),
        (br#"{"instructions":[7]}"#.to_vec(), "VALIDATION_FAILED"),
        (br#"{"instructions":[{"instructionId":1,"action":[]}]}"#.to_vec(), "VALIDATION_FAILED"),
        (br#"{"type":"USER_INPUT","content":{"text":"x"}}"#.to_vec(), "UNKNOWN_TYPE"),
        (br#"{"instructions":[],"timeout":-1}"#.to_vec(), "VALIDATION_FAILED"),
        (deep.into_bytes(), "TOO_LARGE"),
        (deep_in.into_bytes(), "TOO_LARGE"),
    ] {
        sandbox.write("set.json", &text);
        let shown = String::from_utf8_lossy(&text[..text.len().min(60)]).into_owned();
        for command in ["check", "run"] {
            let done = flow(&sandbox, &[command, "set.json", "--json"]).exits(2);
            let first = &done.json()["diagnostics"][0];
            assert_eq!(first["code"], code, "{command} {shown}: {}", done.stdout);
            assert!(first["message"].is_string() && first["path"].is_string(), "{first}");
            let done = flow(&sandbox, &[command, "set.json"]).exits(2);
            assert!(!done.stderr.contains("panicked"), "{}", done.stderr);
        }
        let _ = flow(&sandbox, &["graph", "set.json"]).exits(2);
    }
    for command in ["check", "run", "graph"] {
        let _ = flow(&sandbox, &[command, "none.json"]).exits(2).says("can't read none.json");
        let _ = flow(&sandbox, &[command, "."]).exits(2).says("is a directory");
    }
    let done = flow(&sandbox, &["check", "none.json", "--json"]).exits(2).json();
    assert_eq!(done["diagnostics"][0]["code"], "file_unreadable");
    assert_eq!(done["error"]["code"], "file_unreadable");
}

#[test]
fn fl_10_hundred_thousand_instructions_are_checked_run_and_reported() {
    let sandbox = Sandbox::new();
    let steps: Vec<String> = (0..100_000)
        .map(|n| format!(r#"{{"instructionId":"s{n}","action":"echo","parameters":{{"n":{n}}}}}"#))
        .collect();
    sandbox.write(
        "set.json",
        format!(r#"{{"executionMode":"PARALLEL","instructions":[{}]}}"#, steps.join(",")),
    );
    let _ = flow(&sandbox, &["check", "set.json"]).exits(0).says("100,000 instructions");
    let report = flow(&sandbox, &["run", "set.json", "--json", "--no-keep"]).exits(0).json();
    assert_eq!(report["results"].as_object().unwrap().len(), 100_000);
    assert_eq!(report["results"]["s99999"]["result"], json!({"n": 99_999}));
    let _ = flow(&sandbox, &["graph", "set.json", "--format", "svg"]).exits(2).says("5000");
}

#[test]
fn fl_6_many_errors_are_counted() {
    let sandbox = Sandbox::new();
    let steps: Vec<_> = (0..3_000)
        .map(|n| json!({"instructionId": format!("s{n}"), "action": "no_such"}))
        .collect();
    sandbox.write("set.json", json!({"instructions": steps}).to_string());
    let done = flow(&sandbox, &["check", "set.json", "--json"]).exits(2);
    assert_eq!(done.json()["diagnostics"].as_array().unwrap().len(), 1_001);
    let text = flow(&sandbox, &["check", "set.json"]).exits(2).stdout;
    assert_eq!(text.matches("error[FLOW1009]").count(), 50);
    assert!(text.contains("… and 2950 more") && text.contains("3,000 errors"), "{text}");
}

#[test]
fn fl_6_names_in_report_have_no_terminal_commands() {
    let sandbox = Sandbox::new();
    let set = json!({"instructions": [
        {"instructionId": "a\u{1b}[31m\u{7}", "action": "b\u{1b}[2Jx", "dependencies": ["\u{1b}]0;t\u{7}"]},
        {"instructionId": "\u{1b}[31m", "action": "fail", "parameters": {"code": "X", "message": "\u{1b}[2J"}},
    ]});
    sandbox.write("set.json", set.to_string());
    let done = flow(&sandbox, &["check", "set.json"]).exits(2);
    assert!(!done.stdout.contains('\u{1b}') && !done.stdout.contains('\u{7}'), "{:?}", done.stdout);
    let mut good = set;
    good["instructions"].as_array_mut().unwrap().remove(0);
    sandbox.write("set.json", good.to_string());
    for arguments in [vec!["run", "set.json"], vec!["graph", "set.json"], vec!["show", "latest"]] {
        let done = flow(&sandbox, &arguments);
        assert!(!done.stdout.contains('\u{1b}') && !done.stderr.contains('\u{1b}'), "{done:?}");
    }
}
