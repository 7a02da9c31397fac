//! Arguments and results against their declared shapes (AS-28, TY-1), without coercion.
//!
//! Values are checked in place, since most calls pass. Only a value that does not fit is converted
//! to JSON, for the answer crate to report the faults.

use super::error::{Checked, Fault, codes};
use super::machine::Machine;
use super::value::json::json_and_tag;
use super::value::{Object, Value, unknown};
use contexture_answer::{Bounds, Extra, Field, Shape, View, validate};
use serde_json::json;
use std::collections::HashSet;
use std::rc::Rc;

const LISTED: usize = 20;

/// Checks an argument, and notes in it which missing fields read as none.
pub(crate) fn check_argument(
    machine: &Machine<'_>,
    function: &str,
    value: &Value,
    site: u32,
) -> Checked<()> {
    let Some(site) = machine.program.arguments.get(site as usize) else { return Ok(()) };
    if Fitting::default().fits(value, View::of(&site.shape)) {
        mark_optional(value, &site.shape);
        return Ok(());
    }
    let (json, tag) = json_and_tag(value, &machine.meter)?;
    let faults = validate(&json, &site.shape, Extra::Kept, LISTED);
    let name = site.name.as_deref().unwrap_or("result");
    let path = |path: &str| match path {
        "" => name.to_owned(),
        path if path.starts_with('[') => format!("{name}{path}"),
        path => format!("{name}.{path}"),
    };
    let listed = faults.errors.iter();
    let said = listed.clone().map(|fault| {
        format!("{}: expected {}, found {}", path(&fault.path), fault.expected, fault.found)
    });
    let mut message = format!("`{function}`: {}", said.collect::<Vec<_>>().join("; "));
    if faults.more > 0 {
        message.push_str(&format!("; and {} more", faults.more));
    }
    let details = listed.map(|fault| {
        json!({ "path": path(&fault.path), "expected": fault.expected, "found": fault.found })
    });
    let declared = match &site.name {
        Some(name) => format!("declared as `{name} {}`", site.shape),
        None => format!("declared as `-> {}`", site.shape),
    };
    let fault = Fault::new(codes::SHAPE, message).help(declared).details(details.collect());
    let fault = fault.under(tag, machine.meter.tags());
    Err(if site.name.is_some() { fault.at_caller() } else { fault })
}

/// The containers already checked, by address and shape: a part that a value contains a thousand
/// times is checked once.
#[derive(Default)]
struct Fitting(HashSet<(usize, usize)>);

impl Fitting {
    /// Reports whether a container still has to be checked against a shape.
    fn is_new(&mut self, value: &Value, shape: &Shape) -> bool {
        let Some((address, holders)) = value.identity() else { return true };
        holders < 2 || self.0.insert((address, std::ptr::from_ref(shape).addr()))
    }

    /// Reports whether a value has a shape. `null` counts as missing; further fields are allowed.
    fn fits(&mut self, value: &Value, view: View<'_>) -> bool {
        // A container that was checked fits, or the check has already failed.
        !self.is_new(value, view.shape)
            || (self.has_shape(value, view)
                && view.bounds.is_none_or(|bounds| is_within(value, bounds)))
    }

    fn has_shape(&mut self, value: &Value, view: View<'_>) -> bool {
        match (view.shape, value) {
            (Shape::Json, _)
            | (Shape::String, Value::Str(..))
            | (Shape::Boolean, Value::Bool(..))
            | (Shape::Number, Value::Int(..) | Value::Float(..))
            | (Shape::Integer, Value::Int(..))
            | (Shape::List(None), Value::List(..)) => true,
            // 3.0 counts three, as in JSON Schema.
            (Shape::Integer, Value::Float(number, _)) => number.fract() == 0.0,
            (Shape::Enum(values), Value::Str(text, _)) if !unknown::is(value) => {
                values.contains(text)
            }
            (Shape::List(Some(item)), Value::List(list, _)) => {
                let item = view.part(item);
                list.items.borrow().iter().all(|value| self.fits(value, item))
            }
            (Shape::Object(fields), Value::Object(object, _)) => {
                let values = object.fields.borrow();
                fields.iter().all(|field| match values.get(&field.name) {
                    None | Some(Value::None(_)) if field.optional => true,
                    Some(value) => self.fits(value, view.field(field)),
                    None => false,
                })
            }
            (_, value) => unknown::is(value),
        }
    }

    fn mark(&mut self, value: &Value, view: View<'_>) {
        if !self.is_new(value, view.shape) {
            return;
        }
        match (view.shape, value) {
            (Shape::List(Some(item)), Value::List(list, _)) => {
                let item = view.part(item);
                list.items.borrow().iter().for_each(|value| self.mark(value, item));
            }
            (Shape::Object(fields), Value::Object(object, _)) => {
                mark_object(object, fields);
                let values = object.fields.borrow();
                for field in fields {
                    if let Some(value) = values.get(&field.name) {
                        self.mark(value, view.field(field));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Reports whether a value of the right type is within its bounds.
fn is_within(value: &Value, bounds: &Bounds) -> bool {
    match value {
        Value::Int(number, _) => bounds.hold_number(&(*number).into()),
        Value::Float(number, _) => {
            serde_json::Number::from_f64(*number).is_some_and(|number| bounds.hold_number(&number))
        }
        Value::Str(text, _) => bounds.hold_text(text),
        Value::List(list, _) => bounds.hold_length(list.items.borrow().len()),
        _ => true,
    }
}

/// Marks the optional fields of all objects in a value that fits (AS-28). Keys stay absent.
pub(crate) fn mark_optional(value: &Value, shape: &Shape) {
    Fitting::default().mark(value, View::of(shape));
}

fn mark_object(object: &Object, fields: &[Field]) {
    let values = object.fields.borrow();
    let missing = |field: &&Field| field.optional && values.get(&field.name).is_none();
    let mut names: Vec<Rc<str>> =
        fields.iter().filter(missing).map(|field| Rc::from(field.name.as_str())).collect();
    if names.is_empty() {
        return;
    }
    let mut optional = object.optional.borrow_mut();
    if let Some(known) = optional.as_ref() {
        names.extend(
            known.iter().filter(|known| !names.contains(known)).cloned().collect::<Vec<_>>(),
        );
    }
    *optional = Some(names.into());
}
