//! Performs the effects that fibers request, and resumes them with the outcome.
//!
//! The virtual machine is synchronous; this is the only asynchronous part of the language. It needs
//! no particular executor, and the whole run stays on the task that polls it.

mod files;
mod parallel;
pub(crate) mod semaphore;
mod templates;

use super::error::{Checked, Fault, RunError};
use super::events::{OpenEvent, data};
use super::machine::Machine;
use super::shapes::mark_optional;
use super::value::Value;
use super::value::release::closed;
use super::value::tag::Tag;
use super::vm;
use super::vm::fiber::{Effect, Exit, Fiber, Keys};
use crate::host::{GenerateCall, HostError, Release, Standing, Supplied, ToolBinding};
use crate::knowledge::KnowledgeCall;
use contexture_answer::Shape;
use contexture_context::manifest::Site;
use contexture_context::{TraceKind, Trust};
use contexture_core::policy::{Narrowed, Validation};
use serde_json::{Map, Value as Json, json};
use std::future::Future;
use std::pin::Pin;

pub(crate) fn drive<'f>(
    machine: &'f Machine<'_>,
    fiber: &'f mut Fiber,
) -> Pin<Box<dyn Future<Output = Result<Value, Box<RunError>>> + 'f>> {
    Box::pin(async move {
        loop {
            match vm::run(machine, fiber) {
                Exit::Done(value) => return Ok(value),
                Exit::Failed(error) => return Err(error),
                Exit::Effect(effect) => {
                    let narrowed = fiber.narrowed(machine.program);
                    let place = (fiber.current_event(), narrowed);
                    let outcome = perform(machine, place, &mut fiber.keys, effect).await;
                    fiber.resume(outcome);
                }
            }
        }
    })
}

async fn perform(
    machine: &Machine<'_>,
    (parent, narrowed): (Option<u64>, Narrowed),
    keys: &mut Keys,
    effect: Effect,
) -> Checked<Value> {
    if machine.host.is_cancelled() {
        return Err(Fault::cancelled());
    }
    match effect {
        Effect::Generate(mut call) => {
            (call.key, call.narrowed) = (keys.next(), narrowed);
            generate(machine, parent, *call).await
        }
        Effect::Tool(mut call, given) => {
            let about = describe(&call.tool, &call.method, &call.arguments, &call.site);
            let event = machine.trace.begin(parent, TraceKind::Tool, about);
            (call.event, call.key, call.narrowed) = (event.id, keys.next(), narrowed);
            let outcome = machine.perform(|host| host.tool(*call)).await;
            settle(machine, event, outcome, (Trust::Program, given))
        }
        Effect::Memory(mut call, given) => {
            let about = describe(&call.memory, &call.method, &call.arguments, &call.site);
            let event = machine.trace.begin(parent, TraceKind::Memory, about);
            (call.event, call.key, call.narrowed) = (event.id, keys.next(), narrowed);
            let outcome = machine.perform(|host| host.memory(*call)).await;
            settle(machine, event, outcome, (Trust::Program, given))
        }
        Effect::Knowledge(mut call, given) => {
            call.key = keys.next();
            knowledge(machine, parent, *call, given).await
        }
        // Whichever turn needs a file first reads it for all, so that it counts in none.
        Effect::File(import) => files::read(machine, import, parent).await,
        Effect::Template(mut job) => {
            job.call.key = keys.next();
            templates::render(machine, parent, *job).await
        }
        Effect::Parallel(job) => {
            parallel::parallel(machine, (parent, &narrowed), *job, &keys.next()).await
        }
    }
}

async fn generate(
    machine: &Machine<'_>,
    parent: Option<u64>,
    mut call: GenerateCall,
) -> Checked<Value> {
    let mut about = place(&call.site);
    if let Some(model) = &call.model {
        about.extend(data([("model", Json::from(model.to_string()))]));
    }
    about.extend(data([("items", Json::from(call.items.len()))]));
    let event = machine.trace.begin(parent, TraceKind::Generate, about);
    call.event = event.id;
    let (shape, up) = (call.shape.clone(), call.options.release.clone());
    let id = event.id;
    let outcome = machine.perform(|host| host.generate(call)).await;
    let mut value = settle(machine, event, outcome, (Trust::Model, Tag::PROGRAM))?;
    if let Some(shape) = &shape {
        mark_optional(&value, shape);
        if let Some(up) = up {
            release(machine, id, (&mut value, shape), &up);
        }
    }
    Ok(value)
}

