//! The front end of a set: calls to clients by its steps (FL-1, CP-14).

use crate::serve::asking;
use crate::serve::frontend::{Forwarder, returning};
use contexture::frontend::{
    CLIENT_UNAVAILABLE, FlowCall, Frontend, FrontendCall, FrontendFailure, FrontendTool,
};
use contexture::llm::BoxFuture;
use contexture_flow::Set;
use contexture_protocol::content::{Call, CallResult, CallStatus, Runtime};
use contexture_protocol::{ErrorCode, Millis, Seconds};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The interval of checking for clients.
const LOOK: Duration = Duration::from_millis(100);

/// The clients of one set.
pub(super) struct Clients {
    forwarder: Arc<Forwarder>,
    /// The run whose steps are the set's own.
    run: String,
    /// Tools that clients offered when the set was checked, and those that are asked for although no
    /// client may have them yet: their names mean nothing else from then on.
    tools: HashSet<String>,
    /// Until when a client that is not there may still come back.
    returning: Option<Instant>,
    told: Mutex<HashMap<String, Told>>,
}

/// The message of a client beside the result of a step.
#[derive(Debug, Clone)]
pub(super) struct Told {
    pub(super) client: String,
    pub(super) info: Option<Map<String, Value>>,
    pub(super) time: Option<Millis>,
}

impl Clients {
    pub(super) fn new(forwarder: Arc<Forwarder>, run: &str, set: &Set) -> Self {
        let steps = set.steps.iter().filter(|step| step.runtime == Some(Runtime::Frontend));
        let offered = forwarder.names().into_iter().filter(|name| name != asking::TOOL);
        Self {
            run: run.to_owned(),
            tools: offered.chain(steps.map(|step| step.action.clone())).collect(),
            forwarder,
            returning: None,
            told: Mutex::default(),
        }
    }

    /// The same for a set that an earlier server began: clients may need a while to come back, with
    /// the tools that it knew.
    pub(super) fn returning(mut self, tools: impl IntoIterator<Item = String>) -> Self {
        self.tools.extend(tools);
        let until = Instant::now() + returning(self.forwarder.app());
        Self { returning: Some(until), ..self }
    }

    pub(super) const fn forwarder(&self) -> &Arc<Forwarder> {
        &self.forwarder
    }

    /// The tools that the set may find with clients.
    pub(super) fn tools(&self) -> impl Iterator<Item = &String> {
        self.tools.iter()
    }

    /// The message of a client beside the result of a step.
    pub(super) fn told(&self, step: &str) -> Option<Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).get(step).cloned()
    }

    async fn asked(&self, call: FrontendCall, step: FlowCall) -> Result<Value, FrontendFailure> {
        let is_own = step.run == self.run;
        let id = step.id.clone();
        let wire = wire(call, step, is_own);
        let outcome = loop {
            let outcome = self.forwarder.ask(wire.clone()).await;
            let is_away = matches!(&outcome, Err(error) if error.code == CLIENT_UNAVAILABLE);
            if !is_away || self.returning.is_none_or(|until| until <= Instant::now()) {
                break outcome;
            }
            tokio::time::sleep(LOOK).await;
        };
        let (result, client) = outcome?;
        if is_own {
            let (info, time) = (result.client_info.clone(), result.execution_time.clone());
            let told = Told { client, info, time };
            self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(id, told);
        }
        given(result)
    }
}

impl Frontend for Clients {
    fn definitions(&self) -> Vec<FrontendTool> {
        let mut tools = self.forwarder.definitions();
        let known: HashSet<String> = tools.iter().map(|tool| tool.tool_id.clone()).collect();
        // Without a definition it is offered to no model, but whoever names it has it called.
        let others = self.tools.iter().filter(|name| !known.contains(*name));
        tools.extend(others.map(|name| FrontendTool::new(name, json!({}))));
        tools
    }

    fn call(&self, mut call: FrontendCall) -> BoxFuture<'_, Result<Value, FrontendFailure>> {
        match call.flow.take() {
            Some(step) => Box::pin(self.asked(call, *step)),
            // An agent that a step runs asks for it.
            None => self.forwarder.call(call),
        }
    }
}

/// The call as a client gets it. One that is tried again has another id: a client that ran the first
/// try must not take it for the same call.
fn wire(call: FrontendCall, step: FlowCall, is_own: bool) -> Call {
    let id = match step.attempt {
        _ if !is_own => call.call_id,
        0 | 1 => step.id,
        more => format!("{}~{more}", step.id),
    };
    let wire =
        Call { runtime: Some(Runtime::Frontend), ..Call::new(id, call.tool_id, call.parameters) };
    let Some(says) = step.says else { return wire };
    Call {
        description: says.description,
        user_prompt: says.user_prompt,
        ui_settings: says.ui_settings,
        timeout_client: says.timeout_client.map(Seconds::from_duration),
        ..wire
    }
}

/// The value of a result, or why there is none.
fn given(result: CallResult) -> Result<Value, FrontendFailure> {
    let (code, message, details) = match (result.status, result.error) {
        (CallStatus::Success, _) => return Ok(result.result.unwrap_or(Value::Null)),
        (CallStatus::Timeout, error) => {
            let text = "the client reported that it took too long".to_owned();
            let (message, details) = error.map_or((text, None), |e| (e.message, e.details));
            (ErrorCode::Timeout.as_str().to_owned(), message, details)
        }
        (CallStatus::Error, Some(error)) => (error.code, error.message, error.details),
        (CallStatus::Error, None) => {
            let text = "the client gave no reason".to_owned();
            (ErrorCode::ExecutionFailed.as_str().to_owned(), text, None)
        }
    };
    Err(FrontendFailure { details, ..FrontendFailure::new(code, message) })
}
