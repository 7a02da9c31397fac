//! Tools of a front end, as a program calls them and as a model is offered them (AS-25, CP-14).

use super::run_state::{RunState, supplied};
use crate::frontend::{
    CLIENT_UNAVAILABLE, Frontend, FrontendCall, FrontendTool, PERMISSION_DENIED, check,
};
use crate::observe::{Progress, ToolFailure};
use crate::permission::name_of_frontend_tool;
use crate::policy;
use contexture_context::{Label, Trust};
use contexture_core::policy::{Effect, Influence, Verdict};
use contexture_core::signature::ObjectSignature;
use contexture_script::capability;
use contexture_script::host::{GrantedTool, HostError, Supplied, ToolCall};
use contexture_script::server::RUN;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Returns the front-end tool that a URI names.
pub(super) fn tool_of(uri: &str) -> Option<&str> {
    capability::frontend(uri).ok().flatten()
}

/// Calls a tool for a program.
pub(super) async fn call(
    run: &RunState,
    frontend: Option<&Arc<dyn Frontend>>,
    call: ToolCall,
    tool_id: String,
) -> Result<Supplied, HostError> {
    let ToolCall { tool, method, arguments, site, event, key, influence, .. } = call;
    let name = format!("{}.{method}", tool.name);
    if run.dry_run {
        return Ok(run.stand_in(&name, site, Trust::Tool));
    }
    let call_id = run.minted(&key);
    if !has_open(frontend, &call_id) {
        permitted(run, frontend, &tool_id, (event, &key, &influence), &arguments).await?;
    }
    run.observer.notify(Progress::ToolCalled { name: name.clone() });
    let asking =
        ask(frontend, &tool_id, (call_id, false), (&name, arguments), run.limits.file_bytes);
    let asked = run.unless_cancelled(asking).await?;
    let label = Label::of(format!("frontend:{tool_id}"), Trust::Tool);
    asked.map(|value| supplied(value, label)).map_err(host_error)
}

/// Reports whether a call was made before, and waits for its result.
pub(super) fn has_open(frontend: Option<&Arc<dyn Frontend>>, call_id: &str) -> bool {
    frontend.is_some_and(|frontend| frontend.has_open(call_id))
}

/// Waits until a tool of the front end may be called. The journal need not know before: after a crash
/// the client is asked again under the same id, and runs the call once. One that asks the user by
/// itself needs no second question.
pub(super) async fn permitted(
    run: &RunState,
    frontend: Option<&Arc<dyn Frontend>>,
    tool_id: &str,
    (event, key, influence): (u64, &str, &Influence),
    arguments: &Value,
) -> Result<(), HostError> {
    let tools = frontend.map(|frontend| frontend.definitions()).unwrap_or_default();
    let tool = tools.into_iter().find(|tool| tool.tool_id == tool_id);
    let tool = tool.unwrap_or_else(|| FrontendTool::new(tool_id, Value::Null));
    let name = name_of_frontend_tool(tool_id);
    let demands = Some(&tool.demands);
    let effect = Effect { name: &name, class: tool.class, influence, origin: None, demands };
    if tool.asks_user {
        let decision = run.policy_of(event).decide(&effect);
        if decision.verdict != Verdict::Deny {
            run.note_decision(event, &decision, policy::record_of_client(&name, &decision));
            return Ok(());
        }
    }
    run.allowed((event, key), &effect, arguments).await
}

pub(super) fn host_error(fault: ToolFailure) -> HostError {
    let ToolFailure { code, message, help, details } = fault;
    HostError { help, details, ..HostError::new(code, message) }
}

