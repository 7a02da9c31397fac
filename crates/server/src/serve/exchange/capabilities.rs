//! CLIENT_CAPABILITIES and TOOL_REGISTRATION (CP-13, CP-15, WA-6).
//!
//! Decision: the name of a tool belongs to the clientId that registered it first, so that nobody takes over
//! the calls of another. Processes of one clientId are one service: what one of them leaves, another gets.

use super::reply::Reply;
use super::rights::{check_name, check_sender};
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::frontend::calls;
use crate::serve::frontend::target::{CONFIRM_TOOL, is_in_background};
use contexture_protocol::content::{ClientCapabilities, ToolDefinition, ToolRegistration};
use contexture_protocol::{ErrorCode, Refusal, SenderType, Violation};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Stores the capabilities of the client of a session; the last announcement counts.
pub(super) fn announce(app: &Arc<App>, caller: &Caller, client: &ClientCapabilities, reply: Reply) {
    let Some(session) = &caller.session else {
        return reply.refuse(Refusal::new(
            ErrorCode::ClientUnavailable,
            "tools are announced over a WebSocket, where they can be called",
        ));
    };
    if let Err(refused) = check_rights(app, caller, client) {
        return reply.refuse(refused);
    }
    if let Err(refused) = refused(faults(client.supported_tools.as_deref().unwrap_or_default())) {
        return reply.refuse(refused);
    }
    app.sessions.announce(session, client.clone());
    reply.acknowledge();
    calls::back(app, session, client.client_id.clone(), false);
}

/// The most tools of a service.
const MOST_TOOLS: usize = 1_000;

/// Stores the tools of a service of this session; the last registration counts.
pub(super) fn register(app: &Arc<App>, caller: &Caller, service: &ToolRegistration, reply: Reply) {
    let Some(session) = &caller.session else {
        return reply.refuse(Refusal::new(
            ErrorCode::ClientUnavailable,
            "tools are registered over a WebSocket, where they can be called",
        ));
    };
    if let Err(refused) = check_service(app, caller, service) {
        return reply.refuse(refused);
    }
    let id = service.client_id.clone();
    let registered = app.sessions.register(session, service.clone().into(), |other| {
        other.away(Instant::now()).is_some_and(|away| {
            let seconds = app.project.config.serve.limits.return_seconds.get();
            !is_in_background(other) && away >= Duration::from_secs(seconds)
        })
    });
    if let Err(taken) = registered {
        return reply.refuse(taken_names(service, &taken, "another client or service has it"));
    }
    reply.acknowledge();
    calls::back(app, session, id, false);
}

fn check_service(app: &App, caller: &Caller, service: &ToolRegistration) -> Result<(), Refusal> {
    check_name(app, caller, "/content/clientId", &service.client_id)?;
    let tools = &service.supported_tools;
    if tools.len() > MOST_TOOLS {
        let text = format!("a service registers at most {MOST_TOOLS} tools");
        return Err(Refusal::new(ErrorCode::TooLarge, text).detail("limit", MOST_TOOLS));
    }
    let is_own = |name: &str| name == CONFIRM_TOOL || app.flows.allowed.is_own(name);
    let own = tools.iter().enumerate().filter(|(_, tool)| is_own(&tool.tool_id));
    let own: Vec<usize> = own.map(|(place, _)| place).collect();
    if !own.is_empty() {
        return Err(taken_names(service, &own, "it is a name of the server"));
    }
    refused(faults(tools))
}

/// Creates the refusal of names that belong to others.
fn taken_names(service: &ToolRegistration, places: &[usize], why: &str) -> Refusal {
    let names = places
        .iter()
        .filter_map(|place| Some((*place, service.supported_tools.get(*place)?.tool_id.clone())));
    let violations: Vec<Violation> = names
        .map(|(place, name)| Violation {
            pointer: format!("/content/supportedTools/{place}/toolId"),
            expected: "a name that nobody else has".to_owned(),
            found: name,
        })
        .collect();
    let first = violations.first().map(|one| one.found.clone()).unwrap_or_default();
    let text = format!("a tool can't be registered as `{first}`: {why}");
    Refusal { violations, ..Refusal::new(ErrorCode::ToolNameTaken, text) }
}

fn refused(faults: Vec<Violation>) -> Result<(), Refusal> {
    let Some(first) = faults.first() else { return Ok(()) };
    let refused = Refusal::new(ErrorCode::ValidationFailed, first.to_string());
    Err(Refusal { violations: faults, ..refused })
}

/// Checks the name of the client, and that one who asks its user may speak for a user: a model
/// service does not answer its own question.
fn check_rights(app: &App, caller: &Caller, client: &ClientCapabilities) -> Result<(), Refusal> {
    check_name(app, caller, "/content/clientId", &client.client_id)?;
    let mut tools = client.supported_tools.iter().flatten();
    if tools.any(|tool| tool.tool_id == CONFIRM_TOOL) {
        check_sender(caller, SenderType::User)?;
    }
    Ok(())
}

/// Checks the schemas of the tools; everything else was checked when the message was read.
fn faults(tools: &[ToolDefinition]) -> Vec<Violation> {
    let mut faults = Vec::new();
    for (index, tool) in tools.iter().enumerate() {
        for (name, schema) in [("parameters", &tool.parameters), ("returns", &tool.returns)] {
            let Some(schema) = schema else { continue };
            let at = format!("/content/supportedTools/{index}/{name}");
            faults.extend(fault(schema, &at));
        }
    }
    faults
}

/// Returns why an object is not a schema. References to other places are not fetched.
fn fault(schema: &Map<String, Value>, at: &str) -> Option<Violation> {
    let schema = Value::Object(schema.clone());
    let error = jsonschema::validator_for(&schema).err()?;
    Some(Violation {
        pointer: format!("{at}{}", error.instance_path()),
        expected: "a JSON Schema without references to other documents".to_owned(),
        found: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture_protocol::{Body, Limits};
    use serde_json::json;

    fn pointers(tools: Value) -> Vec<String> {
        let content = json!({ "clientId": "c", "supportedTools": tools });
        let body = Body::from_content("CLIENT_CAPABILITIES", content, &Limits::WIRE).unwrap();
        let Body::ClientCapabilities(client) = body else { panic!() };
        let tools = client.supported_tools.unwrap_or_default();
        faults(&tools).into_iter().map(|fault| fault.pointer).collect()
    }

    #[test]
    fn cp_13_tool_schemas_are_valid_schemas() {
        let good = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/b" } },
            "$defs": { "b": { "type": ["string", "null"], "pattern": "^a+$" } } });
        assert!(pointers(json!([{ "toolId": "t", "parameters": good, "returns": {} }])).is_empty());
        for (schema, at) in [
            (json!({ "type": "objekt" }), "/type"),
            (json!({ "properties": [] }), "/properties"),
            (json!({ "properties": { "a": { "minimum": "one" } } }), "/properties/a/minimum"),
            (json!({ "required": "a" }), "/required"),
        ] {
            let told =
                pointers(json!([{ "toolId": "s" }, { "toolId": "t", "parameters": schema }]));
            assert_eq!(told, [format!("/content/supportedTools/1/parameters{at}")]);
        }
        for schema in [
            json!({ "properties": { "a": { "pattern": "(" } } }),
            json!({ "$ref": "#/$defs/none" }),
            json!({ "$ref": "https://example.org/schema.json" }),
        ] {
            assert_eq!(pointers(json!([{ "toolId": "t", "returns": schema }])).len(), 1);
        }
    }
}
