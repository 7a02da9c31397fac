//! One run of a program.

use super::code::{Executable, Function, Place};
use super::drive::drive;
use super::error::{Checked, FailureKind, Fault, RunError, codes};
use super::events::{OpenEvent, data};
use super::given::Given;
use super::machine::{Machine, Past, RunOptions};
use super::value::Value;
use super::value::json::exported;
use super::vm::fiber::{Fiber, Frame};
use super::vm::{describe_agent, enter_agent};
use super::warnings::Warning;
use crate::host::Host;
use contexture_context::json::JsonText;
use contexture_context::{Label, TraceKind};
use contexture_core::policy::narrow;
use contexture_diagnostic::{Span, suggestion};
use serde_json::{Value as Json, json};
use std::collections::HashMap;

/// The entry point of a run: by default the main agent's main function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// The agent, by its name in the program's own file.
    pub agent: Option<String>,
    /// The function, by its name in the agent or at the top of the file.
    pub function: Option<String>,
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    /// The value, or the error.
    pub result: Result<Json, RunError>,
    /// The label of the value, or of the error's texts: that of all parts (AS-20, GU-3).
    pub label: Label,
    /// Behaviour that the author may not have meant, such as a `max` that cut a loop short (AS-11).
    pub warnings: Vec<Warning>,
    /// The number of instructions executed, counted where code repeats: whole loop bodies and
    /// functions.
    pub steps: u64,
}

/// Runs a program.
///
/// `input` is the argument of a function with one parameter; a function with several takes its
/// arguments by name from the input's fields, and one without parameters ignores it.
pub async fn run(
    program: &Executable,
    entry: &Entry,
    input: impl Into<Given>,
    host: &dyn Host,
    options: &RunOptions,
) -> RunOutcome {
    let machine = Machine::new(program, host, options, Past::default());
    let outcome = run_in(&machine, entry, input.into()).await;
    let label = outcome
        .as_ref()
        .map_or_else(|error| machine.meter.tags().label(error.tag), |(_, label)| label.clone());
    let result = outcome.map(|(value, _)| value.value());
    RunOutcome { result, label, warnings: machine.warnings(), steps: machine.meter.steps() }
}

async fn run_in(
    machine: &Machine<'_>,
    entry: &Entry,
    input: Given,
) -> Result<(JsonText, Label), RunError> {
    let program = machine.program.files.first().map_or("", |file| file.name());
    let mut about = data([("program", Json::from(program))]);
    let start = find(machine.program, entry);
    if let Ok(start) = &start {
        about.extend(describe_agent(machine, start.agent, start.function));
    }
    let event = machine.trace.begin(None, TraceKind::Run, about);
    let outcome = match start {
        Ok(start) => started(machine, start, input, event.id).await,
        Err(fault) => Err(unplaced(machine, *fault)),
    };
    end(machine, event, outcome.as_ref().map(|(value, _)| value));
    outcome
}

/// Ends the event of a run.
pub(super) fn end(machine: &Machine<'_>, event: OpenEvent, outcome: Result<&JsonText, &RunError>) {
    match outcome {
        Ok(value) => {
            let done = [("outcome", Json::from("done"))];
            machine.trace.end_text(event, done, ("value", Some(value.clone())));
        }
        Err(error) if error.kind == FailureKind::Cancelled => {
            machine.trace.end(event, [("outcome", Json::from("cancelled"))]);
        }
        Err(error) => {
            let error = ("error", error.to_event(false));
            machine.trace.end(event, [("outcome", Json::from("failed")), error]);
        }
    }
}

async fn started(
    machine: &Machine<'_>,
    start: Start,
    input: Given,
    run: u64,
) -> Result<(JsonText, Label), RunError> {
    match &input {
        Given::Text(text, _) => {
            machine.trace.instant_text(Some(run), TraceKind::Input, ("value", Some(text.clone())));
        }
        input => {
            let data = json!({ "value": input.to_json() });
            machine.trace.instant(Some(run), TraceKind::Input, data);
        }
    }
    let about = describe_agent(machine, start.agent, start.function);
    let event = machine.trace.begin(Some(run), TraceKind::Agent, about);
    enter_agent(machine, Some(event.id), start.agent);
    let outcome = match arguments(machine, start.function, input) {
        Ok(arguments) => finished(machine, &start, arguments, event.id).await,
        Err(fault) => Err(unplaced(machine, *fault)),
    };
    match &outcome {
        Ok((value, _)) => machine.trace.end_text(event, [], ("value", Some(value.clone()))),
        Err(_) => machine.trace.end(event, [("failed", Json::Bool(true))]),
    }
    outcome
}

async fn finished(
    machine: &Machine<'_>,
    &Start { agent, function }: &Start,
    stack: Vec<Value>,
    event: u64,
) -> Result<(JsonText, Label), RunError> {
    let frames = vec![Frame { function, ..Frame::default() }];
    let stack = machine.stacks.add(stack);
    let mut fiber = Fiber { stack, frames, parent: Some(event), epoch: 1, ..Fiber::default() };
    narrow(&mut fiber.narrowed, machine.program.policy_of(agent));
    let value = drive(machine, &mut fiber).await.map_err(|error| *error)?;
    let exported = exported(&value, &machine.meter);
    if machine.leaves_values {
        std::mem::forget((fiber, value));
    }
    exported.map(|(text, tag)| (text, machine.meter.tags().label(tag))).map_err(|fault| {
        let found = machine.program.functions.get(function as usize);
        let place = found.map(|found| Place { file: found.file, span: last_span(found) });
        placed(machine, *fault, place.unwrap_or_default())
    })
}

