//! Reading and writing of fields and items (AS-6, AS-8, AS-9).

use crate::runtime::concat;
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::machine::Machine;
use crate::runtime::methods;
use crate::runtime::value::copy::{deep_copy, refuse_ring};
use crate::runtime::value::tag::Tag;
use crate::runtime::value::{FIELD_BYTES, FROZEN, Header, ITEM_BYTES, Object, Value, unknown};
use contexture_diagnostic::suggestion;
use std::rc::Rc;

pub(super) fn field(machine: &Machine<'_>, base: &Value, name: u16) -> Checked<Value> {
    let Some(name) = machine.names.get(usize::from(name)) else { return Ok(Value::NONE) };
    if let Value::Object(object, _) = base
        && let Some(value) = object.fields.borrow().get_interned(name)
    {
        return Ok(part_of(machine, base, value.clone()));
    }
    property(machine, base, name)
}

/// Adds to a field in its own place, as `object.name += value` does. Returns false, with everything
/// unchanged, where it has to be read, computed and set.
pub(super) fn add_to_field(
    machine: &Machine<'_>,
    (epoch, control): (u32, Tag),
    base: &Value,
    name: u16,
    value: &Value,
) -> Checked<bool> {
    let (Value::Object(object, chosen), Some(name)) = (base, machine.names.get(usize::from(name)))
    else {
        return Ok(false);
    };
    let is_plain = object.header.epoch >= epoch
        && [control, *chosen, object.header.tag.get()].iter().all(|tag| tag.is_program());
    let mut fields = object.fields.borrow_mut();
    match fields.get_interned_mut(name) {
        Some(slot) if is_plain => concat::append(slot, value, &machine.meter),
        _ => Ok(false),
    }
}

pub(super) fn length(machine: &Machine<'_>, base: &Value) -> Checked<Value> {
    match base {
        Value::List(list, _) => Ok(sized(machine, base, list.items.borrow().len())),
        Value::Str(text, _) if !unknown::is(base) => Ok(sized(machine, base, text.length())),
        _ => property(machine, base, "length"),
    }
}

/// Returns the length of a value.
fn sized(machine: &Machine<'_>, whole: &Value, count: usize) -> Value {
    part_of(machine, whole, Value::int(i64::try_from(count).unwrap_or(i64::MAX)))
}

/// Returns what was read from a value: what the value is, and what was put into it, has an
/// influence on it.
#[inline]
pub(crate) fn part_of(machine: &Machine<'_>, whole: &Value, part: Value) -> Value {
    let tags = machine.meter.tags();
    let part = part.under(whole.tag(), tags);
    match whole.header() {
        Some(header) => part.under(header.tag.get(), tags),
        None => part,
    }
}

/// Returns a field of an object, or a property that all values of a kind have: `length` of strings
/// (in characters), lists and objects, `summary` of lists and objects. A field comes first.
pub(crate) fn property(machine: &Machine<'_>, base: &Value, name: &str) -> Checked<Value> {
    if let Value::Object(object, _) = base {
        if let Some(value) = object.fields.borrow().get(name) {
            return Ok(part_of(machine, base, value.clone()));
        }
        if is_optional(object, name) {
            return Ok(part_of(machine, base, Value::NONE));
        }
    }
    match (base, name) {
        (Value::List(list, _), "length") => Ok(sized(machine, base, list.items.borrow().len())),
        (Value::Object(object, _), "length") => {
            Ok(sized(machine, base, object.fields.borrow().len()))
        }
        (Value::Str(..), _) if let Some(unknown) = unknown::of(base) => {
            unknown::field(machine, unknown, name)
        }
        (Value::Str(text, _), "length") => Ok(sized(machine, base, text.length())),
        (Value::List(..) | Value::Object(..), "summary") => {
            deep_copy(base, &machine.meter, machine.epoch())
        }
        _ => Err(missing(base, name)),
    }
}

fn is_optional(object: &Object, name: &str) -> bool {
    object
        .optional
        .borrow()
        .as_ref()
        .is_some_and(|names| names.iter().any(|known| **known == *name))
}

