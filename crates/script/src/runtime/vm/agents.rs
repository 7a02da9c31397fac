//! Calls across agents (AS-28): arguments and result by value, an event around all of it.

use super::fiber::{broken, register};
use super::tracing;
use crate::runtime::code::Reg;
use crate::runtime::error::Checked;
use crate::runtime::events::{OpenEvent, data};
use crate::runtime::machine::Machine;
use crate::runtime::value::Value;
use crate::runtime::value::copy::deep_copy;
use crate::runtime::value::json::exported_all;
use contexture_context::TraceKind;
use serde_json::{Map, Value as Json};
use std::slice;

/// Copies the arguments and begins the agent's event; returns the function to enter.
pub(super) fn begin(
    machine: &Machine<'_>,
    events: &mut Vec<OpenEvent>,
    parent: Option<u64>,
    regs: &mut [Value],
    at: Reg,
    site: u32,
) -> Checked<u32> {
    let Some(site) = machine.program.agent_sites.get(site as usize) else {
        return Err(broken());
    };
    let first = usize::from(at);
    let arguments = regs.get_mut(first..first + usize::from(site.count)).unwrap_or_default();
    for argument in &mut *arguments {
        *argument = deep_copy(argument, &machine.meter, machine.epoch())?;
    }
    let input = exported_all(arguments, &machine.meter, machine.trace.is_kept())?;
    let parent = events.last().map_or(parent, |event| Some(event.id));
    let mut event =
        machine.trace.begin(parent, TraceKind::Agent, describe(machine, site.agent, site.function));
    machine.trace.instant_text(Some(event.id), TraceKind::Input, ("value", input));
    enter(machine, Some(event.id), site.agent);
    event.agent = Some(site.agent);
    events.push(event);
    Ok(site.function)
}

pub(crate) fn describe(machine: &Machine<'_>, agent: u32, function: u32) -> Map<String, Json> {
    let mut about = Map::new();
    let agent = machine.program.agents.get(agent as usize);
    if let Some(name) = agent.and_then(|agent| agent.name.as_deref()) {
        about.insert("agent".to_owned(), Json::from(name));
    }
    if let Some(function) = machine.program.functions.get(function as usize) {
        about.extend(data([("function", Json::from(function.name.as_str()))]));
    }
    about
}

/// Reports the uses that hold in the whole agent.
pub(crate) fn enter(machine: &Machine<'_>, event: Option<u64>, agent: u32) {
    let agent = machine.program.agents.get(agent as usize);
    for site in agent.into_iter().flat_map(|agent| &agent.uses) {
        tracing::declared(machine, event, *site);
    }
}

/// Copies the result and ends the agent's event.
pub(super) fn end(
    machine: &Machine<'_>,
    events: &mut Vec<OpenEvent>,
    regs: &mut [Value],
    at: Reg,
) -> Checked<()> {
    let result = deep_copy(register(regs, at), &machine.meter, machine.epoch())?;
    let is_kept = machine.trace.is_kept();
    let told = exported_all(slice::from_ref(&result), &machine.meter, is_kept)?;
    if let Some(event) = events.pop() {
        machine.trace.end_text(event, [], ("value", told));
    }
    if let Some(slot) = regs.get_mut(usize::from(at)) {
        *slot = result;
    }
    Ok(())
}
