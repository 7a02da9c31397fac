//! `contexture inspect`: its API over the real binary.

use super::calls::{Answer, Server};
use crate::support::Sandbox;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const PROGRAM: &str = "\
main func(input) {
  first = \"nothing yet\"
  if input.question != \"\" {
    use first as draft
    first = generate({ input: \"Draft an answer.\" }) -> { answer string }
  }
  use input.notes max 20 priority 1 as notes
  use input.question priority 9 as question
  use input.long as background
  use input.last priority 5 as last words
  generate({ input: \"Answer the question.\", max_input: 260 }) -> { answer string }
}
";

struct Inspector {
    child: Child,
    address: String,
}

impl Inspector {
    fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let all = [&["inspect", "--listen", "127.0.0.1:0"], arguments].concat();
        let mut child = sandbox.contexture(all).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap();
        let address = address.split('/').next().unwrap().to_owned();
        Self { child, address }
    }

    /// Returns the status and the body of an answer.
    fn ask(&self, path: &str, headers: &[&str]) -> (u16, String) {
        self.send(("GET", ""), path, headers)
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, answer) = self.send(("POST", &body.to_string()), path, &[]);
        (status, serde_json::from_str(&answer).unwrap())
    }

    fn send(&self, (method, body): (&str, &str), path: &str, headers: &[&str]) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let host = format!("Host: {}", self.address);
        let named = headers.iter().any(|header| header.starts_with("Host:"));
        let own = if named { Vec::new() } else { vec![host.as_str()] };
        let length = format!("Content-Length: {}", body.len());
        let more = vec!["Connection: close", length.as_str()];
        let lines = [own, headers.to_vec(), more].concat().join("\r\n");
        write!(stream, "{method} {path} HTTP/1.1\r\n{lines}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn json(&self, path: &str) -> Value {
        let (status, body) = self.ask(path, &[]);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    fn refused(&self, path: &str) -> (u16, Value) {
        let (status, body) = self.ask(path, &[]);
        (status, serde_json::from_str::<Value>(&body).unwrap()["code"].clone())
    }
}

impl Drop for Inspector {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder in which the program ran with each of the questions.
fn after(questions: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", PROGRAM);
    let notes = "The server listens on port 7878. ".repeat(20);
    let long = "It was built in spring, and it rained. ".repeat(80);
    for question in questions {
        let input = json!({
            "notes": notes, "question": question, "long": long, "last": "<script>alert(1)</script>",
        });
        let input = input.to_string();
        let _ = sandbox.run(["run", "p.as", "--mock", "--quiet", "--input", &input]).exits(0);
    }
    sandbox
}

#[test]
fn in_4_api_has_runs_events_calls_and_prompts() {
    let sandbox = after(&["Which port?", "Since when?"]);
    let inspector = Inspector::start(&sandbox, &[]);
    let runs = inspector.json("/v1/runs?limit=1");
    assert_eq!(runs["runs"][0]["state"], "COMPLETED");
    let rest = inspector.json(&format!("/v1/runs?after={}", runs["next"].as_str().unwrap()));
    assert_eq!((rest["runs"].as_array().unwrap().len(), &rest["next"]), (1, &Value::Null));
    assert_eq!(inspector.json("/v1/runs?outcome=failed")["runs"], json!([]));
    assert_eq!(inspector.json("/v1/runs?q=Since%20when")["runs"].as_array().unwrap().len(), 1);
    let head = inspector.json("/v1/runs/latest");
    assert_eq!((&head["program"], &head["calls"]), (&json!("p.as"), &json!(2)));

    let top = inspector.json("/v1/runs/latest/events");
    let function = top["events"].as_array().unwrap().iter().find(|one| one["kind"] == "agent");
    let id = function.unwrap()["id"].as_u64().unwrap();
    let inside = inspector.json(&format!("/v1/runs/latest/events?parent={id}&limit=2"));
    let kinds: Vec<&Value> =
        inside["events"].as_array().unwrap().iter().map(|one| &one["kind"]).collect();
    assert_eq!(kinds, ["use", "generate"]);
    assert_eq!(inside["events"][1]["call"], 1);
    assert!(inside["events"][1]["data"].get("manifest").is_none());
    let next = inside["next"].as_u64().unwrap();
    let others = inspector.json(&format!("/v1/runs/latest/events?parent={id}&after={next}"));
    assert_eq!(others["events"].as_array().unwrap().len(), 5, "{others}");

    let call = inspector.json("/v1/runs/latest/calls/2");
    assert_eq!((&call["calls"], &call["manifest"]["max_input"]), (&json!(2), &json!(260)));
    let (status, code) = inspector.refused("/v1/runs/latest/calls/9");
    assert_eq!((status, code), (404, json!("call_unknown")));
    assert_eq!(inspector.refused("/v1/runs/none/calls/1"), (404, json!("run_unknown")));
    assert_eq!(inspector.refused("/v1/runs?limt=1"), (400, json!("query_invalid")));
    assert_eq!(inspector.refused("/none"), (404, json!("path_unknown")));
    let (_, followed) = inspector.ask("/v1/runs/latest/follow", &[]);
    assert!(followed.contains("event: lines") && followed.contains("event: end"), "{followed}");
}

#[test]
fn in_4_runs_are_filtered_by_model_time_and_outcome() {
    let sandbox = after(&["Which port?", "Since when?"]);
    let _ = sandbox.write("q.as", "main func() { 1 }").run(["run", "q.as", "--quiet"]).exits(0);
    let inspector = Inspector::start(&sandbox, &[]);
    let programs = |query: &str| {
        let runs = inspector.json(&format!("/v1/runs?{query}"))["runs"].take();
        let names = runs.as_array().unwrap().iter().map(|run| run["program"].as_str().unwrap());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(programs("model=extractive"), ["p.as", "p.as"]);
    assert_eq!(programs("model=gpt"), [""; 0]);
    // The first event of the second run is after the start of that run, and before that of the third.
    let within = inspector.json("/v1/runs/latest~1/events?limit=1");
    let between = within["events"][0]["start_us"].as_u64().unwrap() / 1_000 + 1;
    assert_eq!(programs(&format!("since={between}")), ["q.as"]);
    assert_eq!(programs(&format!("until={between}")), ["p.as", "p.as"]);
    for (outcome, expected) in [("done", 3), ("completed", 3), ("no%20end", 0), ("running", 0)] {
        assert_eq!(programs(&format!("outcome={outcome}")).len(), expected, "{outcome}");
    }
    let (status, body) = inspector.ask("/v1/runs?outcome=fialed", &[]);
    let refused: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &refused["code"]), (400, &json!("query_invalid")));
    assert_eq!(
        refused["message"],
        "the query's `outcome`: expected one of done, failed, cancelled, running, no end \
         (did you mean `failed`?), found fialed"
    );
    assert_eq!(inspector.refused("/v1/runs?since=soon"), (400, json!("query_invalid")));
}

#[test]
fn in_4_method_that_path_does_not_take_has_form_of_api() {
    let sandbox = Sandbox::new();
    let inspector = Inspector::start(&sandbox, &[]);
    for path in ["/v1/runs", "/v1/why", "/none"] {
        let (status, told) = inspector.post(path, &json!({}));
        assert_eq!((status, &told["code"]), (405, &json!("method_not_allowed")), "{path}");
        assert_eq!(told["message"], format!("`{path}` does not take POST"));
    }
}

#[test]
fn in_4_run_of_newer_version_is_refused_with_versions() {
    let sandbox = after(&["Which port?"]);
    let listed = sandbox.run(["trace", "list", "--json"]).exits(0).json();
    let run = listed["runs"][0]["run"].as_str().unwrap().to_owned();
    let exported = sandbox.run(["trace", "export", "latest"]).exits(0).stdout;
    let folder = sandbox.path(".contexture");
    let name = format!("{run}.jsonl");
    let trace = found(&folder, &|path| path.file_name().is_some_and(|own| *own == *name));
    let text = std::fs::read_to_string(&trace).unwrap();
    std::fs::write(&trace, text.replace("{\"v\":1,", "{\"v\":9,")).unwrap();
    assert!(exported.contains("{\"v\":1,"), "{exported}");
    let inspector = Inspector::start(&sandbox, &[]);
    for path in ["", "/events", "/calls/1", "/calls/1/prompt", "/tokens"] {
        let (status, body) = inspector.ask(&format!("/v1/runs/{run}{path}"), &[]);
        let told: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status, &told["code"]), (409, &json!("run_newer")), "{path}: {body}");
        let message = told["message"].as_str().unwrap();
        assert!(message.contains("trace format 9, this program knows up to 1"), "{message}");
    }
}

