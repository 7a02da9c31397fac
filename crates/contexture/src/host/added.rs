//! Tools of the application, as programs and models call them (HO-2).

use super::effects::cancelled;
use super::{LiveHost, permission, supplied, unknown};
use crate::extensions::{AddedMethod, AddedTool, action_name};
use crate::observe::Progress;
use contexture_context::Trust;
use contexture_core::tool::ToolFailure;
use contexture_script::host::{HostError, Supplied, ToolCall};
use contexture_script::server::ServerImport;
use serde_json::{Map, Value, json};

/// Calls a method of an imported tool.
pub(super) async fn call(
    host: &LiveHost,
    call: ToolCall,
    import: &ServerImport,
) -> Result<Supplied, HostError> {
    let ToolCall { tool: binding, method, arguments, on_placeholders, site, event } = call;
    let name = format!("{}.{method}", binding.name);
    let tool = find(host, &import.server)?;
    let names = tool.methods.iter().map(|method| method.facts.name.as_str());
    let method = import.tool(names, &method).and_then(|own| tool.method(own));
    let method = method.ok_or_else(|| {
        let message = format!("the tool `{}` has no method for `{name}`", tool.name);
        HostError::new("method_unknown", message)
    })?;
    if host.dry_run && (on_placeholders || !method.facts.effect.runs_in_dry_run()) {
        if !on_placeholders {
            checked(&name, method, arguments)?;
        }
        host.note_placeholder(format!("{name} at {site}"));
        return Ok(unknown(Value::String(format!("⟨{name}⟩")), method.facts.trust));
    }
    let arguments = checked(&name, method, arguments)?;
    if !host.dry_run {
        let shown = Value::Object(arguments.clone());
        let known_as = action_name(&tool.name, &method.facts.name);
        permission::allowed(host, &known_as, &shown).await?;
        host.observer.notify(Progress::ToolCalled { name: name.clone() });
    }
    let (value, notes) = invoke(host, tool, method, &arguments).await?;
    if !notes.is_empty() {
        host.recorder.amend(event, json!({ "notes": notes }));
    }
    for note in notes {
        host.warn(format!("{name}: {note}"));
    }
    Ok(supplied(value, method.facts.trust))
}

/// Calls a method for a model; the value, with how far it may be believed.
pub(super) async fn call_for_model(
    host: &LiveHost,
    (tool, method): (&str, &str),
    arguments: Value,
) -> Result<(Value, Trust), HostError> {
    let tool = find(host, tool)?;
    let own = tool.method(method).ok_or_else(|| {
        HostError::new("method_unknown", format!("`{}` has no method `{method}`", tool.name))
    })?;
    let arguments = checked(method, own, arguments)?;
    let (value, notes) = invoke(host, tool, own, &arguments).await?;
    for note in notes {
        host.warn(format!("{}.{method}: {note}", tool.name));
    }
    Ok((value, own.facts.trust))
}

fn find<'h>(host: &'h LiveHost, name: &str) -> Result<&'h AddedTool, HostError> {
    let tool = host.project().extensions.tool(name);
    tool.map(|tool| &**tool).ok_or_else(|| {
        HostError::new("tool_unknown", format!("the application has no tool `{name}`"))
    })
}

fn checked(
    name: &str,
    method: &AddedMethod,
    arguments: Value,
) -> Result<Map<String, Value>, HostError> {
    method.signature.check(name, arguments).map_err(|faults| {
        HostError::new("bad_argument", faults.join("; ")).with_help(method.signature.usage())
    })
}

async fn invoke(
    host: &LiveHost,
    tool: &AddedTool,
    method: &AddedMethod,
    arguments: &Map<String, Value>,
) -> Result<(Value, Vec<String>), HostError> {
    let limit = host.project().extensions.tool_timeout();
    let bytes = Some(host.limits.file_bytes as u64);
    let name = method.facts.name.as_str();
    let reply = tokio::select! {
        reply = tool.call(name, arguments, bytes) => reply.map_err(failed)?,
        () = host.cancel.cancelled() => return Err(cancelled()),
        () = tokio::time::sleep(limit) => {
            let message =
                format!("`{}.{name}` gave no result within {} s", tool.name, limit.as_secs_f64());
            let help = "make the tool faster, or allow it more with `tool_timeout`";
            return Err(HostError::new("timeout", message).with_help(help));
        }
    };
    let secrets = reply.secrets.iter().map(|secret| secret.expose().to_owned());
    host.recorder.add_secrets(secrets.collect());
    Ok((reply.value, reply.notes))
}

fn failed(failure: ToolFailure) -> HostError {
    let ToolFailure { code, message, help } = failure;
    HostError { help, ..HostError::new(code, message) }
}
