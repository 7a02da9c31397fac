//! Methods of strings. Characters are code points.

use super::arguments::{between, text as text_of, wrong_argument};
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::machine::Machine;
use crate::runtime::value::tag::Tag;
use crate::runtime::value::{TEXT_BYTES, Value, unknown};

pub(super) fn own(value: &Value) -> (&str, Tag) {
    match value {
        Value::Str(text, tag) => (text, *tag),
        _ => ("", Tag::PROGRAM),
    }
}

/// Returns the number of code points of a string.
fn length_of(value: &Value) -> usize {
    match value {
        Value::Str(text, _) => text.length(),
        _ => 0,
    }
}

pub(super) fn made(machine: &Machine<'_>, text: String, tag: Tag) -> Checked<Value> {
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
    Ok(Value::int(i64::try_from(length_of(value)).unwrap_or(i64::MAX)))
}

pub(crate) fn split(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let (text, tag) = own(value);
    let separator = text_of("split", arguments, 0)?;
    if separator.is_empty() {
        let bounds = text.char_indices().map(|(at, sign)| (at, at + sign.len_utf8()));
        return parts(machine, bounds.filter_map(|(from, to)| text.get(from..to)), tag);
    }
    parts(machine, text.split(separator), tag)
}

pub(crate) fn replace(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let (text, tag) = own(value);
    let from = text_of("replace", arguments, 0)?;
    let to = text_of("replace", arguments, 1)?;
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
    let part = text_of(method, arguments, 0)?;
    Ok(Value::bool(test(own(value).0, part)))
}

pub(crate) fn lines(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let (text, tag) = own(value);
    parts(machine, text.lines(), tag)
}

/// Returns the characters from one index up to another.
pub(crate) fn slice(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    if unknown::is(value) {
        return Ok(value.clone());
    }
    let (text, tag) = own(value);
    let (from, to) = between(arguments, length_of(value))?;
    let part = match text.is_ascii() {
        true => text.get(from..to).unwrap_or_default().to_owned(),
        false => text.chars().skip(from).take(to - from).collect(),
    };
    made(machine, part, tag)
}

pub(crate) fn pad(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let (text, tag) = own(value);
    let spaces = missing(machine, "pad", text, arguments)?;
    made(machine, format!("{text}{}", " ".repeat(spaces)), tag)
}

pub(crate) fn pad_start(
    machine: &Machine<'_>,
    value: &Value,
    arguments: &[Value],
) -> Checked<Value> {
    let (text, tag) = own(value);
    let spaces = missing(machine, "pad_start", text, arguments)?;
    made(machine, format!("{}{text}", " ".repeat(spaces)), tag)
}

/// Returns how many characters a text lacks to a width; the result is checked before it is made.
fn missing(machine: &Machine<'_>, method: &str, text: &str, arguments: &[Value]) -> Checked<usize> {
    let width = match arguments.first() {
        Some(Value::Int(width, _)) => usize::try_from(*width).unwrap_or(0),
        other => {
            let found = other.unwrap_or(&Value::NONE);
            return Err(wrong_argument(method, "a whole number", found));
        }
    };
    let spaces = width.saturating_sub(text.chars().count());
    machine.meter.string(text.len().saturating_add(spaces))?;
    Ok(spaces)
}
