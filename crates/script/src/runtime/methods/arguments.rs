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
