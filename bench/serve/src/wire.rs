//! A client that costs little: WebSocket frames over a bare socket.

use crate::Outcome;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A connection, and what came and was not looked at yet.
pub struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// Where in the buffer the next thing begins.
    at: usize,
}

/// A text frame of a client. The mask is zero: it is there, and costs the sender nothing.
pub fn frame(text: &str) -> Vec<u8> {
    let mut frame = vec![0x81];
    match text.len() {
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
    frame.extend([0; 4]);
    frame.extend(text.as_bytes());
    frame
}

pub fn hello() -> Vec<u8> {
    frame(
        r#"{"messageId":"hello","timestamp":"2025-12-01T10:00:00Z","type":"HELLO","sender":{"id":"bench","type":"USER"},"content":{"protocolVersion":"1.0.0"}}"#,
    )
}

/// How long a frame of the server is, and where its payload begins, when its head is there.
fn head(bytes: &[u8]) -> Option<(usize, usize)> {
    let short = usize::from(bytes.get(1)? & 0x7f);
    let (start, length) = match short {
        126 => (4, usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?))),
        127 => (10, u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?) as usize),
        length => (2, length),
    };
    Some((start, start + length))
}

impl Wire {
    pub async fn connect(address: SocketAddr) -> Outcome<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::new(), at: 0 })
    }

    /// A WebSocket.
    pub async fn open(address: SocketAddr) -> Outcome<Self> {
        let mut wire = Self::connect(address).await?;
        let request = format!(
            "GET /v1/ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        wire.write(request.as_bytes()).await?;
        let head = wire.until_blank().await?;
        if !head.starts_with("HTTP/1.1 101") {
            return Err(head.into());
        }
        Ok(wire)
    }

    /// A WebSocket whose HELLO was answered.
    pub async fn session(address: SocketAddr) -> Outcome<Self> {
        let mut wire = Self::open(address).await?;
        wire.write(&hello()).await?;
        wire.frames().await?;
        Ok(wire)
    }

    pub async fn write(&mut self, bytes: &[u8]) -> Outcome<()> {
        Ok(self.stream.write_all(bytes).await?)
    }

    async fn fill(&mut self) -> Outcome<()> {
        self.buffer.drain(..self.at);
        self.at = 0;
        self.buffer.reserve(64 << 10);
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            return Err("the server closed the connection".into());
        }
        Ok(())
    }

    /// Waits for frames; how many came whole. Their payloads are not looked at.
    pub async fn frames(&mut self) -> Outcome<usize> {
        let mut count = 0;
        loop {
            while let Some((_, end)) = head(&self.buffer[self.at..])
                && self.buffer.len() >= self.at + end
            {
                self.at += end;
                count += 1;
            }
            if count > 0 {
                return Ok(count);
            }
            self.fill().await?;
        }
    }

    /// The payload of the next frame.
    pub async fn text(&mut self) -> Outcome<String> {
        loop {
            if let Some((start, end)) = head(&self.buffer[self.at..])
                && self.buffer.len() >= self.at + end
            {
                let payload = self.buffer[self.at + start..self.at + end].to_vec();
                self.at += end;
                return Ok(String::from_utf8(payload)?);
            }
            self.fill().await?;
        }
    }

    async fn until_blank(&mut self) -> Outcome<String> {
        loop {
            let rest = &self.buffer[self.at..];
            if let Some(end) = rest.windows(4).position(|four| four == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&rest[..end]).into_owned();
                self.at += end + 4;
                return Ok(head);
            }
            self.fill().await?;
        }
    }
}
