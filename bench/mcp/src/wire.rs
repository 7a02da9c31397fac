//! A client that does as little as it can: lines of JSON over two pipes.

use serde::Deserialize;
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub struct Wire {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    id: u64,
    line: String,
}

/// What a client reads of a message, once.
#[derive(Deserialize)]
struct Message {
    id: Option<u64>,
    result: Option<Done>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Done {
    structured_content: Option<Found>,
}

#[derive(Deserialize)]
struct Found {
    context: String,
}

pub struct Answer {
    pub context: String,
    pub bytes: usize,
}

impl Wire {
    /// Starts this program as the server.
    pub fn start(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let to = child.stdin.take().ok_or("no stdin")?;
        let from = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let mut wire = Self { child, to, from, id: 0, line: String::new() };
        let client = json!({ "name": "bench", "version": "0" });
        wire.request(
            "initialize",
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }),
        )?;
        wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(wire)
    }

    pub fn resolve(&mut self, question: &str, budget: u64) -> Result<Answer, Box<dyn Error>> {
        let arguments = json!({ "query": question, "packs": ["bench"], "max": budget });
        let params = json!({ "name": "resolve_knowledge", "arguments": arguments });
        let answer = self.request("tools/call", params)?.ok_or("no result")?;
        let context = answer.structured_content.ok_or("no structured content")?.context;
        Ok(Answer { context, bytes: self.line.len() })
    }

    pub fn ping(&mut self) -> Result<(), Box<dyn Error>> {
        self.request("ping", json!({})).map(drop)
    }

    pub fn end(mut self) -> Result<(), Box<dyn Error>> {
        drop(self.to);
        self.child.wait()?;
        Ok(())
    }

    fn request(&mut self, method: &str, params: Value) -> Result<Option<Done>, Box<dyn Error>> {
        self.id += 1;
        let id = self.id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            self.line.clear();
            self.from.read_line(&mut self.line)?;
            let message: Message = serde_json::from_str(&self.line)?;
            if message.id == Some(id) {
                return Ok(message.result);
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), Box<dyn Error>> {
        let mut line = message.to_string();
        line.push('\n');
        self.to.write_all(line.as_bytes())?;
        Ok(())
    }
}
