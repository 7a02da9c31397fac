//! Instructions off the fast path: other numbers, strings, deep values.

use super::fiber::{broken, register};
use crate::runtime::code::{Constant, Reg};
use crate::runtime::concat;
use crate::runtime::error::{Checked, Fault};
use crate::runtime::machine::Machine;
use crate::runtime::methods::lists;
use crate::runtime::number::{Arithmetic, calculate};
use crate::runtime::value::Value;
use crate::runtime::value::compare;
use crate::runtime::value::tag::Tag;
use std::cmp::Ordering;

/// Takes a register's value, and leaves none.
pub(super) fn take(regs: &mut [Value], at: Reg) -> Value {
    regs.get_mut(usize::from(at)).map(std::mem::take).unwrap_or_default()
}

fn set(regs: &mut [Value], at: Reg, value: Value) {
    if let Some(slot) = regs.get_mut(usize::from(at)) {
        *slot = value;
    }
}

#[inline(never)]
pub(super) fn arithmetic(
    machine: &Machine<'_>,
    regs: &mut [Value],
    op: Arithmetic,
    (to, left, right): (Reg, Reg, Reg),
) -> Checked<()> {
    let (left, right) = (register(regs, left), register(regs, right));
    let tags = machine.meter.tags();
    let value = calculate(op, left, right)?.under(left.tag(), tags).under(right.tag(), tags);
    set(regs, to, value);
    Ok(())
}

#[inline(never)]
pub(super) fn with_int(
    machine: &Machine<'_>,
    regs: &mut [Value],
    op: Arithmetic,
    (to, left): (Reg, Reg),
    value: i16,
) -> Checked<()> {
    let left = register(regs, left);
    let result = calculate(op, left, &Value::int(i64::from(value)))?;
    let result = result.under(left.tag(), machine.meter.tags());
    set(regs, to, result);
    Ok(())
}

/// Computes `to = left + right`; if `to` is `left`, a string grows in place.
#[inline(never)]
pub(super) fn add(
    machine: &Machine<'_>,
    regs: &mut [Value],
    to: Reg,
    left: Reg,
    right: Reg,
) -> Checked<()> {
    let tail = register(regs, right).clone();
    add_value(machine, regs, to, left, &tail)
}

#[inline(never)]
pub(super) fn add_int(
    machine: &Machine<'_>,
    regs: &mut [Value],
    to: Reg,
    left: Reg,
    value: i16,
) -> Checked<()> {
    add_value(machine, regs, to, left, &Value::int(i64::from(value)))
}

fn add_value(
    machine: &Machine<'_>,
    regs: &mut [Value],
    to: Reg,
    left: Reg,
    tail: &Value,
) -> Checked<()> {
    let tags = machine.meter.tags();
    if to == left
        && let Some(slot) = regs.get_mut(usize::from(to))
        && concat::append(slot, tail, &machine.meter)?
    {
        return Ok(());
    }
    let head = register(regs, left);
    let by = head.tag();
    let value = match (head, tail) {
        (Value::List(left, _), Value::List(right, _)) => lists::both(machine, left, right)?,
        _ => concat::add(head, tail, &machine.meter)?,
    };
    set(regs, to, value.under(by, tags).under(tail.tag(), tags));
    Ok(())
}

#[inline(never)]
pub(super) fn order(
    machine: &Machine<'_>,
    left: &Value,
    right: &Value,
) -> Checked<(Ordering, Tag)> {
    let tag = machine.meter.tags().join(left.tag(), right.tag());
    Ok((compare::order(left, right)?, tag.of_decision()))
}

#[inline(never)]
pub(super) fn order_int(left: &Value, value: i16) -> Checked<Ordering> {
    compare::order(left, &Value::int(i64::from(value)))
}

#[inline(never)]
pub(super) fn equal(machine: &Machine<'_>, left: &Value, right: &Value) -> Checked<(bool, Tag)> {
    compare::equal_and_tag(left, right, &machine.meter)
}

#[inline(never)]
pub(super) fn equal_int(left: &Value, value: i16) -> bool {
    compare::numbers(left, &Value::int(i64::from(value))) == Some(Ordering::Equal)
}

/// Returns the reason why a constant can't be loaded.
#[cold]
pub(super) fn no_constant(machine: &Machine<'_>, index: u32) -> Box<Fault> {
    match machine.program.constants.get(index as usize) {
        Some(Constant::Str(text)) => machine.meter.string_too_long(text.len()),
        _ => broken(),
    }
}

/// Returns a failure found at compile time.
#[cold]
pub(super) fn certain(machine: &Machine<'_>, site: u32) -> Box<Fault> {
    match machine.program.fails.get(site as usize) {
        Some(site) => Fault::new(site.code, site.message.clone()).maybe_help(site.help.clone()),
        None => broken(),
    }
}
