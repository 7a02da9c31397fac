//! The world of a run, on loopback: a model in OpenAI's form, and an address that keeps what is sent
//! to it.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

/// A request that changed something.
#[derive(Debug, Clone)]
pub(crate) struct Effect {
    pub(crate) key: String,
    pub(crate) body: Value,
}

#[derive(Default)]
struct Seen {
    asked: Vec<Value>,
    effects: Vec<Effect>,
    /// The path that is not answered once so many requests have come there.
    held: Option<(&'static str, usize)>,
}

/// A server that counts.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) address: SocketAddr,
    seen: Arc<(Mutex<Seen>, Condvar)>,
}

impl World {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let world = Self { address, seen: Arc::default() };
        let serving = world.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (serving, stream) = (serving.clone(), stream.unwrap());
                std::thread::spawn(move || serving.serve(stream));
            }
        });
        world
    }

    /// The model's URI.
    pub(crate) fn model(&self) -> String {
        format!("openai+http://{}/v1/tiny", self.address)
    }

    /// Answers no request to `path` any more once `count` have come there in all.
    pub(crate) fn hold(&self, path: &'static str, count: usize) {
        self.seen.0.lock().unwrap().held = Some((path, count));
    }

    pub(crate) fn release(&self) {
        self.seen.0.lock().unwrap().held = None;
    }

    /// Waits until a request is not answered.
    pub(crate) fn wait_for_held(&self) {
        let seen = self.seen.0.lock().unwrap();
        let is_waiting = |seen: &mut Seen| {
            let (path, count) = seen.held.unwrap();
            seen.count(path) < count
        };
        let (_guard, late) = self.seen.1.wait_timeout_while(seen, PATIENCE, is_waiting).unwrap();
        assert!(!late.timed_out(), "no such request came");
    }

    /// The last user message of each request to the model.
    pub(crate) fn asked(&self) -> Vec<String> {
        let seen = self.seen.0.lock().unwrap();
        let text = |body: &Value| {
            let messages = body["messages"].as_array().unwrap();
            messages.last().unwrap()["content"].as_str().unwrap_or_default().to_owned()
        };
        seen.asked.iter().map(text).collect()
    }

    pub(crate) fn effects(&self) -> Vec<Effect> {
        self.seen.0.lock().unwrap().effects.clone()
    }

    fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(&stream);
        let (mut path, mut length, mut key) = (String::new(), 0, String::new());
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let (name, value) = line.trim().split_once(':').unwrap_or_default();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap(),
                "idempotency-key" => value.trim().clone_into(&mut key),
                _ if path.is_empty() => {
                    line.split(' ').nth(1).unwrap_or_default().clone_into(&mut path);
                }
                _ => {}
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let Some(answer) = self.take(&path, key, body) else {
            // Whoever waits is killed.
            std::thread::sleep(PATIENCE);
            return;
        };
        let text = answer.to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            text.len()
        );
        // A process that was killed does not read it.
        let _ = (&stream).write_all(format!("{head}{text}").as_bytes());
    }

    /// Notes a request and returns its answer; nothing when it is held.
    fn take(&self, path: &str, key: String, body: Value) -> Option<Value> {
        let mut seen = self.seen.0.lock().unwrap();
        let answer = if path.starts_with("/v1/") {
            let answer = completion(&body);
            seen.asked.push(body);
            answer
        } else {
            let answer = json!({ "number": seen.effects.len() + 1 });
            seen.effects.push(Effect { key, body });
            answer
        };
        self.seen.1.notify_all();
        let is_held = seen
            .held
            .is_some_and(|(held, count)| path.starts_with(held) && seen.count(held) >= count);
        (!is_held).then_some(answer)
    }
}

impl Seen {
    fn count(&self, path: &str) -> usize {
        if path.starts_with("/v1/") { self.asked.len() } else { self.effects.len() }
    }
}

/// Says back the instruction; calls the first tool once when there is one.
fn completion(body: &Value) -> Value {
    let messages = body["messages"].as_array().unwrap();
    let said = messages.last().unwrap()["content"].as_str().unwrap_or_default();
    let tool = body["tools"][0]["function"]["name"].as_str();
    let has_called = messages.iter().any(|message| message["role"] == "tool");
    let message = match tool.filter(|_| !has_called) {
        Some(name) => {
            let arguments = json!({ "url": "/effect", "body": { "step": "of a model" } });
            let function = json!({ "name": name, "arguments": arguments.to_string() });
            let call = json!({ "id": "c1", "type": "function", "function": function });
            json!({ "role": "assistant", "content": null, "tool_calls": [call] })
        }
        None => {
            let said = said.lines().rev().find(|line| !line.is_empty()).unwrap_or_default();
            json!({ "role": "assistant", "content": format!("I heard: {said}") })
        }
    };
    let finish = if message["content"].is_null() { "tool_calls" } else { "stop" };
    let usage = json!({ "prompt_tokens": 47, "completion_tokens": 10, "total_tokens": 57 });
    json!({ "model": "tiny", "usage": usage,
        "choices": [{ "index": 0, "finish_reason": finish, "message": message }] })
}
