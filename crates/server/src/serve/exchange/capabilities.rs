//! CLIENT_CAPABILITIES (CP-13, CP-15).

use super::reply::Reply;
use super::rights::{check_name, check_sender};
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::frontend::calls;
use crate::serve::frontend::target::CONFIRM_TOOL;
use contexture_protocol::content::ClientCapabilities;
use contexture_protocol::{ErrorCode, Refusal, SenderType, Violation};
use serde_json::{Map, Value};
use std::sync::Arc;

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
    let faults = faults(client);
    if let Some(first) = faults.first() {
        let refused = Refusal::new(ErrorCode::ValidationFailed, first.to_string());
        return reply.refuse(Refusal { violations: faults, ..refused });
    }
    app.sessions.announce(session, client.clone());
    reply.acknowledge();
    calls::back(app, session, client.client_id.clone(), false);
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
fn faults(client: &ClientCapabilities) -> Vec<Violation> {
    let tools = client.supported_tools.as_deref().unwrap_or_default();
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
        faults(&client).into_iter().map(|fault| fault.pointer).collect()
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
