//! One value of a whole list: `sum`, `min`, `max`.

use super::lists::{check_sortable, own, tags_of};
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::machine::Machine;
use crate::runtime::number::{Arithmetic, calculate};
use crate::runtime::value::compare::order;
use crate::runtime::value::{Value, unknown};
use std::cmp::Ordering;

pub(crate) fn sum(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let items = own(value)?.items.borrow();
    let mut sum = Value::int(0);
    for item in items.iter() {
        sum = match (&sum, item) {
            (_, Value::Int(..) | Value::Float(..)) => calculate(Arithmetic::Add, &sum, item)?,
            (_, other) if unknown::is(other) => calculate(Arithmetic::Add, &sum, item)?,
            (_, other) => return Err(no_number(other)),
        };
    }
    Ok(sum.under(tags_of(machine, &items), machine.meter.tags()))
}

#[cold]
fn no_number(item: &Value) -> Box<Fault> {
    let message = format!("`.sum` takes a list of numbers, not of {}", item.kind());
    Fault::new(codes::WRONG_TYPE, message).help(match item {
        Value::Str(..) => "convert each first: `list.map(number)` with `func number(text) { to_number(text) }`; `.join(\"\")` joins texts",
        _ => "take the numbers first: `list.map(price)` with `func price(item) { item.price }`",
    })
}

pub(crate) fn min(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    extreme(machine, value, Ordering::Less)
}

pub(crate) fn max(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    extreme(machine, value, Ordering::Greater)
}

/// Returns the first item that is before or after all others.
fn extreme(machine: &Machine<'_>, value: &Value, wanted: Ordering) -> Checked<Value> {
    let items = own(value)?.items.borrow();
    check_sortable(&items)?;
    let mut items_left = items.iter();
    let Some(mut found) = items_left.next() else { return Ok(Value::NONE) };
    for item in items_left {
        if order(item, found)? == wanted {
            found = item;
        }
    }
    Ok(found.clone().under(tags_of(machine, &items), machine.meter.tags()))
}
