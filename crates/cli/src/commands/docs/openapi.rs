//! The entries of a program as an OpenAPI 3.1 document.
//!
//! Decision: the paths are those of the server. An entry is run by an INSTRUCTION whose one
//! instruction has its action, so that all entries share `POST /v1/messages`; each has a schema of
//! its message and one of its answer.

use super::json::{definitions, parameters, result};
use crate::prelude::*;
use contexture::script::semantic::interface::{Entry, Interface};
use serde_json::Map;

const REF: &str = "#/$defs/";

/// Returns the document of the entries of a program's file.
pub(super) fn document(interface: &Interface, file: &str) -> Value {
    let mut schemas: Map<String, Value> = definitions(interface)
        .into_iter()
        .map(|(name, schema)| (key(&name), moved(schema)))
        .collect();
    let mut calls = Vec::new();
    let mut answers = vec![reference("refusal.ERROR_RESPONSE")];
    for entry in &interface.entries {
        let name = key(entry.action.trim_start_matches("agent:"));
        let (call, answer) = (format!("call.{name}"), format!("answer.{name}"));
        calls.push(reference(&call));
        answers.insert(answers.len() - 1, reference(&answer));
        schemas.insert(call, call_of(entry));
        schemas.insert(answer, answer_of(entry));
    }
    schemas.insert("refusal.ERROR_RESPONSE".to_owned(), refusal());
    let content =
        |schemas: Vec<Value>| json!({ "application/json": { "schema": { "anyOf": schemas } } });
    let refused = json!({ "application/json": { "schema": reference("refusal.ERROR_RESPONSE") } });
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": file,
            "version": "1",
            "description": format!("The entries of {file}, run by `contexture serve {file}`. Its \
                setting `[serve] actions` allows their actions."),
        },
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "servers": [{ "url": "http://127.0.0.1:7878" }],
        "security": [{ "bearer": [] }, {}],
        "paths": { "/v1/messages": { "post": {
            "operationId": "call",
            "summary": "Runs an entry",
            "requestBody": { "required": true, "content": content(calls) },
            "responses": {
                "200": { "description": "The outcome of the entry.", "content": content(answers) },
                "default": { "description": "The message was refused.", "content": refused },
            },
        } } },
        "components": {
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas,
        },
    })
}

fn call_of(entry: &Entry) -> Value {
    let instruction = json!({
        "type": "object",
        "properties": {
            "instructionId": { "type": "string" },
            "action": { "const": entry.action },
            "parameters": moved(parameters(entry)),
        },
        "required": ["instructionId", "action", "parameters"],
    });
    let text = json!({ "type": "string" });
    json!({
        "title": entry.action,
        "description": entry.doc.clone().unwrap_or_default(),
        "type": "object",
        "properties": {
            "messageId": text,
            "contextId": text,
            "timestamp": { "type": "string", "format": "date-time" },
            "type": { "const": "INSTRUCTION" },
            "sender": {
                "type": "object",
                "properties": { "id": text, "type": { "const": "USER" } },
                "required": ["id", "type"],
            },
            "content": {
                "type": "object",
                "properties": {
                    "instructions": {
                        "type": "array", "items": instruction, "minItems": 1, "maxItems": 1,
                    },
                },
                "required": ["instructions"],
            },
        },
        "required": ["messageId", "contextId", "timestamp", "type", "sender", "content"],
    })
}

fn answer_of(entry: &Entry) -> Value {
    let text = json!({ "type": "string" });
    let outcome = json!({
        "type": "object",
        "properties": {
            "instructionId": text,
            "status": text,
            "result": moved(result(entry.result.as_ref())),
            "error": {
                "type": "object",
                "properties": { "code": text, "message": text },
                "required": ["code", "message"],
            },
        },
        "required": ["instructionId", "status"],
    });
    json!({
        "title": format!("The outcome of {}", entry.action),
        "type": "object",
        "properties": {
            "type": { "const": "INSTRUCTION_RESPONSE" },
            "content": {
                "type": "object",
                "properties": {
                    "status": text,
                    "results": { "type": "array", "items": outcome },
                },
                "required": ["status", "results"],
            },
        },
        "required": ["type", "content"],
    })
}

fn refusal() -> Value {
    json!({
        "type": "object",
        "properties": {
            "type": { "const": "ERROR_RESPONSE" },
            "content": {
                "type": "object",
                "properties": {
                    "errorCode": { "type": "string" },
                    "message": { "type": "string" },
                },
                "required": ["errorCode", "message"],
            },
        },
        "required": ["type", "content"],
    })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Returns a name as a key of `components`, which has ASCII signs alone.
fn key(name: &str) -> String {
    let sign = |sign: char| match sign {
        '_' | '-' | '.' => sign.to_string(),
        sign if sign.is_ascii_alphanumeric() => sign.to_string(),
        sign => format!("u{:x}.", u32::from(sign)),
    };
    name.chars().map(sign).collect()
}

/// Returns a schema whose references lead to the components. A property may be named `$ref`, but
/// its value is a schema and not a text.
fn moved(schema: Value) -> Value {
    match schema {
        Value::Object(map) => {
            let part = |(name, value): (String, Value)| {
                let target = value.as_str().and_then(|text| text.strip_prefix(REF)).map(key);
                match target.filter(|_| name == "$ref") {
                    Some(target) => (name, format!("#/components/schemas/{target}").into()),
                    None => (name, moved(value)),
                }
            };
            Value::Object(map.into_iter().map(part).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(moved).collect()),
        plain => plain,
    }
}
