//! The state of loops (AS-6, AS-11).

use super::fiber::{broken, register};
use super::tracing;
use crate::runtime::code::{LoopSite, Reg};
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::events::OpenEvent;
use crate::runtime::machine::Machine;
use crate::runtime::methods;
use crate::runtime::value::put::put_copy;
use crate::runtime::value::tag::{Tag, Tags};
use crate::runtime::value::{Value, unknown};
use crate::runtime::warnings::WarningKind;
use contexture_context::TraceKind;
use serde_json::json;

/// Returns a bound as a number: `max` is positive, a count may be 0.
pub(super) fn bound(value: &Value, positive: bool) -> Checked<i64> {
    let least = i64::from(positive);
    match value {
        Value::Int(bound, _) if *bound >= least => Ok(*bound),
        other if unknown::is(other) => Ok(1),
        other => Err(bad_bound(other, positive)),
    }
}

#[cold]
fn bad_bound(value: &Value, positive: bool) -> Box<Fault> {
    let found = match value {
        Value::Int(bound, _) => bound.to_string(),
        Value::Float(bound, _) => bound.to_string(),
        other => other.kind().to_owned(),
    };
    let (what, least) = if positive { ("`max`", "1") } else { ("the count of `repeat`", "0") };
    let message = format!("{what} must be a whole number from {least}, not {found}");
    Fault::new(codes::LOOP_BOUND, message).help("compute the bound before the loop")
}

pub(super) fn count_begin(regs: &mut [Value], at: Reg, positive: bool) -> Checked<()> {
    let given = register(regs, at + 1);
    let (most, tag) = (bound(given, positive)?, given.tag().of_decision());
    set(regs, at, Value::int(0));
    set(regs, at + 1, Value::Int(most, tag));
    Ok(())
}

/// Counts an iteration, if there is one left; returns the tag of the bound with it.
#[inline]
pub(super) fn count_next(regs: &mut [Value], at: Reg) -> Checked<(bool, Tag)> {
    let at = usize::from(at);
    let Some([Value::Int(done, _), Value::Int(bound, tag)]) = regs.get_mut(at..at + 2) else {
        return Err(broken());
    };
    let more = *done < *bound;
    *done += i64::from(more);
    Ok((more, *tag))
}

/// Returns the index of the next iteration.
pub(super) fn index(regs: &[Value], at: Reg) -> i64 {
    match register(regs, at) {
        Value::Int(index, _) => *index,
        _ => 0,
    }
}

pub(super) fn walk_begin(
    machine: &Machine<'_>,
    event: Option<u64>,
    regs: &mut [Value],
    at: Reg,
    site: u32,
) -> Checked<()> {
    spread(machine, regs, at)?;
    let count = length(register(regs, at), "`for`")?;
    let given = register(regs, at + 2);
    let (most, tag) = (bound(given, true)?, given.tag().of_decision());
    set(regs, at + 1, Value::int(0));
    set(regs, at + 2, Value::Int(count.min(most), tag));
    if count > most {
        cut_list(machine, event, (regs, at), site, (count, most));
    }
    Ok(())
}

/// Replaces an unknown by the list that a loop takes it for.
fn spread(machine: &Machine<'_>, regs: &mut [Value], at: Reg) -> Checked<()> {
    if let Some(list) = unknown::list(machine, register(regs, at))? {
        set(regs, at, list);
    }
    Ok(())
}

pub(super) fn length(list: &Value, what: &str) -> Checked<i64> {
    match list {
        Value::List(list, _) => Ok(i64::try_from(list.items.borrow().len()).unwrap_or(i64::MAX)),
        other => {
            let fault =
                Fault::new(codes::NOT_A_LIST, format!("{what} needs a list, not {}", other.kind()));
            Err(match other {
                Value::Object(..) => fault.help("`.keys()` and `.values()` give lists"),
                Value::Str(..) => fault.help("`.split` and `.lines()` give lists"),
                _ => fault.help("make a list: `[value]`"),
            })
        }
    }
}

