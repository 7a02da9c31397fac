//! The early end: cancelled, timed out, aborted, or without a journal.

use super::cell::{Ended, Phase};
use super::{Change, KnownEnds, Machine, Output, Stop};
use crate::action::ActionFailure;
use contexture_protocol::ErrorCode;
use contexture_protocol::content::{Failure, Status};
use serde_json::json;

const CANCELLED: &str = "the run was cancelled";
/// What is told of a step that a person cancelled.
pub(crate) const STEP_CANCELLED: &str = "it was cancelled";

const UNCERTAIN: &str = "it was running when the run was interrupted, and may have taken effect";

/// Creates the failure of a step that was running when a run was interrupted, and must not simply be
/// run again (FL-11).
#[must_use]
pub fn uncertain() -> ActionFailure {
    ActionFailure::new(ErrorCode::OutcomeUncertain.as_str(), UNCERTAIN)
}

impl Machine {
    /// Does what was asked for since it was last called, and stops a run without a journal.
    pub(super) fn handle_stops(&mut self, ends: &mut KnownEnds<'_>) {
        for step in std::mem::take(&mut self.cancelled) {
            self.read_ends(ends);
            self.stop_step(step, Stop::StepCancelled);
        }
        if self.fault.is_some() && self.stop != Some(Stop::Journal) {
            self.is_stopped_by(Stop::Journal, ends);
            self.stop_all(Stop::Journal);
        }
        if self.is_cancelled
            && self.stop != Some(Stop::Cancelled)
            && self.is_stopped_by(Stop::Cancelled, ends)
        {
            self.record(Change::Cancelled);
            self.stop_all(Stop::Cancelled);
        }
    }

    /// Reads the ends that are known, so that completed work is kept.
    pub(super) fn read_ends(&mut self, ends: &mut KnownEnds<'_>) {
        for end in ends() {
            self.handle(self.now, end);
        }
    }

    /// Stops everything; an abort lets running attempts finish.
    pub(super) fn stop_all(&mut self, stop: Stop) {
        if self.stop.is_none() || !matches!(stop, Stop::Aborted(_)) {
            self.stop = Some(stop);
        }
        for step in self.in_order() {
            self.stop_step(step, stop);
        }
    }

    /// Reports whether a stop from outside has something to end. Ends that are already waiting are
    /// read first, and kept; a failed step is neither retried nor replaced.
    pub(super) fn is_stopped_by(&mut self, stop: Stop, ends: &mut KnownEnds<'_>) -> bool {
        let before = self.stop.replace(stop);
        self.read_ends(ends);
        let is_stopped = self.lanes.left() > 0;
        if !is_stopped {
            self.stop = before;
        }
        is_stopped
    }

    /// Returns all steps, each after its dependencies.
    fn in_order(&self) -> Vec<u32> {
        let mut steps: Vec<u32> = (0..crate::graph::number(self.cells.len())).collect();
        let layers = &self.plan.layers;
        steps.sort_by_key(|step| layers.get(*step as usize).copied().unwrap_or_default());
        steps
    }

    /// Handles the timeout of one side (4.6.2).
    pub(super) fn stop_side(&mut self, is_front: bool, ends: &mut KnownEnds<'_>) {
        self.read_ends(ends);
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
            // It waited for a person, and did nothing.
            Status::Pending
                if cell.is_waiting && matches!(stop, Stop::SetTimeout | Stop::SideTimeout(_)) =>
            {
                let code = ErrorCode::Timeout.as_str();
                let error = Failure::new(code, "the timeout of the set has passed");
                self.end(step, Status::Timeout, Ended::failed(error));
            }
            // It was running when an earlier run was interrupted.
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
            // An abort lets attempts finish; a step that only waits for a retry has ended, which is
            // known without the journal, too.
            Status::Running
                if is_abort || (stop == Stop::Journal && cell.last_failure.is_some()) =>
            {
                if let Some(failure) = cell.last_failure.take() {
                    self.give_up(step, *failure);
                }
            }
            Status::Running => {
                let phase = std::mem::replace(&mut cell.phase, Phase::Idle);
                let last = cell.last_failure.take();
                if phase != Phase::Idle {
                    self.outputs.push(Output::Abort { step });
                }
                let has_acted = phase != Phase::Starting;
                let (status, code, message) = match stop {
                    Stop::SetTimeout => {
                        (Status::Timeout, ErrorCode::Timeout, "the timeout of the set has passed")
                    }
                    Stop::SideTimeout(true) => (
                        Status::Timeout,
                        ErrorCode::Timeout,
                        "the timeout of the front end has passed",
                    ),
                    Stop::SideTimeout(false) => (
                        Status::Timeout,
                        ErrorCode::Timeout,
                        "the timeout of the back end has passed",
                    ),
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
                skipped(ErrorCode::SetTimeout, "the timeout of the set has passed".to_owned())
            }
            Stop::SideTimeout(is_front) => {
                let side = if is_front { "front end" } else { "back end" };
                skipped(ErrorCode::SetTimeout, format!("the timeout of the {side} has passed"))
            }
            Stop::Journal => skipped(ErrorCode::Internal, "the journal failed".to_owned()),
            Stop::Aborted(cause) => {
                // Skipping propagates, here too.
                if let Some(ended) = self.failed_dependency(step) {
                    return ended;
                }
                let id = self.outcomes().id(cause).to_owned();
                let message = format!("`{id}` failed, and nothing is started after that");
                skipped(ErrorCode::Cancelled, message)
            }
        }
    }
}

/// Returns a failure as part of an outcome.
pub(super) fn told(failure: ActionFailure) -> Failure {
    let mut error = Failure::new(failure.code, failure.message);
    error.details = failure.details;
    error
}
