//! The schemas of the document: those of the types of the protocol, and those of HTTP alone.

use contexture_protocol::{KINDS, schema};
use serde_json::{Map, Value, json};

/// Returns all schemas by name.
pub(super) fn all() -> Map<String, Value> {
    let mut schemas = Map::new();
    for (name, schema) in schema::all() {
        let Value::Object(mut schema) = schema else { continue };
        schema.remove("$schema");
        // The parts of a type are placed beside the types here.
        if let Some(Value::Object(parts)) = schema.remove("$defs") {
            schemas.extend(parts.into_iter().map(|(name, part)| (name, moved(part))));
        }
        schemas.insert(name.to_owned(), moved(Value::Object(schema)));
    }
    let of = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let kinds: Vec<Value> = KINDS.iter().map(|kind| of(kind.name)).collect();
    let message = json!({
        "description": "A message of the protocol, whose type determines its content.",
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

/// Returns a schema whose references point into the document.
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
    let object = |required: &[&str], properties: Value| json!({ "type": "object", "required": required, "properties": properties });
    let closed = |properties: Value| json!({ "type": "object", "properties": properties, "additionalProperties": false });
    let count = json!({ "type": "integer", "minimum": 0 });
    let id = json!({ "type": "string", "minLength": 1, "maxLength": 256 });
    let time = json!({ "type": "string", "format": "date-time" });
    let text = json!({ "type": "string" });
    let any = json!({ "type": "object" });
    let head = object(
        &["contextId", "creationTime", "lastUpdateTime", "version", "messageCount"],
        json!({
            "contextId": id,
            "creationTime": time,
            "lastUpdateTime": time,
            "version": count,
            "messageCount": count,
            "metadata": any,
        }),
    );
    let contexts = json!({ "contexts": list("ContextHead"), "next": text });
    let messages = json!({ "messages": list("MessageOfContext"), "next": count });
    let changes = json!({ "version": count, "changes": list("Change"), "next": count });
    let wait = object(
        &["callId", "contextId", "kind", "since", "expires", "client"],
        json!({
            "callId": id,
            "contextId": id,
            "kind": { "enum": ["CALL", "PERMISSION"] },
            "since": time,
            "expires": time,
            "client": text,
        }),
    );
    let waits = json!({ "waits": { "type": "array", "items": wait }, "next": count });
    let kind = object(&["type", "schema"], json!({ "type": text, "schema": text }));
    let types = json!({ "types": { "type": "array", "items": kind } });
    let run = json!({
        "run": text, "program": text, "outcome": text, "state": text, "calls": count, "input": count,
        "output": count, "events": { "type": "array", "items": any },
    });
    let runs = json!({ "runs": { "type": "array", "items": run.clone() }, "next": text });
    let flow = json!({
        "run": text, "name": text, "status": text, "context": any, "steps": count, "done": count,
        "started": time, "ended": any, "set": any, "results": { "type": "object" },
        "order": { "type": "array", "items": text }, "events": { "type": "array", "items": any },
    });
    let flow = object(&["run", "name", "status", "steps", "done", "started"], flow);
    let flows = json!({ "flows": { "type": "array", "items": flow.clone() }, "next": text });
    let outcomes = json!({ "enum": ["done", "again", "failed"] });
    let settlement = closed(json!({ "call": text, "outcome": outcomes, "result": any }));
    let in_doubt = json!({ "run": text, "inDoubt": { "type": "array", "items": text } });
    let tools = list("Callable");
    let shapes = [
        ("ContextHead", head),
        ("ContextPage", object(&["contexts"], contexts)),
        ("MessagePage", object(&["messages"], messages)),
        ("ChangePage", object(&["version", "changes"], changes)),
        ("WaitPage", object(&["waits"], waits)),
        ("RunPage", object(&["runs"], runs)),
        ("Settlement", settlement),
        ("InDoubt", object(&["run", "inDoubt"], in_doubt)),
        ("Flow", flow),
        ("FlowPage", object(&["flows"], flows)),
        ("ToolList", object(&["tools"], json!({ "tools": tools.clone() }))),
        ("ActionList", object(&["actions"], json!({ "actions": tools }))),
        ("NewContext", closed(json!({ "contextId": id, "state": any, "metadata": any }))),
        ("MetadataPatch", closed(json!({ "metadata": any }))),
        ("NewFork", closed(json!({ "contextId": id }))),
        ("Run", object(&["run", "program", "outcome"], run)),
        ("SchemaList", object(&["types"], types)),
    ];
    shapes.into_iter().map(|(name, shape)| (name.to_owned(), shape)).collect()
}
