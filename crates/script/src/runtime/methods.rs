//! Methods of strings, lists and objects (AS-8, TY-6), which the rows of [`crate::library`] name.
//!
//! `.add` and the methods that take a function are instructions of their own, since they change a
//! list or call back.

mod arguments;
pub(crate) mod convert;
pub(crate) mod dates;
pub(crate) mod keyed;
pub(crate) mod lists;
pub(crate) mod objects;
pub(crate) mod pattern;
pub(crate) mod strings;
pub(crate) mod totals;
pub(crate) mod unique;

use super::code::Reg;
use super::error::{Checked, Fault, codes};
use super::machine::Machine;
use super::value::{Value, unknown};
use super::vm::access::part_of;
use crate::library::{self, Body, Entry, Receiver};
use contexture_diagnostic::suggestion;
use std::cell::RefCell;

use arguments::needs_function;
pub(crate) use pattern::Patterns;

/// The code of a method: the value, and the arguments behind it.
pub(crate) type Run = fn(&Machine<'_>, &Value, &[Value]) -> Checked<Value>;

/// The code of a function: its arguments.
pub(crate) type Call = fn(&Machine<'_>, &[Value]) -> Checked<Value>;

fn receiver(value: &Value) -> Option<Receiver> {
    match value {
        Value::Str(..) => Some(Receiver::String),
        Value::List(..) => Some(Receiver::List),
        Value::Object(..) => Some(Receiver::Object),
        _ => None,
    }
}

fn find(value: &Value, name: &str) -> Option<&'static Entry> {
    library::method(receiver(value)?, name)
}

/// The code of a method, and how many arguments it takes.
#[derive(Debug, Clone, Copy)]
struct Known {
    run: Run,
    least: usize,
    most: usize,
}

impl Known {
    fn of(method: &Entry) -> Option<Self> {
        match method.body {
            Body::Run(run) | Body::Each(_, Some(run)) => {
                Some(Self { run, least: method.least(), most: method.most() })
            }
            Body::Each(..) | Body::Instruction | Body::Call(_) => None,
        }
    }
}

/// The methods that the names of a program stand for, each looked up once (GR-3).
#[derive(Debug, Default)]
pub(crate) struct Methods {
    /// By the number of a name; each for strings, lists and objects.
    known: RefCell<Vec<[Option<Known>; 3]>>,
}

impl Methods {
    /// Returns the code of a method that takes so many arguments.
    fn find(&self, machine: &Machine<'_>, value: &Value, number: u16, count: usize) -> Option<Run> {
        let receiver = receiver(value)?;
        let (row, column) = (usize::from(number), receiver as usize);
        let known = self.known.borrow().get(row).and_then(|row| *row.get(column)?);
        let known = match known {
            Some(known) => known,
            None => self.learn(machine, receiver, (row, column))?,
        };
        (known.least..=known.most).contains(&count).then_some(known.run)
    }

    #[cold]
    fn learn(
        &self,
        machine: &Machine<'_>,
        receiver: Receiver,
        (row, column): (usize, usize),
    ) -> Option<Known> {
        let known = Known::of(library::method(receiver, machine.names.get(row)?)?)?;
        let mut all = self.known.borrow_mut();
        let rows = all.len().max(row + 1);
        all.resize(rows, [None; 3]);
        *all.get_mut(row)?.get_mut(column)? = Some(known);
        Some(known)
    }
}

pub(crate) fn exists(value: &Value, name: &str) -> bool {
    find(value, name).is_some()
}

/// Calls `value.name(…)`: the value in `at`, `count` arguments after it; the result is in `at`.
pub(crate) fn call(
    machine: &Machine<'_>,
    regs: &mut [Value],
    at: Reg,
    count: u16,
    name: u16,
) -> Checked<()> {
    let (first, count) = (usize::from(at), usize::from(count));
    let window = regs.get(first..first + 1 + count).unwrap_or_default();
    let Some((value, arguments)) = window.split_first() else { return Ok(()) };
    let result = match machine.methods.find(machine, value, name, count) {
        Some(run) => run(machine, value, arguments),
        None => {
            let name = machine.names.get(usize::from(name)).map_or("", |name| name);
            invoke(machine, value, arguments, name)
        }
    };
    let is_plain = value.tag().is_program()
        && value.header().is_none_or(|header| header.tag.get().is_program())
        && arguments.iter().all(|argument| argument.tag().is_program());
    match result {
        Ok(result) if is_plain => {
            if let Some(slot) = regs.get_mut(first) {
                slot.put_made(result);
            }
            Ok(())
        }
        Ok(result) => {
            let tags = machine.meter.tags();
            let result = part_of(machine, value, result);
            let result = arguments.iter().fold(result, |result, one| result.under(one.tag(), tags));
            if let Some(slot) = regs.get_mut(first) {
                *slot = result;
            }
            Ok(())
        }
        Err(fault) => Err(fault),
    }
}

fn invoke(machine: &Machine<'_>, value: &Value, arguments: &[Value], name: &str) -> Checked<Value> {
    let Some(method) = find(value, name) else {
        return match unknown::of(value) {
            Some(_) => of_unknown(machine, value, arguments, name),
            None => Err(no_method(value, name)),
        };
    };
    run(machine, method, value, arguments)
}

fn run(
    machine: &Machine<'_>,
    method: &'static Entry,
    value: &Value,
    arguments: &[Value],
) -> Checked<Value> {
    let count = arguments.len();
    if count < method.least() || count > method.most() {
        return Err(wrong_count(method, count));
    }
    match Known::of(method) {
        Some(known) => (known.run)(machine, value, arguments),
        None => Err(needs_function(method.name)),
    }
}

/// Calls a function of the library: the arguments from `at` on; the result is in `at`.
pub(crate) fn call_function(
    machine: &Machine<'_>,
    regs: &mut [Value],
    at: Reg,
    count: u16,
    function: u16,
) -> Checked<()> {
    let (first, count) = (usize::from(at), usize::from(count));
    let arguments = regs.get(first..first + count).unwrap_or_default();
    let Some(entry) = library::functions().get(usize::from(function)) else { return Ok(()) };
    let Body::Call(run) = entry.body else { return Ok(()) };
    let tags = machine.meter.tags();
    let result = run(machine, arguments)?;
    let result = arguments.iter().fold(result, |result, one| result.under(one.tag(), tags));
    if let Some(slot) = regs.get_mut(first) {
        *slot = result;
    }
    Ok(())
}

/// Calls a method of an unknown value, which is taken for a list or object.
#[cold]
fn of_unknown(
    machine: &Machine<'_>,
    value: &Value,
    arguments: &[Value],
    name: &str,
) -> Checked<Value> {
    if let Some(unknown) = unknown::of(value)
        && let Some(result) = unknown::method(machine, unknown, name, arguments)?
    {
        return Ok(result);
    }
    match unknown::list(machine, value)? {
        Some(list) if exists(&list, name) => invoke(machine, &list, arguments, name),
        _ => Err(no_method(value, name)),
    }
}

#[cold]
pub(crate) fn no_method(value: &Value, name: &str) -> Box<Fault> {
    let known = receiver(value).map_or(&[][..], library::methods_of);
    let known = known.iter().map(|method| method.name);
    let help = match (value, name) {
        (Value::None(_), _) => Some("compare with none first".to_owned()),
        (Value::Bool(..) | Value::Int(..) | Value::Float(..), _) => Some(
            "numbers and booleans have no methods; `\"\" + value` converts them to a string"
                .to_owned(),
        ),
        (_, "length" | "summary") => Some(format!("it is not a method: write `.{name}`")),
        (Value::List(..), "push" | "append") => Some("`.add(value)` appends to a list".to_owned()),
        _ => suggestion(name, known.clone()).or_else(|| {
            let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
            (!known.is_empty()).then(|| format!("the methods are {}", known.join(", ")))
        }),
    };
    let message = format!("{} has no method `{name}`", value.kind());
    Fault::new(codes::NO_METHOD, message).maybe_help(help)
}

#[cold]
fn wrong_count(method: &Entry, count: usize) -> Box<Fault> {
    let plural = if count == 1 { "" } else { "s" };
    let message = format!("`.{}` is called with {count} argument{plural}", method.name);
    Fault::new(codes::ARGUMENTS, message).help(format!(
        "write `.{}`: {}",
        method.signature(),
        method.summary
    ))
}
