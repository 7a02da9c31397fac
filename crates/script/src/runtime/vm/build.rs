//! Lists and objects under construction.

use super::fiber::register;
use super::step;
use crate::runtime::code::Reg;
use crate::runtime::error::Checked;
use crate::runtime::machine::Machine;
use crate::runtime::value::fields::Fields;
use crate::runtime::value::tag::Tag;
use crate::runtime::value::{CONTAINER_BYTES, FIELD_BYTES, ITEM_BYTES, Value};
use std::rc::Rc;

/// The greatest capacity that is reserved at once; beyond, it grows as it is filled.
const RESERVE: usize = 1 << 16;

pub(super) fn new_list(machine: &Machine<'_>, capacity: u32) -> Checked<Value> {
    machine.meter.heap(CONTAINER_BYTES)?;
    let items = Vec::with_capacity((capacity as usize).min(RESERVE));
    Ok(Value::list(items, machine.header()))
}

pub(super) fn new_object(machine: &Machine<'_>, capacity: u32) -> Checked<Value> {
    machine.meter.heap(CONTAINER_BYTES)?;
    let fields = Fields::with_capacity((capacity as usize).min(RESERVE));
    Ok(Value::object(fields, machine.header()))
}

pub(super) fn append(
    machine: &Machine<'_>,
    regs: &mut [Value],
    (list, item): (Reg, Reg),
    take: bool,
    control: Tag,
) -> Checked<()> {
    // Nothing is taken before there is room for it: without, the instruction is done again.
    machine.meter.heap(ITEM_BYTES)?;
    let item = part(regs, item, take);
    if let Value::List(list, _) = register(regs, list) {
        list.header.mix(control, machine.meter.tags());
        machine.meter.collection(list.items.borrow().len() + 1)?;
        list.items.push(item);
    }
    Ok(())
}

pub(super) fn put_field(
    machine: &Machine<'_>,
    regs: &mut [Value],
    (object, name): (Reg, u16),
    value: Reg,
    take: bool,
) -> Checked<()> {
    machine.meter.heap(FIELD_BYTES)?;
    let value = part(regs, value, take);
    match machine.names.get(usize::from(name)) {
        Some(name) => put(machine, register(regs, object), name, value),
        None => Ok(()),
    }
}

pub(super) fn put_key(
    machine: &Machine<'_>,
    regs: &mut [Value],
    (object, key): (Reg, Reg),
    value: Reg,
) -> Checked<()> {
    machine.meter.heap(FIELD_BYTES)?;
    let value = part(regs, value, false);
    let object = register(regs, object);
    match register(regs, key) {
        Value::Str(key, tag) => {
            if let Some(header) = object.header() {
                header.mix(tag.of_decision(), machine.meter.tags());
            }
            put(machine, object, &Rc::from(key.as_str()), value)
        }
        _ => Ok(()),
    }
}

fn put(machine: &Machine<'_>, object: &Value, name: &Rc<str>, value: Value) -> Checked<()> {
    if let Value::Object(object, _) = object {
        let mut fields = object.fields.borrow_mut();
        machine.meter.collection(fields.len() + 1)?;
        fields.set(name, value);
    }
    Ok(())
}

fn part(regs: &mut [Value], at: Reg, take: bool) -> Value {
    let value = if take { step::take(regs, at) } else { register(regs, at).clone() };
    value.mark_held();
    value
}
