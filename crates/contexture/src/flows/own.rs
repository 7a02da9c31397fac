//! The names and parameters of the actions that only flows of a project have.

use contexture_flow::action::{ActionInfo, ActionKind};
use serde_json::{Value, json};

/// The action that asks a model.
pub(super) const GENERATE: &str = "generate";

/// The action that runs a set.
pub(super) const NESTED: &str = "RUN_INSTRUCTIONS";

/// The longest label of what a model is shown, in characters.
pub(super) const LABEL_CHARS: usize = 200;

pub(super) fn generate() -> ActionInfo {
    // Asking a model again costs, and changes nothing.
    ActionInfo { idempotent: true, ..ActionInfo::of(ActionKind::Generation) }
        .with_parameters(generate_schema())
}

fn generate_schema() -> Value {
    let label = json!({ "type": "string", "minLength": 1, "maxLength": LABEL_CHARS });
    let used = json!({
        "type": "object",
        "properties": {
            "label": label,
            "value": {},
            "max": { "type": "integer", "minimum": 1 },
        },
        "required": ["value"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "prompt": { "type": "string", "minLength": 1 },
            "uses": { "anyOf": [{ "type": "object" }, { "type": "array", "items": used }] },
            "shape": { "type": ["string", "object"] },
            "model": { "type": "string" },
            "temperature": { "type": "number", "minimum": 0, "maximum": 2 },
            "maxOutput": { "type": "integer", "minimum": 1 },
            "attempts": { "type": "integer", "minimum": 1, "maximum": 10 },
            "idempotencyKey": { "type": "string" },
        },
        "required": ["prompt"],
        "additionalProperties": false,
    })
}

pub(super) fn nested() -> ActionInfo {
    let schema = json!({
        "type": "object",
        "properties": {
            "set": { "type": ["object", "string"] },
            "allow": { "type": "array", "items": { "type": "string", "minLength": 1 } },
            "idempotencyKey": { "type": "string" },
        },
        "required": ["set", "allow"],
        "additionalProperties": false,
    });
    // What it began is resumed, so that no step of it is done twice.
    ActionInfo { keyed: true, ..ActionInfo::of(ActionKind::Operation) }.with_parameters(schema)
}
