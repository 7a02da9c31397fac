//! The timers of a run.

use super::{KnownEnds, Machine, Stop};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

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
    heap: BinaryHeap<Reverse<(Duration, u32, u32, Due)>>,
}

impl Timers {
    pub(crate) fn note(&mut self, at: Duration, step: u32, attempt: u32, due: Due) {
        self.heap.push(Reverse((at, step, attempt, due)));
    }

    pub(crate) fn next(&self) -> Option<Duration> {
        self.heap.peek().map(|first| first.0.0)
    }

    pub(crate) fn pop(&mut self, now: Duration) -> Option<(u32, u32, Due)> {
        if self.next()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse((_, step, attempt, due))| (step, attempt, due))
    }
}

impl Machine {
    /// Handles all times that have passed.
    pub(super) fn check_deadlines(&mut self, ends: &mut KnownEnds<'_>) {
        let now = self.now;
        if self.lanes.left() == 0 {
            return;
        }
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.deadline = None;
            if self.is_stopped_by(Stop::SetTimeout, ends) {
                self.stop_all(Stop::SetTimeout);
            }
        }
        for is_front in [true, false] {
            let lane = if is_front { &mut self.lanes.front } else { &mut self.lanes.back };
            if lane.deadline.is_some_and(|deadline| deadline <= now) {
                lane.deadline = None;
                self.stop_side(is_front, ends);
            }
        }
        if self.timers.next().is_some_and(|next| next <= now) {
            self.read_ends(ends);
        }
        while let Some((step, attempt, due)) = self.timers.pop(now) {
            self.due(step, attempt, due);
        }
    }
}
