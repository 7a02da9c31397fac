//! Measurement of untrusted values: size and depth.

use serde_json::Value;

/// The size of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    /// The approximate number of bytes as compact JSON.
    Within(usize),
    /// More bytes than allowed.
    TooLarge,
    /// Nested deeper than allowed.
    TooDeep,
}

/// Measures a value; stops when a bound is exceeded.
pub(crate) fn measure(value: &Value, most_bytes: usize, most_depth: usize) -> Size {
    let Some(flat) = flat(value) else { return nested(value, most_bytes, most_depth) };
    if flat > most_bytes { Size::TooLarge } else { Size::Within(flat) }
}

fn nested(value: &Value, most_bytes: usize, most_depth: usize) -> Size {
    let mut bytes = 0_usize;
    let mut open = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        if bytes > most_bytes {
            return Size::TooLarge;
        }
        match value {
            Value::Array(_) | Value::Object(_) if depth > most_depth => return Size::TooDeep,
            Value::Array(items) => {
                bytes += 2 + items.len();
                open.extend(items.iter().map(|item| (item, depth + 1)));
            }
            Value::Object(map) => {
                bytes += 2 + map.keys().map(|key| key.len() + 4).sum::<usize>();
                open.extend(map.values().map(|value| (value, depth + 1)));
            }
            other => bytes += flat(other).unwrap_or_default(),
        }
    }
    if bytes > most_bytes { Size::TooLarge } else { Size::Within(bytes) }
}

fn flat(value: &Value) -> Option<usize> {
    match value {
        Value::Null | Value::Bool(_) => Some(4),
        Value::Number(_) => Some(8),
        Value::String(text) => Some(text.len() + 2),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// Drops a value of any depth without recursion.
pub(crate) fn dismantle(value: Value) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(map) => open.extend(map.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
}
