//! Values of unknown shape: the placeholders for outside answers in a dry run (AS-31).
//!
//! Decision: an unknown is a text that names what it replaces, such as `⟨Http.get.json.items[0]⟩`,
//! so that it can be shown in prompts. An operation on it that fails for a text returns another
//! unknown; so real values pay nothing for it.

use super::tag::Tag;
use super::{Header, TEXT_BYTES, Value};
use crate::host::Standing;
use crate::runtime::error::Checked;
use crate::runtime::machine::Machine;

/// The length in bytes from which on names do not grow: a loop may walk from field to field.
const LONGEST: usize = 200;

/// An unknown: its text, and its tag.
pub(crate) type Unknown<'v> = (&'v str, Tag);

pub(crate) fn of(value: &Value) -> Option<Unknown<'_>> {
    match value {
        Value::Str(text, tag) if tag.standing() == Standing::Unknown => Some((text, *tag)),
        _ => None,
    }
}

pub(crate) fn is(value: &Value) -> bool {
    of(value).is_some()
}

/// Returns a field of an unknown: its `length` is one, everything else unknown.
pub(crate) fn field(machine: &Machine<'_>, base: Unknown<'_>, name: &str) -> Checked<Value> {
    match name {
        "length" => Ok(Value::int(1)),
        "summary" => part(machine, base, ""),
        name => part(machine, base, &format!(".{name}")),
    }
}

/// Returns the part of an unknown that is reached by `step`, such as `[0]`.
pub(crate) fn part(machine: &Machine<'_>, (text, tag): Unknown<'_>, step: &str) -> Checked<Value> {
    let name = text.trim_start_matches('⟨').trim_end_matches('⟩');
    let step = if name.len() + step.len() > LONGEST { "" } else { step };
    machine.meter.heap(name.len() + step.len() + TEXT_BYTES)?;
    Ok(Value::text(format!("⟨{name}{step}⟩"), tag))
}

/// Returns the list that a loop finds in an unknown: one item. `None` if the value is known.
pub(crate) fn list(machine: &Machine<'_>, value: &Value) -> Checked<Option<Value>> {
    let Some((text, tag)) = of(value) else { return Ok(None) };
    let item = part(machine, (text, tag), "[0]")?;
    let header = Header::tagged(machine.epoch(), tag);
    Ok(Some(Value::list(vec![item], header)))
}

/// Returns the result of a method of lists or objects on an unknown, other than by [`list`].
pub(crate) fn method(
    machine: &Machine<'_>,
    base: Unknown<'_>,
    name: &str,
    arguments: &[Value],
) -> Checked<Option<Value>> {
    Ok(match (name, arguments.first()) {
        ("get", Some(Value::Str(key, _))) => Some(field(machine, base, key)?),
        ("has", Some(_)) => Some(Value::bool(true)),
        ("keys" | "values", _) => list(machine, &part(machine, base, &format!(".{name}"))?)?,
        _ => None,
    })
}
