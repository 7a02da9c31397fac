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
    /// `ADD_MESSAGE`, a `path` and a `value` with `UPDATE_STATE`, a `path` with `REMOVE_STATE`, a `value`
    /// with `UPDATE_METADATA`. Several operations that take effect together or not at all, such as messages
    /// that belong together, stand in `changes`, in place of an operation. The ACK then names each message
    /// in `messageIds`; a refusal names the first operation at fault, by its pointer. A MODEL_RESPONSE that
    /// requests tool calls is added alone.
    pub struct ContextUpdate, check = what_it_needs, transform = schema_of_update {
        /// The operation; none beside `changes`.
        optional operation: Option<UpdateOperation> = "operation",
        /// Operations in their order, 1 to 1,000, which take effect together. They make one version.
        optional changes: Option<Vec<UpdateStep>> = "changes",
        /// The message to add. Messages that open or control a connection or report progress, such
        /// as HELLO, ACK, PROGRESS and MODEL_RESPONSE_DELTA, are never stored and are refused.
        optional message: Option<Box<Draft>> = "message",
        /// The path in the state, relative to `state`.
        optional path: Option<StatePath> = "path",
        /// The new value, of which null is one; for the metadata, the merge patch.
        any value: Option<Value> = "value",
        /// The filter of the messages to clear; all if absent.
        optional filter: Option<HistoryFilter> = "filter",
        /// The version that the sender has seen. An update based on an older one is merged or
        /// refused (CP-11).
        optional base_version: Option<Count> = "baseVersion",
    }
}

record! {
    /// One of several operations of an update, with the fields that it needs.
    pub struct UpdateStep, check = what_step_needs, transform = schema_of_step {
        /// The operation.
        required operation: UpdateOperation = "operation",
        /// The message to add.
        optional message: Option<Box<Draft>> = "message",
        /// The path in the state, relative to `state`.
        optional path: Option<StatePath> = "path",
        /// The new value, of which null is one; for the metadata, the merge patch.
        any value: Option<Value> = "value",
        /// The filter of the messages to clear; all if absent.
        optional filter: Option<HistoryFilter> = "filter",
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
        /// Changes the metadata by a merge patch (RFC 7396): a field that is null is removed. The
        /// `userId` is fixed, `title` is the title of the context. Two patches conflict where they name
        /// the same field of the metadata.
        UpdateMetadata = "UPDATE_METADATA",
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
            Self::UpdateMetadata => &[("value", "an object, a merge patch of the metadata")],
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

/// Reports the fields that an operation lacks, and a patch that is not an object.
fn lacks(word: &Node<'_>, map: &Fields<'_>, at: &Place<'_>, report: &mut Report<'_>) {
    let Some(operation) = word.as_str().and_then(UpdateOperation::parse) else { return };
    for (name, expected) in operation.needs() {
        let is_there = map.has(name) || (*name == "value" && map.get(name).is_some());
        if !is_there {
            let expected = format!("{expected}, as {operation} needs");
            report.missing(at, name, expected);
        }
    }
    let patch = map.get("value").filter(|_| operation == UpdateOperation::UpdateMetadata);
    if let Some(patch) = patch.filter(|patch| !matches!(patch, Node::Object(_))) {
        report.wrong(&at.key("value"), "an object, a merge patch of the metadata", patch);
    }
}

fn what_step_needs(map: &Fields<'_>, at: &Place<'_>, report: &mut Report<'_>) {
    // A missing operation is told with the others.
    if let Some(word) = map.get("operation") {
        lacks(word, map, at, report);
    }
}

/// Returns the rules of what each operation needs.
fn needs_of_operations() -> Value {
    let rules = UpdateOperation::ALL.iter().filter(|operation| !operation.needs().is_empty());
    let rules = rules.map(|operation| {
        let names: Vec<&str> = operation.needs().iter().map(|(name, _)| *name).collect();
        let kinds = names.iter().filter_map(|name| match *name {
            "message" => Some(("message", serde_json::json!({"type": "object"}))),
            "path" => Some(("path", serde_json::json!({"type": "string"}))),
            "value" if *operation == UpdateOperation::UpdateMetadata => {
                Some(("value", serde_json::json!({"type": "object"})))
            }
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
    Value::Array(rules.collect())
}

fn schema_of_step(schema: &mut schemars::Schema) {
    schema.insert("allOf".to_owned(), needs_of_operations());
}

fn schema_of_update(schema: &mut schemars::Schema) {
    schema.insert("allOf".to_owned(), needs_of_operations());
    let one = serde_json::json!([
        { "required": ["operation"], "properties": { "operation": { "type": "string" } } },
        { "required": ["changes"], "properties": { "changes": { "type": "array", "minItems": 1 } } },
    ]);
    schema.insert("oneOf".to_owned(), one);
}
