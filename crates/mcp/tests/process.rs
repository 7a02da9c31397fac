//! Servers as processes: started without a shell, with few variables, and ended with all they
//! started. The server is this test's own binary, run once more.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::zombie_processes,
    reason = "a test that can't go on has failed"
)]

use contexture_core::masker::Masker;
use contexture_mcp::port::{Connection, Connector};
use contexture_mcp::{
    Connect, ConnectSettings, Definition, Limits, Lock, McpError, Secret, ServerSpec, Servers,
    Transport,
};
use serde_json::{Map, Value, json};
use std::io::BufRead as _;
use std::sync::Arc;
use std::time::Duration;

/// Its tools.
const TOOLS: [&str; 8] =
    ["bytes", "child", "deep", "empty", "end", "environment", "flood", "leaver"];

/// The server: answers what it is asked over stdin.
#[test]
#[ignore = "it is the server that the other tests start"]
fn server() {
    eprintln!("the key is hunter2-hunter2");
    let mode = std::env::var("MODE").unwrap_or_default();
    if mode == "silent" {
        std::process::exit(3);
    }
    // What the test harness prints stands on a line of its own.
    println!();
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let asked: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if mode == "strict" && number == 0 && asked["method"] != "initialize" {
            std::process::exit(5);
        }
        if let Some(answer) = answer(&asked) {
            println!("{}", json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer}));
        }
    }
    if mode == "stubborn" {
        std::thread::sleep(Duration::from_secs(600));
    }
}

fn answer(asked: &Value) -> Option<Value> {
    let is_modern = std::env::var("MODE").is_ok_and(|mode| mode == "modern");
    Some(match asked["method"].as_str()? {
        "server/discover" if is_modern => json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "test", "version": "1"},
            "ttlMs": 0,
            "cacheScope": "private",
        }),
        "initialize" if is_modern => {
            println!(
                "{}",
                json!({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}})
            );
            return None;
        }
        "initialize" => json!({
            "protocolVersion": if std::env::var("MODE").is_ok_and(|mode| mode == "ancient") {
                "1999-01-01"
            } else {
                "2025-06-18"
            },
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "test", "version": "1"},
        }),
        "tools/list" => {
            let tool = |name: &&str| json!({"name": name, "inputSchema": {"type": "object"}});
            let mut tools: Vec<Value> = TOOLS.iter().map(tool).collect();
            if std::env::var("MODE").is_ok_and(|mode| mode == "sloppy") {
                tools.push(json!({"name": "no_schema"}));
                tools.push(json!({"inputSchema": {"type": "object"}}));
                tools.push(json!({"name": "a b", "inputSchema": {"type": "object"}}));
            }
            json!({"tools": tools})
        }
        "tools/call" => {
            let text = match asked["params"]["name"].as_str()? {
                "environment" => {
                    let mut names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
                    names.sort();
                    let folder = std::env::current_dir().unwrap();
                    format!("{} in {}", names.join(" "), folder.display())
                }
                "child" => {
                    let child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
                    format!("{} {}", std::process::id(), child.id())
                }
                "leaver" => {
                    use std::os::unix::process::CommandExt as _;
                    let mut command = std::process::Command::new("sleep");
                    let child = command.arg("600").process_group(0).spawn().unwrap();
                    child.id().to_string()
                }
                "deep" => {
                    let id = &asked["id"];
                    let nest = "[".repeat(100_000);
                    println!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{nest}");
                    return None;
                }
                "bytes" => {
                    use std::io::Write as _;
                    let mut out = std::io::stdout().lock();
                    out.write_all(b"{\"jsonrpc\":\"2.0\",\"result\":\"\xff\"}\n").unwrap();
                    out.flush().unwrap();
                    return None;
                }
                "empty" => {
                    println!("starting … {{\"level\":\"info\"");
                    println!("{}", json!({"level": "info", "id": asked["id"]}));
                    println!("{}", json!({"jsonrpc": "2.0", "id": asked["id"]}));
                    return None;
                }
                "flood" => "x".repeat(17 << 20),
                _ => std::process::exit(4),
            };
            json!({"content": [{"type": "text", "text": text}]})
        }
        _ => return None,
    })
}

fn spec(mode: &str) -> ServerSpec {
    let own = std::env::current_exe().unwrap();
    let args = ["server", "--exact", "--ignored", "--nocapture", "--test-threads=2"];
    ServerSpec {
        name: "test".to_owned(),
        transport: Transport::Process {
            command: own.display().to_string(),
            args: args.map(str::to_owned).to_vec(),
            env: vec![("MODE".to_owned(), Secret::new(mode))],
            folder: std::env::temp_dir(),
            search: String::new(),
        },
        timeout: Duration::from_secs(20),
    }
}

fn connector() -> Connect {
    let masker = Arc::new(Masker::new(["hunter2-hunter2".to_owned()]));
    Connect::new(ConnectSettings { masker })
}

async fn connect(mode: &str) -> Arc<dyn Connection> {
    connector().connect(&spec(mode)).await.unwrap()
}

async fn text(connection: &Arc<dyn Connection>, tool: &str) -> String {
    let reply = connection.call(tool, Map::new(), None).await.unwrap();
    contexture_mcp::answer::value(reply).as_str().unwrap().to_owned()
}

fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // A process that ended and was not waited for is a zombie.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

