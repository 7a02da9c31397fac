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
    /// `ADD_MESSAGE`, a `path` and a `value` with `UPDATE_STATE`, a `path` with `REMOVE_STATE`.
    pub struct ContextUpdate, check = what_it_needs, transform = schema_of_update {
        /// The operation.
        required operation: UpdateOperation = "operation",
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
    let word = map.get("operation").and_then(Node::as_str);
    let Some(operation) = word.and_then(UpdateOperation::parse) else { return };
    for (name, expected) in operation.needs() {
        let is_there = map.has(name) || (*name == "value" && map.get(name).is_some());
        if !is_there {
            let expected = format!("{expected}, as {operation} needs");
            report.missing(at, name, expected);
        }
    }
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
            "if": {"properties": {"operation": {"const": operation.as_str()}}},
            "then": {"required": names, "properties": kinds},
        })
    });
    schema.insert("allOf".to_owned(), Value::Array(rules.collect()));
}
