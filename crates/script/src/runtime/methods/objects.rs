//! Methods of objects.

use super::arguments::{list_of, wrong_argument};
use crate::runtime::error::Checked;
use crate::runtime::machine::Machine;
use crate::runtime::value::{Object, TEXT_BYTES, Value};

fn own(value: &Value) -> Checked<&Object> {
    match value {
        Value::Object(object, _) => Ok(object),
        other => Err(wrong_argument("", "an object", other)),
    }
}

fn key<'v>(method: &str, arguments: &'v [Value]) -> Checked<&'v str> {
    match arguments.first() {
        Some(Value::Str(text, _)) => Ok(text),
        other => Err(wrong_argument(method, "a string", other.unwrap_or(&Value::NONE))),
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
    let key = key("has", arguments)?;
    Ok(Value::bool(own(value)?.fields.borrow().get(key).is_some()))
}

pub(crate) fn get(_: &Machine<'_>, value: &Value, arguments: &[Value]) -> Checked<Value> {
    let key = key("get", arguments)?;
    let found = own(value)?.fields.borrow().get(key).cloned();
    Ok(found.unwrap_or_else(|| arguments.get(1).cloned().unwrap_or_default()))
}
