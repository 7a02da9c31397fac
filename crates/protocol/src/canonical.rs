//! Canonical JSON: equal values are equal byte for byte (CP-3).

use crate::node::deeper;
use serde::Serialize;
use serde_json::{Map, Value};

/// Returns the value without white space, the fields of every object sorted by name.
///
/// ```
/// let value = serde_json::json!({"b": [1, {"d": 30.0, "c": null}], "a": "x"});
/// assert_eq!(
///     contexture_protocol::canonical(&value),
///     r#"{"a":"x","b":[1,{"c":null,"d":30.0}]}"#
/// );
/// ```
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut out = Vec::with_capacity(COMMON);
    write(value, &mut out);
    // JSON is always UTF-8.
    String::from_utf8(out).unwrap_or_default()
}

/// The number of bytes that is enough for most texts.
const COMMON: usize = 512;

fn write(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Array(items) => deeper(|| list(items, out)),
        Value::Object(map) => deeper(|| object(map, out)),
        other => plain(other, out),
    }
}

/// Writes a value without objects. JSON can represent all of it, and a list of bytes takes
/// everything.
fn plain(value: &impl Serialize, out: &mut Vec<u8>) {
    drop(serde_json::to_writer(out, value));
}

fn list(items: &[Value], out: &mut Vec<u8>) {
    out.push(b'[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(item, out);
    }
    out.push(b']');
}

fn object(map: &Map<String, Value>, out: &mut Vec<u8>) {
    let mut fields: Vec<(&String, &Value)> = map.iter().collect();
    fields.sort_unstable_by_key(|(name, _)| *name);
    out.push(b'{');
    for (index, (name, value)) in fields.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        plain(name, out);
        out.push(b':');
        write(value, out);
    }
    out.push(b'}');
}
