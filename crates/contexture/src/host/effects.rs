//! Tools and memories as a program calls them, and what a dry run makes of them.

use super::{LiveHost, placeholder, supplied};
use crate::observe::Progress;
use contexture_context::Trust;
use contexture_script::host::{HostError, MemoryCall, Supplied, ToolCall};
use contexture_tools::{ToolError, Tools};
use serde_json::{Map, Value, json};

/// Calls a tool (AS-25).
pub(super) async fn tool(host: &LiveHost, call: ToolCall) -> Result<Supplied, HostError> {
    host.count_tool_call()?;
    let ToolCall { tool, method, arguments, event, .. } = call;
    let effect = Tools::effect(&tool.uri, &method).map_err(host_error)?;
    if host.dry_run && !effect.runs_in_dry_run() {
        return Ok(placeholder(dry_value(&tool.uri, &method), Trust::Tool));
    }
    host.observer.notify(Progress::ToolCalled { name: format!("{}.{method}", tool.name) });
    let running = host.tools.call(&tool.uri, &method, arguments);
    let output = tokio::select! {
        output = running => output.map_err(host_error)?,
        () = host.cancel.cancelled() => return Err(cancelled()),
    };
    host.recorder.add_secrets(output.secrets);
    if !output.notes.is_empty() {
        let notes = json!(output.notes);
        host.recorder.amend(event, Map::from_iter([("notes".to_owned(), notes)]));
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
        return Ok(placeholder(dry_record(&call.method, &call.arguments), Trust::Memory));
    }
    host.observer.notify(Progress::ToolCalled { name: name.clone() });
    let answer = host.memories.call(&call)?;
    for note in answer.notes {
        host.warn(format!("{name}: {note}"));
    }
    Ok(supplied(answer.value, Trust::Memory))
}

/// What stands for the result of a call that a dry run does not make.
fn dry_value(uri: &str, method: &str) -> Value {
    let is_http = uri.starts_with("http://") || uri.starts_with("https://");
    match method {
        _ if is_http => json!({"ok": true, "status": 200, "headers": {}, "body": "", "json": null}),
        "write" | "patch" | "undo" => json!({"ok": true, "effects": []}),
        _ => Value::Null,
    }
}

fn dry_record(method: &str, arguments: &Value) -> Value {
    match (method, arguments) {
        ("delete", _) => json!({"ok": true}),
        (_, Value::Object(fields)) => {
            let mut record = fields.clone();
            for field in ["id", "created_at", "updated_at"] {
                record.entry(field).or_insert_with(|| format!("dry-run {field}").into());
            }
            Value::Object(record)
        }
        _ => Value::Null,
    }
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
