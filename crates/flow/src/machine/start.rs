//! From ready to running: the rule of dependencies (FL-7), the condition, the references (FL-5),
//! the schema (FL-2); then the attempt is journalled, and only then it runs.

use super::cell::{Ended, Phase};
use super::stop::uncertain;
use super::timers::Due;
use super::{KnownEnds, Machine, Output};
use crate::action::{ActionCall, ActionFailure};
use crate::check::PlannedAction;
use crate::reference::{ExpandError, expand};
use contexture_diagnostic::suggestion;
use contexture_protocol::ErrorCode;
use contexture_protocol::content::Status;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The greatest number of parameter faults in one failure.
const MAX_VIOLATIONS: usize = 100;

/// The number of characters shown of a condition or a path.
const SHOWN: usize = 500;

impl Machine {
    /// Starts what can start.
    pub(super) fn start_ready(&mut self, ends: &mut KnownEnds<'_>) {
        loop {
            if self.lanes.open(self.now) {
                // A timeout of zero passes before anything is started.
                self.check_deadlines(ends);
            }
            if self.is_paused || self.stop.is_some() {
                return;
            }
            let Some(step) = self.lanes.pop() else { return };
            self.begin(step);
        }
    }

    /// Decides about a step whose dependencies have ended.
    fn begin(&mut self, step: u32) {
        let Some(cell) = self.cells.get(step as usize) else { return };
        if cell.status != Status::Pending {
            return;
        }
        let (is_uncertain, is_replaced) = (cell.is_uncertain, cell.is_replaced);
        if let Some(ended) = self.skip(step) {
            self.end(step, Status::Skipped, ended);
            return;
        }
        self.count_as_running(step);
        if is_uncertain {
            self.failed(step, uncertain(), true);
            return;
        }
        if is_replaced {
            self.go_on_replaced(step);
            return;
        }
        let Some(planned) = self.plan.step(step) else { return };
        let (name, parameters) = (planned.action.clone(), planned.parameters.clone());
        self.attempt(step, name, parameters);
    }

    fn count_as_running(&mut self, step: u32) {
        if let Some(cell) = self.cells.get_mut(step as usize) {
            cell.status = Status::Running;
        }
        self.lanes.lane(step).running += 1;
    }

    fn skip(&self, step: u32) -> Option<Ended> {
        if let Some(ended) = self.failed_dependency(step) {
            return Some(ended);
        }
        let guard = self.plan.guards.get(step as usize)?.as_deref()?;
        if guard.condition.evaluate(&self.outcomes()) {
            return None;
        }
        let message = format!("not true: {}", short(&guard.condition.to_string()));
        Some(Ended::skipped(ErrorCode::ConditionFalse.as_str(), message))
    }

    /// Returns the skip for a dependency that did not end COMPLETED, unless the condition names it.
    pub(super) fn failed_dependency(&self, step: u32) -> Option<Ended> {
        let plan = &self.plan;
        let outcomes = self.outcomes();
        let guard = plan.guards.get(step as usize).and_then(Option::as_deref);
        let excused =
            |node: u32| guard.is_some_and(|guard| guard.excused.binary_search(&node).is_ok());
        let is_bad = |node: &u32| {
            let status = outcomes.status(*node);
            status.is_final() && status != Status::Completed && !excused(*node)
        };
        let node = plan.dependencies.of(step).iter().copied().find(is_bad)?;
        let (id, status) = (outcomes.id(node), outcomes.status(node));
        let message = format!("`{id}` ended {status}");
        Some(Ended::skipped(ErrorCode::DependencyFailed.as_str(), message))
    }

    /// Builds the parameters of an attempt and journals its start.
    pub(super) fn attempt(&mut self, step: u32, name: String, parameters: Map<String, Value>) {
        let Some(cell) = self.cells.get_mut(step as usize) else { return };
        let is_same = std::mem::take(&mut cell.is_waiting);
        let attempt = cell.attempt.saturating_add(u32::from(!is_same));
        let parameters = match self.prepared(step, &name, parameters) {
            Ok(parameters) => parameters,
            Err(failure) => return self.failed(step, failure, false),
        };
        let plan = self.plan.clone();
        let Some(planned) = plan.step(step) else { return };
        let call = ActionCall {
            id: planned.id.clone(),
            name,
            key: self.key(step, &planned.id, &parameters),
            parameters,
            attempt,
            runtime: if plan.is_frontend(step) {
                Some(contexture_protocol::content::Runtime::Frontend)
            } else {
                planned.runtime
            },
            frontend: planned.frontend.clone(),
        };
        let was_started = self.set_started(step, attempt);
        if !was_started {
            self.order.push(step);
        }
        if self.fault.is_none() {
            self.pending_events += 1;
            self.outputs.push(Output::Begin { step, call: Box::new(call) });
        }
    }

    /// Records an attempt; returns true if the step had been started before, even in an earlier
    /// run.
    fn set_started(&mut self, step: u32, attempt: u32) -> bool {
        let Some(cell) = self.cells.get_mut(step as usize) else { return true };
        let was_started = cell.attempt > 0;
        cell.attempt = attempt;
        cell.last_failure = None;
        cell.phase = Phase::Starting;
        cell.started.get_or_insert(self.now);
        was_started
    }

