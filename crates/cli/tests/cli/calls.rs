//! What a run tells of its model calls, with a server on loopback.

use crate::support::Sandbox;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const PROGRAM: &str = "\
main func() {
  generate({ input: \"What is the capital of France?\", max_output: 800 }) -> { answer string }
}
";

/// A server in OpenAI's form that answers requests in turn, each by a function of its stream.
pub(crate) struct Server {
    pub(crate) model: String,
    bodies: Receiver<Value>,
}

pub(crate) type Answer = Box<dyn FnOnce(&mut TcpStream) + Send>;

impl Server {
    pub(crate) fn answering(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let model = format!("openai+http://{}/v1/tiny", listener.local_addr().unwrap());
        let (told, bodies) = channel();
        std::thread::spawn(move || {
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                told.send(request(&stream)).unwrap();
                answer(&mut stream);
            }
        });
        Self { model, bodies }
    }

    pub(crate) fn body(&self) -> Value {
        self.bodies.recv_timeout(Duration::from_secs(30)).unwrap()
    }
}

fn request(stream: &TcpStream) -> Value {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap_or_default()
}

/// Sends a whole response.
pub(crate) fn whole(status: &'static str, body: Value) -> Answer {
    Box::new(move |stream| {
        let body = body.to_string();
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    })
}

pub(crate) fn completion(text: &str, finish: &str) -> Value {
    let choice = json!({ "index": 0, "finish_reason": finish,
        "message": { "role": "assistant", "content": text } });
    let usage = json!({ "prompt_tokens": 47, "completion_tokens": 10, "total_tokens": 57,
        "prompt_tokens_details": { "cached_tokens": 12 } });
    json!({ "model": "tiny", "choices": [choice], "usage": usage })
}

#[test]
fn ca_1_call_shows_finish_options_form_of_schema_latency_and_cached_tokens() {
    let refusal = json!({ "error": { "message": "response_format json_schema is not supported" } });
    let server = Server::answering(vec![
        whole("400 Bad Request", refusal),
        whole("200 OK", completion("{\"answer\": \"Paris\"}", "stop")),
    ]);
    let sandbox = Sandbox::new();
    sandbox.write("p.as", PROGRAM);
    let done = sandbox.run(["run", "p.as", "--json", "--model", &server.model]).exits(0).json();
    assert_eq!(server.body()["response_format"]["type"], "json_schema");
    assert_eq!(server.body()["response_format"]["type"], "json_object");
    let call = &done["calls"][0];
    assert_eq!((&call["site"], &call["finish"]), (&json!("p.as:2:3"), &json!("stop")));
    assert_eq!(call["model"], server.model);
    let attempt = &call["attempts"][0];
    assert!(attempt["latency_ms"].as_u64().unwrap() > 0, "{attempt}");
    let expected = json!({ "finish": "stop", "input": 47, "output": 10, "cached": 12,
        "estimated": false, "schema": "json_object_schema", "options": { "max_tokens": 800 } });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&attempt[name], value, "{name}: {attempt}");
    }
    let tree = sandbox.run(["trace", "show"]).exits(0).stdout;
    let one = "47 + 10 tokens reported, 12 cached";
    assert_eq!(tree.matches(one).count(), 2, "{tree}");
    for part in ["attempt 1 · stop · ", "schema as json_object_schema", "max_tokens 800"] {
        assert!(tree.contains(part), "{part}: {tree}");
    }
    assert_eq!(done["usage_estimated"], false);
}

