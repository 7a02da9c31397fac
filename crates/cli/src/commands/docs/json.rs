//! The interface of a program as JSON.

use crate::prelude::*;
use contexture::answer::Shape;
use contexture::script::semantic::interface::{Entry, EntryResult, Interface, NamedShape};
use serde_json::Map;

/// Returns the interface; the references of its schemas lead to its `$defs`.
pub(super) fn document(interface: &Interface) -> Value {
    let entry = |entry: &Entry| {
        json!({
            "action": entry.action,
            "agent": entry.agent,
            "function": entry.function,
            "doc": entry.doc,
            "parameters": parameters(entry),
            "result": result(entry.result.as_ref()),
            "result_is_declared": entry.result.as_ref().is_some_and(|result| result.is_declared),
        })
    };
    let policy = interface.policy.iter();
    let policy = policy
        .map(|(class, verdict)| json!({ "class": class.as_str(), "verdict": verdict.as_str() }));
    json!({
        "entries": interface.entries.iter().map(entry).collect::<Vec<_>>(),
        "touches": interface.touches.iter().map(|touch| touch.json()).collect::<Vec<_>>(),
        "secrets": interface.secrets,
        "policy": policy.collect::<Vec<_>>(),
        "$defs": definitions(interface),
    })
}

/// Returns the schemas of the named shapes by name.
pub(super) fn definitions(interface: &Interface) -> Map<String, Value> {
    let schema = |own: &NamedShape| {
        let mut schema = own.shape.to_json_schema();
        if let (Some(doc), Some(map)) = (&own.doc, schema.as_object_mut()) {
            map.insert("description".to_owned(), doc.as_str().into());
        }
        (own.name.clone(), schema)
    };
    interface.shapes.iter().map(schema).collect()
}

/// Returns the schema of the parameters of an action.
pub(super) fn parameters(entry: &Entry) -> Value {
    entry.parameters().as_ref().map_or_else(|| json!({ "type": "object" }), Shape::to_json_schema)
}

/// Returns the schema of a value; of one that is not declared, none is possible as well.
pub(super) fn result(result: Option<&EntryResult>) -> Value {
    match result {
        Some(result) if result.is_declared => result.shape.to_json_schema(),
        Some(result) => {
            json!({ "anyOf": [result.shape.to_json_schema(), { "type": "null" }] })
        }
        None => json!({}),
    }
}
