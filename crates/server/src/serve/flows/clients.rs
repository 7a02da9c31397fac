//! The front end of a set: calls to clients by its steps (FL-1, CP-14).

use crate::serve::frontend::forwarder::value_of;
use crate::serve::frontend::target::Forwarder;
use contexture::frontend::{
    CLIENT_UNAVAILABLE, FlowCall, Frontend, FrontendCall, FrontendFailure, FrontendTool,
};
use contexture::llm::BoxFuture;
use contexture_flow::Set;
use contexture_protocol::content::{Call, Runtime};
use contexture_protocol::{Millis, Seconds};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The interval of checking for clients.
const LOOK: Duration = Duration::from_millis(100);

pub(super) struct Clients {
    pub(super) forwarder: Arc<Forwarder>,
    /// The run whose steps are the set's own.
    run: String,
    /// The tools that clients offered when the set was checked, and those that its steps name: these
    /// names mean nothing else from then on.
    pub(super) tools: HashSet<String>,
    /// The time until which a missing client may come back.
    returning: Option<Instant>,
    notes: Mutex<HashMap<String, ClientNote>>,
}

/// The fields of a client beside the result of a step.
#[derive(Debug, Clone)]
pub(super) struct ClientNote {
    pub(super) client: String,
    pub(super) info: Option<Map<String, Value>>,
    pub(super) time: Option<Millis>,
}

impl Clients {
    pub(super) fn new(forwarder: Arc<Forwarder>, run: &str, set: &Set) -> Self {
        let steps = set.steps.iter().filter(|step| step.runtime == Some(Runtime::Frontend));
        Self {
            run: run.to_owned(),
            tools: forwarder.names().chain(steps.map(|step| step.action.clone())).collect(),
            forwarder,
            returning: None,
            notes: Mutex::default(),
        }
    }

    /// Waits for clients with further tools, after an earlier server: they may need a while to come
    /// back.
    pub(super) fn returning(mut self, tools: impl IntoIterator<Item = String>) -> Self {
        self.tools.extend(tools);
        let until = Instant::now() + self.forwarder.return_time();
        Self { returning: Some(until), ..self }
    }

    /// Returns the fields of a client beside the result of a step.
    pub(super) fn note(&self, step: &str) -> Option<ClientNote> {
        self.notes.lock().get(step).cloned()
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
            let note = ClientNote { client, info, time };
            self.notes.lock().insert(id, note);
        }
        value_of(result)
    }
}

impl Frontend for Clients {
    fn definitions(&self) -> Vec<FrontendTool> {
        let mut tools = self.forwarder.definitions();
        let known: HashSet<String> = tools.iter().map(|tool| tool.tool_id.clone()).collect();
        // Without a definition, it is not offered to models, but can be called by name.
        let others = self.tools.iter().filter(|name| !known.contains(*name));
        tools.extend(others.map(|name| FrontendTool::new(name, json!({}))));
        tools
    }

    fn call(&self, mut call: FrontendCall) -> BoxFuture<'_, Result<Value, FrontendFailure>> {
        match call.flow.take() {
            Some(step) => Box::pin(self.asked(call, *step)),
            // A call of an agent that a step runs.
            None => self.forwarder.call(call),
        }
    }
}

/// Returns the call for a client. A retry has another id: a client that ran the first attempt must
/// run it again.
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
