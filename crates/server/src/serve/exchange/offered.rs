//! What tool calls and instructions can call: TOOL_LIST_REQUEST, and the lists over HTTP (WA-7).

use super::reply::Reply;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::flows::allowed::fits;
use crate::serve::frontend::target::Forwarder;
use contexture::flows::{FlowError, FlowRequest, Offered};
use contexture::frontend::Frontend as _;
use contexture::run::RunRequest;
use contexture_flow::Kind;
use contexture_protocol::content::{Callable, Runtime, ToolClass, ToolListResponse};
use contexture_protocol::{ErrorCode, Refusal};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// Answers a TOOL_LIST_REQUEST.
pub(crate) fn list(app: &Arc<App>, caller: &Caller, context: Option<&str>, reply: Reply) {
    let (app, caller) = (Arc::clone(app), caller.clone());
    let context = context.map(str::to_owned);
    app.handle.clone().spawn(async move {
        let answer = both(&app, &caller).await;
        reply.finish_with(answer.map(|all| app.maker.message(context.as_deref(), all.into())));
    });
}

async fn both(app: &Arc<App>, caller: &Caller) -> Result<ToolListResponse, Refusal> {
    let tools = offered(app, caller, Kind::Calls).await?;
    let actions = offered(app, caller, Kind::Instructions).await?;
    Ok(ToolListResponse { tools, actions, ..ToolListResponse::default() })
}

/// Returns what a caller can call in sets of a kind: what the settings allow, and what clients and
/// services of the owner offer now.
pub(crate) async fn offered(
    app: &Arc<App>,
    caller: &Caller,
    kind: Kind,
) -> Result<Vec<Callable>, Refusal> {
    let frontend = Arc::new(Forwarder::new(app, caller, "", ""));
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
        ..FlowRequest::default()
    };
    let from = Arc::clone(app);
    let work = move || contexture::flows::offered(&from.project, request);
    let found: Result<Vec<Offered>, FlowError> = match tokio::task::spawn_blocking(work).await {
        Ok(found) => found,
        Err(error) => return Err(failed(app, &error.to_string())),
    };
    let found = found.map_err(|error| failed(app, &error.to_string()))?;
    let is_allowed = |one: &&Offered| {
        of_clients.contains(&one.name) || patterns.iter().any(|pattern| fits(pattern, &one.name))
    };
    Ok(found.iter().filter(is_allowed).map(callable).collect())
}

fn callable(one: &Offered) -> Callable {
    let Offered { name, info } = one;
    let parameters = match &info.parameters {
        Some(Value::Object(schema)) => schema.clone(),
        _ => Map::from_iter([("type".to_owned(), "object".into())]),
    };
    Callable {
        name: name.clone(),
        runtime: info.runtime.unwrap_or(Runtime::Backend),
        kind: info.kind.as_str().to_owned(),
        class: ToolClass::parse(info.class().as_str()).unwrap_or(ToolClass::Execute),
        idempotent: info.idempotent || info.keyed,
        parameters,
        extra: Map::new(),
    }
}

fn failed(app: &App, reason: &str) -> Refusal {
    app.log.info("actions_unreadable", json!({ "reason": reason }));
    Refusal::new(ErrorCode::Internal, "what can be called can't be listed")
}
