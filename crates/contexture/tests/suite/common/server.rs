//! A server that speaks OpenAI's protocol on this machine.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What the server does with a request of a chat.
pub enum Reply {
    /// It answers with a status and a body.
    Body(u16, Value),
    /// It closes the connection without a word.
    Break,
}

/// The server, with what it saw.
pub struct Server {
    pub address: String,
    /// The requests, as `GET /props` or `POST … {body}`.
    seen: Arc<Mutex<Vec<String>>>,
    /// The values of their headers `authorization`.
    keys: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server that tells `props`, and answers each chat and each request for embeddings or
    /// a ranking as `reply` says for its number, from 0.
    pub fn start(
        props: Option<Value>,
        reply: impl Fn(usize, &Value) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        let keys = Arc::new(Mutex::new(Vec::new()));
        let shown = Arc::clone(&keys);
        let reply = Arc::new(reply);
        let chats = Arc::new(Mutex::new(0));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (props, kept) = (props.clone(), Arc::clone(&kept));
                let shown = Arc::clone(&shown);
                let (reply, chats) = (Arc::clone(&reply), Arc::clone(&chats));
                let stream = stream.unwrap();
                std::thread::spawn(move || {
                    serve(stream, props.as_ref(), (&kept, &shown), |body| {
                        let mut chats = chats.lock().unwrap();
                        *chats += 1;
                        reply(*chats - 1, body)
                    });
                });
            }
        });
        Self { address, seen, keys }
    }

    /// Starts a server whose answers are all `fine`.
    pub fn fine(props: Option<Value>) -> Self {
        Self::start(props, |_, _| Reply::Body(200, chat("fine", 1_000, 10)))
    }

    /// The keys that were sent, as `Bearer …`.
    pub fn keys(&self) -> Vec<String> {
        self.keys.lock().unwrap().clone()
    }

    /// The requests with a method.
    pub fn seen(&self, method: &str) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        seen.iter().filter(|line| line.starts_with(method)).cloned().collect()
    }
}

/// An answer with its usage.
pub fn chat(text: &str, input: u64, output: u64) -> Value {
    json!({
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output},
    })
}

fn serve(
    mut stream: TcpStream,
    props: Option<&Value>,
    (seen, keys): (&Mutex<Vec<String>>, &Mutex<Vec<String>>),
    reply: impl FnOnce(&Value) -> Reply,
) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let head = line.trim().to_owned();
    let mut length = 0;
    loop {
        line.clear();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        let lower = line.to_ascii_lowercase();
        if let Some(text) = lower.strip_prefix("content-length:") {
            length = text.trim().parse().unwrap();
        }
        if lower.starts_with("authorization:") {
            keys.lock().unwrap().push(line["authorization:".len()..].trim().to_owned());
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    seen.lock().unwrap().push(format!("{head} {}", String::from_utf8_lossy(&body)));
    let reply = match (head.split(' ').nth(1), props) {
        (Some("/props"), Some(props)) => Reply::Body(200, props.clone()),
        (Some("/v1/chat/completions" | "/v1/embeddings" | "/v1/rerank"), _) => {
            reply(&serde_json::from_slice(&body).unwrap())
        }
        _ => Reply::Body(404, json!({"error": "none"})),
    };
    let Reply::Body(status, answer) = reply else { return };
    let text = answer.to_string();
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        text.len()
    );
    let _ = stream.write_all(format!("{head}{text}").as_bytes());
}
