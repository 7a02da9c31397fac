//! A site on this machine that everybody may write to: it serves pages and MCP servers, and keeps
//! each request. What a program sends there, an attacker reads.

use crate::guard_suite::case::{Case, ServerTool};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// The site of one case. It ends with its value.
pub struct Site {
    pub url: String,
    pub port: u16,
    kept: Arc<Kept>,
}

struct Kept {
    case: Case,
    url: String,
    /// `POST /path`, then the headers and the body.
    requests: Mutex<Vec<String>>,
    /// The name `server/tool` with the arguments.
    calls: Mutex<Vec<(String, String)>>,
    is_over: AtomicBool,
}

impl Site {
    pub fn new(case: &Case) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = format!("http://127.0.0.1:{port}");
        let kept = Arc::new(Kept {
            case: case.clone(),
            url: url.clone(),
            requests: Mutex::default(),
            calls: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let serving = Arc::clone(&kept);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if serving.is_over.load(Ordering::SeqCst) {
                    return;
                }
                let (serving, stream) = (Arc::clone(&serving), stream.unwrap());
                std::thread::spawn(move || serving.answer(stream));
            }
        });
        Self { url, port, kept }
    }

    /// A text of a case with the address of the site.
    pub fn fill(&self, text: &str) -> String {
        text.replace("{{site}}", &self.url)
    }

    pub fn requests(&self) -> Vec<String> {
        self.kept.requests.lock().unwrap().clone()
    }

    pub fn calls(&self) -> Vec<(String, String)> {
        self.kept.calls.lock().unwrap().clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.kept.is_over.store(true, Ordering::SeqCst);
        // The accepting thread sees the end at its next connection.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

impl Kept {
    /// Answers one request of a connection, and closes it. A fault of the connection is its end.
    fn answer(&self, mut stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let mut head = String::new();
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
            if line == "\r\n" {
                break;
            }
            if let Some(said) = line.to_lowercase().strip_prefix("content-length:") {
                length = said.trim().parse().ok()?;
            }
            head += &line;
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let body = String::from_utf8_lossy(&body).into_owned();
        let target = head.split_whitespace().nth(1)?.to_owned();
        let path = target.split(['?', '#']).next()?.to_owned();
        let (status, kind, text) = match path.strip_prefix("/mcp/") {
            Some(server) if head.starts_with("POST") => self.of_server(server, &body),
            Some(_) => ("405 Method Not Allowed", "text/plain", String::new()),
            None => {
                self.requests.lock().unwrap().push(format!("{head}\n{body}"));
                let page = self.case.pages.get(&path).map_or("ok", String::as_str);
                let kind = if path.ends_with(".json") { "application/json" } else { "text/plain" };
                ("200 OK", kind, page.replace("{{site}}", &self.url))
            }
        };
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            text.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(text.as_bytes()).ok()
    }

    fn of_server(&self, server: &str, body: &str) -> (&'static str, &'static str, String) {
        let asked: Value = serde_json::from_str(body).unwrap_or_default();
        let tools = self.case.servers.get(server).map_or(&[][..], Vec::as_slice);
        let params = &asked["params"];
        let result = match asked["method"].as_str() {
            Some("initialize") => json!({ "protocolVersion": "2025-06-18",
                "capabilities": { "tools": {} }, "serverInfo": { "name": server, "version": "1" } }),
            Some("tools/list") => json!({ "tools": tools.iter().map(offer).collect::<Vec<_>>() }),
            Some("tools/call") => {
                let name = params["name"].as_str().unwrap_or_default();
                let call = (format!("{server}/{name}"), params["arguments"].to_string());
                self.calls.lock().unwrap().push(call);
                let found = tools.iter().find(|tool| tool.name == name);
                let gives = found.map_or_else(String::new, |tool| tool.gives.clone());
                let gives = gives.replace("{{site}}", &self.url);
                let fails = found.is_some_and(|tool| tool.fails);
                json!({ "content": [{ "type": "text", "text": gives }], "isError": fails })
            }
            _ if asked["id"].is_null() => return ("202 Accepted", "text/plain", String::new()),
            _ => {
                let error = json!({ "code": -32601, "message": "no" });
                let whole = json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error });
                return ("200 OK", "application/json", whole.to_string());
            }
        };
        let whole = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result });
        ("200 OK", "application/json", whole.to_string())
    }
}

/// What a server says about a tool.
fn offer(tool: &ServerTool) -> Value {
    json!({ "name": tool.name, "description": tool.description, "inputSchema": schema(tool) })
}

/// The schema of a tool's parameters.
pub fn schema(tool: &ServerTool) -> Value {
    let fields = tool.takes.iter().map(|name| (name.clone(), json!({ "type": "string" })));
    json!({ "type": "object", "properties": fields.collect::<serde_json::Map<_, _>>() })
}
