//! `parallel for` (AS-10): iterations as fibers of their own, results in the order of the list.

use super::drive;
use crate::runtime::error::{Checked, FailureKind, Fault, RunError, codes};
use crate::runtime::events::data;
use crate::runtime::machine::Machine;
use crate::runtime::value::tag::{Tag, Tags};
use crate::runtime::value::{Header, ITEM_BYTES, Value};
use crate::runtime::vm::control::Control;
use crate::runtime::vm::fiber::{Fiber, Frame, Keys, Parallel};
use contexture_context::TraceKind;
use contexture_core::policy::Narrowed;
use contexture_core::profile::COST_LIMIT;
use futures_util::stream::{FuturesUnordered, StreamExt};
use serde_json::{Value as Json, json};

/// The number of failed iterations that the message lists; `details` has all.
const NAMED: usize = 10;

/// Runs all iterations, at most `concurrency` at a time, and waits for every one.
pub(super) async fn parallel(
    machine: &Machine<'_>,
    (parent, narrowed): (Option<u64>, &Narrowed),
    job: Parallel,
    key: &str,
) -> Checked<Value> {
    let event = machine.trace.begin(parent, TraceKind::ParallelFor, describe(machine, &job));
    let job_tag = job.tag;
    let outcome = turns(machine, (event.id, narrowed), &job, key).await;
    match outcome {
        Ok(values) => {
            machine.trace.end(event, []);
            values.iter().for_each(Value::mark_held);
            let header = Header::tagged(machine.epoch(), job_tag);
            Ok(Value::list(values, header))
        }
        Err(fault) => {
            machine.trace.end(event, [("failed", Json::Bool(true))]);
            Err(fault)
        }
    }
}

fn describe(machine: &Machine<'_>, job: &Parallel) -> serde_json::Map<String, Json> {
    let mut about = data([
        ("items", Json::from(job.items.len())),
        ("concurrency", Json::from(machine.concurrency)),
    ]);
    if job.truncated {
        about.insert("truncated".to_owned(), Json::Bool(true));
    }
    let site = machine.program.parallels.get(job.site as usize);
    let site = site.and_then(|site| machine.program.loops.get(site.loop_site as usize));
    if let Some(site) = site {
        about.extend(data([
            ("variable", Json::from(site.variable.as_deref())),
            ("line", Json::from(machine.program.position(site.place).line)),
        ]));
    }
    about
}

async fn turns(
    machine: &Machine<'_>,
    within: (u64, &Narrowed),
    job: &Parallel,
    key: &str,
) -> Checked<Vec<Value>> {
    machine.make_room();
    machine.meter.heap(job.items.len() * ITEM_BYTES)?;
    let values = machine.stacks.add(vec![Value::NONE; job.items.len()]);
    let mut failed = Vec::new();
    let mut running = FuturesUnordered::new();
    let mut waiting = job.items.iter().enumerate();
    loop {
        while running.len() < machine.concurrency
            && let Some((index, item)) = waiting.next()
        {
            running.push(turn(machine, within, job, (index, item, key)));
        }
        match running.next().await {
            None => break,
            Some((index, Ok(value))) => {
                if let Some(slot) = values.borrow_mut().get_mut(index) {
                    *slot = value;
                }
            }
            Some((index, Err(error))) => match error.kind {
                FailureKind::Limit | FailureKind::Cancelled => {
                    return Err(Fault::from_fiber(error));
                }
                FailureKind::Program | FailureKind::Effect => failed.push((index, error)),
            },
        }
    }
    if failed.is_empty() {
        return Ok(values.take());
    }
    failed.sort_by_key(|(index, _)| *index);
    Err(all_failed(&failed, job.items.len(), machine.meter.tags()))
}

async fn turn(
    machine: &Machine<'_>,
    (event, narrowed): (u64, &Narrowed),
    job: &Parallel,
    (index, item, key): (usize, &Value, &str),
) -> (usize, Result<Value, Box<RunError>>) {
    let event = machine.trace.begin(
        Some(event),
        TraceKind::Iteration,
        data([("index", Json::from(index))]),
    );
    let mut fiber = fiber(machine, job, event.id, item);
    fiber.narrowed.clone_from(narrowed);
    fiber.keys = Keys::of_turn(key, index);
    let outcome = drive(machine, &mut fiber).await;
    match &outcome {
        Ok(_) => machine.trace.end(event, []),
        Err(_) => machine.trace.end(event, [("failed", Json::Bool(true))]),
    }
    (index, outcome)
}

/// Creates a fiber that sees copies of the parent's variables, and may write none of their
/// containers.
fn fiber(machine: &Machine<'_>, job: &Parallel, event: u64, item: &Value) -> Fiber {
    let function = machine.program.functions.get(job.function as usize);
    let registers = function.map_or(0, |function| function.registers);
    let mut stack = Vec::with_capacity(registers.max(job.window.len() + 1));
    stack.extend(job.window.iter().cloned());
    stack.push(item.clone());
    stack.resize_with(registers.max(stack.len()), Value::default);
    Fiber {
        stack: machine.stacks.add(stack),
        frames: vec![Frame { function: job.function, pc: job.start, base: 0, events: 0 }],
        parent: Some(event),
        epoch: machine.next_epoch(),
        nested: job.nested,
        depth: job.depth,
        floor: job.start,
        control: Control::new(job.tag),
        ..Fiber::default()
    }
}

/// Merges failures into one that lists every failed index with its cause.
fn all_failed(failed: &[(usize, Box<RunError>)], count: usize, tags: &Tags) -> Box<Fault> {
    let named =
        failed.iter().take(NAMED).map(|(index, error)| format!("[{index}] {}", error.message));
    let mut message = format!(
        "{} of {count} items failed: {}",
        failed.len(),
        named.collect::<Vec<_>>().join("; ")
    );
    if failed.len() > NAMED {
        message.push_str(&format!("; and {} more", failed.len() - NAMED));
    }
    let details = failed.iter().map(|(index, error)| {
        let RunError { code, message, file, line, column, details, .. } = &**error;
        let mut cause = json!({
            "index": index,
            "code": code,
            "message": message,
            "file": file,
            "line": line,
            "column": column,
        });
        if let (Some(cause), Some(details)) = (cause.as_object_mut(), details) {
            cause.insert("details".to_owned(), details.clone());
        }
        cause
    });
    let tag = failed.iter().fold(Tag::PROGRAM, |all, (_, error)| tags.join(all, error.tag));
    let help = failed.iter().find_map(|(_, error)| error.help.clone());
    // A limit of the run is not a fault of some items: whoever raises it looks for its code.
    let is_limit = failed.iter().any(|(_, error)| error.code == COST_LIMIT);
    let code = if is_limit { COST_LIMIT } else { codes::PARALLEL_FAILED };
    Fault::new(code, message)
        .details(details.collect())
        .under(tag, tags)
        .help(help.unwrap_or_else(|| "`err.details` has the cause of each".to_owned()))
}
