//! Values of unknown shape: what a dry run has in place of answers from outside (AS-31).
//!
//! Decision: an unknown is a text that says by its name what it stands for, such as
//! `⟨Http.get.json.items[0]⟩`, so that it can stand in prompts. Where a program takes it for
//! something else than a text, which is an error otherwise, it gets more of the same; so real
//! values pay nothing for it.

use super::{Header, Text, Value};
use crate::host::Standing;
use crate::runtime::concat::TEXT_BYTES;
use crate::runtime::error::Checked;
use crate::runtime::machine::Machine;
use std::rc::Rc;

/// Names stay as they are from this length on, in bytes: a loop may go on from field to field.
const LONGEST: usize = 200;

/// The unknown that a value is.
pub(crate) fn of(value: &Value) -> Option<&Rc<Text>> {
    match value {
        Value::Str(text) if text.origin.standing == Standing::Unknown => Some(text),
        _ => None,
    }
}

/// Whether a value is unknown.
pub(crate) fn is(value: &Value) -> bool {
    of(value).is_some()
}

/// A field of an unknown: one thing by its `length`, else unknown.
pub(crate) fn field(machine: &Machine<'_>, base: &Text, name: &str) -> Checked<Value> {
    match name {
        "length" => Ok(Value::Int(1)),
        "summary" => part(machine, base, ""),
        name => part(machine, base, &format!(".{name}")),
    }
}

/// What is reached from an unknown by `step`, such as `[0]`.
pub(crate) fn part(machine: &Machine<'_>, base: &Text, step: &str) -> Checked<Value> {
    let name = base.text.trim_start_matches('⟨').trim_end_matches('⟩');
    let step = if name.len() + step.len() > LONGEST { "" } else { step };
    machine.meter.heap(name.len() + step.len() + TEXT_BYTES)?;
    Ok(Value::text(format!("⟨{name}{step}⟩"), base.origin))
}

/// The list that a loop finds in an unknown: one item. `None` when the value is known.
pub(crate) fn list(machine: &Machine<'_>, value: &Value) -> Checked<Option<Value>> {
    let Some(text) = of(value) else { return Ok(None) };
    let item = part(machine, text, "[0]")?;
    let header = Header::from_origin(machine.epoch(), text.origin);
    Ok(Some(Value::list(vec![item], header)))
}

/// What a method of lists or objects gives of an unknown, other than by [`list`].
pub(crate) fn method(
    machine: &Machine<'_>,
    base: &Text,
    name: &str,
    arguments: &[Value],
) -> Checked<Option<Value>> {
    Ok(match (name, arguments.first()) {
        ("get", Some(Value::Str(key))) => Some(field(machine, base, &key.text)?),
        ("has", Some(_)) => Some(Value::Bool(true)),
        ("keys" | "values", _) => list(machine, &part(machine, base, &format!(".{name}"))?)?,
        _ => None,
    })
}