fn last_span(function: &Function) -> Span {
    function.spans.last().copied().unwrap_or_default()
}

#[derive(Debug, Clone, Copy)]
struct Start {
    agent: u32,
    function: u32,
}

fn find(program: &Executable, entry: &Entry) -> Checked<Start> {
    let agent = match &entry.agent {
        None => program.main.or(only_functions(program, entry)),
        Some(name) => Some(named_agent(program, name)?),
    };
    let no_main = || {
        Fault::new(codes::NO_ENTRY, "the program has no main agent and no `main func`")
            .help("write `main func(input) { … }`, or mark an agent as `main`")
    };
    let agent = agent.ok_or_else(no_main)?;
    let found = program.agents.get(agent as usize).ok_or_else(no_main)?;
    let function = match &entry.function {
        None => found.main.ok_or_else(|| {
            Fault::new(codes::NO_ENTRY, "the agent has no `main func`")
                .help("name a function to start with, or mark one as `main`")
        })?,
        Some(name) => {
            let known = found.functions.iter().map(|(name, number)| (name.as_str(), *number));
            named("the agent", "function", known, name)?
        }
    };
    Ok(Start { agent, function })
}

/// Finds a function in a file without a main agent, which can still be started there.
fn only_functions(program: &Executable, entry: &Entry) -> Option<u32> {
    entry.function.as_ref()?;
    program.own_agents.first().copied()
}

fn named_agent(program: &Executable, name: &str) -> Checked<u32> {
    let agents = program.own_agents.iter().filter_map(|number| {
        Some((program.agents.get(*number as usize)?.name.as_deref()?, *number))
    });
    named("the program", "agent", agents, name)
}

/// Finds a number by its name among those of `whole`.
fn named<'n>(
    whole: &str,
    what: &str,
    known: impl Iterator<Item = (&'n str, u32)> + Clone,
    name: &str,
) -> Checked<u32> {
    let found = known.clone().find(|(known, _)| *known == name);
    found.map(|(_, number)| number).ok_or_else(|| {
        let known: Vec<&str> = known.map(|(name, _)| name).collect();
        Fault::new(codes::NO_ENTRY, format!("{whole} has no {what} `{name}`")).help(suggest(
            name,
            &known,
            &format!("{what}s"),
        ))
    })
}

/// Suggests a name; of very many names it lists the first.
fn suggest(name: &str, known: &[&str], what: &str) -> String {
    const SHOWN: usize = 12;
    if known.is_empty() {
        return format!("it has no {what} with a name; leave the name out, or declare one");
    }
    suggestion(name, known.iter().copied()).unwrap_or_else(|| {
        let more = if known.len() > SHOWN { ", …" } else { "" };
        let known: Vec<&str> = known.iter().take(SHOWN).copied().collect();
        format!("the {what} are {}{more}", known.join(", "))
    })
}

/// Returns the arguments from the input: whole for one parameter, by name for several.
fn arguments(machine: &Machine<'_>, function: u32, input: Given) -> Checked<Vec<Value>> {
    let params =
        machine.program.functions.get(function as usize).map(|found| found.params.as_slice());
    match (params.unwrap_or_default(), input) {
        ([], _) => Ok(Vec::new()),
        ([_], input) => Ok(vec![input.import(machine)?]),
        (params, input @ Given::Text(..)) => by_field(params, &input.import(machine)?),
        (params, input) => match input.into_fields() {
            Ok(fields) => by_name(machine, params, fields),
            Err(_) => Err(needs_fields(params)),
        },
    }
}

fn by_name(
    machine: &Machine<'_>,
    params: &[String],
    fields: Vec<(String, Given)>,
) -> Checked<Vec<Value>> {
    let mut fields: HashMap<String, Given> = fields.into_iter().collect();
    let values = params
        .iter()
        .map(|param| fields.remove(param).ok_or_else(|| needs_fields(params))?.import(machine));
    values.collect()
}

fn by_field(params: &[String], input: &Value) -> Checked<Vec<Value>> {
    let Value::Object(object, _) = input else { return Err(needs_fields(params)) };
    let fields = object.fields.borrow();
    let value = |param: &String| fields.get(param).cloned().ok_or_else(|| needs_fields(params));
    params.iter().map(value).collect()
}

fn needs_fields(params: &[String]) -> Box<Fault> {
    let message = format!("the function takes several arguments: {}", params.join(", "));
    Fault::new(codes::ARGUMENTS, message).help("give an input object with a field for each of them")
}

/// Returns a failure that belongs to no instruction.
pub(super) fn unplaced(machine: &Machine<'_>, fault: Fault) -> RunError {
    placed(machine, fault, Place::default())
}

pub(super) fn placed(machine: &Machine<'_>, fault: Fault, place: Place) -> RunError {
    fault.placed(machine.program.position(place), place.span)
}
