//! A model in OpenAI's form that answers what it was told to, one answer after another.

use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A model.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) uri: String,
    answers: Arc<Mutex<Vec<Value>>>,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Script {
    /// A model that gives these messages; the last one again and again.
    pub(crate) async fn new(answers: impl IntoIterator<Item = Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut answers: Vec<Value> = answers.into_iter().collect();
        answers.reverse();
        let script = Self {
            uri: format!("openai+http://{}/v1/scripted", listener.local_addr().unwrap()),
            answers: Arc::new(Mutex::new(answers)),
            asked: Arc::default(),
        };
        let served = script.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(served.clone().answer(stream));
            }
        });
        script
    }

    /// All requests so far.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }

    async fn answer(self, stream: TcpStream) {
        let mut stream = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await.unwrap();
            if let Some(size) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = size.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        let asked: Value = serde_json::from_slice(&body).unwrap();
        let message = {
            let mut answers = self.answers.lock().unwrap();
            if answers.len() > 1 { answers.pop().unwrap() } else { answers[0].clone() }
        };
        let finish = if message["tool_calls"].is_array() { "tool_calls" } else { "stop" };
        let is_streamed = asked["stream"] == true;
        // A request for embeddings gets the whole body as it is.
        let is_whole = asked["input"].is_array();
        self.asked.lock().unwrap().push(asked);
        let usage = json!({ "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 });
        let choice = |name: &str, message: Value, finish: Value| {
            json!({ "id": "1", "created": 1, "model": "scripted",
            "choices": [{ "index": 0, name: message, "finish_reason": finish }] })
        };
        let (kind, text) = if is_streamed {
            let mut text = String::new();
            for piece in pieces(&message) {
                text += &format!("data: {}\n\n", choice("delta", piece, Value::Null));
            }
            let mut last = choice("delta", json!({}), finish.into());
            last["usage"] = usage;
            ("text/event-stream", text + &format!("data: {last}\n\ndata: [DONE]\n\n"))
        } else if is_whole {
            ("application/json", message.to_string())
        } else {
            let mut whole = choice("message", message, finish.into());
            whole["usage"] = usage;
            ("application/json", whole.to_string())
        };
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            text.len()
        );
        let _ = stream.write_all((head + &text).as_bytes()).await;
        let _ = stream.shutdown().await;
    }
}

/// The pieces of a message: its text by two signs, then each call.
fn pieces(message: &Value) -> Vec<Value> {
    let signs: Vec<char> = message["content"].as_str().unwrap_or_default().chars().collect();
    let texts = signs.chunks(2).map(|part| json!({ "content": part.iter().collect::<String>() }));
    let calls = message["tool_calls"].as_array().into_iter().flatten().enumerate();
    let calls = calls.map(|(index, call)| {
        let mut call = call.clone();
        call["index"] = index.into();
        json!({ "tool_calls": [call] })
    });
    texts.chain(calls).collect()
}

/// A message of the model.
pub(crate) fn says(text: &str) -> Value {
    json!({ "role": "assistant", "content": text })
}

/// A message of the model with calls: id, name and arguments.
pub(crate) fn calls(text: &str, calls: &[(&str, &str, &str)]) -> Value {
    let call = |(id, name, arguments): &(&str, &str, &str)| {
        json!({ "id": id, "type": "function",
        "function": { "name": name, "arguments": arguments } })
    };
    let calls: Vec<Value> = calls.iter().map(call).collect();
    json!({ "role": "assistant", "content": text, "tool_calls": calls })
}