#[test]
fn ca_1_cut_answer_is_error_of_json_with_its_calls() {
    let server = Server::answering(vec![whole(
        "200 OK",
        completion("{\"answer\": \"The capital is Par", "length"),
    )]);
    let sandbox = Sandbox::new();
    sandbox.write("p.as", PROGRAM);
    let done = sandbox.run(["run", "p.as", "--json", "--model", &server.model]).exits(1).json();
    assert_eq!(done["error"]["code"], "ANSWER_CUT_OFF", "{done}");
    assert!(done["error"]["message"].is_string() && done["error"]["help"].is_string(), "{done}");
    assert_eq!(done["calls"][0]["finish"], "length", "{done}");
    assert_eq!(done["calls"][0]["attempts"][0]["schema"], "json_schema", "{done}");
    let tree = sandbox.run(["trace", "show"]).exits(0).stdout;
    assert!(tree.contains("attempt 1: was cut off · length"), "{tree}");
}

#[test]
fn ca_2_each_wait_is_told_on_terminal_and_in_trace() {
    let busy = || {
        let body = json!({ "error": { "message": "busy" } });
        whole("503 Service Unavailable", body)
    };
    let whole = whole("200 OK", completion("{\"answer\": \"Paris\"}", "stop"));
    let server = Server::answering(vec![busy(), busy(), whole]);
    let sandbox = Sandbox::new();
    // Waits that are shorter than a tenth of a second have the same text.
    sandbox.write("contexture.toml", "[retry]\ntimes = 2\nmax_wait_ms = 10\n");
    sandbox.write("p.as", PROGRAM);
    let done = sandbox.run(["run", "p.as", "--model", &server.model]).exits(0);
    assert_eq!(done.stderr.matches("busy; trying again in 0.0 s").count(), 2, "{}", done.stderr);
    let tree = sandbox.run(["trace", "show"]).exits(0).stdout;
    assert!(tree.contains("tried again 2 times after "), "{tree}");
    let events = sandbox.run(["trace", "export", "latest", "--json"]).exits(0).json();
    let events = events["events"].as_array().unwrap();
    let attempts = events.iter().find_map(|event| event["data"].get("attempts")).unwrap();
    let waits = attempts[0]["waits_ms"].as_array().unwrap();
    assert_eq!((waits.len(), attempts[0]["retried"].as_array().unwrap().len()), (2, 2));
    assert!(waits.iter().all(|wait| (5..=11).contains(&wait.as_u64().unwrap())), "{waits:?}");
}

#[test]
fn gu_9_key_that_provider_quotes_in_failure_is_masked_in_calls_and_warnings() {
    const KEY: &str = "sk-abcdefgh12345678";
    let quoted = json!({ "error": { "message": format!("the key {KEY} is not known") } });
    let server = Server::answering(vec![
        whole("503 Service Unavailable", quoted.clone()),
        whole("401 Unauthorized", quoted),
    ]);
    let sandbox = Sandbox::new();
    sandbox.write("p.as", PROGRAM);
    let done = sandbox.run(["run", "p.as", "--json", "--model", &server.model]).exits(1);
    let told = done.json();
    let attempt = &told["calls"][0]["attempts"][0];
    for (text, place) in [
        (&attempt["failure"], "failure"),
        (&attempt["retried"][0], "retried"),
        (&told["warnings"][0], "warning"),
        (&told["error"]["message"], "error"),
    ] {
        let text = text.as_str().unwrap();
        assert!(text.contains("the key sk-") && !text.contains(KEY), "{place}: {text}");
    }
    assert!(!format!("{}{}", done.stdout, done.stderr).contains(KEY), "{}", done.stderr);
}

#[test]
fn ca_12_tokens_that_no_server_reported_are_labelled_everywhere() {
    let mut silent = completion("{\"answer\": \"Paris\"}", "stop");
    silent.as_object_mut().unwrap().remove("usage");
    let server = Server::answering(vec![whole("200 OK", silent)]);
    let sandbox = Sandbox::new();
    sandbox.write("p.as", PROGRAM);
    let done = sandbox.run(["run", "p.as", "--model", &server.model]).exits(0);
    let tokens = done.stderr.split(" · ").find(|part| part.contains("tokens")).unwrap();
    assert!(tokens.ends_with("tokens counted here"), "{tokens}");
    let tree = sandbox.run(["trace", "show"]).exits(0).stdout;
    assert!(tree.contains(tokens), "{tokens}: {tree}");
}

