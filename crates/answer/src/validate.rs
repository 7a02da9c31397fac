//! Validation of a value against its shape; all faults at once, each by its path (AS-21).

use crate::error::FieldError;
use crate::path::{Path, Step};
use crate::shape::{Field, Shape, View};
use serde_json::{Map, Value};

/// The treatment of fields that the shape does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// They are kept.
    Kept,
    /// Each one is an error.
    Refused,
}

/// The faults of a value: a list up to a limit, and the number of further ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults {
    /// The faults in the order of the shape.
    pub errors: Vec<FieldError>,
    /// The number of further faults.
    pub more: usize,
}

impl Faults {
    /// Reports whether there are no faults.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty() && self.more == 0
    }
}

/// Checks a value against a shape, without coercion.
///
/// A missing optional field is fine, and so is `null` in its place: a schema with every field
/// required, and many a model, writes "none" that way. At most `max_errors` faults are listed.
///
/// ```
/// use contexture_answer::{Extra, Field, Shape, validate};
/// let shape = Shape::Object(vec![Field::new("items", Shape::list(Shape::String))]);
/// let faults = validate(&serde_json::json!({"items": ["a", 2]}), &shape, Extra::Kept, 10);
/// assert_eq!(faults.errors[0].to_string(), "items[1]: expected string, found number 2");
/// ```
pub fn validate(value: &Value, shape: &Shape, extra: Extra, max_errors: usize) -> Faults {
    let mut walk = Walk { extra, max_errors, faults: Faults::default(), path: Path::default() };
    walk.value(value, View::of(shape));
    walk.faults
}

/// Reports whether a value matches its shape without coercion.
pub(crate) fn fits(value: &Value, shape: &Shape) -> bool {
    has_shape(value, View::of(shape))
}

fn has_shape(value: &Value, view: View<'_>) -> bool {
    has_type(value, view) && view.bounds.is_none_or(|bounds| bounds.hold(value))
}

/// Reports whether a value matches a shape, whatever the bounds of the value itself.
pub(crate) fn has_type(value: &Value, view: View<'_>) -> bool {
    match (view.shape, value) {
        (Shape::Json, _) => true,
        (Shape::String, Value::String(_)) | (Shape::Boolean, Value::Bool(_)) => true,
        (Shape::Number, Value::Number(_)) | (Shape::List(None), Value::Array(_)) => true,
        (Shape::Integer, Value::Number(number)) => number.is_i64(),
        (Shape::Enum(values), Value::String(text)) => values.contains(text),
        (Shape::List(Some(item)), Value::Array(items)) => {
            let item = view.part(item);
            items.iter().all(|value| has_shape(value, item))
        }
        (Shape::Object(fields), Value::Object(map)) => fits_object(map, fields, view),
        _ => false,
    }
}

fn fits_object(map: &Map<String, Value>, fields: &[Field], view: View<'_>) -> bool {
    // Answers mostly keep the order of the shape: then no lookup by key is necessary.
    let mut entries = map.iter().peekable();
    fields.iter().all(|field| {
        let value = match entries.next_if(|(name, _)| **name == field.name) {
            Some((_, value)) => Some(value),
            None => map.get(&field.name),
        };
        match value {
            None => field.optional,
            Some(Value::Null) if field.optional => true,
            Some(value) => has_shape(value, view.field(field)),
        }
    })
}

struct Walk<'a> {
    extra: Extra,
    max_errors: usize,
    faults: Faults,
    path: Path<'a>,
}

impl<'a> Walk<'a> {
    fn value(&mut self, value: &'a Value, view: View<'a>) {
        match (view.shape, value) {
            (Shape::List(Some(item)), Value::Array(items)) => {
                let item = view.part(item);
                for (index, value) in items.iter().enumerate() {
                    self.path.push(Step::Index(index));
                    self.value(value, item);
                    self.path.pop();
                }
            }
            (Shape::Object(fields), Value::Object(map)) => self.object(map, fields, view),
            _ if has_type(value, view) => {}
            _ => return self.fault(expected_of(view), found(value, view.shape)),
        }
        if view.bounds.is_some_and(|bounds| !bounds.hold(value)) {
            self.fault(expected_of(view), found_within(value, view));
        }
    }

