//! The actions of a plan, as the scheduler of flows calls them.
//!
//! Decision: the scheduler runs each attempt in a task of its own, which can't borrow a run. So a
//! call is handed over, and done by the future that made the plan.

use super::written::{ANSWER, READ};
use crate::host::callable::Callable;
use contexture_flow::action::{
    ActionCall, ActionFailure, ActionInfo, ActionKind, Actions, BoxFuture,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokio::sync::{mpsc, oneshot};

/// A call with the place for its result.
pub(super) struct PendingCall {
    pub(super) call: ActionCall,
    pub(super) result: oneshot::Sender<Result<Value, ActionFailure>>,
}

/// The actions that a plan may name.
pub(super) struct PlanActions {
    actions: BTreeMap<String, ActionInfo>,
    calls: mpsc::UnboundedSender<PendingCall>,
}

impl PlanActions {
    pub(super) fn new(
        callables: &[(String, Callable)],
    ) -> (Self, mpsc::UnboundedReceiver<PendingCall>) {
        let (calls, waiting) = mpsc::unbounded_channel();
        let info = |schema: Value| ActionInfo::of(ActionKind::Operation).with_parameters(schema);
        let mut actions: BTreeMap<String, ActionInfo> = callables
            .iter()
            .map(|(name, callable)| {
                let schema = callable.definition.function.parameters.clone();
                (name.clone(), info(schema.unwrap_or_else(|| json!({ "type": "object" }))))
            })
            .collect();
        actions.insert(READ.to_owned(), info(reading()));
        actions.insert(ANSWER.to_owned(), info(answering()));
        (Self { actions, calls }, waiting)
    }
}

fn reading() -> Value {
    json!({
        "type": "object",
        "properties": {
            "text": {},
            "question": { "type": "string", "minLength": 1 },
            "shape": { "type": ["string", "object"] },
        },
        "required": ["text", "question", "shape"],
        "additionalProperties": false,
    })
}

fn answering() -> Value {
    json!({
        "type": "object",
        "properties": { "value": {} },
        "required": ["value"],
        "additionalProperties": false,
    })
}

impl Actions for PlanActions {
    fn describe(&self, name: &str) -> Option<ActionInfo> {
        self.actions.get(name).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.actions.keys().cloned().collect()
    }

    fn call(&self, call: ActionCall) -> BoxFuture<'_, Result<Value, ActionFailure>> {
        let (result, done) = oneshot::channel();
        let gone = || ActionFailure::new("CANCELLED", "the plan was given up");
        let is_taken = self.calls.send(PendingCall { call, result }).is_ok();
        Box::pin(async move {
            if !is_taken {
                return Err(gone());
            }
            done.await.unwrap_or_else(|_| Err(gone()))
        })
    }
}
