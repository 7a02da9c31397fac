//! Tools of the application, as programs and models call them (HO-2).

use super::run_state::{RunState, supplied};
use crate::extensions::{AddedMethod, AddedTool, Extensions, action_name};
use crate::observe::Progress;
use contexture_context::{Label, Trust};
use contexture_core::policy::Effect;
use contexture_core::tool::ToolFailure;
use contexture_script::host::{HostError, Supplied, ToolCall};
use contexture_script::server::ServerImport;
use serde_json::{Map, Value};

/// Calls a method of an imported tool.
pub(super) async fn call(
    run: &RunState,
    extensions: &Extensions,
    call: ToolCall,
    import: &ServerImport,
) -> Result<Supplied, HostError> {
    let ToolCall {
        tool: binding,
        method,
        arguments,
        on_placeholders,
        site,
        event,
        key,
        influence,
        ..
    } = call;
    let name = format!("{}.{method}", binding.name);
    let tool = find(extensions, &import.server)?;
    let names = tool.methods.iter().map(|method| method.facts.name.as_str());
    let method = import.tool(names, &method).and_then(|own| tool.method(own));
    let method = method.ok_or_else(|| {
        let message = format!("the tool `{}` has no method for `{name}`", tool.name);
        HostError::new("method_unknown", message)
    })?;
    if run.dry_run && (on_placeholders || !method.facts.effect.runs_in_dry_run()) {
        if !on_placeholders {
            checked(&name, method, arguments)?;
        }
        return Ok(run.stand_in(&name, site, method.facts.trust));
    }
    let arguments = checked(&name, method, arguments)?;
    if !run.dry_run {
        let shown = Value::Object(arguments.clone());
        let known_as = action_name(&tool.name, &method.facts.name);
        let class = method.facts.effect.class();
        let demands = Some(&method.facts.demands);
        let effect =
            Effect { name: &known_as, class, influence: &influence, origin: None, demands };
        run.permitted((event, &key), &effect, &shown).await?;
        run.observer.notify(Progress::ToolCalled { name: name.clone() });
    }
    let (value, notes) = invoke(run, extensions, (tool, method), &arguments).await?;
    run.note(Some(event), &name, notes);
    let known_as = action_name(&tool.name, &method.facts.name);
    let validation = run.policy.validation(&known_as, method.facts.validates.as_deref());
    Ok(Supplied { validation, ..supplied(value, Label::of(name, method.facts.trust)) })
}

/// Calls a method for a model; returns the value, with its trust level.
pub(super) async fn call_for_model(
    run: &RunState,
    extensions: &Extensions,
    (tool, method): (&str, &str),
    arguments: Value,
) -> Result<(Value, Trust), HostError> {
    let tool = find(extensions, tool)?;
    let own = tool.method(method).ok_or_else(|| {
        HostError::new("method_unknown", format!("`{}` has no method `{method}`", tool.name))
    })?;
    let arguments = checked(method, own, arguments)?;
    let (value, notes) = invoke(run, extensions, (tool, own), &arguments).await?;
    run.note(None, &format!("{}.{method}", tool.name), notes);
    Ok((value, own.facts.trust))
}

fn find<'e>(extensions: &'e Extensions, name: &str) -> Result<&'e AddedTool, HostError> {
    extensions.tool(name).map(|tool| &**tool).ok_or_else(|| {
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
    run: &RunState,
    extensions: &Extensions,
    (tool, method): (&AddedTool, &AddedMethod),
    arguments: &Map<String, Value>,
) -> Result<(Value, Vec<String>), HostError> {
    let limit = extensions.tool_timeout(&tool.name);
    let name = method.facts.name.as_str();
    let called = tool.call(name, arguments, Some(run.limits.file_bytes as u64));
    let reply = run.unless_cancelled(tokio::time::timeout(limit, called)).await?;
    let reply = reply.map_err(|_| {
        let message =
            format!("`{}.{name}` gave no result within {} s", tool.name, limit.as_secs_f64());
        let help = "make the tool faster, or allow it more with `tool_timeout`";
        HostError::new("timeout", message).with_help(help)
    })?;
    let reply = reply.map_err(|ToolFailure { code, message, help }| HostError {
        help,
        ..HostError::new(code, message)
    })?;
    let secrets = reply.secrets.iter().map(|secret| secret.expose().to_owned());
    run.recorder.add_secrets(secrets.collect());
    Ok((reply.value, reply.notes))
}