pub(super) fn each_begin(
    machine: &Machine<'_>,
    regs: &mut [Value],
    at: Reg,
    name: u16,
) -> Checked<()> {
    spread(machine, regs, at)?;
    let Value::List(list, _) = register(regs, at) else {
        let name = machine.names.get(usize::from(name)).map_or("map", |name| name);
        return Err(methods::no_method(register(regs, at), name));
    };
    let count = i64::try_from(list.items.borrow().len()).unwrap_or(i64::MAX);
    set(regs, at + 1, Value::int(0));
    set(regs, at + 2, Value::int(count));
    Ok(())
}

/// Takes the next item, if there is one; returns the tag of what decides that with it.
#[inline]
pub(super) fn walk_next(
    machine: &Machine<'_>,
    regs: &mut [Value],
    at: Reg,
) -> Checked<(bool, Tag)> {
    let at = usize::from(at);
    let Some([Value::List(list, own), Value::Int(index, _), Value::Int(end, bound), item]) =
        regs.get_mut(at..at + 4)
    else {
        return Err(broken());
    };
    let more = *index < *end;
    if more {
        let items = list.items.borrow();
        match usize::try_from(*index).ok().and_then(|at| items.get(at)) {
            Some(next) => put_copy!(next, [], Some(&mut *item)),
            None => *item = Value::NONE,
        }
        *index += 1;
    }
    let keys = list.header.tag.get();
    if own.is_program() && keys.is_program() && bound.is_program() {
        return Ok((more, Tag::PROGRAM));
    }
    let (tags, list) = (machine.meter.tags(), (*own, keys));
    Ok((more, lowered(tags, list, *bound, item)))
}

/// Notes the influence of a list on its item; returns the tag of what decides about the next turn.
#[cold]
fn lowered(tags: &Tags, (own, keys): (Tag, Tag), bound: Tag, item: &mut Value) -> Tag {
    let list = tags.join(own, keys).of_decision();
    item.influence(list, tags);
    tags.join(list, bound)
}

/// Reports that a loop reached its `max` while its condition was still false.
#[cold]
pub(super) fn truncated(
    machine: &Machine<'_>,
    events: &mut [OpenEvent],
    parent: Option<u64>,
    state: (&[Value], Reg),
    site: u32,
) {
    let Some(site) = machine.program.loops.get(site as usize) else { return };
    let event = events.last().map_or(parent, |event| Some(event.id));
    if let Some(own) = events.last_mut().filter(|_| site.eventful) {
        own.add("truncated", true.into());
    }
    let message = || "the loop reached its `max` before its condition held".to_owned();
    let told = machine.warnings.note(WarningKind::LoopTruncated, site.place, message);
    warn(machine, event, state, site, told);
}

#[cold]
pub(super) fn cut_list(
    machine: &Machine<'_>,
    event: Option<u64>,
    state: (&[Value], Reg),
    site: u32,
    (count, most): (i64, i64),
) {
    let Some(site) = machine.program.loops.get(site as usize) else { return };
    let message =
        || format!("the list has {count} items; `max` limited the loop to the first {most}");
    let told = machine.warnings.note(WarningKind::ListTruncated, site.place, message);
    warn(machine, event, state, site, told);
}

/// Reports a warning in the trace; a loop without events of its own gets one that takes no time.
fn warn(
    machine: &Machine<'_>,
    event: Option<u64>,
    (regs, at): (&[Value], Reg),
    site: &LoopSite,
    message: Option<String>,
) {
    let Some(message) = message else { return };
    if !site.eventful {
        let mut data = tracing::loop_data(machine, site, regs, at);
        data.insert("truncated".to_owned(), true.into());
        machine.trace.instant(event, TraceKind::For, data.into());
    }
    let at = machine.program.position(site.place);
    let data = json!({ "message": message, "file": at.file, "line": at.line, "column": at.column });
    machine.trace.instant(event, TraceKind::Warning, data);
}

fn set(regs: &mut [Value], at: Reg, value: Value) {
    if let Some(slot) = regs.get_mut(usize::from(at)) {
        *slot = value;
    }
}
