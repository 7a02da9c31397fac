//! Conversions: numbers, texts and JSON.

use super::arguments::list_of;
use crate::runtime::concat::render;
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::machine::Machine;
use crate::runtime::value::json::printed;
use crate::runtime::value::{ITEM_BYTES, TEXT_BYTES, Value, unknown};
use contexture_context::json;

fn only(arguments: &[Value]) -> &Value {
    arguments.first().unwrap_or(&Value::NONE)
}

/// Returns the number that a text is; a number stays what it is.
pub(crate) fn to_number(_: &Machine<'_>, arguments: &[Value]) -> Checked<Value> {
    let value = only(arguments);
    match value {
        Value::Int(..) | Value::Float(..) => Ok(value.clone()),
        Value::Str(text, tag) => match number(text) {
            Some(number) => Ok(number.with_tag(*tag)),
            None if unknown::is(value) => Ok(value.clone()),
            None => Err(no_number("to_number", text)),
        },
        other => Err(wrong_kind("to_number", "a string or a number", other)),
    }
}

/// Returns the whole number of a text or number; a fraction is cut off.
pub(crate) fn to_integer(machine: &Machine<'_>, arguments: &[Value]) -> Checked<Value> {
    let value = only(arguments);
    let number = match value {
        Value::Str(text, _) if number(text).is_none() && !unknown::is(value) => {
            return Err(no_number("to_integer", text));
        }
        Value::Int(..) | Value::Float(..) | Value::Str(..) => to_number(machine, arguments)?,
        other => return Err(wrong_kind("to_integer", "a string or a number", other)),
    };
    match number {
        Value::Float(float, tag) => Ok(Value::Int(truncated(float)?, tag)),
        other => Ok(other),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the bounds are checked first")]
fn truncated(float: f64) -> Checked<i64> {
    const ABOVE: f64 = 9_223_372_036_854_775_808.0;
    if (-ABOVE..ABOVE).contains(&float) {
        return Ok(float as i64);
    }
    let message = format!("{float:e} does not fit into 64 bits");
    Err(Fault::new(codes::OVERFLOW, message)
        .help("keep it as it is: `to_number` has no such limit"))
}

/// Reads a number as JSON and the language write it, with white space around it and a sign.
fn number(text: &str) -> Option<Value> {
    let text = text.trim();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_part = |byte: u8| byte.is_ascii_digit() || b".eE+-".contains(&byte);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) || !digits.bytes().all(is_part) {
        return None;
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(whole) = text.parse()
    {
        return Some(Value::int(whole));
    }
    text.parse().ok().filter(|float: &f64| float.is_finite()).map(Value::float)
}

/// Returns a text: what `+` makes of a string, number or boolean, and JSON of a list or object.
pub(crate) fn to_text(machine: &Machine<'_>, arguments: &[Value]) -> Checked<Value> {
    let value = only(arguments);
    match value {
        Value::Str(..) => Ok(value.clone()),
        Value::List(..) | Value::Object(..) => json_print(machine, arguments),
        _ => match render(value) {
            Some((text, tag)) => {
                machine.meter.heap(text.len() + TEXT_BYTES)?;
                Ok(Value::text(text.into_owned(), tag))
            }
            None => Err(wrong_kind("to_text", "a value", value)),
        },
    }
}

/// Returns the value that a JSON text describes.
pub(crate) fn json_parse(machine: &Machine<'_>, arguments: &[Value]) -> Checked<Value> {
    let value = only(arguments);
    let Value::Str(text, tag) = value else {
        return Err(wrong_kind("json.parse", "a string", value));
    };
    if unknown::is(value) {
        return Ok(value.clone());
    }
    let json = json::read(text.as_bytes()).map_err(|error| {
        Fault::new(codes::BAD_JSON, format!("the text is not JSON: {error}"))
            .help("`json.parse` reads exact JSON: no comments, no text around it; catch it with `try … else`")
    })?;
    machine.import(json, *tag)
}

/// Returns the JSON text of a value, on one line.
pub(crate) fn json_print(machine: &Machine<'_>, arguments: &[Value]) -> Checked<Value> {
    let (text, tag) = printed(only(arguments), &machine.meter)?;
    machine.meter.heap(text.len() + TEXT_BYTES)?;
    Ok(Value::text(text, tag))
}

/// Returns the whole numbers from one up to, but not including, another.
pub(crate) fn range(machine: &Machine<'_>, arguments: &[Value]) -> Checked<Value> {
    let (from, to) = match arguments {
        [to] => (0, whole(to)?),
        [from, to] => (whole(from)?, whole(to)?),
        _ => (0, 0),
    };
    let count = usize::try_from(to.saturating_sub(from)).unwrap_or(0);
    machine.meter.collection(count)?;
    machine.meter.heap(count.saturating_mul(ITEM_BYTES))?;
    let items = (from..to).map(Value::int).collect();
    list_of(machine, items, &machine.header())
}

fn whole(value: &Value) -> Checked<i64> {
    match value {
        Value::Int(number, _) => Ok(*number),
        other if unknown::is(other) => Ok(1),
        other => Err(wrong_kind("range", "whole numbers", other)),
    }
}

/// Fails with a reason and a code of the program's own.
pub(crate) fn fail(_: &Machine<'_>, arguments: &[Value]) -> Checked<Value> {
    let reason = only(arguments);
    let Value::Str(text, tag) = reason else {
        return Err(wrong_kind("fail", "the reason as a string", reason));
    };
    let mut fault = Fault::new(codes::FAILED, text.as_str());
    fault.tag = *tag;
    match arguments.get(1) {
        None => Err(fault),
        Some(Value::Str(code, _)) if is_code(code) => {
            fault.code = code.to_string().into();
            Err(fault)
        }
        Some(Value::Str(code, _)) => {
            let message = format!("`{}` can't be the code of a failure", clipped(code));
            Err(Fault::new(codes::WRONG_TYPE, message)
                .help("a code has 1 to 64 letters, digits, `_`, `-` and `.`, and is not one of the language's own: `\"E_LIMIT\"`"))
        }
        Some(other) => Err(wrong_kind("fail", "a code as a string", other)),
    }
}

/// A program can't fail with a code of the language, which would tell something else.
fn is_code(code: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    (1..=64).contains(&code.len()) && code.bytes().all(is_part) && codes::find(code).is_none()
}

#[cold]
fn no_number(function: &str, text: &str) -> Box<Fault> {
    let message = format!("`{function}` takes a number, not the text \"{}\"", clipped(text));
    Fault::new(codes::NOT_A_NUMBER, message)
        .help("numbers are written as in `-12.5` or `1e3`; catch it with `try … else`")
}

#[cold]
pub(super) fn wrong_kind(function: &str, expected: &str, found: &Value) -> Box<Fault> {
    let message = format!("`{function}` takes {expected}, not {}", found.kind());
    let fault = Fault::new(codes::WRONG_TYPE, message);
    match found {
        Value::None(_) => fault.help("compare with none first"),
        Value::Secret(name, _) => crate::runtime::value::secret::refused(name, "converted"),
        _ => fault.help("convert a part of it, or look where the value comes from"),
    }
}

/// Returns the begin of a text, for a message.
pub(super) fn clipped(text: &str) -> String {
    const SHOWN: usize = 40;
    let more = if text.chars().nth(SHOWN).is_some() { "…" } else { "" };
    format!("{}{more}", text.chars().take(SHOWN).collect::<String>())
}
