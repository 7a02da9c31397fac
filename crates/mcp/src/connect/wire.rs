//! Messages on the pipes of a server's process.
//!
//! Decision: the library's own transport skips what it can't read, so that a call waits in vain
//! until its time is over. Here such an answer ends its call at once; one that belongs to no known
//! call ends the connection. What does not look like a message at all, such as a line of a log, is
//! skipped.

use crate::wire::{Line, Lines, MESSAGE_BYTES, id_in};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, OnceLock};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;

/// The code in place of an answer that can't be read; no server has it.
pub(super) const UNREADABLE: ErrorCode = ErrorCode(i32::MIN);

/// The reason why a connection was ended from this side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Broken {
    /// A message is longer than it may be.
    TooLarge,
    /// An answer can't be read.
    Unreadable(String),
}

/// The reason why a connection was ended from this side, when it was.
pub(super) type Cause = Arc<OnceLock<Broken>>;

/// Messages on a pair of pipes.
pub(super) struct Wire<R, W> {
    lines: Lines<R>,
    out: Arc<Mutex<Option<W>>>,
    read: VecDeque<ServerJsonRpcMessage>,
    cause: Cause,
}

impl<R: AsyncRead + Unpin, W> Wire<R, W> {
    pub(super) fn new(stream: R, out: W, cause: Cause) -> Self {
        let lines = Lines::new(stream, MESSAGE_BYTES);
        Self { lines, out: Arc::new(Mutex::new(Some(out))), read: VecDeque::new(), cause }
    }

    fn end(&self, why: Broken) {
        // The first reason is the reason.
        let _ = self.cause.set(why);
    }

    /// Takes the messages of a line; false when the connection is at its end.
    fn take(&mut self, line: &[u8]) -> bool {
        let line = line.trim_ascii();
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if !matches!(line.first(), Some(b'{' | b'[')) {
            return true;
        }
        if let Ok(message) = serde_json::from_slice(line) {
            self.read.push_back(message);
            return true;
        }
        match serde_json::from_slice(line) {
            Ok(Value::Array(messages)) => {
                self.read.extend(messages.into_iter().filter_map(message_of));
            }
            Ok(value) => self.read.extend(message_of(value)),
            Err(_) if !is_message(line) => {}
            Err(error) => {
                let reason = format!("what is not JSON: {error}");
                let Some(id) = request_id(&id_in(line)) else {
                    self.end(Broken::Unreadable(reason));
                    return false;
                };
                self.read.push_back(unreadable(reason, id));
            }
        }
        true
    }
}

/// Returns a message, or an error in place of a malformed answer.
fn message_of(value: Value) -> Option<ServerJsonRpcMessage> {
    let is_answer = value.get("jsonrpc").is_some() && value.get("method").is_none();
    let id = value.get("id").and_then(request_id).filter(|_| is_answer);
    match serde_json::from_value(value) {
        Ok(message) => Some(message),
        Err(_) => Some(unreadable("neither a result nor an error".to_owned(), id?)),
    }
}

fn unreadable(reason: String, id: RequestId) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(ErrorData::new(UNREADABLE, reason, None), Some(id))
}

fn request_id(id: &Value) -> Option<RequestId> {
    serde_json::from_value(id.clone()).ok()
}

/// Reports whether a line that can't be read is meant as a message.
fn is_message(line: &[u8]) -> bool {
    const SIGN: &[u8] = b"\"jsonrpc\"";
    line.windows(SIGN.len()).any(|part| part == SIGN)
}

impl<R, W> Transport<RoleClient> for Wire<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let out = Arc::clone(&self.out);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut out = out.lock().await;
            let out = out.as_mut().ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?;
            out.write_all(&line).await?;
            out.flush().await
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.read.pop_front() {
                return Some(message);
            }
            if self.cause.get().is_some() {
                return None;
            }
            match self.lines.next().await.ok()? {
                Line::Whole(line) => {
                    if !self.take(&line) {
                        return None;
                    }
                }
                Line::TooLong(_) => {
                    self.end(Broken::TooLarge);
                    return None;
                }
                Line::End => return None,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.out.lock().await.take());
        Ok(())
    }
}
