//! After an attempt: its end, and the recovery from a failure (CP-18, CP-14).

use super::cell::{Ended, Phase};
use super::start::{failure, too_late};
use super::stop::told;
use super::timers::Due;
use super::{Machine, Output, Stop};
use crate::action::ActionFailure;
use contexture_protocol::ErrorCode;
use contexture_protocol::content::{
    Fallback, FallbackBehavior, Recovery, RecoveryStrategy, Status,
};
use serde_json::Value;
use std::time::Duration;

/// The total number of attempts if `RETRY` does not specify it.
const ATTEMPTS: u64 = 3;

/// The longest wait between two attempts: a year.
const LONGEST_WAIT: Duration = Duration::from_secs(365 * 24 * 60 * 60);

impl Machine {
    /// Handles the end of an attempt.
    pub(super) fn tried(
        &mut self,
        step: u32,
        attempt: u32,
        result: Result<(Value, usize), Box<ActionFailure>>,
    ) {
        let is_meant = self
            .cells
            .get(step as usize)
            .is_some_and(|cell| cell.status == Status::Running && cell.attempt == attempt);
        if !is_meant {
            return;
        }
        if let Some(cell) = self.cells.get_mut(step as usize) {
            cell.phase = Phase::Idle;
            cell.has_unkept_end = true;
        }
        match result {
            Ok((value, bytes)) => {
                let most = self.settings.limits.results_bytes;
                let all = self.bytes.saturating_add(bytes);
                if all > most {
                    let message = format!("all results together are larger than {most} bytes");
                    self.failed(step, failure(ErrorCode::TooLarge, message), false);
                } else {
                    self.bytes = all;
                    self.end(step, Status::Completed, Ended::completed(value));
                }
            }
            Err(failure) => self.failed(step, *failure, true),
        }
    }

    /// Handles a timer that has expired.
    pub(super) fn due(&mut self, step: u32, attempt: u32, due: Due) {
        let Some(cell) = self.cells.get_mut(step as usize) else { return };
        if cell.status != Status::Running || cell.attempt != attempt {
            return;
        }
        match due {
            Due::Late => {
                // A failed attempt waits for the next one.
                if cell.phase != Phase::Acting {
                    return;
                }
                cell.phase = Phase::Idle;
                cell.has_unkept_end = true;
                self.outputs.push(Output::Abort { step });
                let time = self.plan.step(step).and_then(|step| step.timeout);
                self.failed(step, too_late(time.unwrap_or_default()), true);
            }
            Due::Again => {
                if self.stop.is_some() {
                    return;
                }
                if self.is_paused {
                    self.held.push((step, attempt));
                    return;
                }
                let plan = self.plan.clone();
                let Some(planned) = plan.step(step) else { return };
                self.attempt(step, planned.action.clone(), planned.parameters.clone());
            }
        }
    }

    /// Handles the failure of an attempt, or of its preparation.
    pub(super) fn failed(&mut self, step: u32, failure: ActionFailure, may_retry: bool) {
        let plan = self.plan.clone();
        let Some(planned) = plan.step(step) else { return };
        let recovery = planned.recovery.as_deref();
        let strategy = recovery.map(|recovery| recovery.strategy).unwrap_or_default();
        let is_replaced = self.cells.get(step as usize).is_some_and(|cell| cell.is_replaced);
        let is_stopped = self.stop.is_some();
        if is_stopped {
            self.give_up(step, failure);
            return;
        }
        match (strategy, recovery) {
            (RecoveryStrategy::Retry, Some(recovery)) if may_retry && !is_replaced => {
                if let Some(failure) = self.try_again(step, recovery, failure) {
                    self.fall_back(step, failure);
                }
            }
            (RecoveryStrategy::Degrade, Some(recovery)) if !is_replaced => {
                match &recovery.alternative {
                    Some(alternative) => self.replace(step, alternative),
                    None => self.give_up(step, failure),
                }
            }
            (RecoveryStrategy::Partial, _) => match partial(&failure) {
                Some(result) => self.end(step, Status::Completed, Ended::completed(result)),
                None => self.give_up(step, failure),
            },
            (RecoveryStrategy::Abort, _) => {
                self.give_up(step, failure);
                self.stop_all(Stop::Aborted(step));
            }
            _ if is_replaced => self.give_up(step, failure),
            _ => self.fall_back(step, failure),
        }
    }