/// Asks the front end, with parameters that were checked, for a result of at most `limit` bytes.
pub(super) async fn ask(
    frontend: Option<&Arc<dyn Frontend>>,
    tool_id: &str,
    (call_id, from_model): (String, bool),
    (name, arguments): (&str, Value),
    limit: usize,
) -> Result<Value, ToolFailure> {
    let Some(frontend) = frontend else { return Err(no_client(tool_id)) };
    let parameters = match arguments {
        Value::Object(checked) if frontend.has_open(&call_id) => checked,
        arguments => {
            let mut tools = frontend.definitions().into_iter();
            let tool = tools.find(|tool| tool.tool_id == tool_id);
            parameters(&tool.ok_or_else(|| no_client(tool_id))?, name, arguments)?
        }
    };
    let call =
        FrontendCall { call_id, tool_id: tool_id.to_owned(), parameters, from_model, flow: None };
    let value = frontend.call(call).await.map_err(|failure| ToolFailure {
        help: help(&failure.code, tool_id),
        code: failure.code,
        message: failure.message,
        details: failure.details,
    })?;
    if value.to_string().len() > limit {
        let message = format!("the result of `{name}` has more than {limit} bytes");
        let help = Some("raise `file_bytes` under [limits] in contexture.toml".to_owned());
        return Err(ToolFailure { code: "TOO_LARGE".to_owned(), message, help, details: None });
    }
    Ok(value)
}

/// Returns the parameters as they are sent. Optional ones that are none are left out, as for a
/// server's tool.
fn parameters(
    tool: &FrontendTool,
    name: &str,
    arguments: Value,
) -> Result<Map<String, Value>, ToolFailure> {
    let none = Map::new();
    let signature = ObjectSignature::of(tool.parameters.as_object().unwrap_or(&none));
    let told = |faults: Vec<String>| ToolFailure {
        code: "VALIDATION_FAILED".to_owned(),
        message: faults.join("; "),
        help: Some(signature.usage()),
        details: Some(json!({ "faults": faults })),
    };
    let parameters = signature.check(name, arguments).map_err(&told)?;
    let whole = Value::Object(parameters);
    let faults = check(&whole, &tool.parameters);
    match whole {
        Value::Object(parameters) if faults.is_empty() => Ok(parameters),
        _ => Err(told(faults)),
    }
}

fn no_client(tool_id: &str) -> ToolFailure {
    ToolFailure {
        code: CLIENT_UNAVAILABLE.to_owned(),
        message: format!("no client offers the front-end tool `{tool_id}`"),
        help: help(CLIENT_UNAVAILABLE, tool_id),
        details: None,
    }
}

/// Returns the help for a program without the tool.
fn help(code: &str, tool_id: &str) -> Option<String> {
    Some(match code {
        CLIENT_UNAVAILABLE => format!(
            "front-end tools run under `contexture serve`, in a client that announces `{tool_id}`; catch the error with `try … else err` to go on without it"
        ),
        PERMISSION_DENIED => {
            "the user said no: catch the error with `try … else err` to go on without it".to_owned()
        }
        _ => return None,
    })
}

/// Returns the front-end tools among those granted that can be offered to a model, each with its
/// name in the program: a tool that no client offers has no definition, and is left out with a
/// warning (CP-15).
pub(super) fn offered(
    run: &RunState,
    frontend: Option<&Arc<dyn Frontend>>,
    granted: &[GrantedTool],
) -> Vec<(String, FrontendTool)> {
    let wanted = granted.iter().filter(|grant| grant.class(RUN).is_some());
    let wanted = wanted.filter_map(|grant| Some((grant, tool_of(&grant.tool.uri)?)));
    let wanted: Vec<(&GrantedTool, &str)> = wanted.collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let known = frontend.map(|frontend| frontend.definitions());
    let known = known.unwrap_or_default();
    let mut offered: Vec<(String, FrontendTool)> = Vec::new();
    for (grant, tool_id) in wanted {
        match known.iter().find(|tool| tool.tool_id == tool_id) {
            Some(tool) if offered.iter().all(|(_, other)| other.tool_id != tool_id) => {
                offered.push((grant.tool.name.clone(), tool.clone()));
            }
            Some(_) => {}
            None => run.warn(format!(
                "no client offers the front-end tool `{tool_id}`: the model is asked without it"
            )),
        }
    }
    offered
}