async fn ends(pids: &str) -> bool {
    for _ in 0..1_000 {
        if !pids.split(' ').any(is_running) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

#[tokio::test]
async fn as_25_server_gets_variables_that_are_named_and_no_others() {
    let connection = connect("plain").await;
    let said = text(&connection, "environment").await;
    let folder = std::env::temp_dir().canonicalize().unwrap();
    assert_eq!(said, format!("MODE in {}", folder.display()));
    connection.close().await;
}

#[tokio::test]
async fn as_25_server_is_greeted_first_and_asked_otherwise_when_it_knows_no_greeting() {
    // `plain` answers nothing that it does not know, `strict` ends with what comes before a greeting.
    for mode in ["plain", "strict", "modern"] {
        let connecting = tokio::time::timeout(Duration::from_secs(8), connect(mode));
        let connection = connecting.await.unwrap_or_else(|_| panic!("{mode}: no answer"));
        assert!(text(&connection, "environment").await.starts_with("MODE"), "{mode}");
        connection.close().await;
    }
}

#[tokio::test]
async fn as_25_closed_connection_ends_server_and_processes_it_started() {
    for mode in ["plain", "stubborn"] {
        let connection = connect(mode).await;
        let pids = text(&connection, "child").await;
        assert!(pids.split(' ').all(is_running), "{pids}");
        connection.close().await;
        assert!(ends(&pids).await, "{mode}: {pids}");
    }
    let connection = connect("stubborn").await;
    let pids = text(&connection, "child").await;
    drop(connection);
    assert!(ends(&pids).await, "dropped: {pids}");
}

#[tokio::test]
async fn as_25_server_that_does_not_start_reports_why_without_secrets() {
    let error = match connector().connect(&spec("silent")).await {
        Err(error) => error,
        Ok(_) => panic!("it started"),
    };
    assert!(matches!(error, McpError::Start { .. }), "{error:?}");
    let help = error.help().unwrap();
    assert!(help.contains("the key is •••"), "{help}");
    let mut missing = spec("plain");
    let Transport::Process { command, .. } = &mut missing.transport else { panic!() };
    *command = "no-such-program".to_owned();
    let error = match connector().connect(&missing).await {
        Err(error) => error.to_string(),
        Ok(_) => panic!("it started"),
    };
    assert!(error.contains("no program `no-such-program`"), "{error}");
}

fn servers() -> Servers {
    let tools = TOOLS.map(|name| Definition::new(name, json!({"type": "object"})));
    let mut lock = Lock::default();
    lock.accept("test", tools.to_vec(), &contexture_mcp::Classes::new());
    Servers::new([spec("plain")], Ok(lock), Arc::new(connector()), Limits::default())
}

#[tokio::test]
async fn as_25_message_that_is_too_large_is_error_and_next_call_works() {
    let servers = servers();
    let error = servers.call("test", "flood", json!({})).await.unwrap_err();
    assert!(matches!(error, McpError::TooLarge { limit: 16_777_216, .. }), "{error:?}");
    assert!(servers.call("test", "environment", json!({})).await.is_ok());
    servers.close().await;
}

#[tokio::test]
async fn as_25_server_that_ends_in_call_is_reported_and_started_anew() {
    let servers = servers();
    let error = servers.call("test", "end", json!({})).await.unwrap_err();
    assert_eq!(error.code(), "mcp_unreachable", "{error:?}");
    assert!(error.help().unwrap().contains("the key is •••"), "{error:?}");
    assert!(servers.call("test", "environment", json!({})).await.is_ok());
    servers.close().await;
}

#[tokio::test]
async fn as_25_unreadable_answer_ends_call_at_once() {
    let servers = servers();
    let began = std::time::Instant::now();
    for (tool, part) in [("deep", "not JSON"), ("bytes", "not JSON"), ("empty", "neither a result")]
    {
        let error = servers.call("test", tool, json!({})).await.unwrap_err();
        assert_eq!(error.code(), "mcp_bad_answer", "{tool}: {error:?}");
        assert!(error.to_string().contains(part), "{tool}: {error}");
        assert!(servers.call("test", "environment", json!({})).await.is_ok(), "{tool}");
    }
    assert!(
        began.elapsed() < spec("plain").timeout,
        "nothing of it waited for its time to be over"
    );
    servers.close().await;
}

#[tokio::test]
async fn as_25_version_of_protocol_that_nobody_knows_is_refused() {
    let error = match connector().connect(&spec("ancient")).await {
        Err(error) => error,
        Ok(_) => panic!("it was accepted"),
    };
    assert_eq!(error.code(), "mcp_bad_answer", "{error:?}");
    assert!(error.to_string().contains("\"1999-01-01\""), "{error}");
}

#[tokio::test]
async fn as_25_tools_without_schema_or_name_are_left_out_and_told() {
    let connection = connect("sloppy").await;
    let offer = connection.offer().await.unwrap();
    let names: Vec<&str> = offer.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, TOOLS);
    let told: Vec<String> = offer.left_out.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told.iter().any(|fault| fault.contains("`no_schema` can't be read")), "{told:?}");
    connection.close().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn as_25_child_that_left_group_is_ended_too() {
    let connection = connect("plain").await;
    let pid = text(&connection, "leaver").await;
    assert!(is_running(&pid), "{pid}");
    connection.close().await;
    assert!(ends(&pid).await, "{pid}");
    let connection = connect("plain").await;
    let pid = text(&connection, "leaver").await;
    drop(connection);
    assert!(ends(&pid).await, "dropped: {pid}");
}
