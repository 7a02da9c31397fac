//! CONTEXT_UPDATE (CP-10).

use crate::message::Draft;
use crate::node::{Fields, Node};
use crate::number::Count;
use crate::path::StatePath;
use crate::record::{record, words};
use crate::report::{Place, Report};
use crate::time::Timestamp;
use serde_json::{Map, Value};

record! {
    /// A change of a context (8.2). The required fields depend on the operation: a `message` with
    /// `ADD_MESSAGE`, a `path` and a `value` with `UPDATE_STATE`, a `path` with `REMOVE_STATE`. Several
    /// changes of the state that are made together or not at all stand in `changes`, in place of an
    /// operation.
    pub struct ContextUpdate, check = what_it_needs, transform = schema_of_update {
        /// The operation; none beside `changes`.
        optional operation: Option<UpdateOperation> = "operation",
        /// Changes of the state, at least one, which are made together. They make one version.
        optional changes: Option<Vec<StateChange>> = "changes",
        /// The message to add. Messages that open or control a connection or report progress, such
        /// as HELLO, ACK, PROGRESS and MODEL_RESPONSE_DELTA, are never stored and are refused.
        optional message: Option<Box<Draft>> = "message",
        /// The path in the state, relative to `state`.
        optional path: Option<StatePath> = "path",
        /// The new value; null is a value.
        any value: Option<Value> = "value",
        /// The filter of the messages to clear; all if absent.
        optional filter: Option<HistoryFilter> = "filter",
        /// The version that the sender has seen. An update based on an older one is merged or
        /// refused (CP-11).
        optional base_version: Option<Count> = "baseVersion",
    }
}

record! {
    /// One of several changes of the state.
    pub struct StateChange, check = what_change_needs, transform = schema_of_change {
        /// `UPDATE_STATE` or `REMOVE_STATE`.
        required operation: UpdateOperation = "operation",
        /// The path in the state, relative to `state`.
        required path: StatePath = "path",
        /// The new value; null is a value.
        any value: Option<Value> = "value",
    }
}

words! {
    /// The operation of an update.
    pub enum UpdateOperation {
        /// Adds a message to the history (8.2.1).
        AddMessage = "ADD_MESSAGE",
        /// Sets a value in the state (8.2.2).
        UpdateState = "UPDATE_STATE",
        /// Removes a value from the state.
        RemoveState = "REMOVE_STATE",
        /// Clears messages (8.2.3); the state stays.
        ClearHistory = "CLEAR_HISTORY",
    }
}

record! {
    /// A filter of the messages to clear.
    pub struct HistoryFilter {
        /// The time before which messages are cleared, by their own timestamp.
        required before_timestamp: Timestamp = "beforeTimestamp",
    }
}

impl UpdateOperation {
    /// Returns the required fields.
    fn needs(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::AddMessage => &[("message", "a message")],
            Self::UpdateState => &[
                ("path", "a path such as userPreferences.language"),
                ("value", "any JSON value (null is one)"),
            ],
            Self::RemoveState => &[("path", "a path such as userPreferences.language")],
            Self::ClearHistory => &[],
        }
    }
}

fn what_it_needs(map: &Fields<'_>, at: &Place<'_>, report: &mut Report<'_>) {
    if let Some(changes) = map.get("changes").filter(|changes| !changes.is_null()) {
        if matches!(changes, Node::Array(items) if items.is_empty()) {
            report.wrong(&at.key("changes"), "at least one change", changes);
        }
        for name in ["operation", "message", "path", "value", "filter"] {
            let value = map.get(name).filter(|value| !value.is_null());
            if let Some(value) = value {
                report.wrong(&at.key(name), "nothing beside `changes`", value);
            }
        }
        return;
    }
    let Some(word) = map.get("operation").filter(|word| !word.is_null()) else {
        let expected = <UpdateOperation as crate::read::Read>::expected();
        return report.missing(at, "operation", expected);
    };
    lacks(word, map, at, report);
}

/// Reports the fields that an operation lacks.
fn lacks(word: &Node<'_>, map: &Fields<'_>, at: &Place<'_>, report: &mut Report<'_>) {
    let Some(operation) = word.as_str().and_then(UpdateOperation::parse) else { return };
    for (name, expected) in operation.needs() {
        let is_there = map.has(name) || (*name == "value" && map.get(name).is_some());
        if !is_there {
            let expected = format!("{expected}, as {operation} needs");
            report.missing(at, name, expected);
        }
    }
}

fn what_change_needs(map: &Fields<'_>, at: &Place<'_>, report: &mut Report<'_>) {
    let Some(word) = map.get("operation") else { return };
    let operation = word.as_str().and_then(UpdateOperation::parse);
    if matches!(operation, Some(UpdateOperation::AddMessage | UpdateOperation::ClearHistory)) {
        return report.wrong(&at.key("operation"), "UPDATE_STATE or REMOVE_STATE", word);
    }
    // A missing path is told with the others.
    if operation == Some(UpdateOperation::UpdateState) && map.get("value").is_none() {
        report.missing(at, "value", "any JSON value (null is one), as UPDATE_STATE needs");
    }
}

fn schema_of_change(schema: &mut schemars::Schema) {
    let words = [UpdateOperation::UpdateState, UpdateOperation::RemoveState];
    let words = words.map(UpdateOperation::as_str);
    schema.insert(
        "allOf".to_owned(),
        serde_json::json!([
            { "properties": { "operation": { "enum": words } } },
            {
                "if": { "properties": { "operation": { "const": words[0] } } },
                "then": { "required": ["value"] },
            },
        ]),
    );
}

fn schema_of_update(schema: &mut schemars::Schema) {
    let rules = UpdateOperation::ALL.iter().filter(|operation| !operation.needs().is_empty());
    let rules = rules.map(|operation| {
        let names: Vec<&str> = operation.needs().iter().map(|(name, _)| *name).collect();
        let kinds = names.iter().filter_map(|name| match *name {
            "message" => Some(("message", serde_json::json!({"type": "object"}))),
            "path" => Some(("path", serde_json::json!({"type": "string"}))),
            _ => None,
        });
        let kinds: Map<String, Value> = kinds.map(|(n, kind)| (n.to_owned(), kind)).collect();
        serde_json::json!({
            "if": {
                "required": ["operation"],
                "properties": {"operation": {"const": operation.as_str()}},
            },
            "then": {"required": names, "properties": kinds},
        })
    });
    schema.insert("allOf".to_owned(), Value::Array(rules.collect()));
    let one = serde_json::json!([
        { "required": ["operation"], "properties": { "operation": { "type": "string" } } },
        { "required": ["changes"], "properties": { "changes": { "type": "array", "minItems": 1 } } },
    ]);
    schema.insert("oneOf".to_owned(), one);
}
