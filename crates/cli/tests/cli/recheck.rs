//! `contexture recheck`: recorded runs as tests of the prompts.

use crate::support::Sandbox;
use serde_json::{Value, json};

const PROGRAM: &str = "\
import tool File from \"file://workspace\"

func draft(question) {
  generate({ input: \"Draft an answer to ${question}.\" }) -> { answer string }
}

main func(input) {
  page = File.read({ path: \"page.txt\" })
  File.write({ path: \"out.txt\", content: page })
  lines = parallel for word in input.words max 9 {
    use word as word
    first = generate({ input: \"Explain the word.\" }) -> { answer string }
    use first as explanation
    second = generate({ input: \"Shorten it.\" }) -> { answer string }
    second
  }
  use page max 200 as page
  use lines as lines
  generate({ input: \"Sum up.\" }) -> { answer string }
}
";

fn recorded() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", PROGRAM).write("page.txt", "The page of the first day. ".repeat(9));
    let input = json!({ "words": ["one", "two", "three", "four"] }).to_string();
    let _ = sandbox.run(["run", "p.as", "--mock", "--quiet", "--input", &input]).exits(0);
    sandbox
}

fn calls(sandbox: &Sandbox, arguments: &[&str], code: i32) -> Vec<Value> {
    let all = [&["recheck", "latest", "--json"], arguments].concat();
    let found = sandbox.run(all).exits(code).json();
    assert_eq!(found["failure"], Value::Null, "{found}");
    found["calls"].as_array().unwrap().clone()
}

#[test]
fn in_10_unchanged_program_has_same_prompts_and_does_nothing() {
    let sandbox = recorded();
    sandbox.write("page.txt", "Something else.").write("out.txt", "mine");
    let calls = calls(&sandbox, &[], 0);
    assert_eq!(calls.len(), 9);
    assert!(calls.iter().all(|call| call["changed"] == false && call["stale"] == false));
    assert!(calls.iter().all(|call| call["tokens_before"] == call["tokens_after"]));
    assert_eq!(sandbox.read("out.txt"), "mine", "nothing is written");
    let told = sandbox.run(["recheck", "latest"]).exits(0);
    assert_eq!(told.stdout, "9 prompts checked, none has changed\n");
    assert_eq!(sandbox.run(["trace", "list"]).exits(0).stdout.lines().count(), 1, "not kept");
}

#[test]
fn in_10_comments_and_moved_lines_change_nothing() {
    let sandbox = recorded();
    let moved = sandbox.read("p.as").replace("main func", "// Moved.\n\n\nmain func");
    sandbox.write("moved.as", moved);
    assert!(calls(&sandbox, &["--program", "moved.as"], 0).iter().all(|c| c["changed"] == false));
}

#[test]
fn in_10_changed_budget_and_instruction_are_shown_with_tokens() {
    let sandbox = recorded();
    let text = sandbox.read("p.as");
    sandbox.write("budget.as", text.replace("max 200", "max 20"));
    let found = calls(&sandbox, &["--program", "budget.as"], 1);
    let changed: Vec<&Value> = found.iter().filter(|call| call["changed"] == true).collect();
    assert_eq!(changed.len(), 1);
    let tokens = |name: &str| changed[0][name].as_u64().unwrap();
    assert!(tokens("tokens_after") < tokens("tokens_before"), "{}", changed[0]);
    let page = changed[0]["items"].as_array().unwrap().iter().find(|one| one["label"] == "page");
    assert_eq!(page.unwrap()["change"], "cut_differently");

    sandbox.write("words.as", text.replace("Explain the word.", "Explain the word well."));
    let found = calls(&sandbox, &["--program", "words.as"], 1);
    let changed = found.iter().filter(|call| call["changed"] == true).count();
    assert_eq!(changed, 4, "the answers of the record stay");
    assert!(found.iter().all(|call| call["stale"] == true));
    let told = sandbox.run(["recheck", "latest", "--program", "words.as"]).exits(1);
    assert!(told.stdout.contains("the instruction differs"), "{}", told.stdout);
}

#[test]
fn in_10_run_that_failed_is_unchanged_when_it_fails_again() {
    let sandbox = Sandbox::new();
    let program = "main func(input) {\n  generate({ input: \"Say.\" }) -> { answer string }\n  fail \"no\"\n}\n";
    sandbox.write("p.as", program);
    let _ = sandbox.run(["run", "p.as", "--mock", "--quiet"]).exits(1);
    assert_eq!(calls(&sandbox, &[], 0).len(), 1);
    sandbox.write("p.as", program.replace("  fail", "  missing = input.nothing.more\n  fail"));
    let found = sandbox.run(["recheck", "latest", "--json"]).exits(1).json();
    assert_ne!(found["failure"], Value::Null, "{found}");
}

#[test]
fn in_10_more_calls_and_broken_programs_are_told() {
    let sandbox = recorded();
    let text = sandbox.read("p.as");
    sandbox.write("more.as", text.replace("  use lines", "  draft(\"x\")\n  use lines"));
    let found = calls(&sandbox, &["--program", "more.as"], 1);
    assert_eq!(found.iter().filter(|call| call["change"] == "added").count(), 1);
    sandbox.write("broken.as", "main func(input) {");
    let _ = sandbox.run(["recheck", "latest", "--program", "broken.as"]).exits(2);
    let _ = sandbox.run(["recheck", "nothing"]).exits(2);
}
