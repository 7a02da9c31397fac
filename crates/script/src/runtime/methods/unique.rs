//! `unique`: the first of equal items.

use super::arguments::list_of;
use super::lists::own;
use crate::runtime::error::Checked;
use crate::runtime::machine::Machine;
use crate::runtime::value::Value;
use crate::runtime::value::compare::equal_and_tag;
use crate::runtime::value::hash::{Key, Keys};
use std::collections::{HashMap, HashSet};

pub(crate) fn unique(machine: &Machine<'_>, value: &Value, _: &[Value]) -> Checked<Value> {
    let list = own(value)?;
    let items = list.items.borrow();
    let mut keys = Keys::new(&machine.meter);
    let mut plain: HashSet<Key<'_>> = HashSet::with_capacity(items.len());
    let mut deep: HashMap<u64, Vec<&Value>> = HashMap::new();
    let mut kept = Vec::new();
    for item in items.iter() {
        let is_new = match keys.key(item)? {
            Key::Deep(hash) => is_new(machine, deep.entry(hash).or_default(), item)?,
            key => plain.insert(key),
        };
        if is_new {
            kept.push(item.clone());
        }
    }
    let tag = keys.tag.of_decision();
    Ok(list_of(machine, kept, &list.header)?.under(tag, machine.meter.tags()))
}

/// Adds a list or object to those of the same hash, unless an equal one is there.
fn is_new<'v>(machine: &Machine<'_>, same: &mut Vec<&'v Value>, item: &'v Value) -> Checked<bool> {
    for known in same.iter() {
        if equal_and_tag(known, item, &machine.meter)?.0 {
            return Ok(false);
        }
    }
    same.push(item);
    Ok(true)
}
