//! Tools of MCP servers, as a program calls them and as a model is offered them (AS-25).

use super::callable::Described;
use super::errors::of_server;
use super::run_state::{RunState, supplied};
use crate::observe::Progress;
use crate::permission::{name_of_server_tool, origin_of_server};
use contexture_context::{Label, Trust};
use contexture_core::policy::Effect;
use contexture_mcp::Servers;
use contexture_script::host::{HostError, Supplied, ToolCall};
use contexture_script::server::ServerImport;
use serde_json::Value;

/// Calls a tool of an MCP server.
pub(super) async fn call(
    run: &RunState,
    servers: &Servers,
    call: ToolCall,
    import: &ServerImport,
) -> Result<Supplied, HostError> {
    let ToolCall { tool, method, arguments, on_placeholders, site, event, key, influence, .. } =
        call;
    let name = format!("{}.{method}", tool.name);
    let own = tool_of(servers, import, &name, &method)?;
    let place = (import.server.as_str(), own);
    // What is made of placeholders has no type yet.
    if run.dry_run && on_placeholders {
        return Ok(run.stand_in(&name, site, Trust::Tool));
    }
    let arguments = servers.arguments(place, &name, arguments).map_err(of_server)?;
    if run.dry_run {
        return Ok(run.stand_in(&name, site, Trust::Tool));
    }
    let arguments = Value::Object(arguments);
    let known_as = name_of_server_tool(&import.server, own);
    let class = servers.class(&import.server, own);
    let origin = origin_of_server(&import.server);
    let origin = Some(origin.as_str());
    let effect = Effect { name: &known_as, class, influence: &influence, origin, demands: None };
    run.permitted((event, &key), &effect, &arguments).await?;
    run.observer.notify(Progress::ToolCalled { name });
    let minted = run.minted_for(class, &key);
    let running = servers.call_under(&import.server, own, arguments, minted.as_deref());
    let value = run.unless_cancelled(running).await?.map_err(of_server)?;
    let validation = run.policy.validation(&known_as, None);
    Ok(Supplied { validation, ..supplied(value, Label::of(known_as, Trust::Tool)) })
}

/// Returns the accepted tool that a method means.
fn tool_of<'s>(
    servers: &'s Servers,
    import: &ServerImport,
    name: &str,
    method: &str,
) -> Result<&'s str, HostError> {
    let pinned = servers.pinned(&import.server).map_err(of_server)?;
    let names = pinned.iter().map(|tool| tool.name.as_str());
    import.tool(names, method).ok_or_else(|| {
        let message =
            format!("the MCP server `{}` has no accepted tool for `{name}`", import.server);
        let help = format!("`contexture mcp-servers list {}` shows its tools", import.server);
        HostError::new("method_unknown", message).with_help(help)
    })
}

/// Returns the accepted tools of a server, which are checked to be what it offers.
pub(super) async fn accepted(
    run: &RunState,
    servers: &Servers,
    import: &ServerImport,
) -> Result<Vec<Described>, HostError> {
    if !run.dry_run {
        run.unless_cancelled(servers.verify(&import.server)).await?.map_err(of_server)?;
    }
    let pinned = servers.pinned(&import.server).map_err(of_server)?;
    let described = pinned.iter().map(|tool| {
        let schema = Value::Object(tool.input_schema.clone());
        (tool.name.clone(), tool.description.clone().unwrap_or_default(), schema)
    });
    Ok(described.collect())
}