/// Finds a file below a folder.
fn found(
    folder: &std::path::Path,
    is_meant: &dyn Fn(&std::path::Path) -> bool,
) -> std::path::PathBuf {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if is_meant(&path) {
                return path;
            }
        }
    }
    panic!("no file is meant below {}", folder.display());
}

#[test]
fn in_3_prompt_has_place_of_each_item_and_layer() {
    let sandbox = after(&["Which port?"]);
    let inspector = Inspector::start(&sandbox, &[]);
    let prompt = inspector.json("/v1/runs/latest/calls/2/prompt");
    let at = |span: &Value| {
        let part = |name: &str| usize::try_from(span[name].as_u64().unwrap()).unwrap();
        let text = prompt["messages"][part("message")]["text"].as_str().unwrap();
        text[part("start")..part("end")].to_owned()
    };
    let item = |label: &str| {
        let items = prompt["items"].as_array().unwrap();
        items.iter().find(|item| item["label"] == label).unwrap()["span"].clone()
    };
    assert!(at(&item("question")).contains("Which port?"));
    assert_eq!(at(&item("last words")).trim(), "<script>alert(1)</script>");
    let layers = prompt["layers"].as_array().unwrap();
    let instruction = layers.iter().find(|layer| layer["name"] == "instruction").unwrap();
    assert!(at(&instruction["span"]).contains("Answer the question."));
    let digest = instruction["digest"].as_str().unwrap();
    let text = inspector.json(&format!("/v1/texts/latest/{digest}?offset=0&limit=6"));
    assert_eq!((&text["text"], &text["next"]), (&json!("Answer"), &json!(6)));
    let message = prompt["messages"][0]["digest"].as_str().unwrap();
    let whole = inspector.json(&format!("/v1/texts/latest/{message}"));
    assert_eq!(whole["text"], prompt["messages"][0]["text"], "a message by its digest");
}

#[test]
fn in_3_parts_behind_masked_value_have_their_places() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "p.as",
        "main func(input) {\n  use input.account as account\n  use input.question as question\n  \
         generate({ input: \"Greet the user.\" }) -> { answer string }\n}\n",
    );
    let account = json!({ "user": "ann", "password": "open sesame" });
    let input = json!({ "account": account, "question": "Which port?" }).to_string();
    let _ = sandbox.run(["run", "p.as", "--mock", "--quiet", "--input", &input]).exits(0);
    let prompt = Inspector::start(&sandbox, &[]).json("/v1/runs/latest/calls/1/prompt");
    let text = prompt["messages"][0]["text"].as_str().unwrap();
    let shown = |part: &Value| {
        let at = |name: &str| usize::try_from(part["span"][name].as_u64().unwrap()).unwrap();
        text[at("start")..at("end")].to_owned()
    };
    let account = "{\n  \"user\": \"ann\",\n  \"password\": \"•••\"\n}";
    let texts = [&prompt["items"][0], &prompt["items"][1], &prompt["layers"][0]].map(shown);
    assert_eq!(texts, [account, "Which port?", "Greet the user."]);
    let asked = ["trace", "why-not", "latest", "1", "Which port?", "--json"];
    let told = sandbox.run(asked).exits(0).json();
    assert_eq!(told["detail"], "the text stands in the user message, in `input.question`");
}

/// Returns a project with the answers of a model that reads `notes.txt` before it is done.
fn reads_notes() -> Sandbox {
    let sandbox = Sandbox::new();
    let call = json!({ "name": "File_read", "arguments": { "path": "notes.txt" } });
    let turns = [json!({ "tool_calls": [call] }), json!({ "json": { "a": "done" } })];
    sandbox.write("turns.jsonl", turns.map(|turn| turn.to_string()).join("\n"));
    sandbox
}