#[cold]
fn missing(base: &Value, name: &str) -> Box<Fault> {
    match base {
        Value::None(_) => {
            Fault::new(codes::NONE_PROPERTY, format!("can't read the field `{name}` of none"))
                .help("compare with none first")
        }
        Value::Object(object, _) => {
            let fields = object.fields.borrow();
            let known: Vec<&str> = fields.keys().map(|key| &**key).collect();
            let help = suggestion(name, known.iter().copied()).unwrap_or_else(|| describe(&known));
            Fault::new(codes::MISSING_PROPERTY, format!("the object has no field `{name}`"))
                .help(help)
        }
        other => {
            let message = format!("{} has no property `{name}`", other.kind());
            let fault = Fault::new(codes::MISSING_PROPERTY, message);
            match methods::exists(other, name) {
                true => fault.help(format!("it is a method: `.{name}(…)`")),
                false => fault.help(properties(other, name)),
            }
        }
    }
}

fn properties(value: &Value, name: &str) -> String {
    let known: &[&str] = match value {
        Value::List(..) => &["length", "summary"],
        Value::Str(..) => &["length"],
        _ => return "only objects have fields; check where the value comes from".to_owned(),
    };
    suggestion(name, known.iter().copied()).unwrap_or_else(|| {
        let known: Vec<String> = known.iter().map(|name| format!("`.{name}`")).collect();
        let fields = match value {
            Value::List(..) => "an item has fields: `list[0].name`",
            _ => "only objects have fields",
        };
        format!("{} has {}; {fields}", value.kind(), known.join(" and "))
    })
}

/// Lists the fields, as far as a line holds them.
fn describe(known: &[&str]) -> String {
    const SHOWN: usize = 8;
    if known.is_empty() {
        return "the object has no fields; `get` takes a default".to_owned();
    }
    let shown: Vec<String> = known.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = if known.len() > SHOWN { ", …" } else { "" };
    format!("it has {}{more}; `get` takes a default", shown.join(", "))
}

pub(super) fn item(machine: &Machine<'_>, base: &Value, index: &Value) -> Checked<Value> {
    match (base, index) {
        (Value::List(list, _), Value::Int(at, _)) => {
            let items = list.items.borrow();
            let found = usize::try_from(*at).ok().and_then(|at| items.get(at)).cloned();
            let found = found.ok_or_else(|| out_of_range(*at, items.len()))?;
            Ok(part_of(machine, base, found).under(index.tag(), machine.meter.tags()))
        }
        (Value::Str(..), _) | (Value::List(..), Value::Str(..)) => {
            unknown_item(machine, base, index)?.ok_or_else(|| no_item(base, index))
        }
        (Value::Object(..), Value::Str(key, _)) => {
            let found = property(machine, base, key);
            let found = found.or_else(|fault| unknown_item(machine, base, index)?.ok_or(fault))?;
            Ok(found.under(index.tag(), machine.meter.tags()))
        }
        _ => Err(no_item(base, index)),
    }
}

/// Returns an item of an unknown, or the one that an unknown picks of a list or object.
#[cold]
fn unknown_item(machine: &Machine<'_>, base: &Value, index: &Value) -> Checked<Option<Value>> {
    if let Some(base) = unknown::of(base) {
        let step = match index {
            Value::Int(at, _) => format!("[{at}]"),
            Value::Str(key, _) if !unknown::is(index) => format!(".{}", key.as_str()),
            _ => "[…]".to_owned(),
        };
        return unknown::part(machine, base, &step).map(Some);
    }
    Ok(unknown::is(index).then(|| index.clone()))
}

#[cold]
fn no_item(base: &Value, index: &Value) -> Box<Fault> {
    match base {
        Value::List(..) => bad_index(index),
        Value::Object(..) => {
            let message = format!("an object is indexed by a string, not by {}", index.kind());
            Fault::new(codes::BAD_INDEX, message).help("write `object[\"key\"]`")
        }
        Value::None(_) => Fault::new(codes::NONE_PROPERTY, "can't read an item of none")
            .help("compare with none first"),
        other => {
            let message = format!("{} has no items", other.kind());
            Fault::new(codes::WRONG_TYPE, message).help(match other {
                Value::Str(..) => "`.split(\"\")` gives its characters, `.lines()` its lines",
                _ => "only lists and objects are indexed",
            })
        }
    }
}

#[cold]
fn out_of_range(at: i64, count: usize) -> Box<Fault> {
    if at < 0 {
        return bad_index(&Value::int(at));
    }
    let help = match count {
        0 => "the list is empty".to_owned(),
        count => format!("its indexes go from 0 to {}; `.last()` gives the last item", count - 1),
    };
    Fault::new(codes::OUT_OF_RANGE, format!("the list has no item {at}")).help(help)
}

