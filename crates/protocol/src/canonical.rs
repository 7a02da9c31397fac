//! JSON in one order: what two texts say can be compared byte for byte (CP-3).

use crate::node::deeper;
use serde_json::{Map, Value};

/// The value without white space, the fields of every object sorted by name.
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
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => deeper(|| list(items, out)),
        Value::Object(map) => deeper(|| object(map, out)),
        other => out.push_str(&other.to_string()),
    }
}

fn list(items: &[Value], out: &mut String) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(']');
}

fn object(map: &Map<String, Value>, out: &mut String) {
    let mut fields: Vec<(&String, &Value)> = map.iter().collect();
    fields.sort_unstable_by_key(|(name, _)| *name);
    out.push('{');
    for (index, (name, value)) in fields.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&Value::from(name.as_str()).to_string());
        out.push(':');
        write(value, out);
    }
    out.push('}');
}
