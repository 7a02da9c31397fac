//! Lists by keys: `sort` and `group_by`, whose keys come from a function or are a field of each item.

use super::arguments::{list_of, wrong_argument};
use super::lists::{by_order, check_sortable, own, tags_of};
use crate::runtime::concat::render;
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::machine::Machine;
use crate::runtime::value::fields::Fields;
use crate::runtime::value::{FIELD_BYTES, Header, List, Value};
use crate::runtime::vm::access::property;
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// What is done with the items and their keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyed {
    /// The items in the order of their keys.
    Sort,
    /// An object of lists, by key.
    Group,
}

/// Computes the result from a list and a second list with its keys.
pub(crate) fn by(machine: &Machine<'_>, how: Keyed, list: &Value, keys: &Value) -> Checked<Value> {
    match how {
        Keyed::Sort => sort(machine, list, keys),
        Keyed::Group => group(machine, list, keys),
    }
}

/// Returns the field of each item as a list of keys.
pub(super) fn of_field(
    machine: &Machine<'_>,
    list: &List,
    method: &str,
    field: &Value,
) -> Checked<Value> {
    let Value::Str(name, tag) = field else {
        return Err(wrong_argument(
            method,
            "the name of a function, or of a field as a string",
            field,
        ));
    };
    let tags = machine.meter.tags();
    let items = list.items.borrow();
    let key = |item: &Value| Ok(property(machine, item, name)?.under(*tag, tags));
    let keys = items.iter().map(key).collect::<Checked<Vec<Value>>>()?;
    list_of(machine, keys, &list.header)
}

pub(super) fn sort(machine: &Machine<'_>, value: &Value, keys: &Value) -> Checked<Value> {
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

pub(crate) fn group_by(
    machine: &Machine<'_>,
    value: &Value,
    arguments: &[Value],
) -> Checked<Value> {
    let list = own(value)?;
    let keys = of_field(machine, list, "group_by", arguments.first().unwrap_or(&Value::NONE))?;
    group(machine, value, &keys)
}

fn group(machine: &Machine<'_>, value: &Value, keys: &Value) -> Checked<Value> {
    let (list, keys) = (own(value)?, own(keys)?);
    let keys = keys.items.borrow();
    let mut places: HashMap<Cow<'_, str>, usize> = HashMap::new();
    let mut groups: Vec<(Rc<str>, Vec<Value>)> = Vec::new();
    for (key, item) in keys.iter().zip(list.items.borrow().iter()) {
        let (name, _) = render(key).ok_or_else(|| no_key(key))?;
        let at = match places.get(&name) {
            Some(at) => *at,
            None => {
                groups.push((Rc::from(&*name), Vec::new()));
                places.insert(name, groups.len() - 1);
                groups.len() - 1
            }
        };
        if let Some((_, group)) = groups.get_mut(at) {
            group.push(item.clone());
        }
    }
    let tags = machine.meter.tags();
    let tag = tags.join(tags_of(machine, &keys), list.header.tag.get());
    machine.meter.collection(groups.len())?;
    let mut fields = Fields::with_capacity(groups.len());
    for (name, items) in groups {
        machine.meter.heap(FIELD_BYTES + name.len())?;
        let group = list_of(machine, items, &Header::tagged(machine.epoch(), tag))?;
        group.mark_held();
        fields.set(&name, group);
    }
    Ok(Value::object(fields, Header::tagged(machine.epoch(), tag)))
}

#[cold]
fn no_key(key: &Value) -> Box<Fault> {
    let message =
        format!("`.group_by` needs a string, number or boolean as the key, not {}", key.kind());
    Fault::new(codes::WRONG_TYPE, message)
        .help("give each item a key: `func kind(item) { item.get(\"kind\", \"other\") }`")
}