#[test]
fn in_6_tools_that_model_called_are_shown_and_their_results_marked() {
    let sandbox = reads_notes();
    sandbox.write("notes.txt", "The server listens on port 7878.").write(
        "p.as",
        "import tool File from \"file://workspace\"\nmain func(input) {\n  use input as question\n  \
         generate({ input: \"Answer.\", tools: [File.read] }) -> { a string }\n}\n",
    );
    let _ = sandbox
        .run(["run", "p.as", "--quiet", "--mock=turns.jsonl", "--input", "\"Which?\""])
        .exits(0);
    let inspector = Inspector::start(&sandbox, &[]);
    let prompt = inspector.json("/v1/runs/latest/calls/1/prompt");
    let items = prompt["items"].as_array().unwrap();
    let marked = items.iter().map(|item| (item["label"].as_str().unwrap(), &item["later"]));
    let later = [("question", &Value::Null), ("File_read", &json!(true))];
    assert_eq!(marked.collect::<Vec<_>>(), later);
    let manifest = &inspector.json("/v1/runs/latest/calls/1")["manifest"];
    assert_eq!(manifest["items"][1]["later"], true, "{manifest}");
    let called = &prompt["attempts"][1]["messages"][0]["calls"];
    let arguments = r#"{"path":"notes.txt"}"#;
    assert_eq!(called, &json!([{ "function": "File_read", "arguments": arguments }]));
    let why = sandbox.run(["trace", "why-not", "latest", "1", "File_read"]).exits(0).stdout;
    assert!(why.contains("came after the prompt, from a tool that the model called"), "{why}");
    let shown = sandbox.run(["trace", "prompt", "latest", "1"]).exits(0).stdout;
    assert!(shown.contains("── assistant ──\nFile_read({\"path\":\"notes.txt\"})\n"), "{shown}");
}

#[test]
fn in_9_result_that_model_asked_for_displaced_nothing() {
    let sandbox = reads_notes();
    sandbox.write("notes.txt", "It was built in spring. ".repeat(20)).write(
        "p.as",
        "import tool File from \"file://workspace\"\nmain func(input) {\n  use input.long as background\n  use input.last as last\n  \
         generate({ input: \"Answer.\", tools: [File.read], max_input: 200 }) -> { a string }\n}\n",
    );
    let long = "The server listens on port 7878. ".repeat(80);
    let input = json!({ "long": long, "last": "Which port?" }).to_string();
    // No room is left for the round of tools, so the run fails after it.
    let _ = sandbox.run(["run", "p.as", "--mock=turns.jsonl", "--input", &input]).exits(1);
    let prompt = sandbox.run(["trace", "prompt", "latest", "1", "--json"]).exits(0).json();
    assert_eq!(prompt["items"][2]["label"], "File_read", "{prompt}");
    let told = sandbox.run(["trace", "why-not", "latest", "1", "last", "--json"]).exits(0).json();
    let detail = told["detail"].as_str().unwrap();
    assert!(detail.contains("kept were `background`") && !detail.contains("File_read"), "{detail}");
}

#[test]
fn in_11_steps_of_flow_are_listed_by_their_state() {
    let sandbox = Sandbox::new();
    let step = |id: &str, condition: &str| json!({ "instructionId": id, "action": "echo", "parameters": {}, "condition": condition });
    let steps = [step("a", "true"), step("b", "false"), step("c", "true"), step("d", "false")];
    let set = json!({ "executionMode": "SEQUENTIAL", "instructions": steps }).to_string();
    let _ = sandbox.write("set.json", set).run(["flow", "run", "set.json", "--quiet"]).exits(0);
    let inspector = Inspector::start(&sandbox, &[]);
    let flows = inspector.json("/v1/flows");
    let path = format!("/v1/flows/{}", flows["flows"][0]["run"].as_str().unwrap());
    let shown = |query: &str| {
        let flow = inspector.json(&format!("{path}?{query}"));
        let steps = flow["set"]["instructions"].as_array().unwrap().iter();
        let ids: Vec<&str> = steps.map(|step| step["instructionId"].as_str().unwrap()).collect();
        let results = flow["results"].as_object().unwrap();
        assert!(results.keys().all(|id| ids.contains(&id.as_str())), "{flow}");
        assert_eq!((results.len(), &flow["steps"]), (ids.len(), &json!(4)), "{flow}");
        assert_eq!(flow["states"], json!({ "COMPLETED": 2, "SKIPPED": 2 }));
        (ids.join(" "), flow["next"].clone())
    };
    assert_eq!(shown("limit=400"), ("a b c d".to_owned(), Value::Null));
    assert_eq!(shown("state=SKIPPED"), ("b d".to_owned(), Value::Null));
    assert_eq!(shown("state=COMPLETED&limit=1"), ("a".to_owned(), json!(1)));
    assert_eq!(shown("state=COMPLETED&limit=1&after=1"), ("c".to_owned(), Value::Null));
    assert_eq!(shown("state=FAILED"), (String::new(), Value::Null));
    let (status, refused) = inspector.ask(&format!("{path}?state=done"), &[]);
    assert!(status == 400 && refused.contains("expected one of PENDING, RUNNING"), "{refused}");
}

#[test]
fn in_14_head_of_run_has_id_of_trace_that_it_is_exported_as() {
    let sandbox = after(&["Which port?"]);
    let head = Inspector::start(&sandbox, &[]).json("/v1/runs/latest");
    let digest = contexture::context::Digest::of_text(head["run"].as_str().unwrap());
    assert_eq!(head["trace"], digest.hex()[..32]);
}

#[test]
fn in_14_exported_run_of_somebody_else_is_shown_as_it_was() {
    let sandbox = after(&["Which port?"]);
    let inspector = Inspector::start(&sandbox, &[]);
    let prompt = inspector.json("/v1/runs/latest/calls/2/prompt");
    let exported = sandbox.run(["trace", "export", "latest"]).exits(0).stdout;
    let whole = sandbox.run(["trace", "export", "latest", "--json"]).exits(0).stdout;
    let elsewhere = Sandbox::new();
    elsewhere.write("a.jsonl", exported + "torn").write("b.json", whole).write("c.jsonl", "{}\n");
    for (file, notes) in [("a.jsonl", 1), ("b.json", 0)] {
        let inspector = Inspector::start(&elsewhere, &[file]);
        let mut imported = inspector.json("/v1/runs/latest/calls/2/prompt");
        imported["tools"] = prompt["tools"].clone();
        assert_eq!(imported, prompt, "{file}");
        let head = inspector.json("/v1/runs/latest");
        assert_eq!((&head["program"], &head["calls"]), (&json!("p.as"), &json!(2)));
        assert_eq!(head["notes"].as_array().unwrap().len(), notes, "{head}");
    }
    let empty = elsewhere.run(["inspect", "c.jsonl"]).exits(2);
    assert!(empty.stderr.contains("it has no event"), "{}", empty.stderr);
    let _ = elsewhere.run(["inspect", "none.jsonl"]).exits(2);
}

