//! From ready to running: the rule of dependencies (FL-7), the condition, the references (FL-5),
//! the schema (FL-2); then the attempt is journalled, and only then it runs.

use super::cell::Ended;
use super::driver::Driver;
use super::inbox::{DriverMessage, Inbox};
use super::options::Limits;
use super::profile;
use super::stop::UNCERTAIN;
use super::timers::Due;
use crate::action::{ActionCall, ActionFailure, Actions};
use crate::check::PlannedAction;
use crate::journal::Event;
use crate::measure::{Size, dismantle, measure};
use crate::reference::{ExpandError, expand};
use contexture_protocol::ErrorCode;
use contexture_protocol::content::Status;
use futures_util::FutureExt;
use serde_json::{Map, Value, json};
use std::any::Any;
use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;
use tokio::time::Instant;

/// The greatest number of parameter faults in one failure.
const MAX_VIOLATIONS: usize = 100;

/// The number of characters shown of a condition or a path.
const SHOWN: usize = 500;

impl Driver {
    /// Decides about a step whose dependencies have ended.
    pub(super) fn begin(&mut self, step: u32) {
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
            let uncertain = failure(ErrorCode::OutcomeUncertain, UNCERTAIN.to_owned());
            self.failed(step, uncertain, true);
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
        let Some(cell) = self.cells.get(step as usize) else { return };
        let attempt = cell.attempt.saturating_add(1);
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
        let event = Event::Started { id: &call.id, action: &call.name, attempt, key: &call.key };
        self.record(&event, Some((step, attempt)), true);
        self.starting.insert(step, call);
    }

    /// Records an attempt; returns true if the step had been started before, even in an earlier
    /// run.
    fn set_started(&mut self, step: u32, attempt: u32) -> bool {
        let Some(cell) = self.cells.get_mut(step as usize) else { return true };
        let was_started = cell.attempt > 0;
        cell.attempt = attempt;
        cell.last_failure = None;
        cell.started.get_or_insert_with(Instant::now);
        was_started
    }

    fn key(&self, step: u32, id: &str, parameters: &Map<String, Value>) -> String {
        if let Some(key) = parameters.get("idempotencyKey").and_then(Value::as_str) {
            return key.to_owned();
        }
        // A replacement has its own effect.
        let is_replaced = self.cells.get(step as usize).is_some_and(|cell| cell.is_replaced);
        let other = if is_replaced { ":alternative" } else { "" };
        format!("{}:{id}{other}", self.options.run)
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
            expand(&mut value, &self.outcomes(), self.options.limits.parameter_bytes)
                .map_err(|error| not_expanded(&error))?;
            parameters = match value {
                Value::Object(map) => map,
                _ => Map::new(),
            };
        }
        match self.plan.action_named(name) {
            Some(PlannedAction { validator: Some(validator), .. }) => {
                let value = Value::Object(parameters);
                check(validator, &value, name)?;
                match value {
                    Value::Object(map) => Ok(map),
                    _ => Ok(Map::new()),
                }
            }
            _ => Ok(parameters),
        }
    }

    /// The start is stored: runs the attempt in a task of its own.
    pub(super) fn act(&mut self, step: u32, attempt: u32) {
        let is_meant = self
            .cells
            .get(step as usize)
            .is_some_and(|cell| cell.status == Status::Running && cell.attempt == attempt);
        let Some(call) = self.starting.remove(&step) else { return };
        if !is_meant {
            return;
        }
        let info = self.plan.action_named(&call.name).and_then(|action| action.info.as_ref());
        let is_quick = info.is_some_and(|info| info.quick);
        let is_prompt = self.profile(step).is_some_and(|profile| profile.is_prompt());
        let (actions, inbox, limits) =
            (self.actions.clone(), self.inbox().clone(), self.options.limits);
        let time = self.plan.step(step).and_then(|planned| planned.timeout);
        let time = time.and_then(|time| Some((time, Instant::now().checked_add(time)?)));
        let task = if is_quick || is_prompt {
            let mut work = Box::pin(work(actions, inbox, limits, step, call, time, false));
            // The first poll needs no waker: a task polls again what is not ready.
            let mut nobody = Context::from_waker(Waker::noop());
            let began = (!is_quick).then(Instant::now);
            let is_done = work.as_mut().poll(&mut nobody).is_ready();
            if let (Some(began), Some(profile)) = (began, self.profile(step)) {
                profile.in_place(is_done, began.elapsed());
            }
            if is_done {
                return;
            }
            tokio::spawn(work)
        } else {
            tokio::spawn(work(actions, inbox, limits, step, call, time, true))
        };
        let task = task.abort_handle();
        if let Some(cell) = self.cells.get_mut(step as usize) {
            cell.task = Some(task);
        }
        if let Some((_, late)) = time {
            self.timers.note(late, step, attempt, Due::Late);
        }
    }
}

