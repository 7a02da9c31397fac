//! Methods of objects.

use super::{Method, wrong_argument};
use crate::runtime::error::Checked;
use crate::runtime::machine::Machine;
use crate::runtime::value::{Header, Object, TEXT_BYTES, Value};
use crate::runtime::vm::ITEM_BYTES;

pub(super) static METHODS: &[Method] = &[
    Method {
        name: "keys",
        signature: "keys()",
        summary: "its field names, in order",
        least: 0,
        most: 0,
        run: Some(keys),
    },
    Method {
        name: "values",
        signature: "values()",
        summary: "the values of its fields, in order",
        least: 0,
        most: 0,
        run: Some(values),
    },
    Method {
        name: "has",
        signature: "has(key)",
        summary: "whether it has the field",
        least: 1,
        most: 1,
        run: Some(has),
    },
    Method {
        name: "get",
        signature: "get(key, default?)",
        summary: "the field's value, or the default (none) when it is missing",
        least: 1,
        most: 2,
        run: Some(get),
    },
];

fn own(value: &Value) -> Checked<&Object> {
    match value {
        Value::Object(object) => Ok(object),
        other => Err(wrong_argument("", "an object", other)),
    }
}

fn key<'v>(method: &str, arguments: &'v [Value]) -> Checked<&'v str> {
    match arguments.first() {
        Some(Value::Str(text)) => Ok(&text.text),
        other => Err(wrong_argument(method, "a string", other.unwrap_or(&Value::None))),
    }
}

fn made(machine: &Machine<'_>, items: Vec<Value>, origin: &Object) -> Checked<Value> {
    machine.meter.heap((items.len() + 5) * ITEM_BYTES)?;
    items.iter().for_each(Value::mark_held);
    let header = Header::from_origin(machine.epoch(), origin.header.origin.get());
    Ok(Value::list(items, header))
}

fn keys(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let object = own(value)?;
    let fields = object.fields.borrow();
    let origin = object.header.origin.get();
    let mut keys = Vec::with_capacity(fields.len());
    for key in fields.keys() {
        machine.meter.heap(key.len() + TEXT_BYTES)?;
        keys.push(Value::text(&**key, origin));
    }
    made(machine, keys, object)
}

fn values(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let object = own(value)?;
    let values = object.fields.borrow().values().cloned().collect();
    made(machine, values, object)
}

fn has(_: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let key = key("has", arguments)?;
    Ok(Value::Bool(own(value)?.fields.borrow().get(key).is_some()))
}

fn get(_: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let key = key("get", arguments)?;
    let found = own(value)?.fields.borrow().get(key).cloned();
    Ok(found.unwrap_or_else(|| arguments.get(1).cloned().unwrap_or_default()))
}
