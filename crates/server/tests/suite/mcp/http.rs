//! Streamable HTTP, byte by byte (KN-16).

use super::support::Folder;
use contexture_server::mcp::http::{Listening, Options};
use contexture_server::mcp::token::Token;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

fn options(address: &str) -> Options {
    Options {
        address: address.parse().unwrap(),
        token: Token::new(TOKEN).unwrap(),
        allow_remote: false,
        hosts: vec!["mcp.example.com".to_owned()],
        origins: vec!["https://app.example.com".to_owned()],
    }
}

struct Served {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
    /// What the operator was told.
    lines: Lines,
    folder: Folder,
}

type Lines = Arc<Mutex<Vec<String>>>;

async fn served() -> Served {
    let folder = Folder::new();
    folder.write("notes.md", "The port is 7878.\n");
    served_from(folder).await
}

async fn served_from(folder: Folder) -> Served {
    let server = folder.server();
    let listening = Listening::begin(&options("127.0.0.1:0")).await.unwrap();
    let url = listening.url();
    let address = url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().parse();
    let (stop, stopped) = oneshot::channel::<()>();
    let lines = Lines::default();
    let heard = Arc::clone(&lines);
    let task = tokio::spawn(async move {
        let stop = async { drop(stopped.await) };
        let tell = move |line: &str| heard.lock().unwrap().push(line.to_owned());
        listening.serve(&server, tell, stop).await.unwrap();
    });
    Served { address: address.unwrap(), stop, task, lines, folder }
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The message of an event stream.
    fn message(&self) -> Value {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        let message = data.filter_map(|data| serde_json::from_str(data).ok()).next();
        message.unwrap_or_else(|| panic!("no message in {:?}", self.body))
    }
}

/// Sends a request as it is and reads to the end of the answer.
async fn send(address: SocketAddr, request: &str) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The server may answer and close before it has read all of a large body.
    let _ = stream.write_all(request.as_bytes()).await;
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    let _ = tokio::time::timeout(Duration::from_secs(90), read).await.unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
    Answer { status: status.unwrap_or(0), head: head.to_owned(), body: body.to_owned() }
}

fn post(headers: &[(&str, &str)], body: &str) -> String {
    let mut request = "POST /mcp HTTP/1.1\r\nConnection: close\r\n".to_owned();
    let fixed =
        [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    for (name, value) in fixed.iter().chain(headers) {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    request
}

fn initialize() -> String {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "0" }
        }
    })
    .to_string()
}

const BEARER: (&str, &str) = ("Authorization", "Bearer 0123456789abcdef0123456789abcdef");
const HOST: (&str, &str) = ("Host", "localhost");

#[tokio::test]
async fn kn_16_http_session_lists_and_calls() {
    let served = served().await;
    let hello = send(served.address, &post(&[HOST, BEARER], &initialize())).await;
    assert_eq!(hello.status, 200, "{}", hello.head);
    assert_eq!(hello.message()["result"]["serverInfo"]["name"], "contexture");
    let session = hello.header("mcp-session-id").unwrap();
    let headers =
        [HOST, BEARER, ("Mcp-Session-Id", session), ("MCP-Protocol-Version", "2025-06-18")];
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    assert_eq!(send(served.address, &post(&headers, &ready)).await.status, 202);
    let request = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "load_resource", "arguments": { "reference": "@file://notes.md" } }
    });
    let called = send(served.address, &post(&headers, &request.to_string())).await;
    let text = called.message()["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.contains("The port is 7878."), "{text}");
    // A session of another client is not there for the asking.
    let other = [HOST, BEARER, ("Mcp-Session-Id", "guessed")];
    assert_eq!(send(served.address, &post(&other, &request.to_string())).await.status, 404);
}

#[tokio::test]
async fn kn_16_http_needs_token_host_and_origin() {
    let served = served().await;
    let status = async |headers: &[(&str, &str)]| {
        send(served.address, &post(headers, &initialize())).await.status
    };
    assert_eq!(status(&[HOST, BEARER]).await, 200);
    assert_eq!(status(&[HOST]).await, 401);
    assert_eq!(status(&[HOST, ("Authorization", "Bearer 0123456789abcdef")]).await, 401);
    assert_eq!(status(&[HOST, ("Authorization", "Basic MDEyMw==")]).await, 401);
    assert_eq!(status(&[("Host", "evil.example"), BEARER]).await, 403);
    assert_eq!(status(&[("Host", "mcp.example.com"), BEARER]).await, 200);
    assert_eq!(status(&[HOST, BEARER, ("Origin", "https://evil.example")]).await, 403);
    assert_eq!(status(&[HOST, BEARER, ("Origin", "null")]).await, 403);
    assert_eq!(status(&[HOST, BEARER, ("Origin", "https://app.example.com")]).await, 200);

    let refused = send(served.address, &post(&[HOST], &initialize())).await;
    assert!(refused.header("www-authenticate").unwrap().starts_with("Bearer"), "{}", refused.head);
    // Other paths tell nothing to whoever has no token.
    let elsewhere = "GET /secrets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(send(served.address, elsewhere).await.status, 401);
}

