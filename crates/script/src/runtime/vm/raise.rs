//! Failures: their place, their handler, and the value that a handler sees (AS-9).

use super::control::Control;
use super::fiber::Frame;
use super::tracing;
use crate::runtime::code::{Handler, Place};
use crate::runtime::error::{CallFrame, FailureKind, Fault, RunError};
use crate::runtime::events::OpenEvent;
use crate::runtime::flow::read;
use crate::runtime::machine::Machine;
use crate::runtime::value::Value;
use crate::runtime::value::fields::Fields;
use crate::runtime::value::tag::Tag;
use contexture_context::TraceKind;
use contexture_diagnostic::Span;
use std::rc::Rc;

/// The number of calls reported at either end of a very long trace.
const TOLD: usize = 32;

/// The parts of a fiber that a failure needs.
pub(super) struct Broken<'f> {
    pub(super) stack: &'f mut Vec<Value>,
    pub(super) frames: &'f mut Vec<Frame>,
    pub(super) events: &'f mut Vec<OpenEvent>,
    pub(super) parent: Option<u64>,
    pub(super) floor: u32,
    pub(super) control: &'f mut Control,
}

/// Finds the handler of a failure and returns the frame to continue with; without one, the whole
/// fiber fails.
///
/// The `pc` of `frame` is that of the instruction that failed.
#[cold]
#[inline(never)]
pub(super) fn raise(
    machine: &Machine<'_>,
    fiber: Broken<'_>,
    mut frame: Frame,
    mut fault: Fault,
) -> Result<Frame, Box<RunError>> {
    let Broken { stack, frames, events, parent, floor, control } = fiber;
    let window = stack.get(frame.base as usize..).unwrap_or_default();
    let tags = machine.meter.tags();
    let tag = tags.join(operands(machine, window, frame), control.tag);
    fault.tag = tags.join(fault.tag, tag.of_decision());
    if fault.at_caller
        && let Some(caller) = frames.pop()
    {
        frame = Frame { pc: caller.pc.saturating_sub(1), ..caller };
    }
    let catchable = matches!(fault.kind, FailureKind::Program | FailureKind::Effect);
    let found = if catchable { find(machine, frames, frame, floor) } else { None };
    let error = locate(machine, frames, frame, fault);
    let event = events.last().map_or(parent, |event| Some(event.id));
    machine.trace.instant(event, TraceKind::Error, error.to_event(found.is_some()));
    let Some((catcher, handler, open)) = found else {
        tracing::fail_to(machine, events, 0);
        frames.clear();
        return Err(Box::new(error));
    };
    frames.truncate(open);
    let base = catcher.base as usize;
    let window = stack.get_mut(base..).unwrap_or_default();
    tracing::fail_to(machine, events, tracing::kept(window, handler.events));
    if let Some(slot) = window.get_mut(usize::from(handler.error)) {
        // An error value that exceeds a limit is replaced by a short one.
        *slot = error_value(machine, &error).unwrap_or_default();
    }
    let next = Frame { pc: handler.target, ..catcher };
    control.handle(machine, (stack, next), (open, handler), error.tag);
    Ok(next)
}

/// Returns the tag of what an instruction worked on: that it failed tells something about it.
fn operands(machine: &Machine<'_>, window: &[Value], frame: Frame) -> Tag {
    let function = machine.program.functions.get(frame.function as usize);
    let op = function.and_then(|function| function.code.get(frame.pc as usize));
    let options = |site: u32| {
        let site = machine.program.generates.get(site as usize);
        site.map_or(0, |site| site.options.len() + 3 * site.uses.len())
    };
    let read = op.map(|op| read(op, options)).unwrap_or_default();
    let tags = machine.meter.tags();
    let values = read.into_iter().filter_map(|register| window.get(usize::from(register)));
    values.fold(Tag::PROGRAM, |all, value| tags.join(all, value.tag_of_parts(tags))).of_decision()
}

/// Returns the innermost handler around an instruction, its call, and the number of calls that stay
/// open below it.
fn find(
    machine: &Machine<'_>,
    frames: &[Frame],
    frame: Frame,
    floor: u32,
) -> Option<(Frame, Handler, usize)> {
    let handler = |frame: Frame, outermost: bool| {
        let function = machine.program.functions.get(frame.function as usize)?;
        let around = |handler: &&Handler| {
            (handler.start..handler.end).contains(&frame.pc)
                && !(outermost && handler.start < floor)
        };
        function.handlers.iter().find(around).copied()
    };
    if let Some(found) = handler(frame, frames.is_empty()) {
        return Some((frame, found, frames.len()));
    }
    frames.iter().enumerate().rev().find_map(|(open, caller)| {
        let at = Frame { pc: caller.pc.saturating_sub(1), ..*caller };
        handler(at, open == 0).map(|found| (at, found, open))
    })
}

fn locate(machine: &Machine<'_>, frames: &[Frame], frame: Frame, mut fault: Fault) -> RunError {
    let callers =
        frames.iter().rev().map(|caller| Frame { pc: caller.pc.saturating_sub(1), ..*caller });
    let mut open: Vec<Frame> = std::iter::once(frame).chain(callers).collect();
    let omitted = open.len().saturating_sub(2 * TOLD);
    if omitted > 0 {
        open.drain(TOLD..TOLD + omitted);
    }
    let mut error = match fault.origin.take() {
        Some(origin) => *origin,
        None => {
            let place = place_of(machine, frame);
            fault.placed(machine.program.position(place), place.span)
        }
    };
    error.trace.extend(open.into_iter().map(|frame| call_frame(machine, frame)));
    error.trace_omitted += omitted;
    error
}

fn place_of(machine: &Machine<'_>, frame: Frame) -> Place {
    let Some(function) = machine.program.functions.get(frame.function as usize) else {
        return Place::default();
    };
    let span = function.spans.get(frame.pc as usize).copied().unwrap_or(Span::default());
    Place { file: function.file, span }
}

fn call_frame(machine: &Machine<'_>, frame: Frame) -> CallFrame {
    let position = machine.program.position(place_of(machine, frame));
    let function = machine.program.functions.get(frame.function as usize);
    CallFrame {
        function: function.map_or(String::new(), |function| function.label.clone()),
        file: position.file,
        line: position.line,
        column: position.column,
    }
}

/// Returns the value that a handler sees: `{code, message, details?, line, column, file}`.
fn error_value(machine: &Machine<'_>, error: &RunError) -> Option<Value> {
    let text = |text: &str| Value::text(text, error.tag);
    let mut fields = Fields::with_capacity(6);
    let mut set = |name: &str, value: Value| {
        value.mark_held();
        fields.set(&Rc::from(name), value);
    };
    set("code", text(&error.code));
    set("message", text(&error.message));
    if let Some(details) = &error.details {
        set("details", machine.import(details.clone(), error.tag).ok()?);
    }
    set("line", Value::Int(i64::from(error.line), error.tag));
    set("column", Value::Int(i64::from(error.column), error.tag));
    set("file", text(&error.file));
    Some(Value::object(fields, machine.header()))
}
