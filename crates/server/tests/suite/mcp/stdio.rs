//! Stdio, line by line (KN-16).

use super::support::Folder;
use contexture_server::mcp::stdio;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

fn initialize(version: &str) -> String {
    let params = json!({
        "protocolVersion": version, "capabilities": {},
        "clientInfo": { "name": "test", "version": "0" }
    });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string()
}

const READY: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
const PING: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

/// Says all of this after a greeting, ends, and gives what was answered.
async fn said(version: &str, bytes: &[u8]) -> Vec<Value> {
    let mut all = format!("{}\n{READY}\n", initialize(version)).into_bytes();
    all.extend(bytes);
    let mut answers = answers(all).await;
    assert_eq!(answers.remove(0)["result"]["protocolVersion"], version);
    answers
}

/// Says all of this, ends, and gives what was answered.
async fn answers(all: Vec<u8>) -> Vec<Value> {
    let folder = Folder::new();
    folder.write("notes.md", "The port is 7878.\n");
    let server = folder.server();
    let (theirs, ours) = tokio::io::duplex(1 << 16);
    let serving = tokio::spawn(async move {
        let streams = tokio::io::split(ours);
        stdio::serve_on(&server, streams, std::future::pending()).await.unwrap();
    });
    let (mut read, mut write) = tokio::io::split(theirs);
    let writing = tokio::spawn(async move {
        write.write_all(&all).await.unwrap();
        write.shutdown().await.unwrap();
    });
    let mut answers = String::new();
    read.read_to_string(&mut answers).await.unwrap();
    writing.await.unwrap();
    serving.await.unwrap();
    answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn error(answer: &Value) -> (i64, Value) {
    (answer["error"]["code"].as_i64().unwrap_or_default(), answer["id"].clone())
}

#[tokio::test]
async fn kn_16_unreadable_input_is_answered() {
    let deep = format!("{{\"id\":5,\"params\":{}1{}}}", "[".repeat(130), "]".repeat(130));
    let lines: [(&[u8], (i64, Value)); 6] = [
        (b"hello", (-32_700, Value::Null)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"\xff\"}", (-32_700, json!(2))),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"\\ud800\"}", (-32_700, json!("a"))),
        (deep.as_bytes(), (-32_700, json!(5))),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", (-32_600, json!(1.5))),
        (b"[]", (-32_600, Value::Null)),
    ];
    for (line, expected) in lines {
        let mut bytes = line.to_vec();
        bytes.extend(format!("\n{PING}\n").as_bytes());
        let answers = said("2025-06-18", &bytes).await;
        assert_eq!(answers.len(), 2, "{answers:?}");
        let (refused, pong) = (&answers[0], &answers[1]);
        assert_eq!(error(refused), expected, "{refused}");
        assert_eq!((&pong["id"], &pong["result"]), (&json!(1), &json!({})), "it serves on");
    }
}

#[tokio::test]
async fn kn_16_too_long_line_is_refused_with_its_id() {
    let mut bytes = b"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"".to_vec();
    bytes.resize(17 << 20, b'x');
    bytes.extend(format!("\"}}\n{PING}\n").as_bytes());
    let answers = said("2025-06-18", &bytes).await;
    assert_eq!(error(&answers[0]), (-32_600, json!(8)));
    assert!(answers[0]["error"]["message"].as_str().unwrap().contains("16777216 bytes"));
    assert_eq!(answers[1]["id"], 1);
}

#[tokio::test]
async fn kn_16_last_line_without_end_is_answered() {
    let call = json!({
        "jsonrpc": "2.0", "id": 3, "method": "tools/call",
        "params": { "name": "load_resource", "arguments": { "reference": "@file://notes.md" } }
    });
    let answers = said("2025-06-18", call.to_string().as_bytes()).await;
    assert_eq!(answers.len(), 1, "{answers:?}");
    let text = answers[0]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("7878"), "{text}");
}

#[tokio::test]
async fn kn_16_batches_need_their_protocol_version() {
    let batch = json!([
        { "jsonrpc": "2.0", "id": 1, "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/nobody/knows" },
        { "jsonrpc": "2.0", "id": 2, "method": "tools/list" },
        5,
    ]);
    let answers = said("2025-03-26", format!("{batch}\n").as_bytes()).await;
    assert_eq!(answers.len(), 1, "{answers:?}");
    let mut ids: Vec<String> =
        answers[0].as_array().unwrap().iter().map(|answer| answer["id"].to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["1", "2", "null"]);
    let refused = said("2025-06-18", format!("{batch}\n").as_bytes()).await;
    assert_eq!(refused.len(), 1);
    assert_eq!(error(&refused[0]), (-32_600, Value::Null));
    let many = Value::Array(vec![json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }); 101]);
    let many = said("2025-03-26", format!("{many}\n").as_bytes()).await;
    assert_eq!((many.len(), error(&many[0])), (1, (-32_600, Value::Null)));
    let quiet = json!([{ "jsonrpc": "2.0", "method": "notifications/nobody/knows" }]);
    let quiet = said("2025-03-26", format!("{quiet}\n{PING}\n").as_bytes()).await;
    assert_eq!(quiet.len(), 1, "notifications are not answered: {quiet:?}");
}

#[tokio::test]
async fn kn_16_message_before_initialize_does_not_end_connection() {
    let early = [
        (READY, None),
        (
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
            None,
        ),
        ("{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}", None),
        (PING, Some((0, json!(1)))),
        ("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}", Some((-32_600, json!(2)))),
        ("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"foo\"}", Some((-32_601, json!(3)))),
        ("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"initialize\"}", Some((-32_602, json!(4)))),
    ];
    for (line, expected) in early {
        let answers = answers(format!("{line}\n{}\n", initialize("2025-06-18")).into()).await;
        assert_eq!(answers.len(), usize::from(expected.is_some()) + 1, "{line}: {answers:?}");
        assert_eq!(answers.last().unwrap()["result"]["protocolVersion"], "2025-06-18", "{line}");
        if let Some(expected) = expected {
            assert_eq!(error(&answers[0]), expected, "{line}");
        }
    }
}

#[tokio::test]
async fn kn_16_lists_have_one_page() {
    for method in ["tools/list", "resources/list", "resources/templates/list"] {
        for (cursor, code) in [("null", 0), ("\"next\"", -32_602), ("5", -32_602)] {
            let line = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"{method}\",\"params\":{{\"cursor\":{cursor}}}}}\n"
            );
            let answers = said("2025-06-18", line.as_bytes()).await;
            assert_eq!(error(&answers[0]), (code, json!(7)), "{line}: {answers:?}");
        }
    }
}

#[tokio::test]
async fn kn_16_client_that_reads_nothing_does_not_delay_end() {
    let folder = Folder::new();
    let server = folder.server();
    let (theirs, ours) = tokio::io::duplex(256);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(async move {
        let stop = async { drop(stopped.await) };
        stdio::serve_on(&server, tokio::io::split(ours), stop).await.unwrap();
    });
    let (mut read, mut write) = tokio::io::split(theirs);
    write.write_all(format!("{}\n", initialize("2025-06-18")).as_bytes()).await.unwrap();
    // The answer is longer than what the client takes.
    let mut first = [0; 64];
    read.read_exact(&mut first).await.unwrap();
    write.write_all(format!("{READY}\n").as_bytes()).await.unwrap();
    stop.send(()).unwrap();
    let ended = tokio::time::timeout(std::time::Duration::from_secs(60), serving);
    ended.await.expect("it ends").unwrap();
}
