//! The schemas of the document: those of the protocol's types, and of what only HTTP has.

use contexture_protocol::{KINDS, schema};
use serde_json::{Map, Value, json};

/// All of them, by name.
pub(super) fn all() -> Map<String, Value> {
    let mut schemas = Map::new();
    for (name, schema) in schema::all() {
        let Value::Object(mut schema) = schema else { continue };
        schema.remove("$schema");
        // What a type is made of stands beside the types here.
        if let Some(Value::Object(parts)) = schema.remove("$defs") {
            schemas.extend(parts.into_iter().map(|(name, part)| (name, moved(part))));
        }
        schemas.insert(name.to_owned(), moved(Value::Object(schema)));
    }
    let of = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let kinds: Vec<Value> = KINDS.iter().map(|kind| of(kind.name)).collect();
    let message = json!({
        "description": "A message of the protocol, whose type says what it holds.",
        "anyOf": kinds,
        "discriminator": {
            "propertyName": "type",
            "mapping": KINDS
                .iter()
                .map(|kind| {
                    let place = format!("#/components/schemas/{}", kind.name);
                    (kind.name.to_owned(), place.into())
                })
                .collect::<Map<String, Value>>(),
        },
    });
    schemas.insert("Message".to_owned(), message);
    schemas.extend(of_http());
    schemas
}

/// The references of a schema, for its place in the document.
fn moved(schema: Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| match (&*name, value) {
                ("$ref", Value::String(place)) => {
                    let place = place.replace("#/$defs/", "#/components/schemas/");
                    (name, Value::String(place))
                }
                (_, value) => (name, moved(value)),
            });
            Value::Object(fields.collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(moved).collect()),
        other => other,
    }
}

fn of_http() -> Map<String, Value> {
    let list = |name: &str| json!({ "type": "array", "items": { "$ref": format!("#/components/schemas/{name}") } });
    let count = || json!({ "type": "integer", "minimum": 0 });
    let id = || json!({ "type": "string", "minLength": 1, "maxLength": 256 });
    let time = || json!({ "type": "string", "format": "date-time" });
    let shapes = [
        (
            "ContextHead",
            json!({
                "type": "object",
                "required": ["contextId", "creationTime", "lastUpdateTime", "version", "messageCount"],
                "properties": {
                    "contextId": id(),
                    "creationTime": time(),
                    "lastUpdateTime": time(),
                    "version": count(),
                    "messageCount": count(),
                    "metadata": { "type": "object" },
                },
            }),
        ),
        (
            "ContextPage",
            json!({
                "type": "object",
                "required": ["contexts"],
                "properties": { "contexts": list("ContextHead"), "next": { "type": "string" } },
            }),
        ),
        (
            "MessagePage",
            json!({
                "type": "object",
                "required": ["messages"],
                "properties": { "messages": list("MessageOfContext"), "next": count() },
            }),
        ),
        (
            "ChangePage",
            json!({
                "type": "object",
                "required": ["version", "changes"],
                "properties": { "version": count(), "changes": list("Change"), "next": count() },
            }),
        ),
        (
            "NewContext",
            json!({
                "type": "object",
                "properties": {
                    "contextId": id(),
                    "state": { "type": "object" },
                    "metadata": { "type": "object" },
                },
                "additionalProperties": false,
            }),
        ),
        (
            "NewFork",
            json!({
                "type": "object",
                "properties": { "contextId": id() },
                "additionalProperties": false,
            }),
        ),
        (
            "SchemaList",
            json!({
                "type": "object",
                "required": ["types"],
                "properties": {
                    "types": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["type", "schema"],
                            "properties": {
                                "type": { "type": "string" },
                                "schema": { "type": "string" },
                            },
                        },
                    },
                },
            }),
        ),
    ];
    shapes.into_iter().map(|(name, shape)| (name.to_owned(), shape)).collect()
}
