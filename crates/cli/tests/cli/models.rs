//! The models of a run: named by the program, replaced by the caller (CA-7).

use crate::support::{Done, Sandbox};
use serde_json::{Value, json};

const TWO: &str = r#"
import llm Fast from "openai://gpt-4o-mini"
import llm Strong from "anthropic://claude-sonnet-4-5"
main agent {
  model Fast
  main func() {
    generate({ input: "one" })
    model Strong
    generate({ input: "two" })
  }
}
agent Other { func ask() { generate({ input: "three" }) } }
"#;

fn sandbox(program: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", program);
    sandbox
}

/// The models of the prompts that a dry run shows.
fn models(done: &Done) -> Value {
    let prompts = done.json()["prompts"].as_array().unwrap().clone();
    prompts.into_iter().map(|prompt| prompt["model"].clone()).collect()
}

fn dry(sandbox: &Sandbox, options: &[&str]) -> Value {
    let arguments = ["run", "p.as", "--dry-run", "--json"].iter().chain(options);
    models(&sandbox.run(arguments).exits(0))
}

#[test]
fn ca_7_dry_run_needs_no_key_and_no_server_whatever_model_is_named() {
    for uri in [
        "openai://gpt-4o-mini",
        "anthropic://claude-sonnet-4-5",
        "ollama://127.0.0.1:1/llama3.2",
        "openai+http://127.0.0.1:1/v1/m",
        "replay:none.jsonl",
    ] {
        let program = format!(
            "import llm Own from \"{uri}\"\nmodel Own\nmain func() {{ generate({{ input: \"x\" }}) -> {{ a string }} }}"
        );
        assert_eq!(dry(&sandbox(&program), &[]), json!([uri]));
        let default = sandbox("main func() { generate({ input: \"x\" }) }");
        assert_eq!(dry(&default, &["--model", uri]), json!([uri]));
    }
    // Without `--dry-run` the key is needed.
    let run = sandbox(TWO).run(["run", "p.as"]).exits(1);
    let _ = run.says("OPENAI_API_KEY");
}

#[test]
fn ca_7_dry_run_with_unusable_address_is_built() {
    let program =
        "import llm Own from \"openai://m\"\nmodel Own\nmain func() { generate({ input: \"x\" }) }";
    let sandbox = sandbox(program);
    sandbox.write("contexture.toml", "[providers]\nopenai_base_url = \"not an address\"\n");
    assert_eq!(dry(&sandbox, &[]), json!(["openai://m"]));
}

#[test]
fn ca_7_name_and_uri_replace_named_model_and_leave_others() {
    let sandbox = sandbox(TWO);
    let strong = "anthropic://claude-sonnet-4-5";
    let of = |options: &[&str]| dry(&sandbox, options);
    assert_eq!(of(&["--model", "Fast=mock"]), json!(["mock", strong]));
    let both = ["--model", "Fast=mock", "--model", "Strong=openai+http://127.0.0.1:1/v1/a=b"];
    assert_eq!(of(&both), json!(["mock", "openai+http://127.0.0.1:1/v1/a=b"]));
}

#[test]
fn ca_7_uri_alone_replaces_all_models_that_program_names() {
    let sandbox = sandbox(TWO);
    let of = |options: &[&str]| dry(&sandbox, options);
    assert_eq!(of(&["--model", "ollama://a=b"]), json!(["ollama://a=b", "ollama://a=b"]));
    let with_one = ["--model", "ollama://m", "--model", "Strong=mock"];
    assert_eq!(of(&with_one), json!(["ollama://m", "mock"]));
    let run = sandbox.run(["run", "p.as", "--quiet", "--model", "mock"]).exits(0);
    assert!(run.json().is_string());
}