#[test]
fn ca_12_refused_call_takes_no_tokens_in_tree_list_and_json() {
    let refused = || whole("400 Bad Request", json!({ "error": { "message": "no" } }));
    let server = Server::answering(vec![refused()]);
    let sandbox = Sandbox::new();
    sandbox.write("p.as", PROGRAM);
    let done = sandbox.run(["run", "p.as", "--json", "--model", &server.model]).exits(1).json();
    let attempt = &done["calls"][0]["attempts"][0];
    assert_eq!((&attempt["input"], &attempt["output"]), (&json!(0), &json!(0)), "{done}");
    let tree = sandbox.run(["trace", "show"]).exits(0).stdout;
    assert!(tree.contains(" · no tokens"), "{tree}");
    let list = sandbox.run(["trace", "list"]).exits(0).stdout;
    assert!(list.contains("  0 + 0  "), "{list}");
}

#[test]
fn ca_12_stream_that_breaks_has_tokens_counted_here() {
    let server = Server::answering(vec![head(Box::new(|stream| {
        let choice = json!({ "index": 0, "delta": { "content": "{\"answer\": \"Par" } });
        let event = format!("data: {}\n\n", json!({ "choices": [choice] }));
        stream.write_all(event.as_bytes()).unwrap();
    }))]);
    let sandbox = Sandbox::new();
    sandbox.write("p.as", PROGRAM);
    let done = sandbox.run(["run", "p.as", "--stream", "--model", &server.model]).exits(1);
    let last: Value = serde_json::from_str(done.stdout.lines().last().unwrap()).unwrap();
    let attempt = &last["calls"][0]["attempts"][0];
    assert_eq!(attempt["estimated"], true, "{last}");
    let (input, output) = (attempt["input"].as_u64().unwrap(), attempt["output"].as_u64().unwrap());
    assert!(input > 0 && output > 0, "{last}");
    let tree = sandbox.run(["trace", "show"]).exits(0).stdout;
    assert!(tree.contains(&format!("{input} + {output} tokens counted here")), "{tree}");
    let list = sandbox.run(["trace", "list"]).exits(0).stdout;
    assert!(list.contains(&format!("~{input} + {output}")), "{list}");
}

#[test]
fn ca_12_difference_of_runs_labels_tokens_that_another_tokenizer_counted() {
    let answers = || whole("200 OK", completion("{\"answer\": \"Paris\"}", "stop"));
    let server = Server::answering(vec![answers(), answers()]);
    let sandbox = Sandbox::new();
    for text in ["What is it?", "What is the capital?"] {
        let program = PROGRAM.replace("What is the capital of France?", text);
        sandbox.write("p.as", &program);
        let _ = sandbox.run(["run", "p.as", "--model", &server.model]).exits(0);
    }
    let text = sandbox.run(["trace", "diff", "latest~1", "latest"]).exits(0).stdout;
    let of_call = text.lines().find(|line| line.starts_with("call ")).unwrap();
    assert!(of_call.contains(" · ~") && of_call.contains(" → ~"), "{text}");
    let object = sandbox.run(["trace", "diff", "latest~1", "latest", "--json"]).exits(0).json();
    assert_eq!(object["calls"][0]["exact"], json!([false, false]), "{object}");
}

