//! The faults of arguments, and the results of methods.

use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::machine::Machine;
use crate::runtime::value::{Header, ITEM_BYTES, Value};

/// Creates a list of items that a container held, with its trust.
pub(super) fn list_of(machine: &Machine<'_>, items: Vec<Value>, whole: &Header) -> Checked<Value> {
    machine.meter.heap((items.len() + 5) * ITEM_BYTES)?;
    items.iter().for_each(Value::mark_held);
    Ok(Value::list(items, Header::tagged(machine.epoch(), whole.tag.get())))
}

/// Does the same for items of two containers: the result knows what decided about either.
pub(super) fn list_of_both(
    machine: &Machine<'_>,
    items: Vec<Value>,
    (left, right): (&Header, &Header),
) -> Checked<Value> {
    machine.meter.collection(items.len())?;
    let tag = machine.meter.tags().join(left.tag.get(), right.tag.get());
    list_of(machine, items, &Header::tagged(machine.epoch(), tag))
}

/// Returns an argument that must be a string.
pub(super) fn text<'v>(method: &str, arguments: &'v [Value], at: usize) -> Checked<&'v str> {
    match arguments.get(at) {
        Some(Value::Str(text, _)) => Ok(text),
        other => Err(wrong_argument(method, "a string", other.unwrap_or(&Value::NONE))),
    }
}

/// Returns the indexes from `from` up to `to` of a value with `count` parts; a negative one counts
/// from the end.
pub(super) fn between(arguments: &[Value], count: usize) -> Checked<(usize, usize)> {
    let from = index(arguments.first(), 0, count)?;
    let to = index(arguments.get(1), count, count)?;
    Ok((from, to.max(from)))
}

fn index(argument: Option<&Value>, absent: usize, count: usize) -> Checked<usize> {
    match argument {
        None | Some(Value::None(_)) => Ok(absent),
        Some(Value::Int(at, _)) => {
            let far = usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX);
            Ok(if *at < 0 { count.saturating_sub(far) } else { far.min(count) })
        }
        Some(other) => Err(wrong_argument("slice", "whole numbers", other)),
    }
}

#[cold]
pub(super) fn wrong_argument(method: &str, expected: &str, found: &Value) -> Box<Fault> {
    let message = format!("`.{method}` takes {expected}, not {}", found.kind());
    Fault::new(codes::WRONG_TYPE, message).help(match found {
        Value::None(_) => {
            "compare with none first, or take a default: `object.get(\"key\", default)`"
        }
        Value::Bool(..) | Value::Int(..) | Value::Float(..) if expected == "a string" => {
            "convert it to a string: `\"\" + value`"
        }
        Value::List(..) if expected == "a string" => {
            "`.join(separator)` turns a list into a string, `list[0]` is its first item"
        }
        Value::Object(..) => "take a field of it, as in `object.name`",
        Value::List(..) => "take its items one by one, or `.join` each of them first",
        Value::Str(..) => "write the number without quotes, or take `.length` of the text",
        _ => "give a whole number, such as `list.length - 1`",
    })
}

#[cold]
pub(super) fn needs_function(method: &str) -> Box<Fault> {
    Fault::new(codes::WRONG_TYPE, format!("`.{method}` takes the name of a function"))
        .help(format!("declare `func f(item) {{ … }}` and write `.{method}(f)`"))
}
