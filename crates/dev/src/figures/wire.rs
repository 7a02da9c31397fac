//! A client that costs little: HTTP and WebSocket over a bare socket.

use crate::weight::Measured;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

const HELLO: &str = r#"{"messageId":"hello","timestamp":"2025-12-01T10:00:00Z","type":"HELLO","sender":{"id":"figures","type":"USER"},"content":{"protocolVersion":"1.0.0"}}"#;

/// A connection.
pub(super) struct Wire {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
}

impl Wire {
    pub(super) fn connect(address: SocketAddr) -> Measured<Self> {
        let stream = TcpStream::connect(address).map_err(told)?;
        stream.set_nodelay(true).map_err(told)?;
        Ok(Self { stream: BufReader::with_capacity(256, stream), address })
    }

    /// Opens a WebSocket and waits for the answer to HELLO.
    pub(super) fn session(address: SocketAddr) -> Measured<Self> {
        let mut wire = Self::connect(address)?;
        wire.write(&format!(
            "GET /v1/ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        ))?;
        let head = wire.head()?;
        if !head.starts_with("http/1.1 101") {
            return Err(head);
        }
        wire.stream.get_mut().write_all(&frame(HELLO)).map_err(told)?;
        wire.skip_frame()?;
        Ok(wire)
    }

    pub(super) fn post(&mut self, body: &str) -> Measured<()> {
        let (address, length) = (self.address, body.len());
        self.write(&format!(
            "POST /v1/messages HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        ))?;
        self.answer()
    }

    pub(super) fn get(&mut self, path: &str) -> Measured<()> {
        let address = self.address;
        self.write(&format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n"))?;
        self.answer()
    }

    fn write(&mut self, text: &str) -> Measured<()> {
        self.stream.get_mut().write_all(text.as_bytes()).map_err(told)
    }

    /// Reads an answer whole, which has to be a success.
    fn answer(&mut self) -> Measured<()> {
        let head = self.head()?;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length = length.and_then(|length| length.trim().parse::<usize>().ok());
        let mut body = vec![0; length.ok_or_else(|| head.clone())?];
        self.stream.read_exact(&mut body).map_err(told)?;
        if head.starts_with("http/1.1 200") {
            return Ok(());
        }
        Err(format!("{head}{}", String::from_utf8_lossy(&body)))
    }

    /// Reads the head of an answer, in lower case.
    fn head(&mut self) -> Measured<String> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.stream.read_line(&mut head).map_err(told)? == 0 {
                return Err("the server closed the connection".to_owned());
            }
        }
        Ok(head.to_ascii_lowercase())
    }

    /// Reads a frame and drops it.
    fn skip_frame(&mut self) -> Measured<()> {
        let [_, short] = self.bytes()?;
        let length = match short & 0x7f {
            126 => u64::from(u16::from_be_bytes(self.bytes()?)),
            127 => u64::from_be_bytes(self.bytes()?),
            short => u64::from(short),
        };
        let mut payload = self.stream.by_ref().take(length);
        std::io::copy(&mut payload, &mut std::io::sink()).map_err(told)?;
        Ok(())
    }

    fn bytes<const N: usize>(&mut self) -> Measured<[u8; N]> {
        let mut bytes = [0; N];
        self.stream.read_exact(&mut bytes).map_err(told)?;
        Ok(bytes)
    }
}

/// Returns a text frame of a client. The mask is zero: it is there, and costs the sender nothing.
fn frame(text: &str) -> Vec<u8> {
    let mut frame = vec![0x81, 0x80 | 126];
    frame.extend(u16::try_from(text.len()).unwrap_or(u16::MAX).to_be_bytes());
    frame.extend([0; 4]);
    frame.extend(text.as_bytes());
    frame
}

fn told(error: std::io::Error) -> String {
    error.to_string()
}