#[tokio::test]
async fn kn_16_large_and_invalid_http_bodies_are_refused() {
    let served = served().await;
    let large = "x".repeat(5 << 20);
    let status = async |body: &str| send(served.address, &post(&[HOST, BEARER], body)).await.status;
    let refused = status(&large).await;
    // A connection that is closed while the body is still being sent may lose the answer.
    assert!(refused == 413 || refused == 0, "{refused}");
    for broken in ["", "{", "[]", "{\"jsonrpc\":\"2.0\"}", "null"] {
        let status = status(broken).await;
        assert!((400..500).contains(&status), "{broken}: {status}");
    }
    assert_eq!(status(&initialize()).await, 200);
}

#[tokio::test]
async fn kn_16_http_server_ends_in_order_with_open_streams() {
    let served = served().await;
    let hello = send(served.address, &post(&[HOST, BEARER], &initialize())).await;
    let session = hello.header("mcp-session-id").unwrap();
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    let request = format!(
        "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\
         Accept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    served.stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(90), served.task).await.unwrap().unwrap();
    assert!(TcpStream::connect(served.address).await.is_err());
}

#[tokio::test]
async fn kn_16_server_is_local_without_option() {
    let fault = Listening::begin(&options("0.0.0.0:0")).await.unwrap_err();
    assert_eq!(fault.code, "MCP1105");
    assert!(fault.help.unwrap().contains("--allow-remote"));
    let remote = Options { allow_remote: true, ..options("0.0.0.0:0") };
    assert!(Listening::begin(&remote).await.unwrap().url().starts_with("http://0.0.0.0:"));
    let first = Listening::begin(&options("127.0.0.1:0")).await.unwrap();
    let taken =
        first.url().strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
    assert_eq!(Listening::begin(&options(&taken)).await.unwrap_err().code, "MCP1106");
}

#[tokio::test]
async fn kn_16_invalid_http_body_gets_json_rpc_error() {
    let served = served().await;
    let asked = |method: &str, params: &str| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"{method}\",\"params\":{params}}}")
    };
    for (body, code, id) in [
        ("{".to_owned(), -32_700, Value::Null),
        (String::new(), -32_700, Value::Null),
        ("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x".to_owned(), -32_700, json!(7)),
        ("5".to_owned(), -32_600, Value::Null),
        ("[]".to_owned(), -32_600, Value::Null),
        (format!("[{}]", asked("ping", "{}")), -32_600, Value::Null),
        ("{\"jsonrpc\":\"2.0\",\"id\":7}".to_owned(), -32_600, json!(7)),
        ("{\"method\":\"notifications/initialized\"}".to_owned(), -32_600, Value::Null),
        (asked("tools/call", "[]"), -32_602, json!(7)),
        (asked("initialize", "{}"), -32_602, json!(7)),
    ] {
        let answer = send(served.address, &post(&[HOST, BEARER], &body)).await;
        assert_eq!(answer.status, 400, "{body}: {}", answer.head);
        assert_eq!(answer.header("content-type"), Some("application/json"), "{body}");
        let error: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!((&error["error"]["code"], &error["id"]), (&json!(code), &id), "{body}: {error}");
    }
}

