//! The messages that wait, and the requests that their client has withdrawn.

use lsp_server::{Connection, ErrorCode, Message, RequestId, Response};
use serde_json::Value;
use std::collections::VecDeque;

pub(crate) struct Queue<'c> {
    connection: &'c Connection,
    waiting: VecDeque<Message>,
}

impl<'c> Queue<'c> {
    pub(crate) const fn new(connection: &'c Connection) -> Self {
        Self { connection, waiting: VecDeque::new() }
    }

    /// Returns the next message, waiting for one; `None` when the client is gone.
    pub(crate) fn next(&mut self) -> Option<Message> {
        self.take_in();
        match self.waiting.pop_front() {
            Some(message) => Some(message),
            None => self.connection.receiver.recv().ok(),
        }
    }

    /// Reports whether nothing waits.
    pub(crate) fn is_empty(&mut self) -> bool {
        self.take_in();
        self.waiting.is_empty()
    }

    /// Reads what has arrived, and answers the requests that are withdrawn.
    fn take_in(&mut self) {
        while let Ok(message) = self.connection.receiver.try_recv() {
            match withdrawn(&message) {
                Some(id) => self.withdraw(&id),
                None => self.waiting.push_back(message),
            }
        }
    }

    fn withdraw(&mut self, id: &RequestId) {
        let is_meant =
            |message: &Message| matches!(message, Message::Request(request) if request.id == *id);
        let Some(at) = self.waiting.iter().position(is_meant) else { return };
        self.waiting.remove(at);
        let code = ErrorCode::RequestCanceled as i32;
        let response = Response::new_err(id.clone(), code, "the request was cancelled".to_owned());
        // A client that is gone needs no answer.
        let _ = self.connection.sender.send(response.into());
    }
}

fn withdrawn(message: &Message) -> Option<RequestId> {
    let Message::Notification(told) = message else { return None };
    if told.method != "$/cancelRequest" {
        return None;
    }
    match told.params.get("id")? {
        Value::String(id) => Some(id.clone().into()),
        id => i32::try_from(id.as_i64()?).ok().map(Into::into),
    }
}
