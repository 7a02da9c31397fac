//! `contexture check`, `parse` and `explain`.

use crate::support::Sandbox;
use serde_json::json;

fn program(text: impl AsRef<[u8]>) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", text);
    sandbox
}

#[test]
fn as_32_check_json_lists_diagnostics_with_places_in_characters() {
    let sandbox = program("main func(input) {\n  名 = 1\n  名 + 字\n}\n");
    let done = sandbox.run(["check", "p.as", "--json"]).exits(2);
    assert_eq!(done.stderr, "");
    let object = done.json();
    let fault = &object["diagnostics"][0];
    assert_eq!(fault["code"], "AS2001");
    assert_eq!(fault["severity"], "error");
    assert_eq!(fault["file"], "p.as");
    assert_eq!(fault["span"], json!({ "line": 3, "column": 7, "end_line": 3, "end_column": 8 }));
    assert!(fault["message"].is_string() && fault.get("help").is_some());
}

#[test]
fn as_32_check_exits_0_when_there_is_no_error() {
    let sandbox = Sandbox::with_examples();
    let done = sandbox.sh("contexture check examples/*.as --json").exits(0);
    assert_eq!(done.json(), json!({ "diagnostics": [] }));
    let done = sandbox.sh("contexture check examples/*.as").exits(0);
    assert_eq!(
        (done.stdout.as_str(), done.stderr.as_str()),
        ("", "ok: 12 programs, nothing to complain about\n")
    );
    let hints = program("main func(input) { generate({ input: \"x\" }) }");
    let done = hints.run(["check", "p.as"]).exits(0);
    assert!(done.stdout.contains("hint["), "{}", done.stdout);
}

#[test]
fn as_32_all_faults_of_all_files_are_told_at_once_with_their_source() {
    let sandbox = program("main func(input) { one two }");
    sandbox.write("q.as", "import agent P from \"./p.as\"\nmain func(input) { three }");
    let done = sandbox.run(["check", "p.as", "q.as"]).exits(2);
    for part in ["--> p.as:1:20", "--> p.as:1:24", "--> q.as:2:20", "3 errors"] {
        assert!(done.stdout.contains(part), "{part}: {}", done.stdout);
    }
}

#[test]
fn as_32_files_that_cannot_be_read_are_diagnostics_too() {
    let sandbox = program(b"\xff");
    let object = sandbox.run(["check", "p.as", "none.as", "--json"]).exits(2).json();
    let all = object["diagnostics"].as_array().unwrap();
    assert_eq!(all.len(), 2, "{object:#}");
    assert!(all[0]["message"].as_str().unwrap().contains("UTF-8"));
    assert_eq!(all[1]["span"]["line"], 1);
}

#[test]
fn as_31_parse_prints_the_tree_also_of_a_broken_file() {
    let sandbox = program("main func(input) { 1 + 2 }");
    let tree = sandbox.run(["parse", "p.as"]).exits(0).json();
    assert_eq!(tree["type"], "File");
    assert_eq!(tree["items"][0]["type"], "Func");
    let done = sandbox.run_with(["parse", "-"], "main func(input) { 1 + }").exits(2);
    assert_eq!(done.json()["type"], "File");
    let _ = done.says("AS1");
}

#[test]
fn as_32_explain_says_what_a_code_means() {
    let sandbox = Sandbox::new();
    assert!(sandbox.run(["explain", "AS2001"]).exits(0).stdout.contains("AS2001"));
    assert!(sandbox.run(["explain", "as9007"]).exits(0).stdout.contains("index"));
    let _ = sandbox.run(["explain", "AS201"]).exits(2).says("did you mean");
    assert!(sandbox.run(["explain"]).exits(0).stdout.lines().count() > 50);
}
