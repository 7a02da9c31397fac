//! References in programs, from the file of a program to its answer and its trace.

use crate::support::Sandbox;
use serde_json::{Value, json};

const PROGRAM: &str = "\
import resource Docs from \"@?file://docs/**/*.md\"
import resource Manual from \"@!file://手册/*.md\"

main func(input) {
  use input.question as question
  use Manual max 300 as 手册
  use Docs
  generate({ input: \"回答问题，先读@file://规则.md，再答。\" }) -> { answer string }
}
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("app/ask.as", PROGRAM).write("app/手册/端口.md", "服务器监听 7878 端口。\n");
    sandbox.write("app/规则.md", "只说端口。\n").write("app/docs/a/old.md", "The port was 80.\n");
    sandbox
}

const INPUT: &str = r#"{"question":"服务器监听哪个端口？"}"#;

#[test]
fn ref_7_program_with_references_is_checked_run_and_traced() {
    let sandbox = sandbox();
    let _ = sandbox.run(["check", "app/ask.as"]).exits(0);
    let dry = ["run", "app/ask.as", "--input", INPUT, "--dry-run", "--json"];
    let prompt = sandbox.run(dry).exits(0).json()["prompts"][0].clone();
    let items: Vec<(&str, &str)> = prompt["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["source"].as_str().unwrap(), item["trust"].as_str().unwrap()))
        .collect();
    assert_eq!(
        items,
        [
            ("input.question", "user"),
            ("@file://手册/端口.md", "resource"),
            ("@file://规则.md", "resource"),
            ("load_resource", "program"),
        ]
    );
    let user = prompt["user"].as_str().unwrap();
    assert!(user.contains("回答问题，先读@file://规则.md，再答。"), "{user}");
    assert!(
        user.contains("- @?file://docs/**/*.md") && !user.contains("The port was 80"),
        "{user}"
    );
    let answer = sandbox.run(["run", "app/ask.as", "--quiet", "--input", INPUT]).exits(0).json();
    assert_eq!(answer["answer"], "服务器监听 7878 端口。");
    let trace = sandbox.run(["trace", "show", "--json"]).exits(0).stdout;
    assert!(trace.contains("\"references\""), "{trace}");
}

#[test]
fn ref_10_trace_shows_what_model_loaded() {
    let sandbox = sandbox();
    let call = |reference: &str| json!({ "tool_calls": [{ "name": "load_resource", "arguments": { "reference": reference } }] });
    let answers = [
        call("@file://docs/a/old.md"),
        call("@file://../../etc/passwd"),
        json!({ "when": "The port was 80.", "json": { "answer": "80" } }),
    ];
    let lines: Vec<String> = answers.iter().map(Value::to_string).collect();
    sandbox.write("answers.jsonl", lines.join("\n"));
    let run = ["run", "app/ask.as", "--quiet", "--input", INPUT, "--mock=answers.jsonl"];
    assert_eq!(sandbox.run(run).exits(0).json(), json!({ "answer": "80" }));
    let shown = sandbox.run(["trace", "show"]).exits(0).stdout;
    for part in ["@file://docs/a/old.md", "[load_resource]", "[手册]"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn ref_9_unloadable_references_are_listed_with_cause() {
    let sandbox = sandbox();
    std::fs::remove_dir_all(sandbox.path("app/手册")).unwrap();
    std::fs::remove_file(sandbox.path("app/规则.md")).unwrap();
    let done = sandbox.run(["run", "app/ask.as", "--input", INPUT]).exits(2);
    assert!(done.stderr.contains("@!file://手册/*.md"), "{}", done.stderr);
    sandbox.write("app/手册/端口.md", "服务器监听 7878 端口。\n");
    let done = sandbox.run(["run", "app/ask.as", "--input", INPUT]).exits(0);
    assert!(
        done.stderr.contains("`@file://规则.md`: there is no `app/规则.md`"),
        "{}",
        done.stderr
    );
    sandbox.write(
        "bad.as",
        "main func(input) {\n  generate({ input: \"读@!fiel://a.md。\" }) -> { a string }\n}",
    );
    let done = sandbox.run(["check", "bad.as"]).exits(2);
    assert!(done.stdout.contains("error[REF3001]") || done.stderr.contains("error[REF3001]"));
    assert!(format!("{}{}", done.stdout, done.stderr).contains("did you mean `file`?"));
}

#[test]
fn ref_23_program_excerpt_masks_credentials() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "bad.as",
        "import resource Doc from \"@!https://ann:s3cret@example.org/a?line=7-5\"\nmain func(input) {\n  use Doc\n  generate({ input: \"x\" }) -> { a string }\n}",
    );
    for command in ["check", "run"] {
        let done = sandbox.run([command, "bad.as"]).exits(2);
        let said = format!("{}{}", done.stdout, done.stderr);
        assert!(said.contains("@!https://***********example.org/a"), "{said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
}

#[test]
fn ref_23_import_errors_quote_no_credentials() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "bad.as",
        "import tool Web from \"https://ann:s3cret@example.org\"\nmain func(input) { Web.get({ url: \"/\" }) }",
    );
    for arguments in
        [vec!["check", "bad.as"], vec!["run", "bad.as"], vec!["run", "bad.as", "--json"]]
    {
        let done = sandbox.run(arguments).exits(2);
        let said = format!("{}{}", done.stdout, done.stderr);
        assert!(said.contains("`https://example.org` does not name a tool"), "{said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
}

#[test]
fn ref_23_url_is_not_agent_path_and_shows_no_password() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "bad.as",
        "import agent A from \"https://ann:s3cret@example.org/a\"\nmain func(input) { A(1) }",
    );
    let done = sandbox.run(["check", "bad.as"]).exits(2);
    let said = format!("{}{}", done.stdout, done.stderr);
    assert!(said.contains("`https://example.org/a` does not name an agent"), "{said}");
    assert!(!said.contains("s3cret") && !said.contains("AS2013"), "{said}");
}
