//! Runs as traces of OpenTelemetry (IN-14).

use super::calls::{Answer, Server};
use crate::support::{Done, Sandbox, finish};
use serde_json::{Value, json};
use std::io::Write as _;

const PROGRAM: &str = "\
import tool File from \"file://workspace\"
main agent Support {
  main func(input) {
    for number in range(2) max 2 {
      File.read({ path: \"policy.md\" })
    }
    use input.question as question
    generate({ input: \"Answer.\" }) -> { answer string }
  }
}
";

fn taken() -> Answer {
    Box::new(|stream| {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2";
        write!(stream, "{head}\r\nconnection: close\r\n\r\n{{}}").unwrap();
    })
}

fn refused() -> Answer {
    Box::new(|stream| {
        let head = "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close";
        write!(stream, "{head}\r\n\r\n").unwrap();
    })
}

fn exporting(sandbox: &Sandbox, collector: &Server, arguments: &[&str]) -> Done {
    let mut command = sandbox.contexture(arguments);
    let address = collector.model.replace("openai+", "").replace("/v1/tiny", "");
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", address);
    command.env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json");
    finish(command, b"")
}

fn spans(body: &Value) -> Vec<Value> {
    body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone()
}

fn attribute(span: &Value, name: &str) -> Value {
    let all = span["attributes"].as_array().unwrap();
    let found = all.iter().find(|one| one["key"] == name);
    found.map(|one| one["value"].as_object().unwrap().values().next().unwrap().clone()).into()
}

#[test]
fn in_14_run_is_sent_to_collector_that_environment_names() {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", PROGRAM).write("policy.md", "All is well.");
    let collector = Server::answering(vec![taken(), taken(), refused()]);
    let input = json!({ "question": "A secret question, is it well?" }).to_string();
    let run = ["run", "p.as", "--quiet", "--input", &input];
    let _ = exporting(&sandbox, &collector, &run).exits(0);
    let body = collector.body();
    let all = spans(&body);
    let named = |name: &str| all.iter().filter(|span| span["name"] == name).collect::<Vec<_>>();
    let (root, agent) = (named("run p.as")[0], named("invoke_agent Support")[0]);
    let (chat, tools) = (named("chat builtin://extractive")[0], named("execute_tool File.read"));
    assert_eq!(tools.len(), 2, "{body:#}");
    assert!(root["parentSpanId"].as_str().is_none_or(str::is_empty), "{root}");
    assert_eq!(agent["parentSpanId"], root["spanId"]);
    assert_eq!(chat["parentSpanId"], agent["spanId"]);
    assert_eq!(attribute(chat, "contexture.call"), "1");
    let run = sandbox.run(["trace", "list", "--json"]).exits(0).json()["runs"][0].clone();
    assert_eq!(attribute(root, "contexture.run.id"), run["run"]);
    assert_eq!(attribute(chat, "gen_ai.usage.input_tokens"), run["input"].to_string());
    let text = body.to_string();
    assert!(!text.contains("secret question") && !text.contains("All is well"), "{text}");
    assert!(text.contains("service.name"), "{text}");

    // The same run, sent again, is the same trace.
    let export = ["trace", "export", "latest", "--otlp"];
    let sent = exporting(&sandbox, &collector, &export).exits(0).stdout;
    assert_eq!(sent, format!("{} spans sent\n", all.len()));
    assert_eq!(spans(&collector.body()), all);
    let failed = exporting(&sandbox, &collector, &export).exits(1);
    assert!(failed.stderr.contains("the trace was not sent"), "{failed:?}");
    let none = sandbox.run(export).exits(2);
    assert!(none.stderr.contains("OTEL_EXPORTER_OTLP_ENDPOINT"), "{none:?}");
}

#[test]
fn in_14_collector_that_is_away_does_not_fail_run() {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", "main func() { \"done\" }\n");
    let mut command = sandbox.contexture(["run", "p.as", "--quiet"]);
    // Nobody listens at port 1.
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1");
    let done = finish(command, b"").exits(0);
    assert_eq!(done.stdout, "\"done\"\n");
    assert!(done.stderr.contains("the trace was not sent"), "{}", done.stderr);
}
