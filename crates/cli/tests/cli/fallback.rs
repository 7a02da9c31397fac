//! Models that are asked in place of others (CA-3), with servers on loopback.

use crate::calls::{Answer, Server, completion, whole};
use crate::support::Sandbox;
use serde_json::{Value, json};

const DOWN: &str = "openai+http://127.0.0.1:1/v1/down";
/// No retries, so that a failure is final at once.
const SETTINGS: &str = "[retry]\ntimes = 0\n";

fn says(text: &'static str) -> Answer {
    whole("200 OK", completion(text, "stop"))
}

fn fails(status: &'static str) -> Answer {
    whole(status, json!({ "error": { "message": "not now" } }))
}

/// A folder with a program whose model comes from `source`, and which asks `times`.
fn program(source: &str, times: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("contexture.toml", SETTINGS);
    let text = format!(
        "import llm Fast from {source}\nmodel Fast\nmain func() {{\n  answers = []\n  \
         repeat * {times} {{ answers.add(generate({{ input: \"Where?\" }})) }}\n  answers\n}}"
    );
    sandbox.write("p.as", text);
    sandbox
}

fn models(run: &Value) -> Vec<&str> {
    run["calls"].as_array().unwrap().iter().map(|call| call["model"].as_str().unwrap()).collect()
}

#[test]
fn ca_3_next_model_answers_where_one_is_down_or_over_its_rate_or_broken() {
    let kinds: [(&str, &str); 4] = [
        ("429 Too Many Requests", "rate_limited"),
        ("503 Service Unavailable", "server"),
        ("404 Not Found", "no_such_model"),
        ("refused", "network"),
    ];
    for (status, code) in kinds {
        let refusal = json!({ "error": { "code": "model_not_found", "message": "not now" } });
        let first = match status {
            "refused" => None,
            "404 Not Found" => Some(Server::answering(vec![whole(status, refusal)])),
            status => Some(Server::answering(vec![fails(status)])),
        };
        let one = first.as_ref().map_or(DOWN, |server| server.model.as_str());
        let second = Server::answering(vec![says("here")]);
        let sandbox = program(&format!("\"{one}\" or \"{}\"", second.model), 1);
        let run = sandbox.run(["run", "p.as", "--json"]).exits(0).json();
        assert_eq!(run["value"], json!(["here"]));
        assert_eq!(models(&run), [second.model.as_str()]);
        let passed = &run["calls"][0]["passed_over"][0];
        assert_eq!((&passed["uri"], &passed["code"]), (&json!(one), &json!(code)), "{passed}");
        assert!(run["warnings"][0].as_str().unwrap().contains("is passed over"), "{run}");
        let events = sandbox.run(["trace", "export", "latest", "--json"]).exits(0).json();
        let events = events["events"].as_array().unwrap();
        let manifest = events.iter().find_map(|event| event["data"].get("manifest")).unwrap();
        assert_eq!(manifest["model"]["uri"], second.model);
        assert_eq!(manifest["passed_over"][0]["code"], code);
        let tree = sandbox.run(["trace", "show"]).exits(0).stdout;
        assert!(tree.contains(&format!("passed over {one}: ")), "{tree}");
    }
}

#[test]
fn ca_3_first_model_is_asked_again_after_its_retries() {
    let first = Server::answering(vec![fails("503 Service Unavailable"), says("at last")]);
    let second = Server::answering(vec![]);
    let sandbox = program(&format!("\"{}\" or \"{}\"", first.model, second.model), 1);
    sandbox.write("contexture.toml", "[retry]\ntimes = 1\nmax_wait_ms = 10\n");
    let run = sandbox.run(["run", "p.as", "--json"]).exits(0).json();
    assert_eq!((&run["value"], models(&run)), (&json!(["at last"]), vec![first.model.as_str()]));
    assert_eq!(run["calls"][0]["passed_over"], json!([]));
}

#[test]
fn ca_3_missing_key_is_passed_over_and_wrong_key_is_not() {
    let second = Server::answering(vec![says("here")]);
    let sandbox = program(&format!("\"openai://gpt-4o\" or \"{}\"", second.model), 1);
    let run = sandbox.run(["run", "p.as", "--json"]).exits(0).json();
    assert_eq!(models(&run), [second.model.as_str()]);
    for (status, code) in [("401 Unauthorized", "auth"), ("400 Bad Request", "bad_request")] {
        let first = Server::answering(vec![fails(status)]);
        let sandbox = program(&format!("\"{}\" or \"builtin://extractive\"", first.model), 1);
        let error = sandbox.run(["run", "p.as", "--json"]).exits(1).json();
        assert_eq!(error["error"]["code"], code, "{error}");
    }
}

#[test]
fn ca_3_answer_of_wrong_shape_is_not_given_to_next_model() {
    let first = Server::answering(vec![says("no idea")]);
    let sandbox = Sandbox::new();
    let text = format!(
        "import llm Fast from \"{}\" or \"mock\"\nmodel Fast\nmain func() {{ generate({{ input: \"x\" }}) -> {{ n integer }} }}",
        first.model
    );
    sandbox.write("p.as", text);
    let _ = sandbox.run(["run", "p.as"]).exits(1).says("unusable_answer");
}

