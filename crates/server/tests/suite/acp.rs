//! An editor that speaks the Agent Client Protocol (WA-9).

use crate::serve::Place;
use contexture_server::serve::{Serve, acp};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};
use tokio::task::JoinHandle;

/// Writes to the path that a file names, which somebody has to allow.
const WRITER: &str = "import tool File from \"file://workspace\"\n\
     main func(text string) {\n  page = File.read({ path: \"page.txt\" })\n  \
     File.write({ path: page, content: text })\n  \"written: \" + text\n}\n";

/// An editor, and the agent that it started.
struct Editor {
    to: DuplexStream,
    from: Lines<BufReader<DuplexStream>>,
    served: JoinHandle<()>,
    last: u64,
}

impl Editor {
    /// Starts the agent of a place, and greets it.
    async fn start(place: &Place) -> Self {
        let serve = Serve::open(place.settings()).unwrap();
        let (to, input) = tokio::io::duplex(1 << 20);
        let (output, from) = tokio::io::duplex(1 << 20);
        let served = tokio::spawn(async move {
            acp::serve_on(&serve, (input, output), std::future::pending()).await.unwrap();
        });
        let mut editor = Self { to, from: BufReader::new(from).lines(), served, last: 0 };
        let greeting = editor.ask("initialize", json!({ "protocolVersion": 1 })).await;
        assert_eq!(greeting["result"]["protocolVersion"], 1, "{greeting}");
        let able = &greeting["result"]["agentCapabilities"];
        assert_eq!(
            (&able["loadSession"], &able["promptCapabilities"]["image"]),
            (&json!(true), &json!(false))
        );
        editor
    }

    async fn send(&mut self, message: &Value) {
        self.to.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(60), self.from.next_line()).await;
        serde_json::from_str(&line.expect("nothing came").unwrap().unwrap()).unwrap()
    }

    async fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&message).await;
        id
    }

    /// Asks, and returns the answer; nothing else may come before it.
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        let answer = self.next().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    async fn session(&mut self) -> String {
        let begun = self.ask("session/new", json!({ "cwd": "/", "mcpServers": [] })).await;
        begun["result"]["sessionId"].as_str().unwrap().to_owned()
    }

    async fn prompt(&mut self, session: &str, text: &str) -> u64 {
        let blocks = json!([{ "type": "text", "text": text }]);
        self.request("session/prompt", json!({ "sessionId": session, "prompt": blocks })).await
    }

    /// The next message, which is an update: its kind and text.
    async fn update(&mut self, session: &str) -> (String, String) {
        let told = self.next().await;
        assert_eq!(told["method"], "session/update", "{told}");
        assert_eq!(told["params"]["sessionId"], session);
        let update = &told["params"]["update"];
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&update["sessionUpdate"]), text(&update["content"]["text"]))
    }

    /// Hangs up, and waits until the agent has ended.
    async fn end(self) {
        drop(self.to);
        let ended = tokio::time::timeout(Duration::from_secs(60), self.served).await;
        ended.expect("the agent does not end").unwrap();
    }
}

