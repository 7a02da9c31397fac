//! A small HTTP server on the loopback that answers from a script and keeps what it was asked.

use serde_json::Value;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What the server does with a request.
#[derive(Clone, Default)]
pub(crate) struct Respond {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// Sent one after the other, each in a piece of its own.
    pub(crate) body: Vec<String>,
    pub(crate) end: End,
}

/// How a response ends.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum End {
    /// As it should.
    #[default]
    Whole,
    /// The connection is closed in the middle.
    Cut,
    /// Nothing more comes, and the connection stays open.
    Silence,
    /// The last piece comes again and again.
    Endless,
}

impl Respond {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self { status, body: vec![body.to_string()], ..Self::default() }.typed("application/json")
    }

    pub(crate) fn text(status: u16, body: impl Into<String>) -> Self {
        Self { status, body: vec![body.into()], ..Self::default() }
    }

    pub(crate) fn stream(pieces: impl IntoIterator<Item = String>) -> Self {
        let body = pieces.into_iter().collect();
        Self { status: 200, body, ..Self::default() }.typed("text/event-stream")
    }

    pub(crate) fn typed(self, kind: &str) -> Self {
        self.header("content-type", kind)
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn ending(mut self, end: End) -> Self {
        self.end = end;
        self
    }
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) body: Value,
}

/// The server; it ends with the test's runtime.
pub(crate) struct Server {
    pub(crate) address: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    closed: Arc<Notify>,
}

impl Server {
    /// Answers requests in order; one too many gets status 418.
    pub(crate) async fn start(script: Vec<Respond>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let closed = Arc::new(Notify::new());
        let (log, bell) = (Arc::clone(&seen), Arc::clone(&closed));
        let script = Arc::new(Mutex::new(script.into_iter()));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (log, bell, script) =
                    (Arc::clone(&log), Arc::clone(&bell), Arc::clone(&script));
                tokio::spawn(async move {
                    let next = || script.lock().unwrap().next();
                    serve(stream, &log, next, &bell).await;
                });
            }
        });
        Self { address, seen, closed }
    }

    /// The requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits until a client has closed a connection on which it was owed more.
    pub(crate) async fn hung_up(&self) {
        self.closed.notified().await;
    }
}

async fn serve(
    mut stream: TcpStream,
    seen: &Mutex<Vec<Seen>>,
    mut next: impl FnMut() -> Option<Respond>,
    closed: &Notify,
) {
    while let Some(request) = read_request(&mut stream).await {
        seen.lock().unwrap().push(request);
        let spare = Respond::text(418, "the script is over");
        let respond = next().unwrap_or(spare);
        let whole = respond.end == End::Whole;
        if respond_to(&mut stream, respond).await.is_err() {
            closed.notify_one();
            return;
        }
        if !whole {
            // Silence, until the client goes away.
            let mut rest = [0; 64];
            while matches!(stream.read(&mut rest).await, Ok(count) if count > 0) {}
            closed.notify_one();
            return;
        }
    }
}

async fn respond_to(stream: &mut TcpStream, respond: Respond) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {} X\r\ntransfer-encoding: chunked\r\n", respond.status);
    for (name, value) in &respond.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).await?;
    for piece in &respond.body {
        write_chunk(stream, piece).await?;
    }
    match respond.end {
        End::Whole => stream.write_all(b"0\r\n\r\n").await?,
        End::Cut => stream.shutdown().await?,
        End::Silence => {}
        End::Endless => loop {
            write_chunk(stream, respond.body.last().map_or("x", String::as_str)).await?;
        },
    }
    stream.flush().await
}

async fn write_chunk(stream: &mut TcpStream, text: &str) -> std::io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).await?;
    stream.flush().await?;
    tokio::task::yield_now().await;
    Ok(())
}

async fn read_request(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let split = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        let mut buffer = [0; 4096];
        let count = stream.read(&mut buffer).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&buffer[..count]);
    };
    let head = String::from_utf8_lossy(&bytes[..split]).to_lowercase();
    let length: usize = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .and_then(|length| length.trim().parse().ok())
        .unwrap_or(0);
    let mut body = bytes[split + 4..].to_vec();
    while body.len() < length {
        let mut buffer = [0; 4096];
        let count = stream.read(&mut buffer).await.ok().filter(|count| *count > 0)?;
        body.extend_from_slice(&buffer[..count]);
    }
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    Some(Seen { path, head, body: serde_json::from_slice(&body).unwrap_or_default() })
}
