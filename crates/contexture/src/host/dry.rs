//! The effects of a dry run, which only remembers what would have been written, so that the program
//! reads it back (AS-31).

use super::run_state::{placeholder, supplied, unknown};
use contexture_context::Trust;
use contexture_script::host::{MemoryCall, Supplied};
use contexture_store::memory::{DEFAULT_LIMIT, MemoryOutput};
use contexture_tools::paths::Access;
use contexture_tools::{FileError, Workspace};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The texts of files that would have been written, by their path in the workspace.
#[derive(Debug, Default)]
pub(super) struct PretendedFiles(HashMap<String, String>);

impl PretendedFiles {
    /// Returns the text of a file that would have been written.
    pub(super) fn read(&self, workspace: &Workspace, arguments: &Value) -> Option<Value> {
        let text = self.0.get(&place(workspace, arguments)?)?;
        Some(Value::String(text.clone()))
    }

    /// Remembers a write.
    pub(super) fn write(&mut self, workspace: &Workspace, arguments: &Value) {
        let content = arguments.get("content").and_then(Value::as_str);
        if let (Some(place), Some(content)) = (place(workspace, arguments), content) {
            self.0.insert(place, content.to_owned());
        }
    }

    /// Remembers a patch of a file whose text is now `text`.
    pub(super) fn patch(&mut self, workspace: &Workspace, arguments: &Value, text: &str) {
        let field = |name: &str| arguments.get(name).and_then(Value::as_str);
        let (Some(search), Some(replace)) = (field("search"), field("replace")) else { return };
        if let Some(place) = place(workspace, arguments) {
            self.0.insert(place, text.replace(search, replace));
        }
    }
}

/// The records that would have been written, by the URI of their memory, newest last.
#[derive(Debug, Default)]
pub(super) struct PretendedRecords(HashMap<String, Vec<Value>>);

impl PretendedRecords {
    /// Remembers a memory's write and returns its value.
    pub(super) fn remember(&mut self, call: &MemoryCall) -> Value {
        let records = self.0.entry(call.memory.uri.clone()).or_default();
        let fields = call.arguments.as_object().cloned().unwrap_or_default();
        match call.method.as_str() {
            "delete" => {
                let before = records.len();
                records.retain(|record| record.get("id") != fields.get("id"));
                json!({ "ok": records.len() < before || fields.contains_key("id") })
            }
            "update" => {
                let known = records.iter_mut().find(|record| record.get("id") == fields.get("id"));
                match known.and_then(Value::as_object_mut) {
                    Some(record) => {
                        record.extend(fields);
                        Value::Object(record.clone())
                    }
                    None => Value::Object(stamped(fields, records.len())),
                }
            }
            _ => {
                let record = Value::Object(stamped(fields, records.len()));
                records.push(record.clone());
                record
            }
        }
    }

    /// Adds what would have been remembered to what a query found; the newest first.
    pub(super) fn recall(&self, call: &MemoryCall, found: MemoryOutput) -> Supplied {
        let Value::Array(real) = found.value else { return supplied(found.value, Trust::Memory) };
        let asked = |name: &str| call.arguments.get(name).filter(|value| !value.is_null());
        let limit = asked("limit").and_then(Value::as_u64);
        let limit = limit.and_then(|n| usize::try_from(n).ok()).unwrap_or(DEFAULT_LIMIT);
        let fits = |record: &&Value| {
            let kind = asked("kind").is_none_or(|kind| record.get("kind") == Some(kind));
            let fields = asked("where").and_then(Value::as_object);
            kind && fields.is_none_or(|all| all.iter().all(|(k, v)| record.get(k) == Some(v)))
        };
        let records = self.0.get(&call.memory.uri).map_or(&[][..], Vec::as_slice);
        let pretended: Vec<Value> = records.iter().rev().filter(fits).cloned().collect();
        let known = pretended.is_empty();
        let all = pretended.into_iter().chain(real).take(limit).collect();
        if known { supplied(all, Trust::Memory) } else { placeholder(all, Trust::Memory) }
    }
}

/// Returns the stand-in for the result of a tool call that is not made; `name` is as in `Http.get`.
pub(super) fn result(uri: &str, method: &str, name: &str) -> Supplied {
    let stand_in = |part: &str| Value::String(format!("⟨{name}{part}⟩"));
    if uri.starts_with("http://") || uri.starts_with("https://") {
        let answer = json!({
            "ok": true,
            "status": 200,
            "headers": stand_in(".headers"),
            "body": stand_in(".body"),
            "json": stand_in(".json"),
        });
        return unknown(answer, Trust::Web);
    }
    match method {
        "write" | "patch" | "undo" => placeholder(json!({"ok": true, "effects": []}), Trust::Tool),
        _ => unknown(stand_in(""), Trust::Tool),
    }
}

/// Refuses a write that would be refused in a real run.
pub(super) fn permit(workspace: &Workspace, arguments: &Value) -> Result<(), FileError> {
    let path = arguments.get("path").and_then(Value::as_str);
    let place = path.and_then(|path| workspace.resolve(path).ok());
    place.map_or(Ok(()), |place| workspace.permit(&place, Access::Write).map(drop))
}

fn place(workspace: &Workspace, arguments: &Value) -> Option<String> {
    let path = arguments.get("path").and_then(Value::as_str)?;
    Some(workspace.resolve(path).ok()?.as_str().to_owned())
}

fn stamped(mut fields: Map<String, Value>, number: usize) -> Map<String, Value> {
    let id = format!("dry-run-{}", number + 1);
    fields.entry("id").or_insert_with(|| id.into());
    for time in ["created_at", "updated_at"] {
        fields.entry(time).or_insert_with(|| "1970-01-01T00:00:00.000Z".into());
    }
    fields
}
