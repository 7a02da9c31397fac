//! Methods of strings.

use super::method::{Method, wrong_argument};
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::machine::Machine;
use crate::runtime::value::tag::Tag;
use crate::runtime::value::{TEXT_BYTES, Value};

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
            let (text, tag) = own(value);
            made(machine, text.to_uppercase(), tag)
        }),
    ),
    Method::new(
        "lower",
        "lower()",
        "in lower case",
        (0, 0),
        Some(|machine, value, _| {
            let (text, tag) = own(value);
            made(machine, text.to_lowercase(), tag)
        }),
    ),
    Method::new(
        "trim",
        "trim()",
        "without white space at either end",
        (0, 0),
        Some(|machine, value, _| {
            let (text, tag) = own(value);
            made(machine, text.trim().to_owned(), tag)
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

fn own(value: &Value) -> (&str, Tag) {
    match value {
        Value::Str(text, tag) => (text, *tag),
        _ => ("", Tag::PROGRAM),
    }
}

fn part<'v>(method: &str, arguments: &'v [Value], at: usize) -> Checked<&'v str> {
    match arguments.get(at) {
        Some(Value::Str(text, _)) => Ok(text),
        other => Err(wrong_argument(method, "a string", other.unwrap_or(&Value::NONE))),
    }
}

fn made(machine: &Machine<'_>, text: String, tag: Tag) -> Checked<Value> {
    machine.meter.string(text.len())?;
    machine.meter.heap(text.len() + TEXT_BYTES)?;
    Ok(Value::text(text, tag))
}

fn parts<'t>(
    machine: &Machine<'_>,
    parts: impl Iterator<Item = &'t str>,
    tag: Tag,
) -> Checked<Value> {
    let mut items = Vec::new();
    for part in parts {
        machine.meter.collection(items.len() + 1)?;
        items.push(made(machine, part.to_owned(), tag)?);
    }
    Ok(Value::list(items, machine.header()))
}

fn length(_: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    Ok(Value::int(i64::try_from(own(value).0.chars().count()).unwrap_or(i64::MAX)))
}

fn split(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let (text, tag) = own(value);
    let separator = part("split", arguments, 0)?;
    if separator.is_empty() {
        let bounds = text.char_indices().map(|(at, sign)| (at, at + sign.len_utf8()));
        return parts(machine, bounds.filter_map(|(from, to)| text.get(from..to)), tag);
    }
    parts(machine, text.split(separator), tag)
}

fn replace(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let (text, tag) = own(value);
    let from = part("replace", arguments, 0)?;
    let to = part("replace", arguments, 1)?;
    if from.is_empty() {
        return Err(Fault::new(codes::WRONG_TYPE, "`.replace` can't replace an empty string")
            .help("the first argument is the text to look for"));
    }
    let found = text.matches(from).count();
    let kept = text.len() - found * from.len();
    machine.meter.string(kept.saturating_add(found.saturating_mul(to.len())))?;
    made(machine, text.replace(from, to), tag)
}

fn holds(
    method: &str,
    value: &Value,
    arguments: &[Value],
    test: impl FnOnce(&str, &str) -> bool,
) -> Checked<Value> {
    let part = part(method, arguments, 0)?;
    Ok(Value::bool(test(own(value).0, part)))
}

fn lines(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let (text, tag) = own(value);
    parts(machine, text.lines(), tag)
}
