//! The driver's inbox.

use crate::journal::{JournalError, Listener, Ticket};
use crate::machine::Input;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// A message to the driver.
#[derive(Debug)]
pub(crate) struct Letter {
    pub(crate) input: Input,
    /// Of the end of an attempt: true if it completed at once; `None` without a task of its own.
    pub(crate) was_prompt: Option<bool>,
}

/// The waiting messages, and the notification of the first.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    letters: Mutex<Vec<Letter>>,
    bell: Notify,
    /// True if the run is to be left when it only waits.
    is_to_suspend: AtomicBool,
}

impl Inbox {
    pub(crate) fn put(&self, input: Input) {
        self.put_letter(Letter { input, was_prompt: None });
    }

    pub(crate) fn put_letter(&self, letter: Letter) {
        let mut waiting = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = waiting.is_empty();
        waiting.push(letter);
        drop(waiting);
        if is_first {
            self.bell.notify_one();
        }
    }

    /// Asks to leave the run if it only waits.
    pub(crate) fn suspend(&self) {
        self.is_to_suspend.store(true, Ordering::SeqCst);
        self.bell.notify_one();
    }

    /// Takes the request to leave the run.
    pub(crate) fn take_suspension(&self) -> bool {
        self.is_to_suspend.swap(false, Ordering::SeqCst)
    }

    /// Swaps the waiting messages with an empty list, whose allocation is reused.
    pub(crate) fn take(&self, into: &mut Vec<Letter>) {
        let mut waiting = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut *waiting, into);
    }

    /// Takes the ends of attempts only; everything else keeps its place.
    pub(crate) fn take_ends(&self) -> Vec<Input> {
        let mut waiting = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
        let is_end = |letter: &Letter| matches!(letter.input, Input::Done { .. });
        let (ends, others) = std::mem::take(&mut *waiting).into_iter().partition(is_end);
        *waiting = others;
        let ends: Vec<Letter> = ends;
        ends.into_iter().map(|letter| letter.input).collect()
    }

    /// Waits until there is a message, or may be.
    pub(crate) async fn wait(&self) {
        self.bell.notified().await;
    }
}

impl Listener for Inbox {
    fn kept(&self, ticket: Ticket, result: Result<(), JournalError>) {
        self.put(Input::Kept { ticket, result });
    }
}
