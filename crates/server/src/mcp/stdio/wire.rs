//! Messages on a pair of streams, one per line.
//!
//! Decision: the transport of the library silently ignores invalid lines, so a
//! client waits for an answer that never comes. This transport returns the JSON-RPC errors.

use super::pending::Pending;
use crate::mcp::read::{Incoming, no_batches, too_early, too_long, too_many, understand};
use crate::mcp::server::Server;
use contexture::mcp::wire::{Line, Lines, MESSAGE_BYTES};
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, GetMeta as _, JsonRpcMessage, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout, timeout_at};

/// The most messages of a batch.
const BATCH: usize = 100;
/// The time for pending answers after the input ended.
const PATIENCE: Duration = Duration::from_secs(3);
/// The time that a blocked write may delay the end.
const FAREWELL: Duration = Duration::from_millis(200);

type Write = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// Messages on a pair of streams.
pub(super) struct Wire<R, W> {
    lines: Lines<R>,
    out: Arc<Mutex<Option<W>>>,
    pending: Arc<Pending>,
    /// The messages that were read but not returned yet.
    read: VecDeque<ClientJsonRpcMessage>,
    /// The answer being written; stored, as the receiving future may be dropped meanwhile.
    write: Option<Write>,
    /// The deadline after the input ended.
    end: Option<Instant>,
    /// True if the client has initialized, or its version needs no initialization.
    is_greeted: bool,
    /// The server whose programs end when nobody waits for them.
    server: Server,
}

impl<R, W> Wire<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new((stream, out): (R, W), server: Server) -> Self {
        Self {
            lines: Lines::new(stream, MESSAGE_BYTES),
            out: Arc::new(Mutex::new(Some(out))),
            pending: Arc::default(),
            read: VecDeque::new(),
            write: None,
            end: None,
            is_greeted: false,
            server,
        }
    }

    fn take(&mut self, said: Incoming) {
        match said {
            Incoming::Nothing => {}
            Incoming::Refused(answer) => self.answer(Some(answer.to_string())),
            Incoming::Message(message) if !self.is_greeted => self.take_early(message),
            Incoming::Message(message) => self.take_message(message),
            Incoming::Batch(_) if !self.pending.has_batches() => self.take(no_batches()),
            Incoming::Batch(parts) if parts.len() > BATCH => self.take(too_many(BATCH)),
            Incoming::Batch(parts) => self.take_batch(parts),
        }
    }

    fn take_message(&mut self, message: Box<ClientJsonRpcMessage>) {
        let completed = self.pending.comes(&message);
        self.read.push_back(*message);
        self.answer(completed);
    }

    /// Handles messages before `initialize`: the library ends the connection for a notification, and
    /// its error for a request is misleading.
    fn take_early(&mut self, message: Box<ClientJsonRpcMessage>) {
        let JsonRpcMessage::Request(asked) = &*message else { return };
        let is_ping = matches!(asked.request, ClientRequest::PingRequest(_));
        let is_greeting = matches!(asked.request, ClientRequest::InitializeRequest(_))
            || asked.request.get_meta().protocol_version().is_some();
        if !is_ping && !is_greeting {
            let id = serde_json::to_value(&asked.id).unwrap_or_default();
            let refusal = too_early(asked.request.method(), id);
            return self.take(refusal);
        }
        self.is_greeted = is_greeting;
        self.take_message(message);
    }

    fn take_batch(&mut self, parts: Vec<Incoming>) {
        let (mut messages, mut answers) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                Incoming::Message(message) => messages.push(*message),
                Incoming::Refused(answer) => answers.push(answer.to_string()),
                Incoming::Nothing | Incoming::Batch(_) => {}
            }
        }
        let completed = self.pending.batch(&messages, answers);
        for message in &messages {
            let completed = self.pending.comes(message);
            self.answer(completed);
        }
        self.read.extend(messages);
        self.answer(completed);
    }

    /// Writes an answer before reading on.
    fn answer(&mut self, answer: Option<String>) {
        let Some(answer) = answer else { return };
        let before = self.write.take();
        let out = Arc::clone(&self.out);
        self.write = Some(Box::pin(async move {
            if let Some(before) = before {
                before.await?;
            }
            put(&out, answer).await
        }));
    }
}

async fn put<W: AsyncWrite + Unpin>(out: &Mutex<Option<W>>, mut message: String) -> io::Result<()> {
    message.push('\n');
    let mut out = out.lock().await;
    let out = out.as_mut().ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?;
    out.write_all(message.as_bytes()).await?;
    out.flush().await
}

impl<R, W> Transport<RoleServer> for Wire<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (out, pending) = (Arc::clone(&self.out), Arc::clone(&self.pending));
        async move {
            let written = match pending.goes(&message)? {
                Some(text) => put(&out, text).await,
                None => Ok(()),
            };
            pending.gone(&message);
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(write) = &mut self.write {
                let written = write.await;
                self.write = None;
                written.ok()?;
            }
            if let Some(message) = self.read.pop_front() {
                return Some(message);
            }
            if let Some(end) = self.end {
                // Requests before the end are answered, unless they take too long.
                if timeout_at(end, self.pending.settled()).await.is_err() {
                    self.server.stop();
                }
                return None;
            }
            match self.lines.next().await.ok()? {
                Line::Whole(line) => self.take(understand(&line)),
                Line::TooLong(beginning) => self.take(too_long(&beginning, MESSAGE_BYTES)),
                Line::End => self.end = Some(Instant::now() + PATIENCE),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write = None;
        if let Ok(mut out) = timeout(FAREWELL, self.out.lock()).await {
            drop(out.take());
        }
        Ok(())
    }
}