async fn work(
    actions: Arc<dyn Actions>,
    inbox: Arc<Inbox>,
    limits: Limits,
    step: u32,
    call: ActionCall,
    time: Option<(Duration, Instant)>,
    is_watched: bool,
) {
    let attempt = call.attempt;
    let (began, mut looks) = (is_watched.then(Instant::now), 0_u32);
    // The call itself may panic before it returns a future.
    let mut acting = pin!(AssertUnwindSafe(async { actions.call(call).await }).catch_unwind());
    let acted = poll_fn(|context| {
        looks = looks.saturating_add(1);
        acting.as_mut().poll(context)
    });
    let acted = acted.await;
    let was_prompt = began.map(|began| profile::was_prompt(looks, began.elapsed()));
    // An action that never waits is not interrupted by its timeout, but it is late all the same.
    let late = time.filter(|(_, end)| Instant::now() >= *end);
    let acted = match (late, acted) {
        (Some((time, _)), acted) => {
            if let Ok(Ok(value)) = acted {
                dismantle(value);
            }
            Ok(Err(too_late(time)))
        }
        (None, acted) => acted,
    };
    let result = match acted {
        Ok(Ok(value)) => sized(value, &limits),
        Ok(Err(mut failure)) => {
            failure.details = failure.details.and_then(|value| bounded(value, &limits));
            // A partial result that is too large is dropped.
            failure.partial = failure
                .partial
                .and_then(|value| sized(value, &limits).ok().map(|(value, _)| value));
            Err(Box::new(failure))
        }
        Err(panic) => {
            let message = format!("the action panicked: {}", words_of(&*panic));
            Err(Box::new(failure(ErrorCode::ExecutionFailed, message)))
        }
    };
    inbox.put(DriverMessage::Done { step, attempt, result, was_prompt });
}

fn sized(value: Value, limits: &Limits) -> Result<(Value, usize), Box<ActionFailure>> {
    let message = match measure(&value, limits.result_bytes, limits.result_depth) {
        Size::Within(bytes) => return Ok((value, bytes)),
        Size::TooLarge => {
            format!("the result is larger than {} bytes", limits.result_bytes)
        }
        Size::TooDeep => {
            format!("the result is nested deeper than {} lists and objects", limits.result_depth)
        }
    };
    dismantle(value);
    Err(Box::new(failure(ErrorCode::TooLarge, message)))
}

fn bounded(value: Value, limits: &Limits) -> Option<Value> {
    if matches!(measure(&value, limits.result_bytes, limits.result_depth), Size::Within(_)) {
        return Some(value);
    }
    dismantle(value);
    Some(json!({"omitted": "larger or deeper than a result may be"}))
}

fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let words = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    words.chars().take(1_000).collect()
}

fn check(
    validator: &jsonschema::Validator,
    value: &Value,
    name: &str,
) -> Result<(), ActionFailure> {
    let violations: Vec<Value> = validator
        .iter_errors(value)
        .take(MAX_VIOLATIONS)
        .map(|error| json!({"pointer": error.instance_path().to_string(), "message": error.to_string()}))
        .collect();
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

pub(super) fn too_late(time: Duration) -> ActionFailure {
    ActionFailure::late(format!("it took longer than {} s", time.as_secs_f64()))
}

pub(super) fn failure(code: ErrorCode, message: String) -> ActionFailure {
    ActionFailure::new(code.as_str(), message)
}
