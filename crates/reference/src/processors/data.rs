//! `json` and `yaml`: data, checked and shown as JSON, whole or the part at a pointer.

use super::small::{Fault, Made, text_of};
use contexture_core::reference::{Parameters, Resource};
use serde::de::IgnoredAny;
use serde_json::Value;

/// The deepest nesting that is read.
const DEPTH: usize = 128;

pub(super) fn json(resource: &Resource, parameters: &Parameters) -> Made {
    let text = text_of(resource)?;
    let fault = |error: serde_json::Error| {
        Fault::new(
            "REF3021",
            format!("it is not valid JSON: {error}"),
            "fix the JSON at that place",
        )
    };
    // As a whole it stays as it is written: printed again, long numbers would lose digits.
    if parameters.get("pointer").is_none() {
        let _: IgnoredAny = serde_json::from_str(text).map_err(fault)?;
        return Ok(("application/json".to_owned(), text.as_bytes().to_vec()));
    }
    let value: Value = serde_json::from_str(text).map_err(fault)?;
    show(&value, parameters)
}

pub(super) fn yaml(resource: &Resource, parameters: &Parameters) -> Made {
    let value: Value = serde_saphyr::from_str(text_of(resource)?).map_err(|error| {
        let error = error.to_string();
        let first = error.lines().next().unwrap_or_default();
        Fault::new(
            "REF3022",
            format!("it is not valid YAML: {first}"),
            "fix the YAML at that place",
        )
    })?;
    show(&value, parameters)
}

fn show(value: &Value, parameters: &Parameters) -> Made {
    let part = match parameters.get("pointer") {
        None => value,
        Some(pointer) => find(value, pointer)?,
    };
    let text = match part {
        Value::String(text) => text.clone(),
        other => format!("{other:#}"),
    };
    let media_type = if part.is_string() { "text/plain" } else { "application/json" };
    Ok((media_type.to_owned(), text.into_bytes()))
}

fn find<'v>(value: &'v Value, pointer: &str) -> Result<&'v Value, Fault> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        let message = format!("`{pointer}` is not a JSON Pointer");
        return Err(Fault::new("REF3023", message, format!("begin with a slash: /{pointer}")));
    }
    let mut here = value;
    let mut walked = String::new();
    for token in pointer.split('/').skip(1).take(DEPTH) {
        let name = token.replace("~1", "/").replace("~0", "~");
        let next = match here {
            Value::Object(fields) => fields.get(&name),
            Value::Array(items) => index(&name).and_then(|index| items.get(index)),
            _ => None,
        };
        here = next.ok_or_else(|| nothing_at(here, &walked, &name))?;
        walked = format!("{walked}/{token}");
    }
    Ok(here)
}

/// Returns an index without a sign and leading zeros, as RFC 6901 has it.
fn index(text: &str) -> Option<usize> {
    let plain = text == "0" || !text.starts_with(['0', '+']);
    plain.then(|| text.parse().ok()).flatten()
}

fn nothing_at(here: &Value, walked: &str, name: &str) -> Fault {
    let place = if walked.is_empty() { "the top" } else { walked };
    let message = format!("there is no `{name}` at {place}");
    let help = match here {
        Value::Object(fields) => {
            let names = fields.keys().map(String::as_str);
            match contexture_diagnostic::suggestion(name, names) {
                Some(help) => help,
                None => format!("it has {}", listed(fields.keys().map(String::as_str))),
            }
        }
        Value::Array(items) if items.is_empty() => "the list there is empty".to_owned(),
        Value::Array(items) => {
            format!("there is a list: take an index from 0 to {}", items.len() - 1)
        }
        _ => "what is there has no parts".to_owned(),
    };
    Fault::new("REF3024", message, help)
}

fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<_> = names.take(12).map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "no fields".to_owned() } else { names.join(", ") }
}