    fn object(&mut self, map: &'a Map<String, Value>, fields: &'a [Field], view: View<'a>) {
        let mut known = 0;
        for field in fields {
            let value = map.get(&field.name);
            known += usize::from(value.is_some());
            self.path.push(Step::Field(&field.name));
            match value {
                Some(Value::Null) if field.optional => {}
                Some(value) => self.value(value, view.field(field)),
                None if field.optional => {}
                None => self
                    .fault(expected_of(view.field(field)), "nothing: the field is missing".into()),
            }
            self.path.pop();
        }
        if self.extra == Extra::Refused && map.len() > known {
            self.refuse_extra(map, fields);
        }
    }

    fn refuse_extra(&mut self, map: &'a Map<String, Value>, fields: &'a [Field]) {
        let known: std::collections::HashSet<&str> =
            fields.iter().map(|field| field.name.as_str()).collect();
        for (name, value) in map.iter().filter(|(name, _)| !known.contains(name.as_str())) {
            self.path.push(Step::Field(name));
            self.fault("no field of this name".into(), describe(value));
            self.path.pop();
        }
    }

    fn fault(&mut self, expected: String, found: String) {
        if self.faults.errors.len() >= self.max_errors {
            self.faults.more += 1;
            return;
        }
        self.faults.errors.push(FieldError { path: self.path.to_string(), expected, found });
    }
}

/// Describes the expected value of a shape in a few words.
pub(crate) fn expected(shape: &Shape) -> String {
    expected_of(View::of(shape))
}

fn expected_of(view: View<'_>) -> String {
    let plain = expected_type(view);
    match view.bounds.map(crate::shape::Bounds::describe) {
        Some(bounds) if !bounds.is_empty() => format!("{plain} {bounds}"),
        _ => plain,
    }
}

fn expected_type(view: View<'_>) -> String {
    let shape = view.shape;
    match shape {
        Shape::Object(_) => "object".into(),
        Shape::List(Some(item)) => match view.part(item).shape {
            Shape::Object(_) => "list of objects".into(),
            Shape::Json => "list".into(),
            item => format!("list[{item}]"),
        },
        Shape::Enum(values) => {
            let quoted: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
            format!("one of {}", quoted.join(", "))
        }
        _ => shape.type_name().into(),
    }
}

fn found(value: &Value, shape: &Shape) -> String {
    let reason = match (shape, value.as_f64()) {
        (Shape::Integer, Some(number)) if number.fract() != 0.0 => " (not whole)",
        (Shape::Integer, Some(number)) if number.abs() >= 9e18 => " (beyond 64 bits)",
        _ => "",
    };
    describe(value) + reason
}

/// Describes a value of the right type that is not within its bounds: a length tells most.
fn found_within(value: &Value, view: View<'_>) -> String {
    let is_length = view.bounds.is_some_and(|bounds| bounds.length.is_some());
    match value {
        Value::String(text) if is_length => {
            let count = text.chars().count();
            let plural = if count == 1 { "" } else { "s" };
            format!("{} of {count} character{plural}", describe(value))
        }
        _ => describe(value),
    }
}

/// Describes a value in a few words: its type, and itself if it is short.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(flag) => format!("boolean {flag}"),
        Value::Number(number) => format!("number {number}"),
        Value::String(text) => format!("string {}", excerpt(text)),
        Value::Array(items) => match items.len() {
            0 => "an empty list".into(),
            1 => "a list of 1 item".into(),
            count => format!("a list of {count} items"),
        },
        Value::Object(map) if map.is_empty() => "an empty object".into(),
        Value::Object(map) => {
            let names: Vec<String> = map.keys().take(4).map(|name| excerpt(name)).collect();
            let more = if map.len() > 4 { ", …" } else { "" };
            format!("an object with {}{more}", names.join(", "))
        }
    }
}

/// Quotes the beginning of a text.
pub(crate) fn excerpt(text: &str) -> String {
    const MOST: usize = 40;
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(MOST).collect();
    let more = if chars.next().is_some() { "…" } else { "" };
    format!("{head:?}{more}")
}
