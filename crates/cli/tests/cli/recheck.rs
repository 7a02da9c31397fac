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

#[test]
fn in_10_choice_and_options_of_runner_are_those_of_recheck() {
    let sandbox = Sandbox::with_examples();
    let input = json!({ "question": "What does the cache store?" }).to_string();
    let run = ["run", "examples/use_one_of.as", "--quiet", "--input", &input];
    let _ = sandbox.run([&run[..], &["--select", "evidence=overview"]].concat()).exits(0);
    let told = sandbox.run(["recheck", "latest"]).exits(0);
    assert_eq!(told.stdout, "1 prompt checked, none has changed\n");
    sandbox.write(
        "short.test.yaml",
        "program: examples/use_one_of.as\ncases:\n  - name: short\n    input: {question: \"What does the cache store?\"}\n    \
         options: {max_input: 200}\n    expect: [{where: \"prompt.tokens < 201\"}]\n",
    );
    let tested = sandbox.run(["test", "short.test.yaml", "--json"]).exits(0).json();
    let run = tested["suites"][0]["cases"][0]["run"].as_str().unwrap();
    let told = sandbox.run(["recheck", run]).exits(0);
    assert_eq!(told.stdout, "1 prompt checked, none has changed\n");
}

#[test]
fn in_10_answers_after_changed_prompt_are_told_stale() {
    let sandbox = recorded();
    let text = sandbox.read("p.as").replace("Explain the word.", "Explain the word well.");
    sandbox.write("words.as", text);
    let told = sandbox.run(["recheck", "latest", "--program", "words.as"]).exits(1).stdout;
    // Four turns of a loop: each explains, which is changed, and shortens; then all is summed up.
    assert_eq!(told.matches(": changed, ").count(), 4, "{told}");
    assert!(
        told.ends_with("5 later answers may be stale: a prompt before has changed\n"),
        "{told}"
    );
}

#[test]
fn in_10_changed_pack_changes_prompt() {
    let sandbox = Sandbox::new();
    let head = "---\nname: acme\ndescription: What Acme sells.\ntype: brand-product\nprofile: document\n\
        status: ready\nversion: 1.0.0\nlanguage: en\nmaintainer: Acme\ntrust: official\n\
        grounding: required\n---\n\n# Acme\n\nThe guide.\n";
    let prices = ".agents/knowledge/acme/documents/prices.md";
    sandbox.write(".agents/knowledge/acme/KNOWLEDGE.md", head);
    sandbox.write(prices, "# Prices\n\n## Widget\n\nThe widget costs 5 euros.\n");
    sandbox.write(
        "p.as",
        "import knowledge Acme from \"knowledge://acme\"\nmain func(input) {\n  use Acme max 500 as facts\n  \
         generate({ input: \"What does the widget cost?\" }) -> { answer string }\n}\n",
    );
    let _ = sandbox.run(["knowledge", "allow", "acme"]).exits(0);
    let run = ["run", "p.as", "--mock", "--quiet", "--input", "\"What does the widget cost?\""];
    let _ = sandbox.run(run).exits(0);
    let _ = sandbox.run(["recheck", "latest"]).exits(0);
    sandbox.write(prices, "# Prices\n\n## Widget\n\nThe widget costs 9 euros now.\n");
    let found = calls(&sandbox, &[], 1);
    assert_eq!((&found[0]["changed"], &found[0]["stale"]), (&json!(true), &json!(true)));
    assert!(found[0].to_string().contains("9 euros now"), "{}", found[0]);
}
