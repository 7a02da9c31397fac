//! Methods of strings. A result has the least trust of all strings that contribute to it.

use super::{Method, wrong_argument};
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::machine::Machine;
use crate::runtime::value::origin::Origin;
use crate::runtime::value::{TEXT_BYTES, Text, Value};

pub(super) static METHODS: &[Method] = &[
    Method {
        name: "length",
        signature: "length()",
        summary: "the number of characters (Unicode scalar values)",
        least: 0,
        most: 0,
        run: Some(length),
    },
    Method {
        name: "upper",
        signature: "upper()",
        summary: "in upper case",
        least: 0,
        most: 0,
        run: Some(upper),
    },
    Method {
        name: "lower",
        signature: "lower()",
        summary: "in lower case",
        least: 0,
        most: 0,
        run: Some(lower),
    },
    Method {
        name: "trim",
        signature: "trim()",
        summary: "without white space at either end",
        least: 0,
        most: 0,
        run: Some(trim),
    },
    Method {
        name: "split",
        signature: "split(separator)",
        summary: "the parts between separators; an empty separator splits into characters",
        least: 1,
        most: 1,
        run: Some(split),
    },
    Method {
        name: "replace",
        signature: "replace(from, to)",
        summary: "with every `from` replaced literally",
        least: 2,
        most: 2,
        run: Some(replace),
    },
    Method {
        name: "contains",
        signature: "contains(part)",
        summary: "whether it contains the part",
        least: 1,
        most: 1,
        run: Some(contains),
    },
    Method {
        name: "startsWith",
        signature: "startsWith(part)",
        summary: "whether it begins with the part",
        least: 1,
        most: 1,
        run: Some(starts_with),
    },
    Method {
        name: "endsWith",
        signature: "endsWith(part)",
        summary: "whether it ends with the part",
        least: 1,
        most: 1,
        run: Some(ends_with),
    },
    Method {
        name: "lines",
        signature: "lines()",
        summary: "its lines without their ends",
        least: 0,
        most: 0,
        run: Some(lines),
    },
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

fn upper(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let (text, origin) = own(value);
    made(machine, text.to_uppercase(), origin)
}

fn lower(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let (text, origin) = own(value);
    made(machine, text.to_lowercase(), origin)
}

fn trim(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let (text, origin) = own(value);
    made(machine, text.trim().to_owned(), origin)
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

fn contains(_: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let part = part("contains", arguments, 0)?;
    Ok(Value::Bool(own(value).0.contains(part.text.as_str())))
}

fn starts_with(_: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let part = part("startsWith", arguments, 0)?;
    Ok(Value::Bool(own(value).0.starts_with(part.text.as_str())))
}

fn ends_with(_: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let part = part("endsWith", arguments, 0)?;
    Ok(Value::Bool(own(value).0.ends_with(part.text.as_str())))
}

fn lines(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let (text, origin) = own(value);
    parts(machine, text.lines(), origin)
}
