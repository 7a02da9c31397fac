//! The lanes of a run: one, or one for each side (4.6.2). In each, the first listed step whose
//! dependencies have ended is next.

use crate::check::Plan;
use crate::set::Mode;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

#[derive(Debug, Default)]
pub(crate) struct Lane {
    pub(crate) ready: BinaryHeap<Reverse<u32>>,
    pub(crate) running: usize,
    pub(crate) most: usize,
    /// The number of steps that have not ended.
    pub(crate) left: usize,
    pub(crate) timeout: Option<Duration>,
    /// Its deadline, set when it opens.
    pub(crate) deadline: Option<Duration>,
    pub(crate) is_open: bool,
}

/// The lanes, and the lane of each step.
#[derive(Debug)]
pub(crate) struct Lanes {
    pub(crate) front: Lane,
    pub(crate) back: Lane,
    mode: Mode,
    has_front: Vec<bool>,
}

impl Lanes {
    pub(crate) fn of(plan: &Plan, concurrency: usize) -> Self {
        let mode = plan.mode();
        let one = if mode == Mode::Parallel { concurrency.max(1) } else { 1 };
        let lane = |timeout| Lane { most: one, timeout, ..Lane::default() };
        let set = plan.set();
        let has_sides =
            mode.has_sides() || set.frontend_timeout.is_some() || set.backend_timeout.is_some();
        let numbers = 0..crate::graph::number(plan.len());
        let has_front: Vec<bool> =
            if has_sides { numbers.map(|n| plan.is_frontend(n)).collect() } else { Vec::new() };
        let mut lanes = Self {
            front: lane(set.frontend_timeout),
            back: lane(set.backend_timeout),
            mode,
            has_front,
        };
        lanes.front.left = lanes.has_front.iter().filter(|is_front| **is_front).count();
        lanes.back.left = plan.len() - lanes.front.left;
        lanes
    }

    pub(crate) fn is_front(&self, step: u32) -> bool {
        self.has_front.get(step as usize).copied().unwrap_or_default()
    }

    pub(crate) fn lane(&mut self, step: u32) -> &mut Lane {
        if self.is_front(step) { &mut self.front } else { &mut self.back }
    }

    pub(crate) fn push(&mut self, step: u32) {
        self.lane(step).ready.push(Reverse(step));
    }

    /// Opens the lanes that may run now; returns true if the time of a side has begun.
    pub(crate) fn open(&mut self, now: Duration) -> bool {
        let (front, back) = match self.mode {
            Mode::FrontendFirst => (true, self.front.left == 0),
            Mode::BackendFirst => (self.back.left == 0, true),
            _ => (true, true),
        };
        let mut has_begun = false;
        for (lane, may) in [(&mut self.front, front), (&mut self.back, back)] {
            if may && !lane.is_open {
                lane.is_open = true;
                lane.deadline = lane.timeout.and_then(|timeout| now.checked_add(timeout));
                has_begun |= lane.deadline.is_some();
            }
        }
        has_begun
    }

    /// Returns the next step that may start.
    pub(crate) fn pop(&mut self) -> Option<u32> {
        let all = self.running();
        if self.mode == Mode::Sequential && all > 0 {
            return None;
        }
        let may = |lane: &Lane, all: usize| {
            let most = lane.most;
            lane.is_open && lane.running < most && (all < most || self.mode.has_sides())
        };
        let head = |lane: &Lane| lane.ready.peek().filter(|_| may(lane, all)).map(|next| next.0);
        let is_front = match (head(&self.front), head(&self.back)) {
            (Some(front), Some(back)) => front < back,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => return None,
        };
        let lane = if is_front { &mut self.front } else { &mut self.back };
        lane.ready.pop().map(|next| next.0)
    }

    /// Returns the number of running steps.
    pub(crate) fn running(&self) -> usize {
        self.front.running + self.back.running
    }

    pub(crate) fn left(&self) -> usize {
        self.front.left + self.back.left
    }
}
