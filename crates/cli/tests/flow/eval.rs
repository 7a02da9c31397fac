use crate::flow;
use crate::support::Sandbox;
use serde_json::json;

#[test]
fn fl_9_eval_prints_true_or_false_and_exits_0_for_both() {
    let sandbox = Sandbox::new();
    let context = json!({
        "dependencies": {"a": {"status": "COMPLETED", "result": {"score": 0.9, "text": "x AND y"}}},
        "n": 5, "big": 9_007_199_254_740_993_u64,
    });
    sandbox.write("c.json", context.to_string());
    for (expression, value) in [
        ("dependencies.a.status == 'COMPLETED' AND dependencies.a.result.score > 0.8", true),
        ("dependencies.a.result.text == 'x AND y'", true),
        ("n == 6 AND n == 5 OR n == 5", true),
        ("NOT n == 6", true),
        ("n == 5.0", true),
        ("big == 9007199254740992", false),
        ("unknown.root == null", true),
        ("unknown.root", false),
        ("n", false),
        ("n == '5'", false),
        ("-5 < 3", true),
        ("!exists(n)", false),
    ] {
        let done = flow(&sandbox, &["eval", expression, "--context", "c.json"]).exits(0);
        assert_eq!(
            (done.stdout.as_str(), done.stderr.as_str()),
            (if value { "true\n" } else { "false\n" }, ""),
            "{expression}"
        );
        let done = flow(&sandbox, &["eval", expression, "--context", "c.json", "--json"]).exits(0);
        assert_eq!(done.json(), json!({ "value": value }), "{expression}");
    }
}

#[test]
fn fl_9_paths_without_context_are_null_and_dash_is_stdin() {
    let sandbox = Sandbox::new();
    assert_eq!(flow(&sandbox, &["eval", "a.b == null"]).exits(0).stdout, "true\n");
    let done = sandbox.run_with(["flow", "eval", "a.b == 1", "--context", "-"], r#"{"a":{"b":1}}"#);
    assert_eq!(done.exits(0).stdout, "true\n");
    let done = sandbox.run_with(["flow", "eval", "a == 1", "--context", "-"], "\u{feff}{\"a\":1}");
    assert_eq!(done.exits(0).stdout, "true\n");
}

#[test]
fn fl_9_syntax_error_exits_2_with_offset_and_caret() {
    let sandbox = Sandbox::new();
    for (expression, offset) in [
        ("", 0),
        ("   ", 0),
        ("a == 1 and b == 2", 7),
        ("a < b < c", 6),
        ("a == ", 5),
        ("(a == 1", 7),
        ("a == 'x", 5),
        ("unknown(a)", 0),
        ("-", 0),
    ] {
        let done = flow(&sandbox, &["eval", expression]).exits(2);
        assert_eq!(done.stdout, "", "{expression}");
        assert!(done.stderr.contains(&format!("offset {offset}")), "{expression}: {}", done.stderr);
        assert!(done.stderr.contains('^') || expression.trim().is_empty(), "{}", done.stderr);
        let error =
            flow(&sandbox, &["eval", expression, "--json"]).exits(2).json()["error"].clone();
        assert_eq!(
            (&error["code"], &error["offset"]),
            (&json!("FLOW1007"), &json!(offset)),
            "{error}"
        );
        assert!(
            error["message"].as_str().unwrap().contains(&format!("offset {offset}")),
            "{error}"
        );
    }
}

#[test]
fn fl_9_context_that_is_not_object_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("list.json", "[1]").write("bad.json", "{'a':1}").write("latin.json", b"\xff");
    sandbox.write("deep.json", format!("{}{}", "{\"a\":[".repeat(5_000), "]}".repeat(5_000)));
    sandbox.write("empty.json", "").write("text.json", "\"x\"");
    for (file, text) in [
        ("list.json", "list.json contains a list, expected an object"),
        ("text.json", "text.json contains a string, expected an object"),
        ("bad.json", "not JSON"),
        ("latin.json", "not UTF-8"),
        ("deep.json", "nested deeper"),
        ("empty.json", "not JSON"),
        ("none.json", "can't read none.json"),
    ] {
        let _ = flow(&sandbox, &["eval", "a == 1", "--context", file]).exits(2).says(text);
    }
    let _ = flow(&sandbox, &["eval"]).exits(2).says("<EXPR>");
    let _ = flow(&sandbox, &["eval", "a", "--contxt", "x"]).exits(2).says("--context");
}
