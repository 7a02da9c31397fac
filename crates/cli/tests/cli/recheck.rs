//! `contexture recheck`: recorded runs as tests of the prompts.

use crate::support::Sandbox;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread::spawn;

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

/// A server with OpenAI's API, whose answers are numbered; returns its settings and the prompts that
/// it is sent.
fn model(sandbox: &Sandbox) -> Receiver<String> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    sandbox.write(
        "contexture.toml",
        format!("[providers]\nopenai_base_url = \"http://{address}/v1\"\n"),
    );
    sandbox.write(".env", "OPENAI_API_KEY=sk-of-the-test\n");
    let (sent, prompts) = channel();
    spawn(move || {
        let mut number = 0;
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let line = line.trim().to_ascii_lowercase();
                if let Some(bytes) = line.strip_prefix("content-length:") {
                    length = bytes.trim().parse().unwrap();
                }
                if line.is_empty() {
                    break;
                }
            }
            if length == 0 {
                // A question about the model itself.
                let _ =
                    write!(reader.get_mut(), "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
                continue;
            }
            number += 1;
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let asked: Value = serde_json::from_slice(&body).unwrap();
            let breaks = asked["messages"].to_string().contains("Break off.");
            let _ = sent.send(String::from_utf8(body).unwrap());
            let answer = json!({ "answer": format!("new {number}") }).to_string();
            let mut message = json!({ "role": "assistant", "content": answer });
            // It writes with the first tool that it is offered, before it answers.
            let offered = asked["tools"]
                .as_array()
                .filter(|_| !asked["messages"].to_string().contains("\"tool\""));
            if let Some(offered) = offered {
                let name = &offered[0]["function"]["name"];
                let arguments = r#"{"path":"out.txt","content":"from the model"}"#;
                let call = json!({ "name": name, "arguments": arguments });
                message["content"] = Value::Null;
                message["tool_calls"] =
                    json!([{ "id": "c1", "type": "function", "function": call }]);
            }
            let body = json!({
                "id": "1", "object": "chat.completion", "created": 1, "model": "gpt-4o-mini",
                "choices": [{ "index": 0, "finish_reason": "stop", "message": message }],
                "usage": { "prompt_tokens": 40, "completion_tokens": 10, "total_tokens": 50 },
            });
            let body = body.to_string();
            let stream = reader.get_mut();
            if breaks {
                let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{{\"id\"");
                continue;
            }
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    prompts
}

const TWO: &str = "\
import tool File from \"file://workspace\"

main func(input) {
  File.write({ path: \"out.txt\", content: \"from the run\" })
  zero = generate({ input: \"Greet.\" }) -> { answer string }
  first = generate({ input: \"Explain.\", max_output: 50 }) -> { answer string }
  use first as explanation
  generate({ input: \"Shorten it.\", max_output: 50 }) -> { answer string }
}
";

/// A kept run of three calls, and a program that changes the prompt of the second one.
fn of_three_calls() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", TWO).write("q.as", TWO.replace("Explain.", "Explain it well."));
    let _ = sandbox.run(["run", "p.as", "--mock", "--quiet"]).exits(0);
    sandbox.write("out.txt", "mine");
    sandbox
}

const ASK: [&str; 6] = ["recheck", "latest", "--program", "q.as", "--ask", "--json"];

#[test]
fn in_10_asked_call_is_kept_as_run_of_first() {
    let sandbox = of_three_calls();
    let prompts = model(&sandbox);
    let gpt = ["--model", "openai://gpt-4o-mini", "--yes"];
    let done = sandbox.run([&ASK[..], &gpt].concat()).exits(0);
    let done = done.says("  1 later call, if new answers change the prompt").says("at most 0.0");
    let told = done.json();
    let first = told["run"].as_str().unwrap();
    let part = told["asked"]["run"].as_str().unwrap();
    let asked: Vec<&Value> =
        told["calls"].as_array().unwrap().iter().map(|it| &it["asked"]).collect();
    assert_eq!(*asked[0], Value::Null, "an unchanged prompt keeps its recorded answer");
    for call in &asked[1..] {
        assert_eq!(call["model"], "openai://gpt-4o-mini");
        assert_eq!(call["usage"]["total_tokens"], 50);
        // 40 tokens for 0.15 and 10 for 0.60 dollars a million.
        assert_eq!(call["cost"]["micros"], 12);
    }
    assert_eq!(told["asked"]["value"], json!({ "answer": "new 2" }));
    assert_eq!(told["asked"]["cost"]["actual"], json!(0.000_012 * 2.0));
    assert!(told["calls"].as_array().unwrap().iter().all(|call| call["stale"] == false));
    let sent: Vec<String> = prompts.try_iter().collect();
    assert_eq!(sent.len(), 2);
    assert!(sent[0].contains("Explain it well.") && sent[1].contains("new 1"), "{sent:?}");
    assert_eq!(sandbox.read("out.txt"), "mine", "no tool writes again");

    let runs = sandbox.run(["trace", "list", "--json"]).exits(0).json();
    assert_eq!(runs["runs"][0]["run"], part);
    assert_eq!(runs["runs"][0]["part_of"], json!({ "run": first }));
    assert_eq!(runs["runs"][1].get("part_of"), None);
    let shown = sandbox.run(["trace", "show", part]).exits(0).stdout;
    assert!(shown.contains(&format!("part of {first}")), "{shown}");
    // The first call, and what the program wrote.
    assert_eq!(shown.matches("from the record").count(), 2, "{shown}");
}

#[test]
fn in_10_nothing_is_asked_without_yes_model_price_or_room() {
    let sandbox = of_three_calls();
    let prompts = model(&sandbox);
    let refused = |more: &[&str]| {
        let done = sandbox.run([&ASK[..], more].concat()).exits(2);
        done.json()["error"]["code"].as_str().unwrap().to_owned()
    };
    let gpt = ["--model", "openai://gpt-4o-mini"];
    assert_eq!(refused(&gpt), "not_agreed");
    assert_eq!(refused(&["--yes"]), "model_missing");
    assert_eq!(refused(&["--yes", "--model", "openai://gpt-9"]), "price_unknown");
    assert_eq!(refused(&[&gpt[..], &["--yes", "--max-cost", "0.0001"]].concat()), "COST_LIMIT");
    assert_eq!(refused(&[&gpt[..], &["--yes", "--max-tokens", "10"]].concat()), "COST_LIMIT");
    let priced = "[profiles.\"openai://gpt-9\"]\nprice_input = 1\nprice_output = 1\n";
    sandbox.write("contexture.toml", priced);
    assert_eq!(refused(&["--yes", "--model", "openai://gpt-9"]), "cost_unbounded");
    let _ = sandbox.run(["recheck", "latest", "--model", "mock"]).exits(2);
    let _ = sandbox.run(["recheck", "latest", "--max-cost", "1"]).exits(2);
    assert_eq!(prompts.try_iter().count(), 0);
    let runs = sandbox.run(["trace", "list", "--json"]).exits(0).json();
    assert_eq!(runs["runs"].as_array().unwrap().len(), 1, "nothing is kept");
}

#[test]
fn in_10_unchanged_program_asks_nothing() {
    let sandbox = of_three_calls();
    let told = sandbox.run(["recheck", "latest", "--ask", "--model", "mock", "--json"]).exits(0);
    assert_eq!(told.json()["asked"], Value::Null);
    let told = sandbox.run(["recheck", "latest", "--ask", "--model", "mock"]).exits(0);
    assert_eq!(told.stdout, "3 prompts checked, none has changed\n");
}

#[test]
fn in_10_answer_that_stays_the_same_leaves_later_calls_recorded() {
    let sandbox = of_three_calls();
    let mock = ["recheck", "latest", "--program", "q.as", "--ask", "--model", "mock", "--yes"];
    let told = sandbox.run(mock).exits(0).says("generate 2 q.as:6:11: mock, ");
    assert!(told.stdout.contains("generate 2 q.as:6:11: asked mock, "), "{}", told.stdout);
    assert!(told.stdout.contains(": 1 call asked\n"), "{}", told.stdout);
}

#[test]
fn in_10_tool_of_asked_model_gives_recorded_result_and_does_nothing() {
    let sandbox = Sandbox::new();
    let prompts = model(&sandbox);
    let program = "import llm gpt from \"openai://gpt-4o-mini\"\n\
        import tool File from \"file://workspace\"\n\n\
        main func(input) {\n  model gpt\n  \
        generate({ input: \"Write.\", tools: [File.write] }) -> { answer string }\n}\n";
    sandbox.write("p.as", program).write("q.as", program.replace("Write.", "Write it."));
    let _ = sandbox.run(["run", "p.as", "--yes-to", "write", "--quiet"]).exits(0);
    assert_eq!(sandbox.read("out.txt"), "from the model");
    sandbox.write("out.txt", "mine");
    let told = sandbox.run(["recheck", "latest"]).exits(0).stdout;
    assert_eq!(told, "1 prompt checked, none has changed\n", "results are not of the prompt");
    let told = sandbox.run([&ASK[..], &["--yes"]].concat()).exits(0).json();
    assert_eq!(told["asked"]["value"], json!({ "answer": "new 4" }));
    assert_eq!(sandbox.read("out.txt"), "mine");
    let sent: Vec<String> = prompts.try_iter().collect();
    assert!(sent[3].contains("Write it.") && sent[3].contains("create"), "{}", sent[3]);
}

/// A project with a dear and a cheap model, and a program for the dear one.
fn of_dear_model() -> (Sandbox, Receiver<String>) {
    let sandbox = Sandbox::new();
    let prompts = model(&sandbox);
    let settings = sandbox.read("contexture.toml");
    let price = |name: &str, price: u32| {
        format!("[profiles.\"openai://{name}\"]\nprice_input = {price}\nprice_output = {price}\n")
    };
    sandbox.write("contexture.toml", settings + &price("dear", 100) + &price("cheap", 1));
    sandbox.write("p.as", DEAR).write("q.as", DEAR.replace("Explain.", "Explain it well."));
    (sandbox, prompts)
}

const DEAR: &str = "\
import llm dear from \"openai://dear\"

main func(input) {
  model dear
  first = generate({ input: \"Explain.\", max_input: 1000, max_output: 50 }) -> { answer string }
  use first as explanation
  generate({ input: \"Shorten it.\", max_input: 1000, max_output: 50 }) -> { answer string }
}
";

/// Returns the events of a run.
fn events(sandbox: &Sandbox, run: &str) -> Vec<Value> {
    let shown = sandbox.run(["trace", "show", run, "--json"]).exits(0).json();
    shown["events"].as_array().unwrap().clone()
}

#[test]
fn in_10_ceiling_of_asked_run_is_that_of_asked_model() {
    let (sandbox, _prompts) = of_dear_model();
    let _ = sandbox.run(["run", "p.as", "--quiet"]).exits(0);
    // Two calls of 1,050 tokens, for 100 dollars a million.
    assert_eq!(events(&sandbox, "latest")[0]["data"]["ceiling"]["money"], json!(0.21));
    let told = sandbox.run([&ASK[..], &["--model", "openai://cheap", "--yes"]].concat()).exits(0);
    let asked = &told.json()["asked"];
    assert_eq!(asked["cost"]["worst"], json!(0.0021));
    let run = asked["run"].as_str().unwrap();
    assert_eq!(events(&sandbox, run)[0]["data"]["ceiling"]["money"], json!(0.0021));
}

#[test]
fn in_10_kept_answer_of_asked_run_is_shown_as_kept() {
    let sandbox = of_three_calls();
    let told = sandbox.run([&ASK[..], &["--model", "mock", "--yes"]].concat()).exits(0).json();
    let run = told["asked"]["run"].as_str().unwrap();
    let answer = sandbox.run(["trace", "prompt", run, "1", "--answer"]).exits(0);
    assert_eq!(answer.stdout.trim(), "{\"answer\":\"mock answer\"}");
    let _ = answer.says("the answer is kept from the record: no model was asked");
    let prompt = |call: &str| sandbox.run(["trace", "prompt", run, call, "--json"]).exits(0).json();
    assert_eq!(prompt("1")["requests"][0]["kept"], "record");
    assert_eq!(prompt("2")["requests"][0].get("kept"), None);
    // What the program called, too, stood in the record.
    let shown = sandbox.run(["trace", "show", run]).exits(0).stdout;
    let written = shown.lines().find(|line| line.contains("File.write")).unwrap();
    assert!(written.contains("(from the record)"), "{shown}");
}

#[test]
fn in_13_broken_request_costs_its_worst_case_in_call_and_run_and_report() {
    let (sandbox, _prompts) = of_dear_model();
    let _ = sandbox.run(["run", "p.as", "--quiet"]).exits(0);
    sandbox.write("q.as", DEAR.replace("Explain.", "Break off."));
    let cheap = ["--model", "openai://cheap", "--yes"];
    let told = sandbox.run([&ASK[..], &cheap].concat()).exits(1).json();
    let asked = &told["calls"][0]["asked"];
    // A request that broke off is sent once more.
    let lost = asked["lost"]["tokens"].as_u64().unwrap();
    assert!(lost > 50, "{asked}");
    assert_eq!(asked["lost"], json!({ "requests": 2, "tokens": lost, "micros": lost }));
    assert_eq!(asked["cost"]["micros"], lost, "a dollar for a million tokens");
    let cost = &told["asked"]["cost"]["actual"];
    assert_eq!((cost.as_f64().unwrap() * 1e6).round() as u64, lost);
    let ask = ["recheck", "latest~1", "--program", "q.as", "--ask"];
    let text = sandbox.run([&ask[..], &cheap].concat()).exits(1).stdout;
    let worst = format!("(2 requests broke off, counted at the worst case of {lost} tokens)");
    assert!(text.contains(&worst), "{text}");
}

#[test]
fn in_10_call_that_limit_refuses_is_told_as_not_asked() {
    let (sandbox, prompts) = of_dear_model();
    let more = "\n  if first.answer != \"new 1\" { generate({ input: \"Go on.\", max_input: 1000, max_output: 50 }) }\n";
    let text = DEAR.replace("\n  use first", &format!("{more}  use first"));
    // Each may take 80 tokens and takes 50, so that a third one does not fit into what two may take.
    let text = text.replace("1000", "70").replace("output: 50", "output: 10");
    sandbox.write("p.as", &text);
    let _ = sandbox.run(["run", "p.as", "--quiet"]).exits(0);
    sandbox.write("q.as", text.replace("Explain.", "Explain it well."));
    assert_eq!(prompts.try_iter().count(), 2);
    let cheap = ["--model", "openai://cheap", "--yes"];
    let told = sandbox.run([&ASK[..], &cheap].concat()).exits(1).json();
    let calls = told["calls"].as_array().unwrap();
    let refused: Vec<&Value> = calls.iter().filter(|call| call["refused"].is_object()).collect();
    assert_eq!(refused.len(), 1, "{told}");
    assert_eq!(refused[0]["refused"]["code"], "COST_LIMIT");
    assert_eq!(refused[0]["asked"], Value::Null);
    let asked = calls.iter().filter(|call| call["asked"].is_object()).count();
    assert_eq!(asked, prompts.try_iter().count(), "what was sent was asked");
    let runs = sandbox.run(["trace", "list", "--json"]).exits(0).json();
    assert_eq!(runs["runs"][0]["calls"], asked);
}

#[test]
fn in_10_same_prompt_for_another_model_is_told_and_not_changed() {
    let (sandbox, _prompts) = of_dear_model();
    let _ = sandbox.run(["run", "p.as", "--quiet"]).exits(0);
    sandbox.write("q.as", DEAR.replace("openai://dear", "openai://cheap"));
    let found = calls(&sandbox, &["--program", "q.as"], 0);
    assert_eq!(found[0]["models"], json!(["openai://dear", "openai://cheap"]));
    assert_eq!((&found[0]["change"], &found[0]["stale"]), (&json!("same"), &json!(false)));
    let told = sandbox.run(["recheck", "latest", "--program", "q.as"]).exits(0).stdout;
    assert!(told.contains("generate 1 q.as:5:11: the same prompt for another model, "), "{told}");
    assert!(told.contains("  the model was openai://dear, and is openai://cheap\n"), "{told}");
    assert!(told.ends_with("2 prompts checked, none has changed\n"), "{told}");
}

#[test]
fn in_10_record_without_its_texts_tells_what_cannot_be_compared() {
    let sandbox = recorded();
    let text = "main func(input) {\n  use input.page as page\n  generate({ input: \"Sum up.\" }) -> { answer string }\n}\n";
    sandbox.write("r.as", text);
    let input = json!({ "page": "A long page. ".repeat(60) }).to_string();
    let _ = sandbox.run(["run", "r.as", "--mock", "--quiet", "--input", &input]).exits(0);
    let found = sandbox.run(["recheck", "latest", "--json"]).exits(0).json();
    assert_eq!(found["notes"], json!([]));
    let run = found["run"].as_str().unwrap();
    std::fs::remove_file(sandbox.path(format!(".contexture/runs/{run}.texts.jsonl"))).unwrap();
    let found = sandbox.run(["recheck", "latest", "--json"]).exits(1).json();
    let note = found["notes"][0].as_str().unwrap();
    assert!(note.starts_with("the record lacks texts of the input: "), "{note}");
    let _ = sandbox.run(["recheck", "latest"]).exits(1).says("can't be compared");
}

#[test]
fn in_10_masked_input_is_compared_with_its_masked_form() {
    let sandbox = Sandbox::new();
    let text = "main func(input) {\n  use input.password as word\n  generate({ input: \"Greet.\" }) -> { answer string }\n}\n";
    sandbox.write("p.as", text).write("q.as", text.replace("Greet.", "Greet him."));
    let input = json!({ "password": "of the gate" }).to_string();
    let _ = sandbox.run(["run", "p.as", "--mock", "--quiet", "--input", &input]).exits(0);
    let found = sandbox.run(["recheck", "latest", "--json"]).exits(0).json();
    assert_eq!(found["calls"][0]["change"], "same");
    let note = found["notes"][0].as_str().unwrap();
    assert!(note.starts_with("`input.password` is masked in the record: "), "{note}");
    let found = calls(&sandbox, &["--program", "q.as"], 1);
    assert_eq!(
        (&found[0]["layers"][0]["name"], found[0]["items"][0]["change"].as_str()),
        (&json!("instruction"), Some("same"))
    );
    let ask = |program: &str, code| {
        let all = [
            "recheck",
            "latest",
            "--ask",
            "--yes",
            "--model",
            "mock",
            "--json",
            "--program",
            program,
        ];
        sandbox.run(all).exits(code).json()
    };
    assert_eq!(ask("p.as", 0)["asked"], Value::Null);
    assert_eq!(ask("q.as", 2)["error"]["code"], "not_recorded");
}

#[test]
fn in_10_prompt_with_placeholder_is_not_offered() {
    let sandbox = of_three_calls();
    let written =
        "  done = File.write({ path: \"new.txt\", content: \"x\" })\n  use done as done\n  first =";
    sandbox.write("q.as", TWO.replace("  first =", written));
    let told = sandbox.run([&ASK[..], &["--model", "mock", "--yes"]].concat()).exits(2).json();
    assert_eq!(told["error"]["code"], "not_recorded");
    let message = told["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("generate 2 q.as:8:11: the prompt contains a placeholder"),
        "{message}"
    );
    assert!(message.contains("File.write at q.as:6:10"), "{message}");
    // The answer of a call that is asked is not one.
    let asked = "  more = generate({ input: \"More.\", max_output: 50 }) -> { answer string }\n  use more as more\n  first =";
    sandbox.write("q.as", TWO.replace("  first =", asked));
    let _ = sandbox.run([&ASK[..], &["--model", "mock", "--yes"]].concat()).exits(0);
}
