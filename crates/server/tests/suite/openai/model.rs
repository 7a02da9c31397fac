//! A model in OpenAI's form that says a word each time it is let.

use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// The words of every answer.
const WORDS: [&str; 3] = ["one ", "two ", "three"];

/// A model.
#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) uri: String,
    /// A word for each permit.
    pub(crate) gate: Arc<Semaphore>,
    /// Whether somebody went away before the answer was whole.
    pub(crate) is_left: Arc<AtomicBool>,
}

impl Model {
    pub(crate) async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let model = Self {
            uri: format!("openai+http://{}/v1/slow", listener.local_addr().unwrap()),
            gate: Arc::new(Semaphore::new(0)),
            is_left: Arc::default(),
        };
        let served = model.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(served.clone().answer(stream));
            }
        });
        model
    }

    /// One that is never held up.
    pub(crate) async fn fast() -> Self {
        let model = Self::new().await;
        model.gate.add_permits(10_000);
        model
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
        // A word is a token.
        let limit = ["max_tokens", "max_completion_tokens"].map(|name| asked[name].as_u64());
        let limit = limit.into_iter().flatten().next().map_or(usize::MAX, |limit| limit as usize);
        let words = &WORDS[..WORDS.len().min(limit)];
        let finish = if words.len() < WORDS.len() { "length" } else { "stop" };
        if asked["stream"] == true {
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            stream.write_all(head.as_bytes()).await.unwrap();
            for word in words {
                if self.next(&mut stream).await.is_none() {
                    return;
                }
                event(&mut stream, &chunk(json!({ "content": word }), Value::Null)).await;
            }
            let mut last = chunk(json!({}), finish.into());
            last["usage"] = usage();
            event(&mut stream, &last).await;
            let _ = stream.write_all(b"data: [DONE]\n\n").await;
            return;
        }
        for _ in words {
            if self.next(&mut stream).await.is_none() {
                return;
            }
        }
        let message = json!({ "role": "assistant", "content": words.concat() });
        let choice = json!({ "index": 0, "message": message, "finish_reason": finish });
        let body = json!({
            "id": "1", "object": "chat.completion", "created": 1, "model": "slow",
            "choices": [choice], "usage": usage(),
        });
        let body = body.to_string();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
        let text = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
        let _ = stream.write_all(text.as_bytes()).await;
    }

    /// Waits for the next word, as long as somebody listens.
    async fn next(&self, stream: &mut BufReader<TcpStream>) -> Option<()> {
        let mut byte = [0];
        tokio::select! {
            permit = self.gate.acquire() => {
                permit.unwrap().forget();
                Some(())
            }
            _ = stream.read(&mut byte) => {
                self.is_left.store(true, Ordering::SeqCst);
                None
            }
        }
    }
}

fn usage() -> Value {
    json!({ "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 })
}

fn chunk(delta: Value, finish: Value) -> Value {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    json!({ "id": "1", "object": "chat.completion.chunk", "created": 1, "model": "slow", "choices": [choice] })
}

async fn event(stream: &mut BufReader<TcpStream>, value: &Value) {
    let _ = stream.write_all(format!("data: {value}\n\n").as_bytes()).await;
    let _ = stream.flush().await;
}
