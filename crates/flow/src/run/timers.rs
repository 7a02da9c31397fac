//! The timers of a run.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tokio::time::Instant;

/// The event of a timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Due {
    /// An attempt has taken too long.
    Late,
    /// A step is retried.
    Again,
}

/// The timers. An outdated one is ignored when it expires.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<(Instant, u32, u32, Due)>>,
}

impl Timers {
    pub(crate) fn note(&mut self, at: Instant, step: u32, attempt: u32, due: Due) {
        self.heap.push(Reverse((at, step, attempt, due)));
    }

    pub(crate) fn next(&self) -> Option<Instant> {
        self.heap.peek().map(|first| first.0.0)
    }

    pub(crate) fn pop(&mut self, now: Instant) -> Option<(u32, u32, Due)> {
        if self.next()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse((_, step, attempt, due))| (step, attempt, due))
    }
}
