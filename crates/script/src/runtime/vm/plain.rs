//! Instructions in their commonest case: nothing but the program had an influence on the values
//! (GR-3). Each returns false, with everything unchanged, in any other.

use crate::runtime::code::Reg;
use crate::runtime::machine::Machine;
use crate::runtime::value::Value;
use crate::runtime::value::put::put_copy;
use crate::runtime::value::tag::Tag;

/// Copies a register.
#[inline]
pub(super) fn copy(regs: &mut [Value], to: Reg, from: Reg) {
    let Some(found) = regs.get(usize::from(from)) else { return };
    put_copy!(found, [], regs.get_mut(usize::from(to)));
}

/// Copies a value that no register holds.
#[inline]
pub(super) fn load(regs: &mut [Value], to: Reg, value: &Value) {
    put_copy!(value, [], regs.get_mut(usize::from(to)));
}

/// Moves a register that is not read again. A number stays where it was.
#[inline]
pub(super) fn take(regs: &mut [Value], to: Reg, from: Reg) {
    match regs.get_mut(usize::from(from)) {
        Some(Value::Float(value, tag)) => {
            let (value, tag) = (*value, *tag);
            if let Some(slot) = regs.get_mut(usize::from(to)) {
                slot.put_float(value, tag);
            }
        }
        Some(Value::Int(value, tag)) => {
            let (value, tag) = (*value, *tag);
            if let Some(slot) = regs.get_mut(usize::from(to)) {
                slot.put_int(value, tag);
            }
        }
        Some(from) => {
            let value = std::mem::take(from);
            if let Some(slot) = regs.get_mut(usize::from(to)) {
                *slot = value;
            }
        }
        None => {}
    }
}

/// Reads a field that has the program's own name.
#[inline(always)]
pub(super) fn field(
    machine: &Machine<'_>,
    regs: &mut [Value],
    to: Reg,
    base: Reg,
    name: u16,
) -> bool {
    let Some(Value::Object(object, Tag::PROGRAM)) = regs.get(usize::from(base)) else {
        return false;
    };
    let Some(name) = machine.names.get(usize::from(name)) else { return false };
    let fields = object.fields.borrow();
    match fields.get_interned(name) {
        Some(found) if object.header.tag.get().is_program() => {
            put_copy!(found, [fields], regs.get_mut(usize::from(to)));
            true
        }
        _ => false,
    }
}

/// Reads an item of a list.
#[inline(always)]
pub(super) fn item(regs: &mut [Value], to: Reg, base: Reg, index: Reg) -> bool {
    let (Some(Value::List(list, Tag::PROGRAM)), Some(Value::Int(at, Tag::PROGRAM))) =
        (regs.get(usize::from(base)), regs.get(usize::from(index)))
    else {
        return false;
    };
    let items = list.items.borrow();
    match usize::try_from(*at).ok().and_then(|at| items.get(at)) {
        Some(found) if list.header.tag.get().is_program() => {
            put_copy!(found, [items], regs.get_mut(usize::from(to)));
            true
        }
        _ => false,
    }
}

/// Reads the length of a list or a string.
#[inline]
pub(super) fn length(regs: &mut [Value], to: Reg, base: Reg) -> bool {
    let count = match regs.get(usize::from(base)) {
        Some(Value::List(list, Tag::PROGRAM)) if list.header.tag.get().is_program() => {
            list.items.borrow().len()
        }
        Some(Value::Str(text, Tag::PROGRAM)) => text.length(),
        _ => return false,
    };
    let (Ok(count), Some(slot)) = (i64::try_from(count), regs.get_mut(usize::from(to))) else {
        return false;
    };
    slot.put_int(count, Tag::PROGRAM);
    true
}

/// Reads a field by its key, or else the default two registers after `at`, into `at`.
#[inline]
pub(super) fn get_or(regs: &mut [Value], at: Reg, base: Reg, key: Reg) -> bool {
    let default = at.saturating_add(2);
    let (Some(Value::Object(object, Tag::PROGRAM)), Some(Value::Str(key, Tag::PROGRAM))) =
        (regs.get(usize::from(base)), regs.get(usize::from(key)))
    else {
        return false;
    };
    // What decides is an influence on the result, whichever it is.
    let is_plain = object.header.tag.get().is_program()
        && regs.get(usize::from(default)).is_some_and(|value| value.tag().is_program());
    if !is_plain {
        return false;
    }
    let fields = object.fields.borrow();
    match fields.get(key) {
        Some(found) => put_copy!(found, [fields], regs.get_mut(usize::from(at))),
        None => {
            drop(fields);
            copy(regs, at, default);
        }
    }
    true
}

/// Sets a field that is there and has the program's own name, where neither value has parts.
#[inline]
pub(super) fn set_field(
    machine: &Machine<'_>,
    (epoch, control): (u32, Tag),
    base: &Value,
    name: u16,
    value: &Value,
) -> bool {
    let (Value::Object(object, Tag::PROGRAM), Some(name)) =
        (base, machine.names.get(usize::from(name)))
    else {
        return false;
    };
    if object.header.epoch < epoch || !control.is_program() || value.header().is_some() {
        return false;
    }
    match object.fields.borrow_mut().get_interned_mut(name) {
        Some(slot) if slot.header().is_none() => {
            put_copy!(value, [], Some(&mut *slot));
            true
        }
        _ => false,
    }
}

/// Sets a field by its key, as [`set_field`] does.
#[inline]
pub(super) fn set_key(
    (epoch, control): (u32, Tag),
    base: &Value,
    key: &Value,
    value: &Value,
) -> bool {
    let (Value::Object(object, Tag::PROGRAM), Value::Str(key, Tag::PROGRAM)) = (base, key) else {
        return false;
    };
    if object.header.epoch < epoch || !control.is_program() || value.header().is_some() {
        return false;
    }
    match object.fields.borrow_mut().get_mut(key) {
        Some(slot) if slot.header().is_none() => {
            put_copy!(value, [], Some(&mut *slot));
            true
        }
        _ => false,
    }
}