#[test]
fn in_14_imported_run_has_id_that_its_trace_is_made_of() {
    let sandbox = after(&["Which port?"]);
    let own = sandbox.run(["trace", "list", "--json"]).exits(0).json()["runs"][0]["run"].take();
    let lines = sandbox.run(["trace", "export", "latest"]).exits(0).stdout;
    let whole = sandbox.run(["trace", "export", "latest", "--json"]).exits(0).stdout;
    let before = lines.replace(&format!(",\"run\":{own}"), "");
    assert_ne!(before, lines);
    let files = sandbox.write("a.jsonl", &lines).write("b.json", whole).write("old.jsonl", before);
    for (file, is_own) in [("a.jsonl", true), ("b.json", true), ("old.jsonl", false)] {
        let head = Inspector::start(files, &[file]).json("/v1/runs/latest");
        assert_eq!(head["run"] == own, is_own, "{file}: {head}");
        assert_eq!(head["notes"], json!([]), "{file}");
    }
}

#[test]
fn in_14_imported_events_that_no_tree_has_are_told() {
    let sandbox = Sandbox::new();
    let event = |id: u64, parent: Option<u64>| {
        let kind = if id == 1 { "run" } else { "progress" };
        let line =
            json!({ "v": 1, "id": id, "parent": parent, "kind": kind, "start_us": id, "data": {} });
        format!("{line}\n")
    };
    let places = [(1, None), (2, Some(1)), (3, Some(5)), (4, Some(3)), (5, Some(4)), (6, Some(9))];
    let lines: String = places.into_iter().map(|(id, parent)| event(id, parent)).collect();
    let inspector = Inspector::start(sandbox.write("odd.jsonl", lines), &["odd.jsonl"]);
    let head = inspector.json("/v1/runs/latest");
    assert_eq!(
        head["notes"],
        json!(["events that are within each other, or in an event that the file lacks, are not \
                shown: 3, 4, 5, 6"])
    );
    let shown = inspector.json("/v1/runs/latest/events");
    assert_eq!(shown["events"][0]["id"], 2, "{shown}");
}

#[test]
fn in_14_run_in_one_file_has_answers_of_api_and_fetches_nothing() {
    let sandbox = after(&["Which port?"]);
    let page = sandbox.run(["trace", "export", "latest", "--html"]).exits(0).stdout;
    let block = page.split_once("id=\"answers\">").unwrap().1.split_once("</script>").unwrap().0;
    let answers: Value = serde_json::from_str(block).unwrap();
    let inspector = Inspector::start(&sandbox, &[]);
    let id = answers["alone"].as_str().unwrap();
    for path in ["", "/calls/1", "/calls/1/prompt", "/calls/2", "/calls/2/prompt"] {
        let mut answer = inspector.json(&format!("/v1/runs/{id}{path}"));
        assert_eq!(answers[format!("runs/{id}{path}")], answer.take(), "{path}");
    }
    for query in ["tokens?by=label", "tokens?by=line", "tokens?by=source", "events?parent=1"] {
        let answer = inspector.json(&format!("/v1/runs/{id}/{query}"));
        assert_eq!(answers[format!("runs/{id}/{query}")], answer, "{query}");
    }
    // What was cut can be opened: the notes with all their sentences.
    let items = &answers[format!("runs/{id}/calls/2")]["manifest"]["items"];
    let notes = items.as_array().unwrap().iter().find(|item| item["label"] == "notes").unwrap();
    let whole = &answers[format!("texts/{id}/{}", notes["value"].as_str().unwrap())];
    assert_eq!(whole["text"].as_str().unwrap().matches("port 7878").count(), 20, "{whole}");
    // A text of the record is data, and the policy lets no other script run.
    assert!(!page.contains("<script>alert(1)"), "the record's markup");
    let policy = page.split_once("Content-Security-Policy\" content=\"").unwrap().1;
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy:.80}");
    assert!(!page.contains(" src=\"") && !page.contains("'self'"), "it names no other file");
    let _ = sandbox.run(["trace", "export", "latest", "--html", "--json"]).exits(2);
}

