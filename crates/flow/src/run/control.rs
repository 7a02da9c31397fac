use super::Inbox;
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
}
