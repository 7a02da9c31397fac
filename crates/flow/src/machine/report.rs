//! The report of a run.

use super::cell::Cell;
use crate::check::Plan;
use crate::journal::JournalError;
use contexture_protocol::content::{
    CallResult, InstructionResponse, Outcome, Status, ToolCallResponse,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The report of a run: an outcome for each step.
#[derive(Debug)]
pub struct Report {
    plan: Arc<Plan>,
    cells: Vec<Cell>,
    order: Vec<u32>,
    status: Status,
    took: Duration,
    fault: Option<JournalError>,
    is_suspended: bool,
    is_resumable: bool,
}

impl Report {
    pub(crate) fn new(
        plan: Arc<Plan>,
        cells: Vec<Cell>,
        order: Vec<u32>,
        status: Status,
        took: Duration,
        fault: Option<JournalError>,
    ) -> Self {
        Self { plan, cells, order, status, took, fault, is_suspended: false, is_resumable: false }
    }

    /// Marks the run as one that suspended itself.
    #[must_use]
    pub fn suspended(self) -> Self {
        Self { is_suspended: true, ..self }
    }

    /// Reports whether the run suspended itself, and is to be resumed when a step need not wait any
    /// more ([`Control::suspend`](crate::run::Control::suspend)).
    #[must_use]
    pub fn is_suspended(&self) -> bool {
        self.is_suspended
    }

    /// Marks the run as one whose journal knows all that this process does.
    pub(crate) fn resumable(self) -> Self {
        Self { is_resumable: true, ..self }
    }

    /// Reports whether the journal failed, and the run can be resumed from it as after the end of a process:
    /// its outcomes then are not final (FL-11).
    #[must_use]
    pub fn is_resumable(&self) -> bool {
        self.is_resumable
    }

    /// Returns the final status: TIMEOUT when its time was over, FAILED when a step ended FAILED or
    /// TIMEOUT or the run was stopped, else COMPLETED.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Returns the plan that was run.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the duration.
    #[must_use]
    pub fn took(&self) -> Duration {
        self.took
    }

    /// Returns the error of the journal, if it failed; the outcomes then are those of this process
    /// alone.
    #[must_use]
    pub fn fault(&self) -> Option<&JournalError> {
        self.fault.as_ref()
    }

    /// Returns the status of a step.
    #[must_use]
    pub fn step_status(&self, index: usize) -> Option<Status> {
        self.cells.get(index).map(|cell| cell.status)
    }

    /// Returns the start of a step, from the start of the run; `None` if it was not run.
    #[must_use]
    pub fn step_began(&self, index: usize) -> Option<Duration> {
        self.cells.get(index)?.started
    }

    /// Returns the outcome of a step.
    #[must_use]
    pub fn outcome(&self, index: usize) -> Option<Outcome> {
        let cell = self.cells.get(index)?;
        let id = self.plan.set().steps.get(index)?.id.as_str();
        Some(match &cell.ended {
            Some(ended) => ended.outcome(id, cell.status),
            None => Outcome::new(id, cell.status),
        })
    }

    /// Returns the outcomes of all steps, in the order of the set.
    pub fn outcomes(&self) -> impl Iterator<Item = Outcome> + '_ {
        (0..self.cells.len()).filter_map(|index| self.outcome(index))
    }

    /// Returns the ids of the steps that were run, in the order in which they began.
    pub fn order(&self) -> impl Iterator<Item = &str> {
        self.order.iter().filter_map(|step| self.plan.step(*step)).map(|step| step.id.as_str())
    }

    /// Returns `{status, results: {id: outcome}, order}`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let results: Map<String, Value> = self
            .outcomes()
            .map(|outcome| (outcome.instruction_id.clone(), json!(outcome)))
            .collect();
        let order: Vec<&str> = self.order().collect();
        json!({"status": self.status, "results": results, "order": order})
    }

    /// Returns the content of an INSTRUCTION_RESPONSE.
    #[must_use]
    pub fn instruction_response(&self) -> InstructionResponse {
        InstructionResponse {
            status: self.status,
            results: self.outcomes().collect(),
            order: Some(self.order().map(str::to_owned).collect()),
            extra: Map::new(),
        }
    }

    /// Returns the content of a TOOL_CALL_RESPONSE: results in the order of the request.
    #[must_use]
    pub fn tool_call_response(&self) -> ToolCallResponse {
        let results = self.outcomes().map(call_result).collect();
        ToolCallResponse { results, extra: Map::new() }
    }
}

/// Converts an outcome to the result of a call (FL-4): COMPLETED is SUCCESS, TIMEOUT is TIMEOUT,
/// everything else ERROR. The reason of a call that was not run becomes its error.
#[must_use]
pub fn call_result(outcome: Outcome) -> CallResult {
    use contexture_protocol::content::Failure;
    let status = outcome.status.of_call();
    let reason = outcome.reason.map(|reason| Failure::new(reason.code, reason.message));
    let mut result = CallResult::success(outcome.instruction_id, Value::Null);
    result.status = status;
    result.result = outcome.result;
    result.error = outcome.error.or(reason);
    result.execution_time = outcome.execution_time;
    result
}