#[test]
fn in_10_changed_program_is_tried_on_record_and_given_as_patch() {
    let sandbox = after(&["Which port?"]);
    let inspector = Inspector::start(&sandbox, &[]);
    assert_eq!(inspector.json("/v1/about")["can_recheck"], true);
    let program = inspector.json("/v1/runs/latest/program");
    assert_eq!(program, json!({ "file": "p.as", "text": PROGRAM }));
    let changed = PROGRAM.replace("max 20", "max 40");
    let (status, found) = inspector.post("/v1/runs/latest/recheck", &json!({ "text": changed }));
    assert_eq!((status, &found["failure"]), (200, &Value::Null), "{found}");
    sandbox.write("changed.as", &changed);
    let arguments = ["recheck", "latest", "--program", "changed.as", "--json"];
    let told = sandbox.run(arguments).exits(1).json();
    // Places name their file, which is another one on the command line, and the page gets the words
    // that differ.
    let plain = |calls: &Value| {
        let mut calls = calls.clone();
        for call in calls.as_array_mut().unwrap() {
            for item in call["items"].as_array_mut().unwrap() {
                item.as_object_mut().unwrap().remove("words");
            }
        }
        calls.to_string().replace("changed.as", "p.as")
    };
    assert_eq!(plain(&found["calls"]), plain(&told["calls"]), "what the command says");
    assert!(found["calls"].to_string().contains(r#""words":["#), "{found}");
    let patch = found["patch"].as_str().unwrap();
    assert!(patch.starts_with("--- a/p.as\n+++ b/p.as\n"), "{patch}");
    assert!(patch.contains("-  use input.notes max 20 priority 1 as notes\n"), "{patch}");
    assert!(patch.contains("+  use input.notes max 40 priority 1 as notes\n"), "{patch}");
    assert_eq!(sandbox.read("p.as"), PROGRAM, "the program stays as it is");
    assert_eq!(inspector.json("/v1/runs")["runs"].as_array().unwrap().len(), 1, "not kept");

    let (status, same) = inspector.post("/v1/runs/latest/recheck", &json!({ "text": PROGRAM }));
    assert_eq!((status, &same["patch"]), (200, &json!("")));
    assert!(same["calls"].as_array().unwrap().iter().all(|call| call["changed"] == false));
    let (status, broken) =
        inspector.post("/v1/runs/latest/recheck", &json!({ "text": "main func( {" }));
    assert_eq!((status, &broken["code"]), (422, &json!("program_refused")));
    assert!(broken["message"].as_str().unwrap().contains("p.as:1"), "{broken}");
    let (status, odd) = inspector.post("/v1/runs/latest/recheck", &json!({ "program": "p.as" }));
    assert_eq!((status, &odd["code"]), (400, &json!("body_invalid")));
    let elsewhere = ["Origin: http://evil.example"];
    let sent = inspector.send(("POST", "{}"), "/v1/runs/latest/recheck", &elsewhere);
    assert_eq!(sent.0, 403, "{}", sent.1);
}

#[test]
fn in_10_changed_prompt_is_asked_once_offer_was_agreed_to() {
    let sandbox = after(&["Which port?"]);
    let inspector = Inspector::start(&sandbox, &[]);
    let first = inspector.json("/v1/runs")["runs"][0]["run"].clone();
    let changed = PROGRAM.replace("max 20", "max 40");
    let own = json!({ "text": changed, "model": "" });
    let (_, found) = inspector.post("/v1/runs/latest/recheck", &own);
    assert_eq!(found["offer"]["error"]["code"], "model_missing", "{found}");
    let tried = json!({ "text": changed, "model": "mock" });
    let (_, found) = inspector.post("/v1/runs/latest/recheck", &tried);
    assert_eq!(found["offer"]["models"], json!(["mock"]), "{found}");
    assert_eq!(found["offer"]["cost"], json!(0.0));
    let (status, refused) = inspector.post("/v1/runs/latest/ask", &tried);
    assert_eq!((status, &refused["code"]), (409, &json!("not_agreed")), "{refused}");
    let mut agreed = found["offer"].clone();
    // A browser writes the number so.
    agreed["cost"] = json!(0);
    let body = json!({ "text": changed, "model": "mock", "agreed": agreed });
    let elsewhere = ["Origin: http://evil.example"];
    let sent = inspector.send(("POST", &body.to_string()), "/v1/runs/latest/ask", &elsewhere);
    assert_eq!(sent.0, 403, "{}", sent.1);
    assert_eq!(inspector.json("/v1/runs")["runs"].as_array().unwrap().len(), 1, "not asked");
    let (status, begun) = inspector.post("/v1/runs/latest/ask", &body);
    assert_eq!(status, 200, "{begun}");
    let path = format!("/v1/runs/{}", begun["run"].as_str().unwrap());
    let mut head = inspector.json(&path);
    for _ in 0..300 {
        if head["state"] != "RUNNING" {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
        head = inspector.json(&path);
    }
    assert_eq!((&head["state"], &head["part_of"]), (&json!("COMPLETED"), &json!({ "run": first })));
    assert_eq!(head["models"], json!(["mock"]));
    let same = json!({ "text": PROGRAM, "model": "mock", "agreed": found["offer"] });
    let (status, refused) =
        inspector.post(&format!("/v1/runs/{}/ask", first.as_str().unwrap()), &same);
    assert_eq!((status, &refused["code"]), (409, &json!("nothing_changed")));

    // The first call kept its answer: it has a prompt and is not counted.
    assert_eq!((&head["calls"], &head["prompts"]), (&json!(1), &json!(2)));
    let attempts = inspector.json(&format!("{path}/calls/1/prompt"))["attempts"].clone();
    assert_eq!(attempts[0]["kept"], "record");
    assert_eq!(attempts[0]["answer"], "{\"answer\":\"mock answer\"}");
    for by in ["program", "place", "model"] {
        let all = inspector.json(&format!("/v1/usage?by={by}"))["all"].clone();
        assert_eq!((&all["calls"], &all["unpriced"]), (&json!(3), &json!(0)), "{by}: {all}");
    }
    // What was asked is in no file.
    let program = |run: &str| inspector.json(&format!("/v1/runs/{run}/program"))["text"].clone();
    assert_eq!(program(begun["run"].as_str().unwrap()), changed);
    assert_eq!(program(first.as_str().unwrap()), PROGRAM);
    std::fs::remove_file(sandbox.path("p.as")).unwrap();
    let (status, found) = inspector.post(&format!("{path}/recheck"), &own);
    assert_eq!((status, &found["patch"]), (200, &json!("")), "{found}");
    let first = format!("/v1/runs/{}/recheck", first.as_str().unwrap());
    let (status, found) = inspector.post(&first, &own);
    assert_eq!(status, 200, "{found}");
}

#[test]
fn in_10_run_that_asks_is_cancelled_where_inspector_ends() {
    let sandbox = after(&["Which port?"]);
    let never: Answer = Box::new(|_| std::thread::sleep(Duration::from_secs(60)));
    let model = Server::answering(vec![never]);
    let free = "price_input = 0\nprice_output = 0\nwindow = 8000\nmax_output = 100\n";
    sandbox.write("contexture.toml", format!("[profiles.\"{}\"]\n{free}", model.model));
    let mut inspector = Inspector::start(&sandbox, &[]);
    let changed = PROGRAM.replace("max 20", "max 40");
    let tried = json!({ "text": changed, "model": model.model });
    let (_, found) = inspector.post("/v1/runs/latest/recheck", &tried);
    let agreed = &found["offer"];
    let body = json!({ "text": changed, "model": model.model, "agreed": agreed });
    let (status, begun) = inspector.post("/v1/runs/latest/ask", &body);
    assert_eq!(status, 200, "{begun} {found}");
    let _ = model.body();
    let pid = inspector.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert!(inspector.child.wait().unwrap().success());
    let listed = sandbox.run(["trace", "list", "--json"]).exits(0).json();
    assert_eq!(listed["runs"][0]["run"], begun["run"]);
    assert_eq!(listed["runs"][0]["outcome"], "cancelled", "{listed}");
}

#[test]
fn in_10_no_program_is_tried_for_run_of_somebody_else() {
    let sandbox = after(&["Which port?"]);
    let exported = sandbox.run(["trace", "export", "latest"]).exits(0).stdout;
    let elsewhere = Sandbox::new();
    elsewhere.write("a.jsonl", exported).write("p.as", PROGRAM);
    let inspector = Inspector::start(&elsewhere, &["a.jsonl"]);
    assert_eq!(inspector.json("/v1/about")["can_recheck"], false);
    assert_eq!(inspector.refused("/v1/runs/latest/program"), (404, json!("not_kept")));
    let (status, _) = inspector.post("/v1/runs/latest/recheck", &json!({ "text": PROGRAM }));
    assert_eq!(status, 404);
    let (status, _) = inspector.post("/v1/runs/latest/ask", &json!({ "text": PROGRAM }));
    assert_eq!(status, 404);
}

#[test]
fn in_9_why_not_tells_what_decided() {
    let sandbox = after(&["Which port?"]);
    let verdict = |call: &str, asked: &str| {
        let told = sandbox.run(["trace", "why-not", "latest", call, asked, "--json"]);
        told.exits(0).json()
    };
    assert_eq!(verdict("2", "question")["verdict"], "present");
    let notes = verdict("2", "notes");
    assert_eq!((&notes["verdict"], &notes["line"]), (&json!("cut"), &json!(7)), "{notes}");
    assert_eq!(notes["by"], "its own budget, `max 20`");
    let background = verdict("2", "background");
    assert_eq!(background["by"], "the budget of the prompt, `max_input: 260`", "{background}");
    let draft = verdict("2", "draft");
    assert_eq!((&draft["verdict"], &draft["line"]), (&json!("out_of_scope"), &json!(4)));
    assert_eq!(verdict("2", "alert(1)")["verdict"], "present");
    assert_eq!(verdict("2", "elsewhere")["verdict"], "not_declared");
    let told = sandbox.run(["trace", "why-not", "latest", "2", "draft"]).exits(0);
    assert!(told.stdout.starts_with("out of scope: a `use` declares it in line 4"), "{told:?}");
    let inspector = Inspector::start(&sandbox, &[]);
    assert_eq!(inspector.json("/v1/why?run=latest&call=2&label=notes"), notes);
    assert_eq!(inspector.refused("/v1/why?run=latest&call=2"), (400, json!("query_invalid")));
}

/// A folder in which a program ran that imports two files and a folder, and cuts what it shows of them.
fn after_imports() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(
        "p.as",
        "import file Faq from \"./faq.md\"\nimport file Rows from \"rows.json\"\n\
         import resource More from \"@!file://more.md\"\nimport file Unused from \"unused.md\"\nimport resource Notes from \"@!file://notes/*.md\"\n\
         main func(input) {\n  known = Unused\n  use Faq max 20 as facts\n  use Rows max 20\n  \
         use Notes max 200\n  use More max 3 as small\n  \
         generate({ input: \"Answer.\" }) -> { answer string }\n}\n",
    );
    let faq = "Orders ship in two days.\nReturns are free within thirty days.\n\
               The warehouse, as its name Faq says, is in Rotterdam.\n";
    let rows = "[{\"a\":\"one two\"},{\"a\":\"four five\"},{\"a\":\"the last zebra of all rows\"}]";
    sandbox.write("faq.md", faq).write("rows.json", rows).write("unused.md", "None.");
    sandbox.write("notes/a.md", "Nine.").write("more.md", "A heron stands in the harbour.");
    let _ = sandbox.run(["run", "p.as", "--mock", "--quiet"]).exits(0);
    sandbox
}

#[test]
fn in_9_text_that_was_cut_is_found_in_whole_value_of_its_item() {
    let sandbox = after_imports();
    let told = |asked: &str| {
        let told = sandbox.run(["trace", "why-not", "latest", "1", asked, "--json"]);
        told.exits(0).json()
    };
    let is = |found: &Value, verdict: &str, line: u64| {
        assert_eq!((&found["verdict"], &found["line"]), (&json!(verdict), &json!(line)), "{found}");
    };
    let head = told("in Rotterdam");
    is(&head, "cut", 8);
    assert_eq!(head["by"], "its own budget, `max 20`");
    let detail = head["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("the text stands in the whole value of `Faq`, which is cut by its own")
            && detail.ends_with(" tokens are kept, the beginning"),
        "{detail}"
    );
    let list = told("zebra");
    is(&list, "cut", 9);
    assert!(list["detail"].as_str().unwrap().ends_with(" are kept, 1 of 3 values"), "{list}");
    is(&told("heron"), "gave_way", 11);
    // The word stands in a `source:` line, too, which is not what was cut.
    is(&told("s name Faq"), "cut", 8);
    is(&told("Orders ship"), "present", 8);
    assert_eq!(told("source: ")["verdict"], "present");
}

#[test]
fn in_9_imported_file_is_known_by_its_path() {
    let sandbox = after_imports();
    let told = |asked: &str| {
        let told = sandbox.run(["trace", "why-not", "latest", "1", asked, "--json"]);
        let found = told.exits(0).json();
        (found["verdict"].as_str().unwrap().to_owned(), found["line"].clone())
    };
    for asked in ["faq.md", "./faq.md", "Faq"] {
        assert_eq!(told(asked), ("cut".to_owned(), json!(8)), "{asked}");
    }
    assert_eq!(told("./rows.json"), ("cut".to_owned(), json!(9)));
    for asked in ["Notes", "notes/a.md", "./notes/a.md"] {
        assert_eq!(told(asked), ("present".to_owned(), json!(10)), "{asked}");
    }
    assert_eq!(told("unused.md"), ("not_declared".to_owned(), Value::Null));
    let unused = sandbox.run(["trace", "why-not", "latest", "1", "unused.md"]).exits(0);
    assert!(unused.stdout.contains("the program imports it as `Unused`, which no"), "{unused:?}");
}

#[test]
fn in_9_question_for_nothing_or_of_no_call_is_refused() {
    let sandbox = after(&["Which port?"]);
    let empty = sandbox.run(["trace", "why-not", "latest", "1", " "]).exits(2);
    assert!(empty.stderr.contains("error: nothing is asked for: expected a label"), "{empty:?}");
    let beyond = sandbox.run(["trace", "why-not", "latest", "33", "x"]).exits(2);
    assert!(beyond.stderr.contains("has 2 model calls; there is no call 33"), "{beyond:?}");
    assert!(beyond.stderr.contains("calls are numbered from 1 to 2"), "{beyond:?}");
    let inspector = Inspector::start(&sandbox, &[]);
    let empty = inspector.refused("/v1/why?run=latest&call=2&label=");
    assert_eq!(empty, (400, json!("query_invalid")));
}

#[test]
fn in_9_only_what_was_not_allowed_is_denied() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "p.as",
        "import tool File from \"file://workspace\"\npolicy write \"deny\"\nmain func(input) {\n  \
         generate({ input: \"Say.\" }) -> { answer string }\n  \
         File.write({ path: \"kept/out.txt\", content: \"x\" })\n}\n",
    );
    let _ = sandbox.run(["run", "p.as", "--mock", "--quiet"]).exits(1);
    let verdict = |asked: &str| {
        let told = sandbox.run(["trace", "why-not", "latest", "1", asked, "--json"]);
        told.exits(0).json()
    };
    for asked in ["kept/out.txt", "out.txt", "File.write", "file.write"] {
        let found = verdict(asked);
        assert_eq!((&found["verdict"], &found["line"]), (&json!("denied"), &json!(5)), "{asked}");
        assert_eq!(found["by"], "POLICY_DENIED");
    }
    assert_eq!(verdict("program says")["verdict"], "not_declared", "words of an error");
}