/// Lets up the closed parts of an answer for the reason that its program gives, and records that.
fn release(machine: &Machine<'_>, event: u64, (value, shape): (&mut Value, &Shape), up: &Release) {
    let tags = machine.meter.tags();
    let label = tags.label(value.tag());
    if !label.is_below_user() {
        return;
    }
    let parts = closed(value, shape, up, tags);
    let data = json!({
        "reason": up.reason, "trust": label.trust, "sources": label.sources, "parts": parts,
    });
    machine.trace.instant(Some(event), TraceKind::Release, data);
}

async fn knowledge(
    machine: &Machine<'_>,
    parent: Option<u64>,
    mut call: KnowledgeCall,
    given: Tag,
) -> Checked<Value> {
    let mut about = data([
        ("name", Json::from(&*call.import.name)),
        ("pack", Json::from(&*call.import.pack)),
        ("method", Json::from(&*call.method)),
        ("arguments", call.arguments.clone()),
    ]);
    about.extend(place(&call.site));
    let event = machine.trace.begin(parent, TraceKind::Knowledge, about);
    call.event = event.id;
    let outcome = machine.perform(|host| host.knowledge(call)).await;
    settle(machine, event, outcome, (Trust::Pack, given))
}

/// Ends the event of an effect, and imports the value that the host supplied: it is as low as what
/// the effect was given, which chose it.
fn settle(
    machine: &Machine<'_>,
    event: OpenEvent,
    outcome: Result<Supplied, HostError>,
    (most, given): (Trust, Tag),
) -> Checked<Value> {
    match outcome {
        Ok(mut supplied) => {
            let given = match supplied.validation.take() {
                Some(validation) => validated(machine, event.id, &validation, &mut supplied, given),
                None => given,
            };
            let mut told = vec![("value", supplied.value.clone())];
            if supplied.standing != Standing::Real {
                told.push(("placeholder", Json::Bool(true)));
            }
            machine.trace.end(event, told);
            let value = machine.supplied(supplied, most)?;
            Ok(value.under(given.of_decision(), machine.meter.tags()))
        }
        Err(error) => {
            let told = json!({ "code": error.code, "message": error.message });
            machine.trace.end(event, [("error", told)]);
            // The error of a tool or memory may quote outside data; that of a model, its answer.
            let trust = match most {
                Trust::Model | Trust::Pack => most,
                _ => Trust::Tool,
            };
            Err(Fault::effect(error, trust))
        }
    }
}

/// Lets up what a tool gave that validates its argument, and the tag of the argument, and records
/// that (GU-4).
fn validated(
    machine: &Machine<'_>,
    event: u64,
    validation: &Validation,
    supplied: &mut Supplied,
    given: Tag,
) -> Tag {
    let tags = machine.meter.tags();
    let before = std::mem::take(&mut supplied.label);
    let whole = tags.label(given).join(&before);
    if whole.is_below_user() {
        let data = validation.record(&whole);
        machine.trace.instant(Some(event), TraceKind::Release, data);
    }
    supplied.label = validation.up(before);
    tags.released(given, &validation.way(), Trust::User)
}

fn describe(
    binding: &ToolBinding,
    method: &str,
    arguments: &Json,
    site: &Site,
) -> Map<String, Json> {
    let mut about = data([
        ("name", Json::from(&*binding.name)),
        ("uri", Json::from(&*binding.uri)),
        ("method", Json::from(method)),
        ("arguments", arguments.clone()),
    ]);
    about.extend(place(site));
    about
}

fn place(site: &Site) -> Map<String, Json> {
    match serde_json::to_value(site) {
        Ok(Json::Object(place)) => place,
        _ => Map::new(),
    }
}
