//! A client of the WebSocket door that writes its frames itself, right or wrong.

use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

pub const TEXT: u8 = 1;
pub const BINARY: u8 = 2;
pub const CLOSE: u8 = 8;
pub const PING: u8 = 9;
pub const PONG: u8 = 10;
const FIN: u8 = 0x80;
/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(90);

pub struct Frame {
    pub opcode: u8,
    pub is_compressed: bool,
    pub payload: Vec<u8>,
}

pub struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
    pub head: String,
    pub session: String,
    /// The highest number seen in the session.
    pub seq: u64,
}

/// A message of a user.
pub fn message(kind: &str, id: &str, context: Option<&str>, content: Value) -> Value {
    let mut message = json!({
        "messageId": id,
        "timestamp": "2025-12-01T10:00:00Z",
        "type": kind,
        "sender": { "id": "cli_1", "type": "USER" },
        "content": content,
    });
    if let Some(context) = context {
        message["contextId"] = context.into();
    }
    message
}

pub fn said(id: &str, context: Option<&str>, text: &str) -> Value {
    message("USER_INPUT", id, context, json!({ "text": text }))
}

pub fn set(id: &str, context: &str, path: &str, value: Value) -> Value {
    let content = json!({ "operation": "UPDATE_STATE", "path": path, "value": value });
    message("CONTEXT_UPDATE", id, Some(context), content)
}

pub fn add(id: &str, context: &str, text: &str) -> Value {
    let said = json!({ "messageId": format!("{id}_said"), "type": "USER_INPUT", "content": { "text": text } });
    message(
        "CONTEXT_UPDATE",
        id,
        Some(context),
        json!({ "operation": "ADD_MESSAGE", "message": said }),
    )
}

/// A frame of a client; `first` holds FIN, the reserved bits and the opcode.
pub fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mask = [0x37, 0xfa, 0x21, 0x3d];
    let mut frame = vec![first];
    match payload.len() {
        short @ 0..126 => frame.push(0x80 | short as u8),
        long @ 126..65_536 => {
            frame.push(0x80 | 126);
            frame.extend((long as u16).to_be_bytes());
        }
        long => {
            frame.push(0x80 | 127);
            frame.extend((long as u64).to_be_bytes());
        }
    }
    frame.extend(mask);
    frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

pub fn text(payload: &[u8]) -> Vec<u8> {
    frame(FIN | TEXT, payload)
}

impl Client {
    /// The handshake alone.
    pub async fn open(address: SocketAddr) -> Self {
        Self::open_with(address, "").await.unwrap()
    }

    /// The handshake with further lines in its head; the answer's head when it is refused.
    pub async fn open_with(address: SocketAddr, lines: &str) -> Result<Self, String> {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!(
            "GET /v1/ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{lines}\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut buffer = Vec::new();
        let end = loop {
            if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            let read = tokio::time::timeout(PATIENCE, stream.read_buf(&mut buffer)).await;
            assert!(read.unwrap().unwrap() > 0, "{}", String::from_utf8_lossy(&buffer));
        };
        let rest = buffer.split_off(end + 4);
        let head = String::from_utf8(buffer).unwrap();
        if !head.starts_with("HTTP/1.1 101") {
            return Err(head);
        }
        Ok(Self { stream, buffer: rest, head, session: String::new(), seq: 0 })
    }

    /// A new session.
    pub async fn new(address: SocketAddr) -> Self {
        let mut client = Self::open(address).await;
        client.hello(json!({ "protocolVersion": "1.0.0" })).await;
        client
    }

    /// Says HELLO; the content of WELCOME.
    pub async fn hello(&mut self, content: Value) -> Value {
        self.send(&message("HELLO", "msg_hello", None, content)).await;
        let welcome = self.message().await;
        assert_eq!(welcome["type"], "WELCOME", "{welcome}");
        assert_eq!(welcome["metadata"]["inReplyTo"], "msg_hello");
        welcome["content"]["sessionId"].as_str().unwrap().clone_into(&mut self.session);
        welcome["content"].clone()
    }

    /// Comes back to the session of a connection that broke.
    pub async fn resume(address: SocketAddr, session: &str, seq: u64) -> (Self, Value) {
        let mut client = Self::open(address).await;
        let hello = json!({ "protocolVersion": "1.0.0", "sessionId": session, "lastSeq": seq });
        let welcome = client.hello(hello).await;
        client.seq = if client.session == session { seq } else { 0 };
        (client, welcome)
    }

    pub async fn raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// As much of it as the connection takes.
    pub async fn try_raw(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes).await
    }