#[test]
fn ca_3_failure_of_all_names_all_and_can_be_caught() {
    let sandbox = program(&format!("\"{DOWN}\" or \"openai://gpt-4o\""), 1);
    let error = sandbox.run(["run", "p.as", "--json"]).exits(1).json();
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("no model answered"), "{message}");
    assert!(message.contains("127.0.0.1:1") && message.contains("OPENAI_API_KEY"), "{message}");
    let passed = &error["error"]["details"]["passed_over"];
    assert_eq!((&passed[0]["uri"], &passed[0]["code"]), (&json!(DOWN), &json!("network")));
    let text = sandbox.read("p.as").replace(
        "answers.add(generate({ input: \"Where?\" }))",
        "answers.add(try { generate({ input: \"Where?\" }) } else err { err.code })",
    );
    sandbox.write("p.as", text);
    let caught = sandbox.run(["run", "p.as", "--quiet"]).exits(0).json();
    assert_eq!(caught, json!(["auth"]));
}

#[test]
fn ca_3_equal_models_are_asked_in_turn_and_stand_in_for_each_other() {
    let one = Server::answering(vec![says("one"), says("one")]);
    let two = Server::answering(vec![says("two"), says("two")]);
    let source = format!("[\"{}\", \"{}\"]", one.model, two.model);
    let run = program(&source, 4).run(["run", "p.as", "--json"]).exits(0).json();
    assert_eq!(run["value"], json!(["one", "two", "one", "two"]));
    let alive = Server::answering(vec![says("up"), says("up")]);
    let source = format!("[\"{DOWN}\", \"{}\"] or \"mock\"", alive.model);
    let run = program(&source, 2).run(["run", "p.as", "--json"]).exits(0).json();
    assert_eq!(run["value"], json!(["up", "up"]));
    let passed = |at: usize| run["calls"][at]["passed_over"].as_array().unwrap().len();
    assert_eq!((passed(0), passed(1)), (1, 0), "{run}");
}

#[test]
fn ca_3_time_of_call_holds_for_all_models() {
    let slow: Answer = Box::new(|_| std::thread::sleep(std::time::Duration::from_secs(5)));
    let first = Server::answering(vec![slow]);
    let sandbox = program(&format!("\"{}\" or \"mock\"", first.model), 1);
    let text = sandbox.read("p.as").replace("\"Where?\"", "\"Where?\", timeout: 200");
    sandbox.write("p.as", text);
    let _ = sandbox.run(["run", "p.as"]).exits(1).says("within 200 ms");
}

#[test]
fn ca_3_replacement_and_dry_run_take_whole_list() {
    let sandbox = program(&format!("\"{DOWN}\" or \"openai://gpt-4o\""), 1);
    let run = sandbox.run(["run", "p.as", "--json", "--model", "Fast=mock"]).exits(0).json();
    assert_eq!(models(&run), ["mock"]);
    let dry = sandbox.run(["run", "p.as", "--json", "--dry-run"]).exits(0).json();
    assert_eq!(dry["prompts"][0]["model"], DOWN);
}

#[test]
fn ca_3_recording_of_next_model_replays() {
    let second = Server::answering(vec![says("here")]);
    let sandbox = program(&format!("\"{DOWN}\" or \"{}\"", second.model), 1);
    let record = ["run", "p.as", "--json", "--record", "calls.jsonl"];
    let run = sandbox.run(record).exits(0).json();
    let again = sandbox.run(["run", "p.as", "--json", "--replay", "calls.jsonl"]).exits(0).json();
    assert_eq!((&again["value"], models(&again)), (&run["value"], models(&run)));
}

#[test]
fn ca_3_formatter_and_check_know_alternatives() {
    let sandbox = Sandbox::new();
    let long = "openai+http://127.0.0.1:8080/v1/a-model-with-quite-a-long-name-indeed";
    sandbox.write(
        "p.as",
        format!("import   llm Fast from  [ \"mock\",\"{long}\" , ]or \"{long}\"  or \"{long}\"\nmodel Fast\nmain func() {{ generate({{ input: \"x\" }}) }}\n"),
    );
    let _ = sandbox.run(["fmt", "p.as", "--write"]).exits(0);
    let text = sandbox.read("p.as");
    let _ = sandbox.run(["fmt", "--check", "p.as"]).exits(0);
    let _ = sandbox.run(["check", "p.as"]).exits(0);
    assert!(text.contains("\n  or \"openai+http"), "{text}");
    for (source, told) in [
        ("\"mock\" or \"opnai://gpt\"", "did you mean `openai://gpt`?"),
        ("[\"mock\", \"nonsense\"]", "`nonsense` does not name a model"),
        ("[]", "expected the URI of a model in quotes, found `]`"),
        ("\"mock\" or", "expected the URI of a model in quotes"),
        ("[\"mock\"", "unclosed `[`"),
    ] {
        sandbox.write("p.as", format!("import llm Fast from {source}\nmodel Fast\nmain func() {{ generate({{ input: \"x\" }}) }}\n"));
        let done = sandbox.run(["check", "p.as"]);
        let said = format!("{}{}", done.stdout, done.stderr);
        assert!(done.code != Some(0) && said.contains(told), "{source}: {said}");
    }
    sandbox.write(
        "p.as",
        "import tool File from \"file://workspace\" or \"mock\"\nmain func() { File.list() }\n",
    );
    let done = sandbox.run(["check", "p.as"]);
    let said = format!("{}{}", done.stdout, done.stderr);
    assert!(said.contains("`import llm` alone has alternatives"), "{said}");
}
