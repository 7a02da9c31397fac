//! `/v1/tools` and `/v1/actions`: what tool calls and instructions can call (WA-7).

use super::answer;
use super::extract::Counted;
use super::refused::Answer;
use super::shared::Shared;
use crate::serve::caller::{Caller, Scope};
use crate::serve::flows::allowed::fits;
use crate::serve::frontend::target::Forwarder;
use axum::extract::State;
use contexture::flows::{FlowError, FlowRequest, Offered, offered};
use contexture::frontend::Frontend as _;
use contexture::run::RunRequest;
use contexture_flow::Kind;
use contexture_protocol::content::Runtime;
use contexture_protocol::{ErrorCode, Refusal};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// `GET /v1/tools`
pub(super) async fn tools(State(shared): State<Shared>, Counted(caller): Counted) -> Answer {
    let tools = listed(&shared, &caller, Kind::Calls).await?;
    Ok(answer::value(&json!({ "tools": tools })))
}

/// `GET /v1/actions`
pub(super) async fn actions(State(shared): State<Shared>, Counted(caller): Counted) -> Answer {
    let actions = listed(&shared, &caller, Kind::Instructions).await?;
    Ok(answer::value(&json!({ "actions": actions })))
}

/// Returns what a caller can call in sets of a kind: what the settings allow, and what clients and
/// services of the owner offer now.
async fn listed(shared: &Shared, caller: &Caller, kind: Kind) -> Result<Vec<Value>, Refusal> {
    shared.require(caller, &[Scope::Read])?;
    let app = Arc::clone(&shared.app);
    let frontend = Arc::new(Forwarder::new(&app, caller, "", ""));
    let of_clients: HashSet<String> = frontend
        .definitions()
        .into_iter()
        .chain(frontend.services())
        .map(|tool| tool.tool_id)
        .filter(|name| !app.flows.allowed.is_own(name))
        .collect();
    let patterns = app.flows.allowed.patterns(kind);
    let request = FlowRequest {
        run: RunRequest { frontend: Some(frontend), ..app.turn_request.clone() },
        programs: app.agents.programs(),
        host: app.flows.host.clone(),
        ..FlowRequest::default()
    };
    let work = move || offered(&app.project, request);
    let found: Result<Vec<Offered>, FlowError> = match tokio::task::spawn_blocking(work).await {
        Ok(found) => found,
        Err(error) => return Err(failed(shared, &error.to_string())),
    };
    let found = found.map_err(|error| failed(shared, &error.to_string()))?;
    let is_allowed = |one: &&Offered| {
        of_clients.contains(&one.name) || patterns.iter().any(|pattern| fits(pattern, &one.name))
    };
    Ok(found.iter().filter(is_allowed).map(to_value).collect())
}

fn to_value(one: &Offered) -> Value {
    let Offered { name, info } = one;
    let anything = || json!({ "type": "object" });
    json!({
        "name": name,
        "runtime": info.runtime.unwrap_or(Runtime::Backend),
        "kind": info.kind.as_str(),
        "class": info.class(),
        "idempotent": info.idempotent || info.keyed,
        "parameters": info.parameters.clone().unwrap_or_else(anything),
    })
}

fn failed(shared: &Shared, reason: &str) -> Refusal {
    shared.app.log.info("actions_unreadable", json!({ "reason": reason }));
    Refusal::new(ErrorCode::Internal, "what can be called can't be listed")
}