fn said(speaker: &str, text: &str) -> (String, String) {
    (format!("{speaker}_message_chunk"), text.to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wa_9_prompt_is_answered_and_session_is_loaded_by_next_process() {
    let place = Place::new("");
    let mut editor = Editor::start(&place).await;
    let session = editor.session().await;
    let id = editor.prompt(&session, "你好").await;
    assert_eq!(editor.update(&session).await, said("agent", "you said: 你好"));
    let answer = editor.next().await;
    assert_eq!((&answer["id"], &answer["result"]["stopReason"]), (&json!(id), &json!("end_turn")));
    editor.end().await;

    let mut editor = Editor::start(&place).await;
    let known = json!({ "sessionId": session, "cwd": "/", "mcpServers": [{ "name": "fs" }] });
    let id = editor.request("session/load", known).await;
    assert_eq!(editor.update(&session).await, said("user", "你好"));
    assert_eq!(editor.update(&session).await, said("agent", "you said: 你好"));
    let loaded = editor.next().await;
    assert_eq!(loaded["id"], id);
    let ignored = &loaded["result"]["_meta"]["contexture"]["ignoredMcpServers"];
    assert_eq!(ignored, &json!(["fs"]), "a program names its own servers");
    editor.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wa_9_effect_happens_only_after_yes_in_editor() {
    let place = Place::new("");
    place.write("echo.as", WRITER).write("page.txt", "out.txt");
    let mut editor = Editor::start(&place).await;
    let session = editor.session().await;
    for (outcome, allowed) in [
        (json!({ "outcome": "selected", "optionId": "reject" }), false),
        (json!({ "outcome": "cancelled" }), false),
        (json!({ "outcome": "selected", "optionId": "allow" }), true),
    ] {
        let id = editor.prompt(&session, "x").await;
        let question = editor.next().await;
        assert_eq!(question["method"], "session/request_permission", "{question}");
        let params = &question["params"];
        assert_eq!(params["sessionId"], session.as_str());
        assert_eq!(params["toolCall"]["title"], "Allow `file.write`?");
        assert_eq!(params["toolCall"]["rawInput"], json!({ "path": "out.txt", "content": "x" }));
        let told = &params["toolCall"]["content"][0]["content"]["text"];
        assert_eq!(told, "influenced by page.txt");
        let result = json!({ "outcome": outcome });
        editor.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result })).await;
        if allowed {
            assert_eq!(editor.update(&session).await, said("agent", "written: x"));
            assert_eq!(editor.next().await["result"]["stopReason"], "end_turn");
            assert_eq!(std::fs::read_to_string(place.path().join("out.txt")).unwrap(), "x");
        } else {
            let answer = editor.next().await;
            assert_eq!(answer["id"], id);
            assert_eq!(answer["error"]["data"]["code"], "PERMISSION_DENIED", "{answer}");
            assert!(!place.path().join("out.txt").exists());
        }
    }
    editor.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wa_9_cancelled_prompt_ends_and_next_one_is_answered() {
    let place = Place::new("");
    place.write("echo.as", WRITER).write("page.txt", "out.txt");
    let mut editor = Editor::start(&place).await;
    let session = editor.session().await;
    let id = editor.prompt(&session, "x").await;
    let question = editor.next().await;
    let second = editor.prompt(&session, "y").await;
    let refused = editor.next().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(second), &json!(-32600)));
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": session } });
    editor.send(&cancel).await;
    let answer = editor.next().await;
    assert_eq!((&answer["id"], &answer["result"]["stopReason"]), (&json!(id), &json!("cancelled")));
    // The editor answers what it was asked, too late.
    let result = json!({ "outcome": { "outcome": "selected", "optionId": "allow" } });
    editor.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result })).await;
    let _ = editor.prompt(&session, "z").await;
    assert_eq!(editor.next().await["method"], "session/request_permission");
    assert!(!place.path().join("out.txt").exists());
    editor.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wa_9_prompt_ends_with_its_editor_and_does_not_come_back() {
    let place = Place::new("");
    place.write("echo.as", WRITER).write("page.txt", "out.txt");
    let mut editor = Editor::start(&place).await;
    let session = editor.session().await;
    let id = editor.prompt(&session, "alpha").await;
    assert_eq!(editor.next().await["method"], "session/request_permission");
    editor.to.shutdown().await.unwrap();
    let answer = editor.next().await;
    assert_eq!((&answer["id"], &answer["result"]["stopReason"]), (&json!(id), &json!("cancelled")));
    editor.end().await;

    let mut editor = Editor::start(&place).await;
    let known = json!({ "sessionId": session, "cwd": "/", "mcpServers": [] });
    let _ = editor.request("session/load", known).await;
    assert_eq!(editor.update(&session).await, said("user", "alpha"));
    assert!(editor.next().await["result"].is_object());
    let _ = editor.prompt(&session, "beta").await;
    let question = editor.next().await;
    assert_eq!(question["params"]["toolCall"]["rawInput"]["content"], "beta", "{question}");
    assert!(!place.path().join("out.txt").exists());
    editor.end().await;
}

