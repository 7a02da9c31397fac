//! Methods of objects.

use super::arguments::{list_of, text, wrong_argument};
use crate::runtime::error::Checked;
use crate::runtime::machine::Machine;
use crate::runtime::value::fields::Fields;
use crate::runtime::value::tag::Tag;
use crate::runtime::value::{CONTAINER_BYTES, FIELD_BYTES, Header, Object, TEXT_BYTES, Value};

fn own(value: &Value) -> Checked<&Object> {
    match value {
        Value::Object(object, _) => Ok(object),
        other => Err(wrong_argument("", "an object", other)),
    }
}

pub(crate) fn keys(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let object = own(value)?;
    let fields = object.fields.borrow();
    let tag = object.header.tag.get();
    let mut keys = Vec::with_capacity(fields.len());
    for key in fields.keys() {
        machine.meter.heap(key.len() + TEXT_BYTES)?;
        keys.push(Value::text(&**key, tag));
    }
    list_of(machine, keys, &object.header)
}

pub(crate) fn values(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let object = own(value)?;
    let values = object.fields.borrow().values().cloned().collect();
    list_of(machine, values, &object.header)
}

pub(crate) fn has(_: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let key = text("has", arguments, 0)?;
    Ok(Value::bool(own(value)?.fields.borrow().get(key).is_some()))
}

pub(crate) fn get(_: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let key = text("get", arguments, 0)?;
    match (own(value)?.fields.borrow().get(key), arguments.get(1)) {
        (Some(found), _) | (None, Some(found)) => Ok(found.clone()),
        (None, None) => Ok(Value::NONE),
    }
}

/// Returns a `[key, value]` for each field.
pub(crate) fn entries(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let object = own(value)?;
    let tag = object.header.tag.get();
    let mut pairs = Vec::new();
    for (key, value) in object.fields.borrow().iter() {
        machine.meter.heap(key.len() + TEXT_BYTES)?;
        let pair = vec![Value::text(&**key, tag), value.clone()];
        pairs.push(list_of(machine, pair, &machine.header())?);
    }
    list_of(machine, pairs, &object.header)
}

/// Returns a new object with the fields of both; those of the second replace those of the first.
pub(crate) fn merge(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let [Value::Object(other, _)] = arguments else {
        let found = arguments.first().unwrap_or(&Value::NONE);
        return Err(wrong_argument("merge", "an object", found));
    };
    let object = own(value)?;
    let tag = machine.meter.tags().join(object.header.tag.get(), other.header.tag.get());
    let (first, second) = (object.fields.borrow(), other.fields.borrow());
    built(machine, first.iter().chain(second.iter()), tag)
}

/// Returns a new object without a field, or without those of a list of names.
pub(crate) fn without(machine: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let object = own(value)?;
    let tags = machine.meter.tags();
    let given = arguments.first().unwrap_or(&Value::NONE);
    let one = std::slice::from_ref(given);
    let list = match given {
        Value::List(list, _) => Some((list.items.borrow(), list.header.tag.get())),
        _ => None,
    };
    let names = list.as_ref().map_or(one, |(items, _)| &**items);
    let mut left_out = std::collections::HashSet::with_capacity(names.len());
    let mut tag =
        tags.join(object.header.tag.get(), list.as_ref().map_or(Tag::PROGRAM, |(_, tag)| *tag));
    for name in names {
        let Value::Str(text, of_name) = name else {
            return Err(wrong_argument("without", "a string or a list of strings", name));
        };
        tag = tags.join(tag, of_name.of_decision());
        left_out.insert(text.as_str());
    }
    let fields = object.fields.borrow();
    built(machine, fields.iter().filter(|(name, _)| !left_out.contains(&***name)), tag)
}

fn built<'f>(
    machine: &Machine<'_>,
    fields: impl Iterator<Item = (&'f std::rc::Rc<str>, &'f Value)>,
    tag: Tag,
) -> Checked<Value> {
    machine.meter.heap(CONTAINER_BYTES)?;
    let mut all = Fields::default();
    for (name, value) in fields {
        machine.meter.heap(FIELD_BYTES + name.len())?;
        value.mark_held();
        all.set(name, value.clone());
    }
    machine.meter.collection(all.len())?;
    Ok(Value::object(all, Header::tagged(machine.epoch(), tag)))
}
