//! The pictures of `docs/editor.md`: what an editor shows of an example, from the answers of the
//! language server.

use crate::picture::{Picture, Row};
use crate::support::{Done, Sandbox, repository};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The requests about a document, in the order of their ids from 1.
const REQUESTS: [&str; 4] = ["inlayHint", "codeLens", "semanticTokens/full", "hover"];

/// What the server says of a document.
struct Shown {
    answers: BTreeMap<u64, Value>,
    faults: Value,
    colours: Vec<String>,
}

fn framed(messages: &[Value]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for message in messages {
        let body = message.to_string();
        bytes.extend(format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes());
    }
    bytes
}

fn messages(out: &str) -> Vec<Value> {
    let mut messages = Vec::new();
    let mut rest = out;
    while let Some((head, body)) = rest.split_once("\r\n\r\n") {
        let length: usize = head.rsplit(' ').next().unwrap().parse().unwrap();
        messages.push(serde_json::from_str(&body[..length]).unwrap());
        rest = &body[length..];
    }
    messages
}

/// Asks the server about a text that stands for an example, and about the place of a mark in it.
fn ask(sandbox: &Sandbox, name: &str, text: &str, mark: &str) -> Shown {
    let uri = |path: &str| format!("file://{}", sandbox.path(path).display());
    let document =
        json!({ "uri": uri(name), "languageId": "agentscript", "version": 1, "text": text });
    let (line, column) = place(text, mark);
    let params = json!({
        "textDocument": { "uri": uri(name) },
        "position": { "line": line, "character": column },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 1_000, "character": 0 } },
    });
    let mut sent = vec![
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": { "capabilities": {}, "rootUri": uri("") } }),
        json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }),
        json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen",
            "params": { "textDocument": document } }),
    ];
    for (id, request) in (1..).zip(REQUESTS) {
        let method = format!("textDocument/{request}");
        sent.push(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }
    // Nobody says `exit`: the faults are told when nothing waits.
    let Done { stdout, .. } = sandbox.run_with(["lsp"], framed(&sent));
    let mut shown = Shown { answers: BTreeMap::new(), faults: json!([]), colours: Vec::new() };
    for message in messages(&stdout) {
        if message["method"] == "textDocument/publishDiagnostics" {
            shown.faults = message["params"]["diagnostics"].clone();
        } else if let Some(id) = message["id"].as_u64() {
            shown.answers.insert(id, message["result"].clone());
        }
    }
    let legend =
        shown.answers[&0].pointer("/capabilities/semanticTokensProvider/legend/tokenTypes");
    let legend = legend.and_then(Value::as_array).unwrap();
    shown.colours = legend.iter().map(|one| one.as_str().unwrap().to_owned()).collect();
    shown
}

/// Returns the line and column of a text in another.
fn place(text: &str, mark: &str) -> (usize, usize) {
    let at = text.find(mark).unwrap_or_else(|| panic!("no {mark}"));
    let before = &text[..at];
    (before.matches('\n').count(), before.len() - before.rfind('\n').map_or(0, |end| end + 1))
}

fn number(value: &Value, path: &str) -> usize {
    usize::try_from(value.pointer(path).and_then(Value::as_u64).unwrap()).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Draws the lines of a text from one on, with what the server says of them.
fn drawn(
    (title, first): (&str, usize),
    text: &str,
    shown: &Shown,
    hover_below: Option<usize>,
) -> String {
    let mut rows: Vec<Row> = text.lines().map(Row::new).collect();
    let mut at = (0, 0);
    let data: Vec<usize> =
        list(&shown.answers[&3]["data"]).iter().map(|one| number(one, "")).collect();
    for token in data.chunks(5) {
        at = if token[0] == 0 { (at.0, at.1 + token[1]) } else { (at.0 + token[0], token[1]) };
        rows[at.0].colour(at.1, token[2], &shown.colours[token[3]]);
    }
    for hint in list(&shown.answers[&1]) {
        let label = hint["label"].as_str().unwrap();
        rows[number(hint, "/position/line")].hint(number(hint, "/position/character"), label);
    }
    for lens in list(&shown.answers[&2]) {
        let title = lens["command"]["title"].as_str().unwrap();
        rows[number(lens, "/range/start/line")].lens(title);
    }
    for fault in list(&shown.faults) {
        let (start, end) =
            (number(fault, "/range/start/character"), number(fault, "/range/end/character"));
        let message = fault["message"].as_str().unwrap().replace('\n', "; ");
        let told = format!("{}: {message}", fault["code"].as_str().unwrap());
        rows[number(fault, "/range/start/line")].fault(
            (start, end),
            number(fault, "/severity"),
            &told,
        );
    }
    let hover = hover_below.map(|line| {
        let text = shown.answers[&4].pointer("/contents/value").and_then(Value::as_str);
        (line, text.unwrap_or_else(|| panic!("no hover")).to_owned())
    });
    Picture { title, first, rows, hover }.svg()
}

/// Compares a picture with the one of the documents, or writes it.
fn is_fresh(name: &str, svg: &str) {
    let path = repository().join("docs").join(name);
    if std::env::var_os("CONTEXTURE_PICTURES").is_some_and(|wanted| wanted == "write") {
        std::fs::write(&path, svg).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == svg,
        "{name} is stale: run the test with CONTEXTURE_PICTURES=write, and commit"
    );
}

#[test]
fn ty_10_picture_of_a_program_is_what_the_server_answers() {
    let sandbox = Sandbox::with_examples();
    let name = "examples/summarize_file.as";
    // Its tokens are those of the last recorded run.
    let run = ["run", name, "--quiet", "--input", "{\"path\":\"examples/data/proposal.md\"}"];
    let _ = sandbox.run(run).exits(0);
    let text = sandbox.read(name);
    let shown = ask(&sandbox, name, &text, "generate(");
    let (line, _) = place(&text, "attempts: 2");
    let svg =
        drawn(("summarize_file.as", place(&text, "import tool").0), &text, &shown, Some(line));
    for part in ["Run", "Dry run", "Show prompt", "last run", "The model sees"] {
        assert!(svg.contains(part), "no `{part}` in {svg}");
    }
    is_fresh("editor-program.svg", &svg);
}

#[test]
fn ty_10_picture_of_faults_is_what_the_server_tells() {
    let sandbox = Sandbox::with_examples();
    let name = "examples/self_review.as";
    // What is typed and not yet saved.
    let text = sandbox
        .read(name)
        .replace("verdict.accepted", "verdict.acepted")
        .replace("rounds += 1", "rounds == 1")
        .replace("report = draft(source, remarks)", "report = draft(source)");
    let shown = ask(&sandbox, name, &text, "main func");
    let svg = drawn(("self_review.as", place(&text, "  main func").0), &text, &shown, None);
    assert!(list(&shown.faults).len() >= 3, "{}", shown.faults);
    is_fresh("editor-faults.svg", &svg);
}