#[test]
fn ca_7_settings_replace_by_name_and_command_line_wins() {
    let sandbox = sandbox(TWO);
    sandbox.write("contexture.toml", "[models]\nFast = \"ollama://small\"\nUnused = \"mock\"\n");
    let of = |options: &[&str]| dry(&sandbox, options);
    let strong = "anthropic://claude-sonnet-4-5";
    assert_eq!(of(&[]), json!(["ollama://small", strong]));
    assert_eq!(of(&["--model", "Fast=mock"]), json!(["mock", strong]));
    assert_eq!(of(&["--model", "mock"]), json!(["mock", "mock"]));
    sandbox.write("contexture.toml", "[models]\nFast = \"olama://small\"\n");
    let error = sandbox.run(["run", "p.as", "--json"]).exits(2).json();
    assert_eq!(error["error"]["code"], "model_uri");
}

#[test]
fn ca_7_unknown_name_is_refused_with_suggestion() {
    let sandbox = sandbox(TWO);
    for (given, help) in [
        ("Fsat=mock", "did you mean `Fast`?"),
        ("fast=mock", "did you mean `Fast`?"),
        ("Quite=mock", "`Fast`, `Strong`"),
    ] {
        for mode in ["--dry-run", "--mock"] {
            let error = sandbox.run(["run", "p.as", "--json", mode, "--model", given]).exits(2);
            let error = &error.json()["error"];
            assert_eq!(error["code"], "unknown_model", "{error}");
            assert!(error["help"].as_str().unwrap().contains(help), "{error}");
        }
    }
    for given in ["nonsense", "Fast=", "=mock", "Fast=nonsense", "http://x=y"] {
        let error = sandbox.run(["run", "p.as", "--json", "--dry-run", "--model", given]).exits(2);
        assert_eq!(error.json()["error"]["code"], "model_uri", "{given}");
    }
    let twice = ["run", "p.as", "--model", "mock", "--model", "builtin://extractive"];
    let _ = sandbox.run(twice).exits(2).says("two models");
}

#[test]
fn ca_7_names_of_imported_files_count() {
    let sandbox = sandbox("import agent Other from \"./other.as\"\nmain func() { Other.ask() }");
    sandbox.write(
        "other.as",
        "import llm Deep from \"openai://deep\"\nagent Other { model Deep func ask() { generate({ input: \"x\" }) } }",
    );
    assert_eq!(dry(&sandbox, &["--model", "Deep=mock"]), json!(["mock"]));
}

#[test]
fn ca_7_record_says_which_model_stood_in() {
    let sandbox = sandbox(TWO);
    let _ = sandbox
        .run(["run", "p.as", "--quiet", "--model", "Fast=mock", "--model", "Strong=mock"])
        .exits(0);
    let run = sandbox.run(["trace", "export", "latest", "--json"]).exits(0).json();
    let begin = run["events"].as_array().unwrap().iter().find(|event| event["kind"] == "run");
    assert_eq!(begin.unwrap()["data"]["models"], json!({ "Fast": "mock", "Strong": "mock" }));
}

#[test]
fn ca_7_unknown_name_is_refused_by_flows_and_sessions() {
    let sandbox = sandbox(TWO);
    let set =
        r#"{ "instructions": [{ "instructionId": "a", "action": "agent:p", "parameters": {} }] }"#;
    sandbox.write("set.json", set);
    for file in ["set.json", "p.as"] {
        let given = ["flow", "run", file, "--json", "--model", "Fsat=mock"];
        let error = &sandbox.run(given).exits(2).json()["error"];
        assert_eq!(error["code"], "unknown_model", "{error}");
        assert!(error["help"].as_str().unwrap().contains("did you mean `Fast`?"), "{error}");
    }
    let both = ["flow", "run", "set.json", "--model", "Fast=mock", "--model", "Strong=mock"];
    let _ = sandbox.run(both).exits(0);
    let lines = "import llm Fast from \"openai://x\"\nmodel Fast\n1 + 1\n";
    let session = |given: &str| sandbox.run_with(["repl", "--model", given], lines);
    let _ = session("Fast=mock").exits(0);
    let _ = session("Fsat=mock").exits(2).says("did you mean `Fast`?");
}
