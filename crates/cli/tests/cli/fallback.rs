//! Models that are asked in place of others (CA-3), with servers on loopback.

use crate::calls::{Answer, Server, completion, head, whole};
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
    let kinds: [(&str, &str); 5] = [
        ("402 Payment Required", "quota"),
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

/// A program that shows a long text to one model or the other, with their windows in the settings.
fn long(models: &[(&str, u64)]) -> Sandbox {
    let sandbox = Sandbox::new();
    let uris: Vec<String> = models.iter().map(|(uri, _)| format!("\"{uri}\"")).collect();
    let text = format!(
        "import llm Fast from {}\nmodel Fast\nmain func(input {{ text string }}) {{\n  \
         use input.text as text\n  generate({{ input: \"Sum it up.\", max_output: 50 }})\n}}",
        uris.join(" or ")
    );
    sandbox.write("p.as", text);
    let windows = models.iter().filter(|(_, window)| *window > 0).map(|(uri, window)| {
        format!("[profiles.\"{uri}\"]\nwindow = {window}\ntokenizer = \"o200k_base\"\n")
    });
    sandbox.write("contexture.toml", format!("{SETTINGS}{}", windows.collect::<String>()));
    sandbox.write("in.json", json!({ "text": "the cat sat on the mat ".repeat(500) }).to_string());
    sandbox
}

const LONG: [&str; 5] = ["run", "p.as", "--json", "--input-file", "in.json"];

#[test]
fn ca_3_model_whose_window_is_too_small_is_passed_over_for_one_with_more_room() {
    for window in [100_000, 2_000, 0] {
        let first = Server::answering(vec![]);
        let second = Server::answering(vec![says("short")]);
        let sandbox = long(&[(&first.model, 500), (&second.model, window)]);
        let run = if window == 0 {
            // The second server says nothing of its window before it answers.
            let nothing = || whole("404 Not Found", json!({}));
            let second = Server::answering(vec![nothing(), nothing(), says("short")]);
            long(&[(&first.model, 500), (&second.model, 0)]).run(LONG)
        } else {
            sandbox.run(LONG)
        };
        let run = run.exits(0).json();
        let passed = &run["calls"][0]["passed_over"];
        assert_eq!(run["value"], "short", "{run}");
        assert_eq!(passed[0]["uri"], first.model, "{run}");
        assert_eq!(passed[0]["code"], "window_overflow", "{run}");
        assert_eq!(passed[0]["requests"], 0, "{run}");
        let reason = passed[0]["reason"].as_str().unwrap();
        assert!(reason.contains("450 tokens"), "{reason}");
    }
}

#[test]
fn ca_3_prompt_that_no_other_window_holds_is_cut_for_model_with_most_room() {
    let first = Server::answering(vec![says("short")]);
    let sandbox = long(&[(&first.model, 2_000), ("openai+http://127.0.0.1:1/v1/m", 500)]);
    let run = sandbox.run(LONG).exits(0).json();
    assert_eq!((&run["value"], models(&run)), (&json!("short"), vec![first.model.as_str()]));
    assert_eq!(run["calls"][0]["passed_over"], json!([]));
    let text = first.body()["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(text.contains("clipped"), "{text}");
    // The one with more room is down: the other one gets what it can take.
    let first = Server::answering(vec![says("short")]);
    let sandbox = long(&[(&first.model, 500), (DOWN, 100_000)]);
    let run = sandbox.run(LONG).exits(0).json();
    assert_eq!((&run["value"], models(&run)), (&json!("short"), vec![first.model.as_str()]));
    let passed = run["calls"][0]["passed_over"].as_array().unwrap();
    let codes: Vec<_> = passed.iter().map(|one| one["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["window_overflow", "network"]);
    let dry = long(&[(&first.model, 500), (DOWN, 100_000)])
        .run(["run", "p.as", "--json", "--input-file", "in.json", "--dry-run"])
        .exits(0)
        .json();
    assert_eq!(dry["prompts"][0]["model"], DOWN);
}

#[test]
fn ca_3_model_whose_window_can_not_hold_the_instruction_is_passed_over() {
    let second = Server::answering(vec![says("short")]);
    let sandbox = long(&[(DOWN, 8), (&second.model, 9)]);
    let error = sandbox.run(LONG).exits(1).json();
    assert_eq!(error["error"]["code"], "prompt_too_large", "{error}");
    let sandbox = long(&[(DOWN, 8), (&second.model, 500)]);
    let run = sandbox.run(LONG).exits(0).json();
    assert_eq!(models(&run), [second.model.as_str()]);
}

/// A stream that breaks after `pieces`.
fn breaks(pieces: &'static [&'static str]) -> Answer {
    head(Box::new(move |stream| {
        use std::io::Write as _;
        for piece in pieces {
            let choice = json!({ "index": 0, "delta": { "content": piece } });
            let event = json!({ "choices": [choice] });
            stream.write_all(format!("data: {event}\n\n").as_bytes()).unwrap();
        }
    }))
}

#[test]
fn ca_3_stream_that_breaks_before_its_first_token_is_given_to_next_model() {
    let first = Server::answering(vec![breaks(&[])]);
    let second = Server::answering(vec![says("here")]);
    let sandbox = program(&format!("\"{}\" or \"{}\"", first.model, second.model), 1);
    let done = sandbox.run(["run", "p.as", "--stream"]).exits(0);
    let last: Value = serde_json::from_str(done.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&last["event"], &last["value"]), (&json!("result"), &json!(["here"])));
    assert_eq!(last["calls"][0]["passed_over"][0]["code"], "cut_stream", "{last}");
    assert_eq!(last["calls"][0]["requests"], 2);
}

#[test]
fn ca_3_stream_that_breaks_after_text_that_was_passed_on_ends_the_call() {
    let first = Server::answering(vec![breaks(&["It is ", "in the "])]);
    let second = Server::answering(vec![]);
    let sandbox = program(&format!("\"{}\" or \"{}\"", first.model, second.model), 1);
    sandbox.write("contexture.toml", "[retry]\ntimes = 3\nmax_wait_ms = 10\n");
    let done = sandbox.run(["run", "p.as", "--stream"]).exits(1);
    let lines: Vec<Value> =
        done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let tokens: Vec<_> = lines.iter().filter(|line| line["event"] == "token").collect();
    assert_eq!((&tokens[0]["text"], &tokens[1]["text"]), (&json!("It is "), &json!("in the ")));
    let last = lines.last().unwrap();
    assert_eq!(last["error"]["code"], "cut_stream", "{last}");
    let help = last["error"]["help"].as_str().unwrap();
    assert!(help.contains("no other model was asked"), "{help}");
    assert_eq!(last["calls"][0]["requests"], 1, "{last}");
}

#[test]
fn ca_3_body_that_breaks_unheard_is_given_to_next_model() {
    let torn: Answer = Box::new(|stream| {
        use std::io::Write as _;
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n";
        stream.write_all(format!("{head}{{\"choices\": [").as_bytes()).unwrap();
    });
    let first = Server::answering(vec![torn]);
    let second = Server::answering(vec![says("here")]);
    let sandbox = program(&format!("\"{}\" or \"{}\"", first.model, second.model), 1);
    let run = sandbox.run(["run", "p.as", "--json"]).exits(0).json();
    assert_eq!((&run["value"], models(&run)), (&json!(["here"]), vec![second.model.as_str()]));
    assert_eq!(run["calls"][0]["passed_over"][0]["requests"], 1, "{run}");
}

#[test]
fn ca_3_calls_and_requests_that_were_sent_are_counted() {
    let first = Server::answering(vec![fails("503 Service Unavailable")]);
    let second = Server::answering(vec![says("here")]);
    let sandbox = program(&format!("\"{}\" or \"{}\"", first.model, second.model), 1);
    let done = sandbox.run(["run", "p.as"]).exits(0);
    assert!(done.stderr.contains(" · 1 model call, 2 requests · "), "{}", done.stderr);
    let second = Server::answering(vec![says("here")]);
    let sandbox = program(&format!("\"{DOWN}\" or \"{}\"", second.model), 1);
    let done = sandbox.run(["run", "p.as"]).exits(0);
    assert!(done.stderr.contains(" · 1 model call · "), "{}", done.stderr);
    let refusal = json!({ "error": { "message": "response_format json_schema is not supported" } });
    let server = Server::answering(vec![whole("400 Bad Request", refusal), says("{\"a\": \"x\"}")]);
    sandbox.write("q.as", "main func() { generate({ input: \"Where?\" }) -> { a string } }");
    let done = sandbox.run(["run", "q.as", "--model", &server.model]).exits(0);
    assert!(done.stderr.contains(" · 1 model call, 2 requests · "), "{}", done.stderr);
}

#[test]
fn ca_5_call_that_a_limit_refuses_has_no_request_and_no_tokens() {
    let sandbox = program("\"mock\"", 1);
    let limit = ["run", "p.as", "--max-tokens", "1"];
    let run = sandbox.run(limit.iter().chain(&["--json"])).exits(1).json();
    assert_eq!(run["error"]["code"], "COST_LIMIT", "{run}");
    let call = &run["calls"][0];
    assert_eq!((&call["requests"], &call["attempts"][0]["requests"]), (&json!(0), &json!(0)));
    let done = sandbox.run(limit).exits(1);
    assert!(done.stderr.contains("1 model call, 0 requests"), "{}", done.stderr);
    assert!(!done.stderr.contains("0 + 0 tokens"), "{}", done.stderr);
    let tree = sandbox.run(["trace", "show"]).exits(0).stdout;
    assert!(!tree.contains("0 + 0 tokens"), "{tree}");
}
