//! Methods of strings. Characters are code points.

use super::arguments::wrong_argument;
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::machine::Machine;
use crate::runtime::value::tag::Tag;
use crate::runtime::value::{TEXT_BYTES, Value};

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

pub(crate) fn upper(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let (text, tag) = own(value);
    made(machine, text.to_uppercase(), tag)
}

pub(crate) fn lower(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let (text, tag) = own(value);
    made(machine, text.to_lowercase(), tag)
}

pub(crate) fn trim(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let (text, tag) = own(value);
    made(machine, text.trim().to_owned(), tag)
}

pub(crate) fn contains(_: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    holds("contains", value, arguments, |text, part| text.contains(part))
}

pub(crate) fn starts_with(_: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    holds("starts_with", value, arguments, |text, part| text.starts_with(part))
}

pub(crate) fn ends_with(_: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    holds("ends_with", value, arguments, |text, part| text.ends_with(part))
}

pub(crate) fn length(_: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    Ok(Value::int(i64::try_from(own(value).0.chars().count()).unwrap_or(i64::MAX)))
}

pub(crate) fn split(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let (text, tag) = own(value);
    let separator = part("split", arguments, 0)?;
    if separator.is_empty() {
        let bounds = text.char_indices().map(|(at, sign)| (at, at + sign.len_utf8()));
        return parts(machine, bounds.filter_map(|(from, to)| text.get(from..to)), tag);
    }
    parts(machine, text.split(separator), tag)
}

pub(crate) fn replace(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
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

pub(crate) fn lines(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let (text, tag) = own(value);
    parts(machine, text.lines(), tag)
}
