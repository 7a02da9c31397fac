use super::Inbox;
use super::inbox::Mail;
use std::sync::Arc;

/// A wish of someone outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    Pause,
    Resume,
    Cancel,
}

/// Steers a run from outside (FL-12). After its end nothing has an effect any more.
#[derive(Debug, Clone)]
pub struct Control {
    inbox: Arc<Inbox>,
}

impl Control {
    pub(crate) fn new(inbox: &Arc<Inbox>) -> Self {
        Self { inbox: inbox.clone() }
    }

    /// Starts nothing new. What runs goes on, and so does the time of the set.
    pub fn pause(&self) {
        self.inbox.wish(Wish::Pause);
    }

    /// Goes on after a pause.
    pub fn resume(&self) {
        self.inbox.wish(Wish::Resume);
    }

    /// Cancels: what runs is FAILED with CANCELLED, what has not started SKIPPED with CANCELLED
    /// (FL-11).
    pub fn cancel(&self) {
        self.inbox.wish(Wish::Cancel);
    }

    /// Cancels one step, named by its place in the set, from 0: if it runs it is FAILED with
    /// CANCELLED, whatever its recovery, and if it has not started SKIPPED with CANCELLED. What
    /// depends on it is treated as after any failure; all else goes on.
    pub fn cancel_step(&self, step: u32) {
        self.inbox.put(Mail::Unwanted { step });
    }
}