#[test]
fn in_8_blame_finds_first_difference_of_two_runs() {
    let sandbox = after(&["Which port?", "Since when?"]);
    let blame = sandbox.run(["trace", "blame", "latest~1", "latest", "--json"]).exits(0).json();
    let blame = &blame["blame"];
    assert_eq!((&blame["left"], &blame["right"]), (&json!(2), &json!(2)), "{blame}");
    assert_eq!(
        (&blame["first"]["kind"], &blame["first"]["name"]),
        (&json!("item"), &json!("question"))
    );
    let same = sandbox.run(["trace", "blame", "latest", "latest"]).exits(0);
    assert_eq!(same.stdout, "all prompts are identical\n");
    let inspector = Inspector::start(&sandbox, &[]);
    let mut whole = sandbox.run(["trace", "diff", "latest~1", "latest", "--json"]).exits(0).json();
    assert_eq!(inspector.json("/v1/diff/latest~1/latest"), whole.take());
}

#[test]
fn in_8_diff_has_places_of_items_in_both_prompts() {
    let sandbox = after(&["Which port?", "Since when was that so?"]);
    let diff = sandbox.run(["trace", "diff", "latest~1", "latest", "--json"]).exits(0).json();
    let items = diff["calls"][1]["items"].as_array().unwrap();
    let inspector = Inspector::start(&sandbox, &[]);
    for (side, run) in ["latest~1", "latest"].into_iter().enumerate() {
        let prompt = inspector.json(&format!("/v1/runs/{run}/calls/2/prompt"));
        for item in items {
            let is_same = |one: &&Value| one["source"] == item["source"];
            let own = prompt["items"].as_array().unwrap().iter().find(is_same).unwrap();
            assert_eq!(item["spans"][side], own["span"], "{item}");
        }
        let question = items.iter().find(|item| item["label"] == "question").unwrap();
        let span = &question["spans"][side];
        let place = |name: &str| usize::try_from(span[name].as_u64().unwrap()).unwrap();
        let text = prompt["messages"][place("message")]["text"].as_str().unwrap();
        let asked = &text[place("start")..place("end")];
        assert_eq!(asked, ["Which port?", "Since when was that so?"][side]);
    }
}

