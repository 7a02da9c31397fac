//! The JSON examples of the source document, as messages.
#![allow(dead_code, reason = "each test takes what it needs")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test reads files, and a failure is meant to panic"
)]

use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

/// Blocks that are templates, not examples (CP-3).
const TEMPLATES: [&str; 2] = ["2_2", "8_2_1"];

/// An example: its place in the source, and one of its alternatives.
pub(crate) struct Example {
    pub(crate) name: String,
    pub(crate) value: Value,
}

/// Returns all examples, `A|B|C` as one example for each alternative.
pub(crate) fn examples() -> Vec<Example> {
    // Tests of other crates use them, too.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../protocol/tests/examples");
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if TEMPLATES.contains(&name.as_str()) {
            continue;
        }
        let text = strip(&fs::read_to_string(&path).unwrap());
        let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        for value in alternatives(&value) {
            all.push(Example { name: name.clone(), value });
        }
    }
    all
}

/// Removes comments, except inside strings.
pub(crate) fn strip(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, chars.peek()) {
            ('"', _) => {
                out.push(char);
                while let Some(inner) = chars.next() {
                    out.push(inner);
                    match inner {
                        '\\' => out.extend(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => while chars.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) => {
                chars.next();
                let mut last = ' ';
                for inner in chars.by_ref() {
                    if last == '*' && inner == '/' {
                        break;
                    }
                    last = inner;
                }
            }
            _ => out.push(char),
        }
    }
    out
}

/// Returns the value with each alternative of the first `A|B|C` in it, and so on for the others.
fn alternatives(value: &Value) -> Vec<Value> {
    let mut done = Vec::new();
    let mut open = vec![value.clone()];
    while let Some(value) = open.pop() {
        match first_choice(&value, String::new()) {
            None => done.push(value),
            Some((pointer, words)) => open.extend(words.into_iter().map(|word| {
                let mut value = value.clone();
                *value.pointer_mut(&pointer).unwrap() = word.into();
                value
            })),
        }
    }
    done
}

fn first_choice(value: &Value, pointer: String) -> Option<(String, Vec<String>)> {
    match value {
        Value::String(text) => {
            let is_choice = text.contains('|')
                && text.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c == '|');
            is_choice.then(|| (pointer, text.split('|').map(str::to_owned).collect()))
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| first_choice(item, format!("{pointer}/{index}"))),
        Value::Object(map) => {
            map.iter().find_map(|(key, value)| first_choice(value, format!("{pointer}/{key}")))
        }
        _ => None,
    }
}

/// Returns the messages of an example or around it. A context has none.
pub(crate) fn messages(example: &Value) -> Vec<Value> {
    let has = |name: &str| example.get(name).is_some();
    let list = |name: &str| json!({name: [example]});
    if has("messageId") {
        vec![example.clone()]
    } else if has("type") && has("content") {
        vec![envelope(example["type"].as_str().unwrap(), example["content"].clone())]
    } else if has("toolCalls") {
        // The model's own request, and the body of a request (FL-1).
        vec![
            envelope("TOOL_CALL_REQUEST", example.clone()),
            envelope("MODEL_RESPONSE", example.clone()),
        ]
    } else if has("callId") && has("status") {
        vec![envelope("TOOL_CALL_RESPONSE", list("results"))]
    } else if has("callId") {
        vec![
            envelope("TOOL_CALL_REQUEST", list("calls")),
            envelope("MODEL_RESPONSE", list("toolCalls")),
        ]
    } else if has("toolId") {
        let mut content = list("supportedTools");
        content["clientId"] = "client_1".into();
        vec![envelope("CLIENT_CAPABILITIES", content)]
    } else if has("instructionId") {
        vec![envelope("INSTRUCTION", list("instructions"))]
    } else if has("condition") {
        let mut instruction = example.clone();
        instruction["instructionId"] = "inst_2".into();
        instruction["action"] = "echo".into();
        vec![envelope("INSTRUCTION", json!({"instructions": [instruction]}))]
    } else {
        Vec::new()
    }
}

/// Creates a whole message.
pub(crate) fn envelope(kind: &str, content: Value) -> Value {
    json!({
        "messageId": "msg_123456789",
        "contextId": "ctx_abcdefg",
        "timestamp": "2025-12-01T12:34:56.789Z",
        "type": kind,
        "sender": {"id": "sender_id", "type": "SYSTEM"},
        "content": content,
        "metadata": {},
    })
}

/// Returns an object without one field.
pub(crate) fn without(value: &Value, name: &str) -> Value {
    let mut map: Map<String, Value> = value.as_object().unwrap().clone();
    map.remove(name).unwrap();
    Value::Object(map)
}
