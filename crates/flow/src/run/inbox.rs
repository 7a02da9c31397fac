//! What the thinking task hears from the others.

use super::control::Wish;
use crate::action::ActionFailure;
use crate::journal::JournalError;
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// What one of the others says.
#[derive(Debug)]
pub(crate) enum Mail {
    /// An event is durable, or lost; `step` has its number and its try.
    Kept { step: Option<(u32, u32)>, is_start: bool, result: Result<(), JournalError> },
    /// A try has ended; a result with its size in bytes.
    Done {
        step: u32,
        attempt: u32,
        result: Result<(Value, usize), Box<ActionFailure>>,
        /// Whether it was done at once, if it had a task of its own.
        was_prompt: Option<bool>,
    },
    /// Someone outside wants something.
    Wish(Wish),
    /// Someone outside wants a step no more.
    Unwanted { step: u32 },
}

/// Letters that wait, and the bell that tells of the first.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    mail: Mutex<Vec<Mail>>,
    bell: Notify,
}

impl Inbox {
    pub(crate) fn put(&self, mail: Mail) {
        let mut waiting = self.mail.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = waiting.is_empty();
        waiting.push(mail);
        drop(waiting);
        if is_first {
            self.bell.notify_one();
        }
    }

    pub(crate) fn kept(
        &self,
        step: Option<(u32, u32)>,
        is_start: bool,
        result: Result<(), JournalError>,
    ) {
        self.put(Mail::Kept { step, is_start, result });
    }

    pub(crate) fn wish(&self, wish: Wish) {
        self.put(Mail::Wish(wish));
    }

    /// Swaps what waits with an empty list, whose room is used again.
    pub(crate) fn take(&self, into: &mut Vec<Mail>) {
        let mut waiting = self.mail.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut *waiting, into);
    }

    /// Takes the ends of tries alone; all else waits on, in its order.
    pub(crate) fn take_ends(&self) -> Vec<Mail> {
        let mut waiting = self.mail.lock().unwrap_or_else(PoisonError::into_inner);
        let is_end = |letter: &Mail| matches!(letter, Mail::Done { .. });
        let (ends, others) = std::mem::take(&mut *waiting).into_iter().partition(is_end);
        *waiting = others;
        ends
    }

    /// Waits until something is there, or may be.
    pub(crate) async fn wait(&self) {
        self.bell.notified().await;
    }
}
