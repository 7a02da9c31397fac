//! The driver's inbox.

use crate::action::ActionFailure;
use crate::journal::{JournalError, Listener, Ticket};
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ControlRequest {
    Pause,
    Resume,
    Cancel,
}

#[derive(Debug)]
pub(crate) enum DriverMessage {
    /// An event is durable, or lost; `step` is its number and its attempt.
    Kept { step: Option<(u32, u32)>, is_start: bool, result: Result<(), JournalError> },
    /// An attempt has ended; a result with its size in bytes.
    Done {
        step: u32,
        attempt: u32,
        result: Result<(Value, usize), Box<ActionFailure>>,
        /// True if it completed at once; `None` without a task of its own.
        was_prompt: Option<bool>,
    },
    /// A request from outside.
    ControlRequest(ControlRequest),
    /// A step was cancelled from outside.
    CancelStep { step: u32 },
}

/// The waiting messages, and the notification of the first.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    messages: Mutex<Vec<DriverMessage>>,
    bell: Notify,
}

impl Inbox {
    pub(crate) fn put(&self, messages: DriverMessage) {
        let mut waiting = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = waiting.is_empty();
        waiting.push(messages);
        drop(waiting);
        if is_first {
            self.bell.notify_one();
        }
    }

    pub(crate) fn request(&self, request: ControlRequest) {
        self.put(DriverMessage::ControlRequest(request));
    }

    /// Swaps the waiting messages with an empty list, whose allocation is reused.
    pub(crate) fn take(&self, into: &mut Vec<DriverMessage>) {
        let mut waiting = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut *waiting, into);
    }

    /// Takes the ends of attempts only; everything else keeps its place.
    pub(crate) fn take_ends(&self) -> Vec<DriverMessage> {
        let mut waiting = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        let is_end = |letter: &DriverMessage| matches!(letter, DriverMessage::Done { .. });
        let (ends, others) = std::mem::take(&mut *waiting).into_iter().partition(is_end);
        *waiting = others;
        ends
    }

    /// Waits until there is a message, or may be.
    pub(crate) async fn wait(&self) {
        self.bell.notified().await;
    }
}

impl Listener for Inbox {
    fn kept(&self, ticket: Ticket, result: Result<(), JournalError>) {
        let Ticket { step, is_start, .. } = ticket;
        self.put(DriverMessage::Kept { step, is_start, result });
    }
}
