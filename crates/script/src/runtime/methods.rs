//! The standard library (AS-8): pure methods of strings, lists and objects, one table each.
//!
//! A method is a row of a table: name, number of arguments, description, function. `.add` and the
//! forms of `map`, `filter` and `sort` that take a function are instructions of their own, since
//! they change a list or call back; they are in the table for their names and their help.

mod lists;
mod method;
mod objects;
mod strings;

use super::code::Reg;
use super::error::{Checked, Fault, codes};
use super::machine::Machine;
use super::value::{Value, unknown};
use super::vm::access::part_of;
use contexture_diagnostic::suggestion;

pub(crate) use lists::sort_by_keys;
pub use method::Method;

use method::needs_function;

/// The values that a method belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Receiver {
    /// Strings.
    String,
    /// Lists.
    List,
    /// Objects.
    Object,
}

/// Returns the methods of a kind of value, for completion, documentation and the checker.
#[must_use]
pub fn methods_of(receiver: Receiver) -> &'static [Method] {
    match receiver {
        Receiver::String => strings::METHODS,
        Receiver::List => lists::METHODS,
        Receiver::Object => objects::METHODS,
    }
}

fn table(value: &Value) -> &'static [Method] {
    match value {
        Value::Str(..) => strings::METHODS,
        Value::List(..) => lists::METHODS,
        Value::Object(..) => objects::METHODS,
        _ => &[],
    }
}

pub(crate) fn exists(value: &Value, name: &str) -> bool {
    table(value).iter().any(|method| method.name == name)
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
    let name = machine.names.get(usize::from(name)).map_or("", |name| name);
    let tags = machine.meter.tags();
    let result = part_of(machine, value, invoke(machine, value, arguments, name)?);
    let result = arguments.iter().fold(result, |result, one| result.under(one.tag(), tags));
    if let Some(slot) = regs.get_mut(first) {
        *slot = result;
    }
    Ok(())
}

fn invoke(machine: &Machine<'_>, value: &Value, arguments: &[Value], name: &str) -> Checked<Value> {
    let Some(method) = table(value).iter().find(|method| method.name == name) else {
        return match unknown::of(value) {
            Some(_) => of_unknown(machine, value, arguments, name),
            None => Err(no_method(value, name)),
        };
    };
    let count = arguments.len();
    if count < method.least || count > method.most {
        return Err(wrong_count(method, count));
    }
    let Some(run) = method.run else { return Err(needs_function(method.name)) };
    run(machine, value, arguments)
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
    let known = table(value).iter().map(|method| method.name);
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
fn wrong_count(method: &Method, count: usize) -> Box<Fault> {
    let plural = if count == 1 { "" } else { "s" };
    let message = format!("`.{}` is called with {count} argument{plural}", method.name);
    Fault::new(codes::ARGUMENTS, message)
        .help(format!("write `.{}`: {}", method.signature, method.summary))
}
