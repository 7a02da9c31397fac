//! Instructions off the fast path: other numbers, strings, deep values.

use super::fiber::{broken, register};
use crate::runtime::code::Reg;
use crate::runtime::concat;
use crate::runtime::error::{Checked, Fault};
use crate::runtime::machine::Machine;
use crate::runtime::number::{Arithmetic, calculate};
use crate::runtime::value::Value;
use crate::runtime::value::compare;
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
    _machine: &Machine<'_>,
    regs: &mut [Value],
    op: Arithmetic,
    (to, left, right): (Reg, Reg, Reg),
) -> Checked<()> {
    let value = calculate(op, register(regs, left), register(regs, right))?;
    set(regs, to, value);
    Ok(())
}

#[inline(never)]
pub(super) fn with_int(
    _machine: &Machine<'_>,
    regs: &mut [Value],
    op: Arithmetic,
    (to, left): (Reg, Reg),
    value: i16,
) -> Checked<()> {
    let value = calculate(op, register(regs, left), &Value::Int(i64::from(value)))?;
    set(regs, to, value);
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
    add_value(machine, regs, to, left, &Value::Int(i64::from(value)))
}

fn add_value(
    machine: &Machine<'_>,
    regs: &mut [Value],
    to: Reg,
    left: Reg,
    tail: &Value,
) -> Checked<()> {
    // Taken only where nothing but a limit can fail: a handler must find the variable unchanged.
    let grows = to == left
        && matches!(register(regs, left), Value::Str(_))
        && concat::render(tail).is_some();
    let head = if grows { take(regs, left) } else { register(regs, left).clone() };
    let value = concat::add(head, tail, &machine.meter)?;
    set(regs, to, value);
    Ok(())
}

#[inline(never)]
pub(super) fn order(left: &Value, right: &Value) -> Checked<Ordering> {
    compare::order(left, right)
}

#[inline(never)]
pub(super) fn order_int(left: &Value, value: i16) -> Checked<Ordering> {
    compare::order(left, &Value::Int(i64::from(value)))
}

#[inline(never)]
pub(super) fn equal(machine: &Machine<'_>, left: &Value, right: &Value) -> Checked<bool> {
    compare::equal(left, right, &machine.meter)
}

#[inline(never)]
pub(super) fn equal_int(left: &Value, value: i16) -> bool {
    compare::numbers(left, &Value::Int(i64::from(value))) == Some(Ordering::Equal)
}

/// Returns a failure found at compile time.
#[cold]
pub(super) fn certain(machine: &Machine<'_>, site: u32) -> Box<Fault> {
    match machine.program.fails.get(site as usize) {
        Some(site) => Fault::new(site.code, site.message.clone()).maybe_help(site.help.clone()),
        None => broken(),
    }
}
