//! Programs as tools (KN-16).

use super::support::{Folder, bad, call, client, connect, good};
use contexture_server::mcp::{Server, Settings};
use rmcp::ClientHandler;
use rmcp::model::{CallToolRequestParams, ClientRequest, ProgressNotificationParam, Request};
use rmcp::service::{NotificationContext, PeerRequestOptions, RoleClient};
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn programs() -> Folder {
    let folder = Folder::new();
    folder
        .write(
            "agents/judge.as",
            r#"
main agent Judge {
  description "Judges a text."
  main func(input { text string, kind? "short" | "long", notes? list[{ by string }] }) {
    { verdict: "ok: " + input.text, kind: input.kind }
  }
}
"#,
        )
        .write("agents/double.as", "main func(number integer) { number * 2 }\n")
        .write("agents/hello.as", "description \"Greets.\"\nmain func() { \"hello\" }\n")
        .write("agents/echo.as", "main func(input) { input }\n")
        .write("agents/join.as", "main agent { main func(a string, b string) { a + b } }\n")
        .write("agents/fail.as", "main func(input) {\n  1 / 0\n}\n")
        .write("agents/library.as", "agent Helper { func run(x) { x } }\n")
        .write("agents/broken.as", "main func(input) { nowhere }\n")
        .write("agents/notes.txt", "no program");
    folder
}

#[tokio::test]
async fn kn_16_main_agent_is_tool_with_input_schema() {
    let folder = programs();
    let server = folder.server();
    let client = client(&server).await;
    let tools = client.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["load_resource", "double", "echo", "fail", "hello", "join", "Judge"]);
    let tool = |name: &str| tools.iter().find(|tool| tool.name == name).unwrap();
    let schema = |name: &str| tool(name).schema_as_json_value();
    assert_eq!(tool("Judge").description.as_deref(), Some("Judges a text."));
    assert_eq!(tool("hello").description.as_deref(), Some("Greets."));
    assert_eq!(
        schema("Judge"),
        json!({
            "type": "object",
            "properties": {
                "text": { "type": "string" },
                "kind": { "type": "string", "enum": ["short", "long"] },
                "notes": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": { "by": { "type": "string" } },
                        "required": ["by"],
                        "additionalProperties": false
                    }
                }
            },
            "required": ["text"],
            "additionalProperties": false
        })
    );
    assert_eq!(schema("double")["properties"], json!({ "number": { "type": "integer" } }));
    assert_eq!(schema("hello")["properties"], json!({}));
    assert_eq!(schema("echo"), json!({ "type": "object" }));
    assert_eq!(schema("join")["required"], json!(["a", "b"]));

    let told: Vec<String> = server.notices().iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("broken.as:1:20") && told[0].contains("nowhere"), "{told:?}");
    assert!(told[1].contains("library.as") && told[1].contains("main agent"), "{told:?}");
}

