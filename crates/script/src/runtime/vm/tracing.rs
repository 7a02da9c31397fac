//! Events of loops and declarations, and the end of events that a failure or a `return` leaves
//! open.

use super::fiber::register;
use crate::runtime::code::{CandidateSite, LoopSite, Place, Reg, UseSite};
use crate::runtime::events::{OpenEvent, data};
use crate::runtime::machine::Machine;
use crate::runtime::value::Value;
use contexture_context::TraceKind;
use serde_json::{Map, Value as Json};

fn innermost(events: &[OpenEvent], parent: Option<u64>) -> Option<u64> {
    events.last().map_or(parent, |event| Some(event.id))
}

pub(super) fn loop_data(
    machine: &Machine<'_>,
    site: &LoopSite,
    regs: &[Value],
    at: Reg,
) -> Map<String, Json> {
    let mut data = data([("loop", Json::from(site.word))]);
    if let Some(variable) = &site.variable {
        data.insert("variable".to_owned(), Json::from(variable.as_str()));
    }
    // A count follows its counter, the end of a list follows list and index.
    let (name, bound) = match site.word {
        "for" => ("items", at + 2),
        "repeat" => ("times", at + 1),
        _ => ("max", at + 1),
    };
    if let Value::Int(bound, _) = register(regs, bound) {
        data.insert(name.to_owned(), Json::from(*bound));
        if let Value::List(list, _) = register(regs, at)
            && i64::try_from(list.items.borrow().len()).is_ok_and(|count| count > *bound)
        {
            data.insert("truncated".to_owned(), Json::Bool(true));
        }
    }
    data.insert("line".to_owned(), Json::from(machine.program.position(site.place).line));
    data
}

pub(super) fn loop_begin(
    machine: &Machine<'_>,
    events: &mut Vec<OpenEvent>,
    parent: Option<u64>,
    regs: &[Value],
    at: Reg,
    site: u32,
) {
    let Some(site) = machine.program.loops.get(site as usize) else { return };
    let data = loop_data(machine, site, regs, at + 1);
    let event = machine.trace.begin(innermost(events, parent), TraceKind::For, data);
    events.push(event);
}

/// Ends the current iteration, if there is one. The loop's state begins at `at`.
pub(super) fn turn_end(
    machine: &Machine<'_>,
    events: &mut Vec<OpenEvent>,
    regs: &[Value],
    at: Reg,
) {
    end_to(machine, events, kept(regs, at.saturating_sub(1)) + 1);
}

pub(super) fn turn_begin(
    machine: &Machine<'_>,
    events: &mut Vec<OpenEvent>,
    parent: Option<u64>,
    index: i64,
) {
    let data = data([("index", Json::from(index))]);
    let event = machine.trace.begin(innermost(events, parent), TraceKind::Iteration, data);
    events.push(event);
}

/// Returns the depth of events saved in a register.
pub(super) fn kept(regs: &[Value], at: Reg) -> usize {
    match register(regs, at) {
        Value::Int(depth, _) => usize::try_from(*depth).unwrap_or(usize::MAX),
        _ => usize::MAX,
    }
}

/// Ends all events above a depth, innermost first.
pub(super) fn end_to(machine: &Machine<'_>, events: &mut Vec<OpenEvent>, depth: usize) {
    while events.len() > depth {
        if let Some(event) = events.pop() {
            machine.trace.end(event, []);
        }
    }
}

/// Ends all events above a depth because of a failure.
pub(super) fn fail_to(machine: &Machine<'_>, events: &mut Vec<OpenEvent>, depth: usize) {
    while events.len() > depth {
        if let Some(event) = events.pop() {
            machine.trace.end(event, [("failed", Json::Bool(true))]);
        }
    }
}

/// Reports a `use` (AS-29): source, label, budget, question.
pub(super) fn declared(machine: &Machine<'_>, parent: Option<u64>, site: u32) {
    let Some(site) = machine.program.uses.get(site as usize) else { return };
    let label = site.label.as_deref();
    let mut data = Map::new();
    match site.candidates.as_slice() {
        [only] if !site.one_of => describe(machine, &mut data, site, only, label),
        candidates => {
            data.insert("source".to_owned(), Json::from("one of"));
            if let Some(label) = label {
                data.insert("label".to_owned(), Json::from(label));
            }
            let candidates = candidates.iter().map(|candidate| {
                let mut data = Map::new();
                data.insert("name".to_owned(), Json::from(candidate.name.as_str()));
                describe(machine, &mut data, site, candidate, None);
                Json::Object(data)
            });
            data.insert("candidates".to_owned(), candidates.collect());
            let selected = site.candidates.get(site.selected).map(|one| one.name.as_str());
            if let Some(name) = machine.chosen(site).or(selected) {
                data.insert("chosen".to_owned(), Json::from(name));
            }
        }
    }
    if let Some(span) = site.question {
        let question = machine.program.text(Place { file: site.place.file, span });
        data.insert("for".to_owned(), Json::from(question));
    }
    let position = machine.program.position(site.place);
    data.insert("file".to_owned(), Json::from(position.file));
    data.insert("line".to_owned(), Json::from(position.line));
    machine.trace.instant(parent, TraceKind::Use, Json::Object(data));
}

fn describe(
    machine: &Machine<'_>,
    data: &mut Map<String, Json>,
    site: &UseSite,
    candidate: &CandidateSite,
    label: Option<&str>,
) {
    let source = candidate
        .source
        .map_or("empty", |span| machine.program.text(Place { file: site.place.file, span }));
    data.insert("source".to_owned(), Json::from(source));
    if let Some(label) = label {
        data.insert("label".to_owned(), Json::from(label));
    }
    if let Some(budget) = candidate.budget {
        data.insert("budget".to_owned(), serde_json::to_value(budget).unwrap_or_default());
    }
}
