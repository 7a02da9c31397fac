//! Methods of lists. Only `.add` changes its list.

use super::arguments::{between, list_of, list_of_both, wrong_argument};
use super::keyed;
use crate::runtime::concat::render;
use crate::runtime::error::Checked;
use crate::runtime::machine::Machine;
use crate::runtime::value::compare::{equal_and_tag, order};
use crate::runtime::value::tag::Tag;
use crate::runtime::value::{List, TEXT_BYTES, Value};
use std::cmp::Ordering;

pub(super) fn own(value: &Value) -> Checked<&List> {
    match value {
        Value::List(list, _) => Ok(list),
        other => Err(wrong_argument("", "a list", other)),
    }
}

pub(crate) fn length(_: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    Ok(Value::int(i64::try_from(own(value)?.items.borrow().len()).unwrap_or(i64::MAX)))
}

pub(crate) fn sort(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let list = own(value)?;
    if let Some(field) = arguments.first() {
        let keys = keyed::of_field(machine, list, "sort", field)?;
        return keyed::sort(machine, value, &keys);
    }
    let mut items = list.items.borrow().to_vec();
    check_sortable(&items)?;
    items.sort_by(by_order);
    let tag = tags_of(machine, &items);
    Ok(list_of(machine, items, &list.header)?.under(tag, machine.meter.tags()))
}

/// Returns the tag of all items: what their order depends on.
pub(super) fn tags_of(machine: &Machine<'_>, items: &[Value]) -> Tag {
    let tags = machine.meter.tags();
    let all = items.iter().fold(Tag::PROGRAM, |all, item| tags.join(all, item.tag()));
    all.of_decision()
}

/// Finds the first pair that can't be ordered, so that sorting itself can't fail.
pub(super) fn check_sortable(items: &[Value]) -> Checked<()> {
    let Some((first, rest)) = items.split_first() else { return Ok(()) };
    if rest.is_empty() {
        return order(first, first).map(drop);
    }
    rest.iter().try_for_each(|item| order(first, item).map(drop))
}

pub(super) fn by_order(left: &Value, right: &Value) -> Ordering {
    order(left, right).unwrap_or(Ordering::Equal)
}

pub(crate) fn join(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let separator = super::arguments::text("join", arguments, 0)?;
    let items = own(value)?.items.borrow();
    let mut text = String::new();
    let (tags, mut tag) = (machine.meter.tags(), Tag::PROGRAM);
    for (index, item) in items.iter().enumerate() {
        let Some((part, of_part)) = render(item) else {
            return Err(wrong_argument("join", "a list of strings, numbers and booleans", item));
        };
        if index > 0 {
            text.push_str(separator);
        }
        text.push_str(&part);
        tag = tags.join(tag, of_part);
        machine.meter.string(text.len())?;
    }
    machine.meter.heap(text.len() + TEXT_BYTES)?;
    Ok(Value::text(text, tag))
}

pub(crate) fn first(_: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    Ok(own(value)?.items.borrow().first().cloned().unwrap_or_default())
}

pub(crate) fn last(_: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    Ok(own(value)?.items.borrow().last().cloned().unwrap_or_default())
}

pub(crate) fn slice(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let list = own(value)?;
    let items = list.items.borrow();
    let (from, to) = between(arguments, items.len())?;
    let part = items.get(from..to).unwrap_or_default().to_vec();
    list_of(machine, part, &list.header)
}

pub(crate) fn contains(
    machine: &Machine<'_>,
    value: &Value,
    arguments: &[Value],
) -> Checked<Value> {
    let wanted = arguments.first().unwrap_or(&Value::NONE);
    let (tags, mut seen) = (machine.meter.tags(), Tag::PROGRAM);
    for item in own(value)?.items.borrow().iter() {
        let (is_equal, tag) = equal_and_tag(item, wanted, &machine.meter)?;
        seen = tags.join(seen, tag);
        if is_equal {
            return Ok(Value::Bool(true, seen));
        }
    }
    Ok(Value::Bool(false, seen))
}

/// Returns the items of two lists, one after the other.
pub(crate) fn concat(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    match arguments {
        [Value::List(more, _)] => both(machine, own(value)?, more),
        other => Err(wrong_argument("concat", "a list", other.first().unwrap_or(&Value::NONE))),
    }
}

pub(crate) fn both(machine: &Machine<'_>, left: &List, right: &List) -> Checked<Value> {
    let (first, second) = (left.items.borrow(), right.items.borrow());
    machine.meter.collection(first.len() + second.len())?;
    let items = first.iter().chain(second.iter()).cloned().collect();
    list_of_both(machine, items, (&left.header, &right.header))
}

pub(crate) fn reverse(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let list = own(value)?;
    let items = list.items.borrow().iter().rev().cloned().collect();
    list_of(machine, items, &list.header)
}

/// Returns the pairs of the items of two lists; the shorter one decides how many.
pub(crate) fn zip(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let list = own(value)?;
    let [Value::List(other, _)] = arguments else {
        return Err(wrong_argument("zip", "a list", arguments.first().unwrap_or(&Value::NONE)));
    };
    let (left, right) = (list.items.borrow(), other.items.borrow());
    let mut pairs = Vec::with_capacity(left.len().min(right.len()));
    for (left, right) in left.iter().zip(right.iter()) {
        let pair = vec![left.clone(), right.clone()];
        pairs.push(list_of(machine, pair, &machine.header())?);
    }
    list_of_both(machine, pairs, (&list.header, &other.header))
}
