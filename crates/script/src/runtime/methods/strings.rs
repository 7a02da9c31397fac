//! Methods of strings. A result has the least trust of all strings that contribute to it.

use super::method::{Method, wrong_argument};
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::machine::Machine;
use crate::runtime::value::origin::Origin;
use crate::runtime::value::{TEXT_BYTES, Text, Value};

pub(super) static METHODS: &[Method] = &[
    Method::new(
        "length",
        "length()",
        "the number of characters (Unicode scalar values)",
        (0, 0),
        Some(length),
    ),
    Method::new(
        "upper",
        "upper()",
        "in upper case",
        (0, 0),
        Some(|machine, value, _| {
            let (text, origin) = own(value);
            made(machine, text.to_uppercase(), origin)
        }),
    ),
    Method::new(
        "lower",
        "lower()",
        "in lower case",
        (0, 0),
        Some(|machine, value, _| {
            let (text, origin) = own(value);
            made(machine, text.to_lowercase(), origin)
        }),
    ),
    Method::new(
        "trim",
        "trim()",
        "without white space at either end",
        (0, 0),
        Some(|machine, value, _| {
            let (text, origin) = own(value);
            made(machine, text.trim().to_owned(), origin)
        }),
    ),
    Method::new(
        "split",
        "split(separator)",
        "the parts between separators; an empty separator splits into characters",
        (1, 1),
        Some(split),
    ),
    Method::new(
        "replace",
        "replace(from, to)",
        "with every `from` replaced literally",
        (2, 2),
        Some(replace),
    ),
    Method::new(
        "contains",
        "contains(part)",
        "whether it contains the part",
        (1, 1),
        Some(|_, value, arguments| {
            holds("contains", value, arguments, |text, part| text.contains(part))
        }),
    ),
    Method::new(
        "startsWith",
        "startsWith(part)",
        "whether it begins with the part",
        (1, 1),
        Some(|_, value, arguments| {
            holds("startsWith", value, arguments, |text, part| text.starts_with(part))
        }),
    ),
    Method::new(
        "endsWith",
        "endsWith(part)",
        "whether it ends with the part",
        (1, 1),
        Some(|_, value, arguments| {
            holds("endsWith", value, arguments, |text, part| text.ends_with(part))
        }),
    ),
    Method::new("lines", "lines()", "its lines without their ends", (0, 0), Some(lines)),
];

fn own(value: &Value) -> (&str, Origin) {
    match value {
        Value::Str(text) => (&text.text, text.origin),
        _ => ("", Origin::PROGRAM),
    }
}

fn part<'v>(method: &str, arguments: &'v [Value], at: usize) -> Checked<&'v Text> {
    match arguments.get(at) {
        Some(Value::Str(text)) => Ok(text),
        other => Err(wrong_argument(method, "a string", other.unwrap_or(&Value::None))),
    }
}

fn made(machine: &Machine<'_>, text: String, origin: Origin) -> Checked<Value> {
    machine.meter.string(text.len())?;
    machine.meter.heap(text.len() + TEXT_BYTES)?;
    Ok(Value::text(text, origin))
}

fn parts<'t>(
    machine: &Machine<'_>,
    parts: impl Iterator<Item = &'t str>,
    origin: Origin,
) -> Checked<Value> {
    let mut items = Vec::new();
    for part in parts {
        machine.meter.collection(items.len() + 1)?;
        items.push(made(machine, part.to_owned(), origin)?);
    }
    Ok(Value::list(items, machine.header()))
}

fn length(_: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    Ok(Value::Int(i64::try_from(own(value).0.chars().count()).unwrap_or(i64::MAX)))
}

fn split(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let (text, origin) = own(value);
    let separator = &part("split", arguments, 0)?.text;
    if separator.is_empty() {
        let bounds = text.char_indices().map(|(at, sign)| (at, at + sign.len_utf8()));
        return parts(machine, bounds.filter_map(|(from, to)| text.get(from..to)), origin);
    }
    parts(machine, text.split(separator.as_str()), origin)
}

fn replace(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let (text, origin) = own(value);
    let from = &part("replace", arguments, 0)?.text;
    let to = part("replace", arguments, 1)?;
    if from.is_empty() {
        return Err(Fault::new(codes::WRONG_TYPE, "`.replace` can't replace an empty string")
            .help("the first argument is the text to look for"));
    }
    let found = text.matches(from.as_str()).count();
    let kept = text.len() - found * from.len();
    machine.meter.string(kept.saturating_add(found.saturating_mul(to.text.len())))?;
    let origin = if found == 0 { origin } else { origin.least(to.origin) };
    made(machine, text.replace(from.as_str(), &to.text), origin)
}

fn holds(
    method: &str,
    value: &Value,
    arguments: &[Value],
    test: impl FnOnce(&str, &str) -> bool,
) -> Checked<Value> {
    let part = part(method, arguments, 0)?;
    Ok(Value::Bool(test(own(value).0, &part.text)))
}

fn lines(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let (text, origin) = own(value);
    parts(machine, text.lines(), origin)
}
