//! The front end of a set: calls to clients and to tool services by its steps (FL-1, CP-14, WA-6).

use crate::serve::frontend::calls;
use crate::serve::frontend::forwarder::value_of;
use crate::serve::frontend::step::{StepCall, Steps};
use crate::serve::frontend::target::Forwarder;
use contexture::frontend::{
    CLIENT_UNAVAILABLE, FlowCall, Frontend, FrontendCall, FrontendFailure, FrontendTool,
};
use contexture::llm::BoxFuture;
use contexture::permission::{Action, Permission};
use contexture::store::flows::Wait;
use contexture_flow::Set;
use contexture_protocol::content::{Call, FallbackBehavior, Runtime};
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
    /// The tools that services registered when the set was checked.
    pub(super) services: HashSet<String>,
    /// The tools of those who are not back yet.
    gone: HashSet<String>,
    /// The time until which a missing client may come back.
    returning: Option<Instant>,
    /// What its steps wait for.
    pub(super) steps: Arc<Steps>,
    times: Times,
    notes: Mutex<HashMap<String, ClientNote>>,
}

/// The times of a set and its steps.
#[derive(Default)]
struct Times {
    /// The end of the time of the set, in milliseconds since 1970-01-01 UTC.
    deadline_ms: Option<u64>,
    steps: HashMap<String, Duration>,
}

impl Times {
    fn of(set: &Set, begun_ms: u64) -> Self {
        let whole = [set.timeout, set.frontend_timeout].into_iter().flatten().min();
        let steps = set.steps.iter().filter_map(|step| Some((step.id.clone(), step.timeout?)));
        Self {
            deadline_ms: whole.map(|whole| begun_ms.saturating_add(millis(whole))),
            steps: steps.collect(),
        }
    }

    fn of_step(&self, step: &str, now_ms: u64) -> Option<u64> {
        let own = self.steps.get(step).map(|own| now_ms.saturating_add(millis(*own)));
        own.into_iter().chain(self.deadline_ms).min()
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The fields of a client beside the result of a step.
#[derive(Debug, Clone)]
pub(super) struct ClientNote {
    /// The client; none for a service, which works for the server.
    pub(super) client: Option<String>,
    pub(super) info: Option<Map<String, Value>>,
    pub(super) time: Option<Millis>,
}

impl Clients {
    pub(super) fn new(forwarder: Arc<Forwarder>, run: &str, set: &Set) -> Self {
        let steps = set.steps.iter().filter(|step| step.runtime == Some(Runtime::Frontend));
        Self {
            run: run.to_owned(),
            services: forwarder.names(Runtime::Backend).collect(),
            gone: HashSet::new(),
            tools: forwarder
                .names(Runtime::Frontend)
                .chain(steps.map(|step| step.action.clone()))
                .collect(),
            times: Times::of(set, forwarder.app.now()),
            forwarder,
            returning: None,
            steps: Arc::default(),
            notes: Mutex::default(),
        }
    }

    /// Waits for clients with further tools, after an earlier server: they may need a while to come
    /// back.
    pub(super) fn returning(mut self, tools: impl IntoIterator<Item = String>) -> Self {
        self.gone.extend(tools);
        self.tools.extend(self.gone.iter().cloned());
        let until = Instant::now() + self.forwarder.return_time();
        Self { returning: Some(until), ..self }
    }

    /// Goes on with what steps waited for in an earlier part of the run, which began then.
    pub(super) fn going_on(mut self, waits: Vec<Wait>, set: &Set, begun_ms: u64) -> Self {
        self.times = Times::of(set, begun_ms);
        Self { steps: Arc::new(Steps::new(waits)), ..self }
    }

    fn step_call(&self, step: &str, attempt: u32, is_patient: bool) -> StepCall {
        StepCall {
            shared: Arc::clone(&self.steps),
            run: self.run.clone(),
            step: step.to_owned(),
            call: call_id(step, attempt),
            deadline_ms: self.times.of_step(step, self.forwarder.app.now()),
            is_patient,
            turn: None,
        }
    }

    /// Ends what a step waited for that has ended.
    pub(super) fn ended(&self, step: &str) {
        let waits = self.steps.ended(step);
        if waits.is_empty() {
            return;
        }
        let app = Arc::clone(&self.forwarder.app);
        for (id, request) in &waits {
            app.calls.close(id);
            calls::withdraw(&app, id, request);
        }
        self.forwarder.app.handle.spawn(async move {
            for (id, _) in waits {
                app.calls.end(&id).await;
            }
        });
    }

    /// Returns the fields of a client beside the result of a step.
    pub(super) fn note(&self, step: &str) -> Option<ClientNote> {
        self.notes.lock().get(step).cloned()
    }

    async fn asked(&self, call: FrontendCall, step: FlowCall) -> Result<Value, FrontendFailure> {
        let is_own = step.run == self.run;
        let id = step.id.clone();
        let forwarder = if is_own {
            let fallback = step.says.as_ref().and_then(|says| says.fallback).unwrap_or_default();
            let is_patient = fallback == FallbackBehavior::Abort;
            self.forwarder.of_step(self.step_call(&id, step.attempt, is_patient))
        } else {
            Forwarder::clone(&self.forwarder)
        };
        let (of_service, tool) = (step.of_service, call.tool_id.clone());
        let mut wire = wire(call, step, is_own);
        let outcome = loop {
            // Whoever is not back yet may be a client or a service.
            let is_service = of_service
                || self.gone.contains(&tool)
                    && self.forwarder.names(Runtime::Backend).any(|name| name == tool);
            if is_service {
                wire.runtime = Some(Runtime::Backend);
            }
            let outcome = forwarder.ask(wire.clone()).await;
            let is_away = matches!(&outcome, Err(error) if error.code == CLIENT_UNAVAILABLE);
            if !is_away || self.returning.is_none_or(|until| until <= Instant::now()) {
                break outcome;
            }
            tokio::time::sleep(LOOK).await;
        };
        let (result, client) = outcome?;
        if is_own {
            let (info, time) = (result.client_info.clone(), result.execution_time.clone());
            let client = (wire.runtime == Some(Runtime::Frontend)).then_some(client);
            let note = ClientNote { client, info, time };
            self.notes.lock().insert(id, note);
        }
        value_of(result)
    }
}

impl Permission for Clients {
    fn ask<'a>(&'a self, action: Action<'a>) -> BoxFuture<'a, Result<(), FrontendFailure>> {
        match action.step.filter(|step| step.run == self.run) {
            Some(step) => Box::pin(async move {
                let step = self.step_call(step.id, step.attempt, true);
                Permission::ask(&self.forwarder.of_step(step), action).await
            }),
            None => Permission::ask(&*self.forwarder, action),
        }
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

    fn services(&self) -> Vec<FrontendTool> {
        self.forwarder.services()
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
    let id = if is_own { call_id(&step.id, step.attempt) } else { call.call_id };
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

fn call_id(step: &str, attempt: u32) -> String {
    if attempt > 1 { format!("{step}~{attempt}") } else { step.to_owned() }
}
