//! Tools and memories as a program calls them, and what a dry run makes of them.

use super::{LiveHost, dry, frontend, permission, placeholder, servers, supplied};
use crate::observe::Progress;
use crate::permission::name_of;
use contexture_context::Trust;
use contexture_script::host::{HostError, MemoryCall, Supplied, ToolCall};
use contexture_script::server::ServerImport;
use contexture_tools::{ToolError, Tools};
use serde_json::{Value, json};

/// Calls a tool (AS-25).
pub(super) async fn tool(host: &LiveHost, call: ToolCall) -> Result<Supplied, HostError> {
    host.count_tool_call()?;
    if let Some(import) = ServerImport::parse(&call.tool.uri) {
        return servers::call(host, call, &import).await;
    }
    if let Some(tool_id) = frontend::tool_of(&call.tool.uri).map(str::to_owned) {
        return frontend::call(host, call, tool_id).await;
    }
    if host.dry_run
        && let Some(instead) = dry_tool(host, &call).await?
    {
        let ToolCall { tool, method, site, .. } = &call;
        host.note_placeholder(format!("{}.{method} at {site}", tool.name));
        return Ok(instead);
    }
    let ToolCall { tool, method, arguments, event, .. } = call;
    permission::allowed(host, &name_of(&tool.uri, &method), &arguments).await?;
    host.observer.notify(Progress::ToolCalled { name: format!("{}.{method}", tool.name) });
    let running = host.tools.call(&tool.uri, &method, arguments);
    let output = tokio::select! {
        output = running => output.map_err(host_error)?,
        () = host.cancel.cancelled() => return Err(cancelled()),
    };
    host.recorder.add_secrets(output.secrets);
    if !output.notes.is_empty() {
        host.recorder.amend(event, json!({ "notes": output.notes }));
    }
    for note in output.notes {
        host.warn(format!("{}.{method}: {note}", tool.name));
    }
    Ok(supplied(output.value, output.trust))
}

/// Calls a memory (AS-26).
pub(super) async fn memory(host: &LiveHost, call: MemoryCall) -> Result<Supplied, HostError> {
    host.count_tool_call()?;
    let name = format!("{}.{}", call.memory.name, call.method);
    if host.dry_run && call.method != "query" {
        host.note_placeholder(format!("{name} at {}", call.site));
        return Ok(placeholder(host.state().pretended.remember(&call), Trust::Memory));
    }
    host.observer.notify(Progress::ToolCalled { name: name.clone() });
    let mut answer = host.memories.call(&call)?;
    for note in std::mem::take(&mut answer.notes) {
        host.warn(format!("{name}: {note}"));
    }
    if host.dry_run {
        return Ok(host.state().pretended.recall(&call, answer));
    }
    Ok(supplied(answer.value, Trust::Memory))
}

/// A tool call in a dry run: what reads the workspace runs, over what would have been written.
async fn dry_tool(host: &LiveHost, call: &ToolCall) -> Result<Option<Supplied>, HostError> {
    let ToolCall { tool, method, arguments, .. } = call;
    let (uri, method) = (tool.uri.as_str(), method.as_str());
    let stand_in = || dry::result(uri, method, &format!("{}.{method}", tool.name));
    let runs = Tools::effect(uri, method).map_err(host_error)?.runs_in_dry_run();
    // What is to be read is not known yet.
    let runs = runs && !call.on_placeholders;
    if !uri.starts_with("file://") {
        return Ok((!runs).then(stand_in));
    }
    let known = host.state().pretended.read(host.references.workspace(), arguments);
    match (method, known) {
        ("read", Some(text)) => return Ok(Some(placeholder(text, Trust::Tool))),
        ("write", _) => host.state().pretended.write(host.references.workspace(), arguments),
        ("patch", Some(Value::String(text))) => {
            host.state().pretended.patch(host.references.workspace(), arguments, &text);
        }
        ("patch", _) if !call.on_placeholders => {
            let path = json!({ "path": arguments.get("path") });
            let read = host.tools.call(uri, "read", path).await.map_err(host_error)?;
            let text = read.value.as_str().unwrap_or_default();
            host.state().pretended.patch(host.references.workspace(), arguments, text);
        }
        _ => {}
    }
    Ok((!runs).then(stand_in))
}

pub(super) fn host_error(error: ToolError) -> HostError {
    let failure = HostError::new(error.code, error.message);
    match error.help {
        Some(help) => failure.with_help(help),
        None => failure,
    }
}

pub(super) fn cancelled() -> HostError {
    HostError { cancelled: true, ..HostError::new("cancelled", "the run was cancelled") }
}
