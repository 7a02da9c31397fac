//! The end before the end: cancelled, out of time, given up, or without a journal.

use super::cell::Ended;
use super::driver::Driver;
use contexture_protocol::ErrorCode;
use contexture_protocol::content::{Failure, Status};

const CANCELLED: &str = "the run was cancelled";

/// What is said of a step that was running when a run was broken off.
pub(super) const UNCERTAIN: &str =
    "it was running when the run was broken off, and may have taken effect";

/// Why nothing more is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Someone cancelled.
    Cancelled,
    /// The time of the set is over.
    SetTimeout,
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
        for step in 0..crate::graph::number(self.cells.len()) {
            self.stop_step(step, stop);
        }
    }

    /// The time of one side is over (4.6.2).
    pub(super) fn stop_side(&mut self, is_front: bool) {
        let lane = if is_front { &self.lanes.front } else { &self.lanes.back };
        self.is_side_late |= lane.left > 0;
        for step in 0..crate::graph::number(self.cells.len()) {
            if self.lanes.is_front(step) == is_front {
                self.stop_step(step, Stop::SetTimeout);
            }
        }
    }

    fn stop_step(&mut self, step: u32, stop: Stop) {
        let Some(cell) = self.cells.get_mut(step as usize) else { return };
        match cell.status {
            // It was running when an earlier run was broken off.
            Status::Pending if cell.attempt > 0 => {
                let (code, message) = match stop {
                    Stop::Cancelled => (ErrorCode::Cancelled, CANCELLED),
                    _ => (ErrorCode::OutcomeUncertain, UNCERTAIN),
                };
                let error = Failure::new(code.as_str(), message);
                self.end(step, Status::Failed, Ended::failed(error));
            }
            Status::Pending => {
                let ended = self.not_started(step, stop);
                self.end(step, Status::Skipped, ended);
            }
            // An abort lets tries come to their end; what only waits for another try has ended.
            Status::Running if matches!(stop, Stop::Aborted(_)) => {
                let waits = cell.task.is_none() && !self.starting.contains_key(&step);
                if waits {
                    let message = "it failed and was to be tried again".to_owned();
                    let error = Failure::new(ErrorCode::Cancelled.as_str(), message);
                    self.end(step, Status::Failed, Ended::failed(error));
                }
            }
            Status::Running => {
                if let Some(task) = cell.task.take() {
                    task.abort();
                }
                let has_acted = self.starting.remove(&step).is_none();
                let (status, code, message) = match stop {
                    Stop::SetTimeout => {
                        (Status::Timeout, ErrorCode::Timeout, "the time of the set is over")
                    }
                    Stop::Journal if !has_acted => {
                        (Status::Failed, ErrorCode::Internal, "the journal failed before it began")
                    }
                    Stop::Journal => (
                        Status::Failed,
                        ErrorCode::OutcomeUncertain,
                        "the journal failed while it was running",
                    ),
                    _ => (Status::Failed, ErrorCode::Cancelled, CANCELLED),
                };
                let error = Failure::new(code.as_str(), message);
                self.end(step, status, Ended::failed(error));
            }
            _ => {}
        }
    }

    fn not_started(&self, step: u32, stop: Stop) -> Ended {
        let skipped = |code: ErrorCode, message: String| Ended::skipped(code.as_str(), message);
        match stop {
            Stop::Cancelled => skipped(ErrorCode::Cancelled, CANCELLED.to_owned()),
            Stop::SetTimeout => {
                skipped(ErrorCode::SetTimeout, "the time of the set was over".to_owned())
            }
            Stop::Journal => skipped(ErrorCode::Internal, "the journal failed".to_owned()),
            Stop::Aborted(cause) => {
                let id = self.outcomes().id(cause).to_owned();
                if self.plan.dependencies.of(step).contains(&cause) {
                    return skipped(ErrorCode::DependencyFailed, format!("`{id}` failed"));
                }
                let message = format!("`{id}` failed, and nothing more is started after that");
                skipped(ErrorCode::Cancelled, message)
            }
        }
    }
}