#[test]
fn in_8_diff_marks_words_that_differ() {
    let sandbox = after(&["Which port?", "Which dock?"]);
    let inspector = Inspector::start(&sandbox, &[]);
    let diff = inspector.json("/v1/diff/latest~1/latest?words=true");
    let items = diff["calls"][1]["items"].as_array().unwrap();
    let question = items.iter().find(|item| item["label"] == "question").unwrap();
    let expected = json!([
        { "side": "=", "text": "Which " }, { "side": "-", "text": "port" },
        { "side": "+", "text": "dock" }, { "side": "=", "text": "?" },
    ]);
    assert_eq!(question["words"], expected, "{question}");
}

#[test]
fn ev_5_report_of_eval_is_shown_with_runs_of_its_cells() {
    let sandbox = Sandbox::with_examples();
    let test = ["test", "examples/use_one_of.test.yaml", "--json"];
    let report = sandbox.run(test).exits(0);
    sandbox.write("base.json", &report.stdout).write("odd.json", "{}");
    let inspector = Inspector::start(&sandbox, &["--eval", "base.json"]);
    assert_eq!(inspector.json("/v1/about")["evals"], true);
    let listed = inspector.json("/v1/evals");
    let expected = json!([{ "name": "base.json", "passed": 3, "failed": 0, "skipped": 0 }]);
    assert_eq!(listed["evals"], expected);
    let found = inspector.json("/v1/evals/base.json");
    assert_eq!(found, report.json());
    let run = found["suites"][0]["cases"][0]["run"].as_str().unwrap();
    assert_eq!(inspector.json(&format!("/v1/runs/{run}"))["state"], "COMPLETED");
    assert_eq!(inspector.refused("/v1/evals/head.json"), (404, json!("eval_unknown")));
    let odd = sandbox.run(["inspect", "--eval", "odd.json"]).exits(2);
    assert!(odd.stderr.contains("is not the output of"), "{}", odd.stderr);
}

#[test]
fn in_12_inspector_alone_shows_what_project_keeps() {
    let sandbox = after(&["Which port?"]);
    let inspector = Inspector::start(&sandbox, &[]);
    let about = inspector.json("/v1/about");
    let nothing = json!({
        "flows": false, "contexts": false, "knowledge": true, "can_change": false,
        "can_recheck": true, "evals": false,
    });
    assert_eq!(about, nothing);
    assert_eq!(inspector.refused("/v1/flows"), (404, json!("not_kept")));
    drop(inspector);
    let step = json!({ "instructionId": "a", "action": "echo", "parameters": { "x": 1 } });
    let set = json!({ "instructions": [step] });
    sandbox.write("set.json", set.to_string());
    let _ = sandbox.run(["flow", "run", "set.json", "--quiet"]).exits(0);
    let inspector = Inspector::start(&sandbox, &[]);
    assert_eq!(inspector.json("/v1/about")["flows"], true);
    let id = inspector.json("/v1/flows")["flows"][0]["run"].as_str().unwrap().to_owned();
    assert_eq!(inspector.json(&format!("/v1/flows/{id}"))["results"]["a"]["result"]["x"], 1);
    assert_eq!(inspector.json("/v1/knowledge")["packs"], json!([]));
}

#[test]
fn in_11_steps_of_run_of_set_are_given_by_parts() {
    let sandbox = Sandbox::new();
    // Three values of 800 KB are more than an answer has.
    let long = "客".repeat(800 << 10 >> 2);
    let step = |number: usize| {
        json!({
            "instructionId": format!("s{number}"), "action": "echo",
            "parameters": { "x": number, "text": if number < 3 { long.as_str() } else { "" } },
            "condition": "size(\"two\") == 3",
        })
    };
    let set = json!({ "instructions": (0..7).map(step).collect::<Vec<_>>() });
    sandbox.write("set.json", set.to_string());
    let _ = sandbox.run(["flow", "run", "set.json", "--quiet"]).exits(0);
    let inspector = Inspector::start(&sandbox, &[]);
    let id = inspector.json("/v1/flows")["flows"][0]["run"].as_str().unwrap().to_owned();
    let part = |query: &str| {
        let part = inspector.json(&format!("/v1/flows/{id}?{query}"));
        let steps = part["set"]["instructions"].as_array().unwrap().iter();
        let ids: Vec<String> =
            steps.map(|step| step["instructionId"].as_str().unwrap().to_owned()).collect();
        let keys = |name: &str| part[name].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!((keys("results"), keys("conditions")), (ids.clone(), ids.clone()));
        let events = part["events"].as_array().unwrap().iter().filter_map(|one| one["id"].as_str());
        assert!(events.clone().all(|of| ids.iter().any(|id| id == of)), "{ids:?}");
        assert_eq!(events.count(), 2 * ids.len());
        (ids, part["next"].clone())
    };
    assert_eq!(part("after=3&limit=2"), (vec!["s3".to_owned(), "s4".to_owned()], json!(5)));
    assert_eq!(part("after=5&limit=2"), (vec!["s5".to_owned(), "s6".to_owned()], Value::Null));
    assert_eq!(part("after=7").0, [""; 0]);
    let (first, next) = part("");
    assert_eq!((first.first().unwrap().as_str(), next), ("s0", json!(first.len())));
    assert_eq!(inspector.refused(&format!("/v1/flows/{id}?limit=401")).0, 400);
}