/// Copies a folder with all that is in it, as it is now.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wa_9_question_of_killed_process_is_asked_when_its_session_is_loaded() {
    let place = Place::new("");
    place.write("echo.as", WRITER).write("page.txt", "out.txt");
    let mut editor = Editor::start(&place).await;
    let session = editor.session().await;
    let _ = editor.prompt(&session, "alpha").await;
    let first = editor.next().await;
    assert_eq!(first["method"], "session/request_permission");
    // What a killed process leaves.
    let left = Place::new("");
    copy(place.path(), left.path());
    editor.end().await;

    let mut editor = Editor::start(&left).await;
    let other = editor.session().await;
    assert_ne!(other, session, "a session that is not loaded asks nothing");
    let known = json!({ "sessionId": session, "cwd": "/", "mcpServers": [] });
    let id = editor.request("session/load", known).await;
    assert_eq!(editor.update(&session).await, said("user", "alpha"));
    let (mut question, mut loaded) = (editor.next().await, editor.next().await);
    if question.get("result").is_some() {
        std::mem::swap(&mut question, &mut loaded);
    }
    assert_eq!(loaded["id"], id);
    let call = &question["params"]["toolCall"];
    assert_eq!(call["toolCallId"], first["params"]["toolCall"]["toolCallId"]);
    let result = json!({ "outcome": { "outcome": "selected", "optionId": "allow" } });
    editor.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result })).await;
    for _ in 0..600 {
        if left.path().join("out.txt").exists() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(std::fs::read_to_string(left.path().join("out.txt")).unwrap(), "alpha");
    assert!(!place.path().join("out.txt").exists());
    editor.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wa_9_wrong_request_is_refused_and_session_goes_on() {
    let place = Place::new("");
    let mut editor = Editor::start(&place).await;
    let session = editor.session().await;
    let blocks = json!([{ "type": "text", "text": "a" }]);
    for (method, params, code) in [
        ("session/new", json!({ "cwd": "here", "mcpServers": [] }), -32602),
        ("session/new", json!({ "cwd": "/" }), -32602),
        ("session/load", json!({ "sessionId": "none", "cwd": "/", "mcpServers": [] }), -32002),
        ("session/prompt", json!({ "sessionId": "none", "prompt": blocks }), -32002),
        ("session/prompt", json!({ "sessionId": session, "prompt": [] }), -32602),
        ("session/prompt", json!({ "sessionId": session }), -32602),
        ("session/prompt", json!({ "prompt": blocks }), -32602),
        ("session/set_mode", json!({ "sessionId": session, "modeId": "fast" }), -32601),
        ("authenticate", json!({ "methodId": "x" }), -32602),
        ("initialize", json!({}), -32602),
    ] {
        let answer = editor.ask(method, params).await;
        assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
    }
    editor.to.write_all(b"no json\n\n").await.unwrap();
    assert_eq!(editor.next().await["error"]["code"], -32700);
    let _ = editor.prompt(&session, "still here").await;
    assert_eq!(editor.update(&session).await, said("agent", "you said: still here"));
    editor.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wa_9_nothing_is_taken_before_the_greeting() {
    let serve = Serve::open(Place::new("").settings()).unwrap();
    let (mut to, input) = tokio::io::duplex(1 << 16);
    let (output, from) = tokio::io::duplex(1 << 16);
    let asked = json!({ "jsonrpc": "2.0", "id": "a", "method": "session/new", "params": {} });
    to.write_all(asked.to_string().as_bytes()).await.unwrap();
    drop(to);
    acp::serve_on(&serve, (input, output), std::future::pending()).await.unwrap();
    let answer = BufReader::new(from).lines().next_line().await.unwrap().unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("a"), &json!(-32600)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wa_9_failure_of_agent_is_told_with_its_reason() {
    let place = Place::new("");
    place.write("echo.as", "main func(text string) {\n  1 / 0\n}\n");
    let mut editor = Editor::start(&place).await;
    let session = editor.session().await;
    let id = editor.prompt(&session, "x").await;
    let answer = editor.next().await;
    assert_eq!(answer["id"], id);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("the agent could not answer: "), "{answer}");
    assert!(message.contains("zero"), "{answer}");
    editor.end().await;
}
