//! Resuming an interrupted run of the same set (FL-11).

use super::cell::Ended;
use super::{Machine, Stop};
use crate::check::Plan;
use crate::journal::{LastTry, Past, Verdict};
use crate::measure::{Size, measure};
use contexture_protocol::ErrorCode;
use contexture_protocol::content::{Fallback, Outcome, RecoveryStrategy, Status};
use serde_json::{Map, Value};

impl Plan {
    /// Reports whether an action may be called again with these parameters though it may have taken
    /// effect (FL-11).
    #[must_use]
    pub fn may_repeat(&self, action: &str, parameters: Option<&Map<String, Value>>) -> bool {
        let info = self.action_named(action).and_then(|action| action.info.as_ref());
        let has_key =
            parameters.is_some_and(|map| map.get("idempotencyKey").is_some_and(Value::is_string));
        has_key || info.is_some_and(|info| info.idempotent || info.keyed)
    }
}

impl Machine {
    /// Takes over the state of an earlier run, and finds the ready steps.
    pub(super) fn go_on(&mut self) {
        let past = self.settings.past.take().unwrap_or_default();
        let plan = self.plan.clone();
        let mut aborts = None;
        for (number, step) in (0..).zip(&plan.set().steps) {
            if let Some(outcome) = past.ended.get(&step.id).filter(|o| o.status.is_final()) {
                self.take_over(number, outcome);
                if self.is_aborting(number, outcome) {
                    aborts = Some(number);
                }
            } else if let Some(last) = past.running.get(&step.id) {
                let verdict = past.settled.get(&step.id);
                self.was_running(number, last, past.waiting.contains(&step.id), verdict);
            }
        }
        self.order.extend(past.order.iter().filter_map(|id| plan.numbers.get(id.as_str())));
        self.find_ready();
        self.stop_again(&past, aborts);
    }

    fn take_over(&mut self, step: u32, outcome: &Outcome) {
        let size = outcome.result.as_ref().map(|value| measure(value, usize::MAX, usize::MAX));
        if let Some(Size::Within(bytes)) = size {
            self.bytes = self.bytes.saturating_add(bytes);
        }
        let Some(cell) = self.cells.get_mut(step as usize) else { return };
        cell.status = outcome.status;
        cell.ended = Some(Box::new(Ended::of(outcome.clone())));
        self.done += 1;
        self.lanes.lane(step).left -= 1;
    }

    /// Reports whether nothing more was started after a step ended like this.
    fn is_aborting(&self, step: u32, outcome: &Outcome) -> bool {
        let is_bad = matches!(outcome.status, Status::Failed | Status::Timeout);
        let code = outcome.error.as_ref().map_or("", |error| error.code.as_str());
        let strategy = self.plan.step(step).and_then(|step| step.recovery.as_deref());
        let is_abort = strategy.is_some_and(|found| found.strategy == RecoveryStrategy::Abort);
        // A step that an abort has ended does not cause another.
        is_bad
            && code != ErrorCode::Cancelled.as_str()
            && (is_abort || self.falls_back_to_abort(step, code))
    }

    /// Decides how a step goes on that was running. A call of a client is a promise: it is asked
    /// again as the same, like an attempt that waits for a person (WA-1).
    fn was_running(
        &mut self,
        step: u32,
        last: &LastTry,
        is_waiting: bool,
        verdict: Option<&Verdict>,
    ) {
        let replaced = self.replaced_by(step, last);
        let is_replaced = replaced.is_some();
        let is_waiting = is_waiting || (!is_replaced && self.plan.is_frontend(step));
        let is_repeatable = match verdict {
            // A person knows more than what is declared.
            Some(verdict) => *verdict == Verdict::Again,
            None => is_waiting || self.is_repeatable(step, &last.action, replaced.as_ref()),
        };
        let Some(cell) = self.cells.get_mut(step as usize) else { return };
        cell.attempt = last.attempt;
        cell.is_replaced = is_replaced;
        cell.is_waiting = is_waiting;
        cell.is_uncertain = !is_repeatable;
    }

    /// Returns the alternative of a step, if that is what was running.
    fn replaced_by(&self, step: u32, last: &LastTry) -> Option<Fallback> {
        let planned = self.plan.step(step)?;
        let found = self.alternative(step).filter(|other| other.target() == last.action)?;
        // An alternative of the same name is recognised by its attempt: a step that is replaced is
        // not retried, unless a retry does no harm.
        let is_other = planned.action != last.action
            || (last.attempt > 1 && !self.is_repeatable(step, &last.action, None));
        is_other.then(|| found.clone())
    }

    /// Returns the replacement of a step when it fails.
    pub(super) fn alternative(&self, step: u32) -> Option<&Fallback> {
        let planned = self.plan.step(step)?;
        let recovery = planned.recovery.as_deref();
        match recovery.filter(|found| found.strategy == RecoveryStrategy::Degrade) {
            Some(recovery) => recovery.alternative.as_ref(),
            None => planned.frontend.as_deref()?.alternative.as_ref(),
        }
    }

    /// Reports whether a step that has ended may be run again by a run that does not know it (FL-11, WA-1).
    pub(super) fn may_repeat(&self, step: u32) -> bool {
        let is_replaced = self.cells.get(step as usize).is_some_and(|cell| cell.is_replaced);
        let action = self.plan.step(step).map_or("", |planned| planned.action.as_str());
        !is_replaced && (self.plan.is_frontend(step) || self.is_repeatable(step, action, None))
    }

    /// Reports whether a step may be run again though it may have taken effect (FL-11).
    fn is_repeatable(&self, step: u32, action: &str, other: Option<&Fallback>) -> bool {
        let own = self.plan.step(step).map(|step| &step.parameters);
        let parameters: Option<&Map<String, Value>> =
            other.and_then(|other| other.parameters.as_ref()).or(own);
        self.plan.may_repeat(action, parameters)
    }

    fn stop_again(&mut self, past: &Past, aborts: Option<u32>) {
        if self.lanes.left() == 0 {
            self.finished = past.finished;
            return;
        }
        // Only the timeout of the set skips like this if the sides have no timeout of their own.
        let set = self.plan.set();
        let has_sides = set.frontend_timeout.is_some() || set.backend_timeout.is_some();
        let was_late = |outcome: &Outcome| {
            let code = outcome.reason.as_ref().map(|reason| reason.code.as_str());
            code == Some(ErrorCode::SetTimeout.as_str())
        };
        if past.is_cancelled {
            self.stop_all(Stop::Cancelled);
        } else if set.timeout.is_some() && !has_sides && past.ended.values().any(was_late) {
            self.stop_all(Stop::SetTimeout);
        } else if let Some(step) = aborts {
            self.stop_all(Stop::Aborted(step));
        }
    }
}