    pub async fn send(&mut self, message: &Value) {
        self.raw(&text(message.to_string().as_bytes())).await;
    }

    /// The next frame; `None` when the connection is closed.
    pub async fn frame(&mut self) -> Option<Frame> {
        loop {
            if let Some((end, frame)) = take(&self.buffer) {
                self.buffer.drain(..end);
                return Some(frame);
            }
            let read = self.stream.read_buf(&mut self.buffer);
            match tokio::time::timeout(PATIENCE, read).await.expect("the server says something") {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The next message; pings are answered on the way.
    pub async fn message(&mut self) -> Value {
        self.next().await.expect("the connection holds")
    }

    /// As [`Self::message`]; `None` when the connection is closed.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            let frame = self.frame().await?;
            match frame.opcode {
                PING => self.raw(&self::frame(FIN | PONG, &frame.payload)).await,
                TEXT => {
                    let message: Value = serde_json::from_slice(&frame.payload).unwrap();
                    self.numbered(&message);
                    return Some(message);
                }
                CLOSE => return None,
                _ => {}
            }
        }
    }

    /// Each message of a session has the number after the last one's.
    pub fn numbered(&mut self, message: &Value) {
        if message["type"] != "WELCOME" {
            self.seq += 1;
            assert_eq!(message["metadata"]["seq"], self.seq, "{message}");
        }
    }

    /// The code with which the server closes.
    pub async fn closed(&mut self) -> Option<u16> {
        loop {
            let frame = self.frame().await?;
            if frame.opcode == CLOSE {
                let code = frame.payload.get(..2)?;
                return Some(u16::from_be_bytes(code.try_into().unwrap()));
            }
        }
    }

    /// What answers a message, up to its end.
    pub async fn answers(&mut self, id: &str) -> Vec<Value> {
        let mut answers = Vec::new();
        loop {
            let message = self.message().await;
            if message["metadata"]["inReplyTo"] != id {
                continue;
            }
            let is_last = is_end(&message);
            answers.push(message);
            if is_last {
                return answers;
            }
        }
    }

    /// The answer to a message.
    pub async fn ask(&mut self, message: &Value) -> Value {
        self.send(message).await;
        self.answers(message["messageId"].as_str().unwrap()).await.pop().unwrap()
    }

    /// Breaks the connection off.
    pub fn cut(self) {
        drop(self.stream);
    }

    /// Takes a few bytes of what comes, so that a cut is in the middle of a frame.
    pub async fn nibble(&mut self, most: usize) {
        let mut bytes = vec![0; most];
        let _ = tokio::time::timeout(Duration::from_millis(5), self.stream.read(&mut bytes)).await;
    }
}

/// Whether a message ends what its request began.
pub fn is_end(message: &Value) -> bool {
    match message["type"].as_str().unwrap() {
        "MODEL_RESPONSE" => message["content"]["finishReason"] != "TOOL_CALLS",
        "MODEL_RESPONSE_DELTA" | "TOOL_CALL_REQUEST" | "TOOL_CALL_RESPONSE" | "CONTROL" => false,
        "SYSTEM_MESSAGE" | "PROGRESS" | "INSTRUCTION" => false,
        _ => true,
    }
}

fn take(bytes: &[u8]) -> Option<(usize, Frame)> {
    let (first, second) = (*bytes.first()?, *bytes.get(1)?);
    assert_eq!(second & 0x80, 0, "a server does not mask");
    let (start, length) = match second {
        126 => (4, usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().unwrap()))),
        127 => (10, u64::from_be_bytes(bytes.get(2..10)?.try_into().unwrap()) as usize),
        short => (2, usize::from(short)),
    };
    let payload = bytes.get(start..start + length)?.to_vec();
    assert_ne!(first & FIN, 0, "the server does not fragment");
    Some((
        start + length,
        Frame { opcode: first & 0x0f, is_compressed: first & 0x40 != 0, payload },
    ))
}