/// Sends an answer in pieces; the second one waits until `gate` opens.
pub(crate) fn streamed(pieces: &'static [&'static str], gate: Option<Receiver<()>>) -> Answer {
    Box::new(move |stream| {
        let mut event = |value: &str| {
            stream.write_all(format!("data: {value}\n\n").as_bytes()).unwrap();
        };
        for (index, piece) in pieces.iter().enumerate() {
            if let (1, Some(gate)) = (index, &gate) {
                gate.recv_timeout(Duration::from_secs(30)).unwrap();
            }
            let choice = json!({ "index": 0, "delta": { "content": piece } });
            event(&json!({ "choices": [choice] }).to_string());
        }
        let choice = json!({ "index": 0, "delta": {}, "finish_reason": "stop" });
        let usage = json!({ "prompt_tokens": 47, "completion_tokens": 10, "total_tokens": 57 });
        event(&json!({ "choices": [choice], "usage": usage }).to_string());
        event("[DONE]");
    })
}

/// Begins a stream of events.
pub(crate) fn head(answer: Answer) -> Answer {
    Box::new(move |stream| {
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        answer(stream);
    })
}

#[test]
fn ca_8_stream_prints_tokens_partial_objects_progress_and_result_as_lines() {
    let pieces = &["{\"answer\": \"Pa", "ris, which lies on the Sei", "ne\"}"];
    let server = Server::answering(vec![head(streamed(pieces, None))]);
    let sandbox = Sandbox::new();
    let text = PROGRAM.replace("main func() {", "main func() {\n  progress \"asking 1 of \" + 2");
    sandbox.write("p.as", text);
    let done = sandbox.run(["run", "p.as", "--stream", "--model", &server.model]).exits(0);
    let lines: Vec<Value> =
        done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |event: &str| -> Vec<&Value> {
        lines.iter().filter(|line| line["event"] == event).collect()
    };
    assert_eq!(lines[0], json!({ "event": "progress", "text": "asking 1 of 2" }));
    let tokens: Vec<_> = of("token").iter().map(|line| line["text"].clone()).collect();
    assert_eq!(tokens, pieces.map(Value::from));
    assert_eq!(of("token")[0]["site"], "p.as:3:3");
    let partials: Vec<_> =
        of("partial").iter().map(|line| line["value"]["answer"].clone()).collect();
    assert_eq!(partials[0], "Pa");
    assert_eq!(partials.last().unwrap(), "Paris, which lies on the Seine");
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["event"], &last["value"]["answer"]),
        (&json!("result"), partials.last().unwrap())
    );
    assert_eq!(last["calls"][0]["attempts"][0]["input"], 47);
    let tree = sandbox.run(["trace", "show"]).exits(0).stdout;
    assert!(tree.contains("asking 1 of 2"), "{tree}");
}

#[test]
fn ca_8_stream_ends_with_error_event_whatever_fails() {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", "main func(input) { [1][7] }");
    let last = |arguments: &[&str], code| {
        let done = sandbox.run(["run", "p.as", "--stream"].iter().chain(arguments)).exits(code);
        let line = done.stdout.lines().last().unwrap().to_owned();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    let failed = last(&[], 1);
    assert_eq!((&failed["event"], &failed["error"]["code"]), (&json!("error"), &json!("AS9007")));
    let refused = last(&["--input", "{"], 2);
    assert_eq!(
        (&refused["event"], refused["error"]["message"].is_string()),
        (&json!("error"), true)
    );
}

#[test]
fn ca_8_progress_is_said_on_stderr_unless_quiet() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "p.as",
        "main func() {\n  progress(\"reading \" + 3)\n  progress = 4\n  progress\n}\n",
    );
    let done = sandbox.run(["run", "p.as"]).exits(0);
    assert_eq!(
        (done.stdout.as_str(), done.stderr.contains("reading 3\n")),
        ("4\n", true),
        "{done:?}"
    );
    assert_eq!(sandbox.run(["run", "p.as", "--quiet"]).exits(0).stderr, "");
    sandbox.write("p.as", "main func() { progress(3) }");
    let _ = sandbox.run(["run", "p.as"]).exits(1).says("`progress` takes a text");
    sandbox.write("p.as", "main func() { progress(\"a\", \"b\") }");
    let _ = sandbox.run(["run", "p.as"]).exits(2).says("`progress` takes one text, not 2");
}