#[tokio::test]
async fn kn_16_allowed_pages_get_cors_headers() {
    let served = served().await;
    let ask = |origin: &str| {
        format!(
            "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\nConnection: close\r\n\
             Access-Control-Request-Method: POST\r\n\
             Access-Control-Request-Headers: authorization\r\n\r\n"
        )
    };
    for origin in ["https://app.example.com", "http://localhost:6274"] {
        let asked = send(served.address, &ask(origin)).await;
        assert_eq!(asked.status, 204, "{}", asked.head);
        assert_eq!(asked.header("access-control-allow-origin"), Some(origin));
        let headers = asked.header("access-control-allow-headers").unwrap();
        assert!(headers.contains("authorization") && headers.contains("mcp-session-id"));
        let hello = post(&[HOST, BEARER, ("Origin", origin)], &initialize());
        let hello = send(served.address, &hello).await;
        assert_eq!(hello.header("access-control-allow-origin"), Some(origin), "{}", hello.head);
        assert!(hello.header("access-control-expose-headers").unwrap().contains("mcp-session-id"));
        // The page may read that its token is wrong; it is let in no more for that.
        let refused = send(served.address, &post(&[HOST, ("Origin", origin)], &initialize())).await;
        assert_eq!(refused.status, 401);
        assert_eq!(refused.header("access-control-allow-origin"), Some(origin));
    }
    for origin in ["https://evil.example", "null"] {
        let asked = send(served.address, &ask(origin)).await;
        assert!(asked.status == 401 || asked.status == 403, "{}", asked.head);
        assert_eq!(asked.header("access-control-allow-origin"), None);
    }
    let bare = "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(send(served.address, bare).await.status, 401);
}

#[tokio::test]
async fn kn_16_ended_http_session_is_not_found() {
    let served = served().await;
    let hello = send(served.address, &post(&[HOST, BEARER], &initialize())).await;
    let session = hello.header("mcp-session-id").unwrap().to_owned();
    let end = |session: &str| {
        format!(
            "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\
             Mcp-Session-Id: {session}\r\nConnection: close\r\n\r\n"
        )
    };
    assert_eq!(send(served.address, &end("guessed")).await.status, 404);
    let ended = send(served.address, &end(&session)).await.status;
    // Official clients warn of any other success.
    assert_eq!(ended, 204);
    assert_eq!(send(served.address, &end(&session)).await.status, 404);
    // Whoever takes anything takes both of what there is.
    let hello = post(&[HOST, BEARER], &initialize())
        .replace("Accept: application/json, text/event-stream", "Accept: */*");
    assert_eq!(send(served.address, &hello).await.status, 200);
}

#[tokio::test]
async fn ca_10_failure_over_http_has_no_hosts_paths_and_keys_for_the_client() {
    let folder = Folder::new();
    let ask = "generate({ input: \"Go.\", timeout: 5000 })";
    folder.write(
        "agents/ask.as",
        &format!(
            "import llm Own from \"openai+http://127.0.0.1:1/v1/s3cret-model\"\nmodel Own\n\
             main agent Ask {{ description \"Asks.\" main func(input) {{ {ask} }} }}\n"
        ),
    );
    folder.write(
        "agents/next.as",
        "import llm Own from \"openai+http://127.0.0.1:1/v1/s3cret-model\" or \"mock\"\nmodel Own\n\
         main agent Next { description \"Asks.\" main func(input) { generate({ input: \"Go.\" }) } }\n",
    );
    let served = served_from(folder).await;
    let hello = send(served.address, &post(&[HOST, BEARER], &initialize())).await;
    let session = hello.header("mcp-session-id").unwrap();
    let headers =
        [HOST, BEARER, ("Mcp-Session-Id", session), ("MCP-Protocol-Version", "2025-06-18")];
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    assert_eq!(send(served.address, &post(&headers, &ready)).await.status, 202);
    let call = async |tool: &str, arguments: Value| {
        let request = json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {
                "name": tool, "arguments": arguments, "_meta": { "progressToken": "p" }
            }
        });
        send(served.address, &post(&headers, &request.to_string())).await
    };
    let failed = call("Ask", json!({})).await;
    let message = failed.body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
    let error: Value = serde_json::from_str(message.unwrap()).unwrap();
    let error = &error["result"]["structuredContent"]["error"];
    let id = error["id"].as_str().unwrap();
    assert!(error["message"].as_str().unwrap().contains(id), "{error}");
    let answered = call("Next", json!({})).await;
    assert!(answered.body.contains("mock answer"), "{}", answered.body);
    let missing = call("load_resource", json!({ "reference": "@file://none.md" })).await;
    let root = served.folder.path().display().to_string();
    for answer in [&failed, &answered, &missing] {
        for part in ["127.0.0.1:1", "s3cret", "ask.as", &root] {
            assert!(!answer.body.contains(part), "{part}: {}", answer.body);
        }
    }
    let wrong = call("load_resource", json!({ "refrence": "@file://none.md" })).await;
    assert!(wrong.body.contains("refrence"), "{}", wrong.body);
    let lines = served.lines.lock().unwrap().clone();
    let line = lines.iter().find(|line| line.contains(id)).unwrap();
    assert!(line.contains("Ask: error[") && line.contains("127.0.0.1:1"), "{line}");
    assert!(lines.iter().any(|line| line.contains("Next: warning: ")), "{lines:?}");
}
