//! Methods of lists. Only `.add` changes its list.

use super::arguments::{list_of, needs_function, wrong_argument};
use crate::runtime::concat::render;
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::machine::Machine;
use crate::runtime::value::compare::{equal_and_tag, order};
use crate::runtime::value::tag::Tag;
use crate::runtime::value::{List, TEXT_BYTES, Value};
use std::cmp::Ordering;

fn own(value: &Value) -> Checked<&List> {
    match value {
        Value::List(list, _) => Ok(list),
        other => Err(wrong_argument("", "a list", other)),
    }
}

pub(crate) fn length(_: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    Ok(Value::int(i64::try_from(own(value)?.items.borrow().len()).unwrap_or(i64::MAX)))
}

pub(crate) fn sort(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    if !arguments.is_empty() {
        return Err(needs_function("sort"));
    }
    let list = own(value)?;
    let mut items = list.items.borrow().clone();
    check_sortable(&items)?;
    items.sort_by(by_order);
    let tag = tags_of(machine, &items);
    Ok(list_of(machine, items, &list.header)?.under(tag, machine.meter.tags()))
}

/// Returns the tag of all items: what their order depends on.
fn tags_of(machine: &Machine<'_>, items: &[Value]) -> Tag {
    let tags = machine.meter.tags();
    let all = items.iter().fold(Tag::PROGRAM, |all, item| tags.join(all, item.tag()));
    all.of_decision()
}

/// Returns the items of a list in the order of their keys, which are in a second list.
pub(crate) fn sort_by_keys(machine: &Machine<'_>, value: &Value, keys: &Value) -> Checked<Value> {
    let (list, keys) = (own(value)?, own(keys)?);
    let keys = keys.items.borrow();
    check_sortable(&keys)?;
    let mut pairs: Vec<(&Value, Value)> =
        keys.iter().zip(list.items.borrow().iter().cloned()).collect();
    pairs.sort_by(|(left, _), (right, _)| by_order(left, right));
    let items = pairs.into_iter().map(|(_, item)| item).collect();
    let tag = tags_of(machine, &keys);
    Ok(list_of(machine, items, &list.header)?.under(tag, machine.meter.tags()))
}

/// Finds the first pair that can't be ordered, so that sorting itself can't fail.
fn check_sortable(items: &[Value]) -> Checked<()> {
    let Some((first, rest)) = items.split_first() else { return Ok(()) };
    order(first, first)?;
    rest.iter().try_for_each(|item| order(first, item).map(drop))
}

fn by_order(left: &Value, right: &Value) -> Ordering {
    order(left, right).unwrap_or(Ordering::Equal)
}

pub(crate) fn join(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let separator = match arguments {
        [Value::Str(text, _)] => text,
        other => {
            return Err(wrong_argument("join", "a string", other.first().unwrap_or(&Value::NONE)));
        }
    };
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
    let from = bound(arguments.first(), 0)?.min(items.len());
    let to = bound(arguments.get(1), items.len())?.clamp(from, items.len());
    let part = items.get(from..to).unwrap_or_default().to_vec();
    list_of(machine, part, &list.header)
}

fn bound(argument: Option<&Value>, absent: usize) -> Checked<usize> {
    match argument {
        None | Some(Value::None(_)) => Ok(absent),
        Some(Value::Int(at, _)) if *at >= 0 => Ok(usize::try_from(*at).unwrap_or(usize::MAX)),
        Some(Value::Int(at, _)) => Err(Fault::new(
            codes::BAD_INDEX,
            format!("`.slice` takes whole numbers from 0, not {at}"),
        )
        .help("count from the beginning: `list.slice(list.length - 2)`")),
        Some(other) => Err(wrong_argument("slice", "whole numbers", other)),
    }
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