#[cold]
fn bad_index(index: &Value) -> Box<Fault> {
    let found = match index {
        Value::Int(at, _) => format!("{at}"),
        Value::Float(at, _) => format!("{at}"),
        other => other.kind().to_owned(),
    };
    let message = format!("a list's index must be a whole number from 0, not {found}");
    Fault::new(codes::BAD_INDEX, message).help("`.last()` gives the last item, `.slice` a part")
}

pub(super) fn set_field(
    machine: &Machine<'_>,
    by: (u32, Tag),
    base: &Value,
    name: u16,
    value: &Value,
) -> Checked<()> {
    match machine.names.get(usize::from(name)) {
        Some(name) => set_property(machine, by, base, (name, Tag::PROGRAM), value),
        None => Ok(()),
    }
}

pub(super) fn set_item(
    machine: &Machine<'_>,
    by: (u32, Tag),
    base: &Value,
    index: &Value,
    value: &Value,
) -> Checked<()> {
    match (base, index) {
        (Value::List(..), _) => {
            Err(Fault::new(codes::READ_ONLY, "the items of a list can't be assigned")
                .help("make a new list, or put objects into it and assign their fields"))
        }
        (_, Value::Str(key, tag)) => {
            let name = Rc::from(key.as_str());
            set_property(machine, by, base, (&name, *tag), value)
        }
        (Value::Object(..), other) => {
            let message = format!("a key of an object must be a string, not {}", other.kind());
            Err(Fault::new(codes::BAD_INDEX, message).help("write `object[\"key\"] = value`"))
        }
        (other, _) if unknown::is(other) => Ok(()),
        (other, _) => Err(no_fields(other)),
    }
}

fn set_property(
    machine: &Machine<'_>,
    (epoch, control): (u32, Tag),
    base: &Value,
    (name, of_name): (&Rc<str>, Tag),
    value: &Value,
) -> Checked<()> {
    let Value::Object(object, chosen) = base else {
        return if unknown::is(base) { Ok(()) } else { Err(no_fields(base)) };
    };
    writable(&object.header, epoch)?;
    refuse_ring(base, value, &machine.meter)?;
    let mut fields = object.fields.borrow_mut();
    if fields.get(name).is_none() {
        machine.meter.collection(fields.len() + 1)?;
        machine.meter.heap(FIELD_BYTES + name.len())?;
    }
    value.mark_held();
    let tags = machine.meter.tags();
    let by = tags.join(tags.join(of_name, *chosen).of_decision(), control);
    object.header.mix(tags.join(of_name, by), tags);
    let value = value.clone().under(by, tags);
    let before = fields.set(name, value);
    // The former value may hold the last other reference to this object: drop it after the
    // borrow.
    drop(fields);
    drop(before);
    Ok(())
}

#[cold]
fn no_fields(base: &Value) -> Box<Fault> {
    let message = format!("can't assign a field of {}", base.kind());
    Fault::new(codes::WRONG_TYPE, message).help("make an object first: `name = {}`")
}

pub(super) fn add(
    machine: &Machine<'_>,
    (epoch, control): (u32, Tag),
    list: &Value,
    item: &Value,
) -> Checked<()> {
    let Value::List(target, chosen) = list else {
        return if unknown::is(list) { Ok(()) } else { Err(methods::no_method(list, "add")) };
    };
    writable(&target.header, epoch)?;
    refuse_ring(list, item, &machine.meter)?;
    machine.meter.collection(target.items.borrow().len() + 1)?;
    machine.meter.heap(target.items.written_by(item) * ITEM_BYTES)?;
    item.mark_held();
    let tags = machine.meter.tags();
    let by = tags.join(chosen.of_decision(), control);
    target.header.mix(by, tags);
    target.items.push(item.clone().under(by, tags));
    Ok(())
}

/// Refuses writes to frozen containers, and to those older than the `parallel for` iteration that
/// writes (AS-10).
fn writable(header: &Header, epoch: u32) -> Checked<()> {
    if header.epoch >= epoch {
        return Ok(());
    }
    if header.epoch == FROZEN {
        return Err(Fault::new(codes::READ_ONLY, "the value of an imported file can't be changed")
            .help("change a copy: `.summary` makes one"));
    }
    Err(Fault::new(codes::OUTER_WRITE, "a `parallel for` can't change a value from outside")
        .help("end the body with the item's value, and use the list of results"))
}