    /// Schedules the next attempt; returns the failure if that was the last one.
    fn try_again(
        &mut self,
        step: u32,
        recovery: &Recovery,
        failure: ActionFailure,
    ) -> Option<ActionFailure> {
        let Some(cell) = self.cells.get_mut(step as usize) else { return Some(failure) };
        let attempt = cell.attempt.max(1);
        let most = recovery.attempts.as_ref().map_or(ATTEMPTS, |attempts| attempts.get());
        if u64::from(attempt) >= most {
            return Some(failure);
        }
        let delay = recovery.delay.as_ref().map(|delay| delay.duration()).unwrap_or_default();
        let factor = recovery.backoff.as_ref().map_or(1.0, |backoff| backoff.get());
        let power = i32::try_from(attempt - 1).unwrap_or(i32::MAX);
        let wait = match delay.as_secs_f64() * factor.powi(power) {
            _ if delay.is_zero() => Duration::ZERO,
            seconds => Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST_WAIT),
        };
        let wait = wait.min(LONGEST_WAIT);
        cell.last_failure = Some(Box::new(failure));
        self.timers.note(self.now.saturating_add(wait), step, cell.attempt, Due::Again);
        None
    }

    /// Applies the fallback of a front-end tool that can't be run (CP-14).
    fn fall_back(&mut self, step: u32, failure: ActionFailure) {
        let plan = self.plan.clone();
        let says = plan.step(step).and_then(|step| step.frontend.as_deref());
        let alternative = says.and_then(|says| says.alternative.as_ref());
        match (self.fallback(step, &failure.code), alternative) {
            (Some(FallbackBehavior::UseAlternative), Some(alternative)) => {
                self.replace(step, alternative);
            }
            (Some(FallbackBehavior::Abort), _) => {
                self.give_up(step, failure);
                self.stop_all(Stop::Aborted(step));
            }
            _ => self.give_up(step, failure),
        }
    }

    /// Returns the fallback of a step for this failure; `None` if its recovery decides.
    fn fallback(&self, step: u32, code: &str) -> Option<FallbackBehavior> {
        let is_unrunnable = matches!(
            ErrorCode::parse(code)?,
            ErrorCode::PermissionDenied
                | ErrorCode::ClientUnavailable
                | ErrorCode::Timeout
                | ErrorCode::UnknownAction
        );
        let planned = self.plan.step(step)?;
        let fallback = planned.frontend.as_deref().and_then(|says| says.fallback);
        // Its own recovery decides, unless there is an explicit fallback.
        let is_silent = fallback.is_none() && planned.recovery.is_some();
        // A tool of a service may have one, too.
        let may_have = self.plan.is_frontend(step) || fallback.is_some();
        let is_meant = is_unrunnable && may_have && !is_silent;
        is_meant.then(|| fallback.unwrap_or_default())
    }

    pub(super) fn falls_back_to_abort(&self, step: u32, code: &str) -> bool {
        self.fallback(step, code) == Some(FallbackBehavior::Abort)
    }

    /// Resumes with the alternative that ran when an earlier run was interrupted.
    pub(super) fn go_on_replaced(&mut self, step: u32) {
        match self.alternative(step).cloned() {
            Some(alternative) => self.replace(step, &alternative),
            None => {
                self.give_up(step, failure(ErrorCode::Internal, "it has no replacement".to_owned()))
            }
        }
    }

    fn replace(&mut self, step: u32, alternative: &Fallback) {
        let plan = self.plan.clone();
        let Some(planned) = plan.step(step) else { return };
        if let Some(cell) = self.cells.get_mut(step as usize) {
            cell.is_replaced = true;
        }
        let parameters =
            alternative.parameters.clone().unwrap_or_else(|| planned.parameters.clone());
        self.attempt(step, alternative.target().to_owned(), parameters);
    }

    pub(super) fn give_up(&mut self, step: u32, failure: ActionFailure) {
        let status = if failure.is_late { Status::Timeout } else { Status::Failed };
        self.end(step, status, Ended::failed(told(failure)));
    }
}

fn partial(failure: &ActionFailure) -> Option<Value> {
    let within = || failure.details.as_ref()?.get("partial").cloned();
    failure.partial.clone().or_else(within)
}
