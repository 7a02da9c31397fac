//! A blocking client of the WebSocket.

use super::http::PATIENCE;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::time::timeout;
use yawc::{Frame, HttpRequest, OpCode, Options, WebSocket};

/// A WebSocket.
pub struct Socket {
    runtime: Runtime,
    socket: WebSocket<TcpStream>,
}

impl Socket {
    /// Opens one that speaks `mcp-cp.1`.
    pub fn open(address: SocketAddr, headers: &[(&str, &str)]) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut request = HttpRequest::builder();
        if !headers.iter().any(|(name, _)| *name == "sec-websocket-protocol") {
            request = request.header("sec-websocket-protocol", "mcp-cp.1");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let url = format!("ws://{address}/v1/ws").parse().unwrap();
        let opening = async {
            let stream = TcpStream::connect(address).await.unwrap();
            WebSocket::handshake_with_request(url, stream, Options::default(), request).await
        };
        let socket = runtime.block_on(async { timeout(PATIENCE, opening).await }).unwrap();
        Self { runtime, socket: socket.unwrap() }
    }

    /// HELLO and WELCOME; the id of the session.
    pub fn hello(&mut self) -> String {
        let hello = super::message("hello", None, "HELLO", json!({ "protocolVersion": "1.0.0" }));
        self.send(&hello);
        let welcome = self.receive();
        assert_eq!(welcome["type"], "WELCOME", "{welcome}");
        welcome["content"]["sessionId"].as_str().unwrap().to_owned()
    }

    pub fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    pub fn send_text(&mut self, text: &str) {
        let frame = Frame::text(text.to_owned());
        let sending = self.socket.send(frame);
        self.runtime.block_on(async { timeout(PATIENCE, sending).await }).unwrap().unwrap();
    }

    /// The next message.
    pub fn receive(&mut self) -> Value {
        match self.next() {
            Ok(message) => message,
            Err(code) => panic!("the server closed the connection: {code:?}"),
        }
    }

    /// The next message, or the code with which the server closed.
    pub fn next(&mut self) -> Result<Value, Option<u16>> {
        loop {
            let next = self.socket.next();
            let frame = self.runtime.block_on(async { timeout(PATIENCE, next).await }).unwrap();
            let Some(frame) = frame else { return Err(None) };
            match frame.opcode() {
                OpCode::Text => return Ok(serde_json::from_slice(frame.payload()).unwrap()),
                OpCode::Close => return Err(frame.close_code().map(u16::from)),
                _ => {}
            }
        }
    }

    /// Sends a message and waits for what ends it.
    pub fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        loop {
            let answer = self.receive();
            let passes = ["MODEL_RESPONSE_DELTA", "SYSTEM_MESSAGE", "CONTEXT_DELTA"];
            let is_passing = passes.iter().any(|kind| answer["type"] == *kind);
            if answer["metadata"]["inReplyTo"] == message["messageId"] && !is_passing {
                return answer;
            }
        }
    }

    /// Reads until the server closes; the code.
    pub fn closed(&mut self) -> Option<u16> {
        loop {
            if let Err(code) = self.next() {
                return code;
            }
        }
    }
}