    fn key(&self, step: u32, id: &str, parameters: &Map<String, Value>) -> String {
        if let Some(key) = parameters.get("idempotencyKey").and_then(Value::as_str) {
            return key.to_owned();
        }
        // A replacement has its own effect.
        let is_replaced = self.cells.get(step as usize).is_some_and(|cell| cell.is_replaced);
        let other = if is_replaced { ":alternative" } else { "" };
        format!("{}:{id}{other}", self.settings.run)
    }

    /// Returns the parameters with every reference replaced, checked against the schema.
    fn prepared(
        &self,
        step: u32,
        name: &str,
        parameters: Map<String, Value>,
    ) -> Result<Map<String, Value>, ActionFailure> {
        let mut parameters = parameters;
        if self.plan.is_expanded.get(step as usize).copied().unwrap_or_default() {
            let mut value = Value::Object(parameters);
            expand(&mut value, &self.outcomes(), self.settings.limits.parameter_bytes)
                .map_err(|error| not_expanded(&error))?;
            parameters = match value {
                Value::Object(map) => map,
                _ => Map::new(),
            };
        }
        match self.plan.action_named(name) {
            Some(PlannedAction { validator: Some(validator), info }) => {
                let value = Value::Object(parameters);
                let schema = info.as_ref().and_then(|info| info.parameters.as_ref());
                check(validator, schema, &value, name)?;
                match value {
                    Value::Object(map) => Ok(map),
                    _ => Ok(Map::new()),
                }
            }
            _ => Ok(parameters),
        }
    }

    /// The start is durable: lets the attempt run.
    pub(super) fn act(&mut self, step: u32, attempt: u32) {
        let Some(cell) = self.cells.get_mut(step as usize) else { return };
        if cell.status == Status::Running
            && cell.attempt == attempt
            && cell.phase == Phase::Starting
        {
            cell.phase = Phase::Told;
            self.outputs.push(Output::Act { step, attempt });
        }
    }

    /// An attempt runs: its timeout counts.
    pub(super) fn acts(&mut self, step: u32, attempt: u32) {
        let Some(cell) = self.cells.get_mut(step as usize) else { return };
        if cell.attempt != attempt || cell.phase != Phase::Told {
            return;
        }
        cell.phase = Phase::Acting;
        let time = self.plan.step(step).and_then(|planned| planned.timeout);
        if let Some(late) = time.and_then(|time| self.now.checked_add(time)) {
            self.timers.note(late, step, attempt, Due::Late);
        }
    }
}

fn check(
    validator: &jsonschema::Validator,
    schema: Option<&Value>,
    value: &Value,
    name: &str,
) -> Result<(), ActionFailure> {
    let violation = |error: jsonschema::ValidationError<'_>| {
        let meant = meant(&error, schema).map(|meant| format!("; {meant}")).unwrap_or_default();
        json!({"pointer": error.instance_path().to_string(), "message": format!("{error}{meant}")})
    };
    let violations: Vec<Value> =
        validator.iter_errors(value).take(MAX_VIOLATIONS).map(violation).collect();
    let Some(first) = violations.first() else { return Ok(()) };
    let word = |field: &str| first.get(field).and_then(Value::as_str).unwrap_or_default();
    let place = match word("pointer") {
        "" => String::new(),
        pointer => format!("{pointer}: "),
    };
    let message = format!("invalid parameters of `{name}`: {place}{}", word("message"));
    let mut failure = failure(ErrorCode::ValidationFailed, message);
    failure.details = Some(json!({ "violations": violations }));
    Err(failure)
}

/// Returns the parameter that may be meant by one that there is not.
fn meant(error: &jsonschema::ValidationError<'_>, schema: Option<&Value>) -> Option<String> {
    let ValidationErrorKind::AdditionalProperties { unexpected } = error.kind() else {
        return None;
    };
    let known = schema?.get("properties")?.as_object()?;
    suggestion(unexpected.first()?, known.keys().map(String::as_str))
}

fn not_expanded(error: &ExpandError) -> ActionFailure {
    let code = match error {
        ExpandError::Missing(_) => ErrorCode::ReferenceMissing,
        ExpandError::TooLarge(_) => ErrorCode::TooLarge,
        ExpandError::Syntax(_) => ErrorCode::ValidationFailed,
    };
    failure(code, short(&error.to_string()))
}

/// Shortens a text for a message: a condition or a path may be a megabyte long.
fn short(text: &str) -> String {
    let Some((cut, _)) = text.char_indices().nth(SHOWN) else { return text.to_owned() };
    let head = text.split_at_checked(cut).map_or("", |(head, _)| head);
    format!("{head} …")
}

pub(crate) fn too_late(time: Duration) -> ActionFailure {
    ActionFailure::late(format!("it took longer than {} s", time.as_secs_f64()))
}

pub(crate) fn failure(code: ErrorCode, message: String) -> ActionFailure {
    ActionFailure::new(code.as_str(), message)
}
