//! The end before the end: cancelled, out of time, given up, or without a journal.

use super::cell::Ended;
use super::driver::Driver;
use super::recover::told;
use contexture_protocol::ErrorCode;
use contexture_protocol::content::{Failure, Status};
use serde_json::json;

const CANCELLED: &str = "the run was cancelled";
const STEP_CANCELLED: &str = "it was cancelled";

/// What is said of a step that was running when a run was broken off.
pub(super) const UNCERTAIN: &str =
    "it was running when the run was broken off, and may have taken effect";

/// Why nothing more is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Someone cancelled.
    Cancelled,
    /// Someone cancelled this step alone.
    StepCancelled,
    /// The time of the set is over.
    SetTimeout,
    /// The time of one side is over: of the front end, or else of the back end.
    SideTimeout(bool),
    /// A step failed whose recovery is ABORT.
    Aborted(u32),
    /// The journal failed.
    Journal,
}

impl Driver {
    /// Stops everything; an abort lets run what runs.
    pub(super) fn stop_all(&mut self, stop: Stop) {
        if self.stop.is_none() || !matches!(stop, Stop::Aborted(_)) {
            self.stop = Some(stop);
        }
        for step in self.in_order() {
            self.stop_step(step, stop);
        }
    }

    /// Whether there is something that a stop from outside has to end. What has ended already is
    /// read before, and kept; what failed is not tried again, nor replaced.
    pub(super) fn is_stopped_by(&mut self, stop: Stop) -> bool {
        let before = self.stop.replace(stop);
        self.read_ends();
        let is_stopped = self.lanes.left() > 0;
        if !is_stopped {
            self.stop = before;
        }
        is_stopped
    }

    /// Stops one step, unless it has ended: what has ended already is read before.
    pub(super) fn stop_one(&mut self, step: u32) {
        self.read_ends();
        self.stop_step(step, Stop::StepCancelled);
    }

    /// All steps, each after what it depends on.
    fn in_order(&self) -> Vec<u32> {
        let mut steps: Vec<u32> = (0..crate::graph::number(self.cells.len())).collect();
        let layers = &self.plan.layers;
        steps.sort_by_key(|step| layers.get(*step as usize).copied().unwrap_or_default());
        steps
    }

    /// The time of one side is over (4.6.2).
    pub(super) fn stop_side(&mut self, is_front: bool) {
        self.read_ends();
        let lane = if is_front { &self.lanes.front } else { &self.lanes.back };
        self.is_side_late |= lane.left > 0;
        for step in 0..crate::graph::number(self.cells.len()) {
            if self.lanes.is_front(step) == is_front {
                self.stop_step(step, Stop::SideTimeout(is_front));
            }
        }
    }

    fn stop_step(&mut self, step: u32, stop: Stop) {
        let is_abort = matches!(stop, Stop::Aborted(_));
        let Some(cell) = self.cells.get_mut(step as usize) else { return };
        match cell.status {
            // It was running when an earlier run was broken off.
            Status::Pending if cell.attempt > 0 => {
                let (code, message) = match stop {
                    Stop::Cancelled => (ErrorCode::Cancelled, CANCELLED),
                    Stop::StepCancelled => (ErrorCode::Cancelled, STEP_CANCELLED),
                    _ => (ErrorCode::OutcomeUncertain, UNCERTAIN),
                };
                let error = Failure::new(code.as_str(), message);
                self.end(step, Status::Failed, Ended::failed(error));
            }
            Status::Pending => {
                let ended = self.not_started(step, stop);
                self.end(step, Status::Skipped, ended);
            }
            // An abort lets tries come to their end; what only waits for another try has ended, and
            // that is known without the journal, too.
            Status::Running
                if is_abort || (stop == Stop::Journal && cell.last_failure.is_some()) =>
            {
                if let Some(failure) = cell.last_failure.take() {
                    self.give_up(step, *failure);
                }
            }
            Status::Running => {
                if let Some(task) = cell.task.take() {
                    task.abort();
                }
                let last = cell.last_failure.take();
                let has_acted = self.starting.remove(&step).is_none();
                let (status, code, message) = match stop {
                    Stop::SetTimeout => {
                        (Status::Timeout, ErrorCode::Timeout, "the time of the set is over")
                    }
                    Stop::SideTimeout(true) => {
                        (Status::Timeout, ErrorCode::Timeout, "the time of the front end is over")
                    }
                    Stop::SideTimeout(false) => {
                        (Status::Timeout, ErrorCode::Timeout, "the time of the back end is over")
                    }
                    Stop::Journal if !has_acted => {
                        (Status::Failed, ErrorCode::Internal, "the journal failed before it began")
                    }
                    Stop::Journal => (
                        Status::Failed,
                        ErrorCode::OutcomeUncertain,
                        "the journal failed while it was running",
                    ),
                    Stop::StepCancelled => (Status::Failed, ErrorCode::Cancelled, STEP_CANCELLED),
                    _ => (Status::Failed, ErrorCode::Cancelled, CANCELLED),
                };
                let mut error = Failure::new(code.as_str(), message);
                error.details = last.map(|failure| json!({ "lastError": told(*failure) }));
                self.end(step, status, Ended::failed(error));
            }
            _ => {}
        }
    }

    fn not_started(&self, step: u32, stop: Stop) -> Ended {
        let skipped = |code: ErrorCode, message: String| Ended::skipped(code.as_str(), message);
        match stop {
            Stop::Cancelled => skipped(ErrorCode::Cancelled, CANCELLED.to_owned()),
            Stop::StepCancelled => skipped(ErrorCode::Cancelled, STEP_CANCELLED.to_owned()),
            Stop::SetTimeout => {
                skipped(ErrorCode::SetTimeout, "the time of the set was over".to_owned())
            }
            Stop::SideTimeout(is_front) => {
                let side = if is_front { "front end" } else { "back end" };
                skipped(ErrorCode::SetTimeout, format!("the time of the {side} was over"))
            }
            Stop::Journal => skipped(ErrorCode::Internal, "the journal failed".to_owned()),
            Stop::Aborted(cause) => {
                // Skipping propagates, here too.
                if let Some(ended) = self.failed_dependency(step) {
                    return ended;
                }
                let id = self.outcomes().id(cause).to_owned();
                let message = format!("`{id}` failed, and nothing more is started after that");
                skipped(ErrorCode::Cancelled, message)
            }
        }
    }
}