#[test]
fn in_15_other_hosts_and_pages_are_refused() {
    let sandbox = after(&["Which port?"]);
    let inspector = Inspector::start(&sandbox, &["latest"]);
    let status = |headers: &[&str]| inspector.ask("/v1/runs", headers).0;
    assert_eq!(status(&["Host: runs.example"]), 421);
    assert_eq!(status(&["Origin: http://runs.example"]), 403);
    assert_eq!(status(&["Sec-Fetch-Site: cross-site"]), 403);
    assert_eq!(status(&[&format!("Origin: http://{}", inspector.address)]), 200);
    let away = sandbox.run(["inspect", "--listen", "0.0.0.0:0"]).exits(2);
    assert!(away.stderr.contains("other machines reach"), "{}", away.stderr);
    let _ = sandbox.run(["inspect", "nonsense"]).exits(2);
}

#[test]
fn in_4_damaged_lines_are_told_and_rest_is_shown() {
    let sandbox = after(&["Which port?"]);
    let runs = std::fs::read_dir(sandbox.path(".contexture/runs")).unwrap();
    let trace = runs
        .flatten()
        .map(|entry| entry.path())
        .find(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.ends_with(".jsonl") && name.matches('.').count() == 1
        })
        .unwrap();
    let text = std::fs::read_to_string(&trace).unwrap();
    let damaged = text.replacen("\"kind\":\"use\"", "\"kind\":\"us", 1);
    std::fs::write(&trace, damaged + "{\"v\":1,\"id\":").unwrap();
    let inspector = Inspector::start(&sandbox, &[]);
    let head = inspector.json("/v1/runs/latest");
    assert_eq!(head["notes"].as_array().unwrap().len(), 2, "{head}");
    let call = inspector.json("/v1/runs/latest/calls/2/prompt");
    assert!(call["messages"][0]["text"].as_str().unwrap().contains("Which port?"));
    assert!(!inspector.json("/v1/runs/latest/events")["events"].as_array().unwrap().is_empty());
}

#[test]
fn in_1_beyond_this_machine_each_request_needs_token_with_permission() {
    let sandbox = after(&["Which port?"]);
    let refused = sandbox.run(["inspect", "--listen", "0.0.0.0:0"]).exits(2);
    assert!(refused.stderr.contains("asks for no token"), "{}", refused.stderr);
    let listen = ["inspect", "--listen", "0.0.0.0:0", "--allow-remote"];
    let none = sandbox.run(["token", "add", "reader"]).exits(0).stdout;
    let refused = sandbox.run(listen).exits(2);
    assert!(refused.stderr.contains("no token has the permission"), "{}", refused.stderr);
    let added = sandbox.run(["token", "add", "looker", "--scope", "inspect"]).exits(0).stdout;

    let inspector = Inspector::start(&sandbox, &["--allow-remote"]);
    let bearer = |token: &str| format!("Authorization: Bearer {}", token.trim());
    let status = |path: &str, headers: &[&str]| inspector.ask(path, headers).0;
    assert_eq!((status("/", &[]), status("/page.js", &[])), (200, 200));
    assert_eq!(status("/v1/runs", &[]), 401);
    assert_eq!(status("/v1/runs", &[&bearer("ctx_tok_unknown")]), 401);
    assert_eq!(status("/v1/runs", &[&bearer(&none)]), 403);
    assert_eq!(status("/v1/runs/latest/calls/1/prompt", &[&bearer(&none)]), 403);
    let (found, body) = inspector.ask("/v1/runs", &[&bearer(&added)]);
    assert!(found == 200 && body.contains("p.as"), "{found}: {body}");
    let _ = sandbox.run(["token", "revoke", "looker"]).exits(0);
    assert_eq!(status("/v1/runs", &[&bearer(&added)]), 401);
}

#[test]
fn in_9_item_that_gave_way_names_budget_and_what_was_kept() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "p.as",
        "main func(input) {\n  use input.small as small\n  use input.question priority 9 as question\n  \
         generate({ input: \"Answer.\", max_input: 100 }) -> { answer string }\n}\n",
    );
    let question = "Which port does the server listen on? ".repeat(9);
    let input = json!({ "small": "It was built in spring.", "question": question }).to_string();
    let _ = sandbox.run(["run", "p.as", "--mock", "--quiet", "--input", &input]).exits(0);
    let told = sandbox.run(["trace", "why-not", "latest", "1", "small", "--json"]).exits(0).json();
    assert_eq!((&told["verdict"], &told["line"]), (&json!("gave_way"), &json!(2)), "{told}");
    assert_eq!(told["by"], "the budget of the prompt, `max_input: 100`");
    let detail = told["detail"].as_str().unwrap();
    assert!(detail.contains("0 of ") && detail.contains("kept were `question` ("), "{told}");
}

#[test]
fn in_9_text_that_question_left_out_is_not_selected_and_has_scores() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "p.as",
        "main func(input) {\n  use input.notes max 40 for \"Which port does the server listen on?\" as notes\n  \
         generate({ input: \"Answer.\" }) -> { answer string }\n}\n",
    );
    let other = "A door of the server room listens to nobody. ".repeat(6);
    let notes = ["The server listens on port 7878, which is the port.", &other, "It rains."];
    let input = json!({ "notes": notes }).to_string();
    let _ = sandbox.run(["run", "p.as", "--mock", "--quiet", "--input", &input]).exits(0);
    let verdict = |asked: &str| {
        sandbox.run(["trace", "why-not", "latest", "1", asked, "--json"]).exits(0).json()
    };
    assert_eq!(verdict("[0]")["verdict"], "present");
    let left = verdict("[1]");
    assert_eq!((&left["verdict"], &left["line"]), (&json!("not_selected"), &json!(2)), "{left}");
    assert!(left["by"].as_str().unwrap().contains("Which port does the server"), "{left}");
    assert!(left["detail"].as_str().unwrap().contains("and the budget is 40"), "{left}");
}