#[tokio::test]
async fn kn_16_program_returns_its_value() {
    let folder = programs();
    let client = client(&folder.server()).await;
    let judged = call(&client, "Judge", json!({ "text": "fine", "kind": "short" })).await;
    assert_eq!(good(&judged), r#"{"verdict":"ok: fine","kind":"short"}"#);
    let structured = judged.structured_content.unwrap();
    assert_eq!(structured, json!({ "verdict": "ok: fine", "kind": "short" }));
    let run = judged.meta.unwrap().0["contexture/run"].as_str().unwrap().to_owned();
    assert!(folder.path().join(format!(".contexture/runs/{run}.jsonl")).exists(), "{run}");

    let doubled = call(&client, "double", json!({ "number": 21 })).await;
    assert_eq!((good(&doubled), doubled.structured_content.clone()), ("42", None));
    assert_eq!(good(&call(&client, "hello", json!({})).await), "hello");
    assert_eq!(good(&call(&client, "join", json!({ "a": "x", "b": "y" })).await), "xy");
    let echoed = call(&client, "echo", json!({ "any": [1, { "thing": null }] })).await;
    assert_eq!(echoed.structured_content, Some(json!({ "any": [1, { "thing": null }] })));
}

#[tokio::test]
async fn kn_16_error_is_result_and_server_continues() {
    let folder = programs();
    let client = client(&folder.server()).await;
    let wrong = call(&client, "Judge", json!({ "txet": "fine", "kind": "tiny" })).await;
    let (code, text) = bad(&wrong);
    assert_eq!(code, "MCP1101");
    for part in ["text: expected string", "txet", "kind: expected one of"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let failed = call(&client, "fail", json!({})).await;
    let (code, text) = bad(&failed);
    assert!(text.contains("zero") && text.contains("fail.as:2:"), "{code} {text}");
    assert_eq!(failed.structured_content.unwrap()["error"]["line"], 2);
    assert_eq!(bad(&call(&client, "double", json!({ "number": "x" })).await).0, "MCP1101");

    let request = CallToolRequestParams::new("Jugde".to_owned());
    let unknown = client.call_tool(request).await.unwrap_err().to_string();
    assert!(unknown.contains("no tool `Jugde`") && unknown.contains("Judge"), "{unknown}");

    // A program that was spoilt while it is served.
    folder.write("agents/hello.as", "main func() { nowhere }\n");
    let spoilt = call(&client, "hello", json!({})).await;
    let (code, text) = bad(&spoilt);
    assert!(code == "MCP1113" && text.contains("hello.as:1:15"), "{code} {text}");
    std::fs::remove_file(folder.path().join("agents/hello.as")).unwrap();
    assert_eq!(bad(&call(&client, "hello", json!({})).await).0, "program_unreadable");
    assert_eq!(good(&call(&client, "double", json!({ "number": 1 })).await), "2");
}

/// A server of models that takes requests and never answers; how many went away again.
fn silent_models(folder: &Folder) -> (String, Arc<Mutex<usize>>) {
    use std::io::Read as _;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let gone = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&gone);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, counted) = (stream.unwrap(), Arc::clone(&counted));
            std::thread::spawn(move || {
                let mut bytes = [0; 4096];
                while stream.read(&mut bytes).is_ok_and(|count| count > 0) {}
                *counted.lock().unwrap() += 1;
            });
        }
    });
    folder.write(
        "agents/ask.as",
        "main func(input) {\n  generate({ input: \"Anything?\" }) -> { answer string }\n}\n",
    );
    (format!("openai+http://127.0.0.1:{port}/v1/silent"), gone)
}

async fn until(what: impl Fn() -> bool) {
    for _ in 0..2_400 {
        if what() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("it did not happen within a minute");
}

/// All traces of a folder of runs.
fn traces(runs: &std::path::Path) -> Vec<String> {
    let files = std::fs::read_dir(runs).into_iter().flatten();
    files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect()
}

/// Keeps what it is told.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<String>>>);

impl ClientHandler for Listener {
    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.0.lock().unwrap().push(progress.message.unwrap_or_default());
    }
}

#[tokio::test]
async fn kn_16_cancelled_call_ends_run_and_progress_is_sent() {
    let folder = Folder::new();
    let (model, gone) = silent_models(&folder);
    let settings = Settings { model: Some(model), ..folder.settings() };
    let server = Server::open(settings).unwrap();
    let listener = Listener::default();
    let client = connect(listener.clone(), &server).await;
    let params = CallToolRequestParams::new("ask".to_owned()).with_arguments(Default::default());
    let request = ClientRequest::CallToolRequest(Request::new(params));
    let options = PeerRequestOptions::no_options();
    let handle = client.send_cancellable_request(request, options).await.unwrap();
    until(|| listener.0.lock().unwrap().iter().any(|told| told.starts_with("asking openai"))).await;
    assert_eq!(*gone.lock().unwrap(), 0);
    handle.cancel(Some("enough".to_owned())).await.unwrap();
    until(|| *gone.lock().unwrap() == 1).await;
    // Its trace is whole, and the server serves on.
    let runs = folder.path().join(".contexture/runs");
    until(|| traces(&runs).iter().any(|trace| trace.contains("AS9059"))).await;
    assert_eq!(client.list_all_tools().await.unwrap().len(), 2);
}

#[tokio::test]
async fn kn_16_missing_folder_is_refused() {
    let folder = Folder::new();
    let programs = Some(folder.path().join("nowhere"));
    let fault = Server::open(Settings { programs, ..folder.settings() }).unwrap_err();
    assert_eq!(fault.code, "MCP1107");
    assert!(fault.message.contains("nowhere"), "{fault}");
}
