//! Coercion of a model's values into the types of the shape, where only one reading is possible
//! (AS-21).

use crate::lenient::number_text;
use crate::path::{Path, Step};
use crate::shape::{Shape, View};
use serde::Serialize;
use serde_json::Value;
use std::fmt::{self, Display, Formatter};

/// A value that was coerced into another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Coercion {
    /// Its path, such as `items[2].count`.
    pub path: String,
    /// The original value.
    pub from: Value,
    /// The coerced value.
    pub to: Value,
}

impl Display for Coercion {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "the answer" } else { &self.path };
        write!(f, "{path}: {} read as {}", self.from, self.to)
    }
}

/// Coerces a value in place and returns the changes.
///
/// `"true"` becomes `true`, `"42"` and `" 3.14 "` become numbers, `3.0` becomes the integer 3 and
/// the values of an enum take their declared spelling, whatever their case. Nothing becomes a
/// string. A value that can't be coerced is unchanged, for [`crate::validate`] to report; words for
/// numbers, `"yes"`, `1` for `true`, thousands separators and units are not guessed.
///
/// ```
/// use contexture_answer::{Field, Shape, coerce};
/// let shape = Shape::Object(vec![Field::new("n", Shape::Integer)]);
/// let mut value = serde_json::json!({"n": "42"});
/// let changes = coerce(&mut value, &shape);
/// assert_eq!(value, serde_json::json!({"n": 42}));
/// assert_eq!(changes[0].to_string(), r#"n: "42" read as 42"#);
/// ```
pub fn coerce(value: &mut Value, shape: &Shape) -> Vec<Coercion> {
    let mut changes = Vec::new();
    walk(value, View::of(shape), &mut Path::default(), &mut changes);
    changes
}

fn walk<'a>(value: &mut Value, view: View<'a>, path: &mut Path<'a>, changes: &mut Vec<Coercion>) {
    match (view.shape, &mut *value) {
        (Shape::List(Some(item)), Value::Array(items)) => {
            let item = view.part(item);
            for (index, value) in items.iter_mut().enumerate() {
                path.push(Step::Index(index));
                walk(value, item, path, changes);
                path.pop();
            }
        }
        (Shape::Object(fields), Value::Object(map)) => {
            for field in fields {
                if let Some(value) = map.get_mut(&field.name) {
                    path.push(Step::Field(&field.name));
                    walk(value, view.field(field), path, changes);
                    path.pop();
                }
            }
        }
        _ => {
            if let Some(to) = scalar(value, view.shape) {
                changes.push(Coercion {
                    path: path.to_string(),
                    from: std::mem::replace(value, to.clone()),
                    to,
                });
            }
        }
    }
}

/// Returns the coerced value of a scalar; `None` if it stays.
fn scalar(value: &Value, shape: &Shape) -> Option<Value> {
    match (shape, value) {
        (Shape::Boolean, Value::String(text)) => boolean(text).map(Value::Bool),
        (Shape::Number, Value::String(text)) => number_text(text).map(Value::Number),
        (Shape::Integer, Value::String(text)) => {
            let number = number_text(text)?;
            match number.as_i64() {
                Some(whole) => Some(whole.into()),
                None => whole(number.as_f64().filter(|_| number.is_f64())?),
            }
        }
        (Shape::Integer, Value::Number(number)) if number.is_f64() => whole(number.as_f64()?),
        (Shape::Enum(values), Value::String(text)) => spelling(values, text),
        _ => None,
    }
}

fn boolean(text: &str) -> Option<bool> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("true") {
        Some(true)
    } else if text.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}

/// Returns a number without a fraction as an integer of 64 bits.
fn whole(number: f64) -> Option<Value> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    let fits = number.fract() == 0.0 && (-LIMIT..LIMIT).contains(&number);
    // In range and without a fraction, the conversion is exact.
    #[expect(clippy::cast_possible_truncation, reason = "checked above")]
    fits.then(|| Value::from(number as i64))
}

/// Returns the one declared value that differs only in case or in white space around it.
fn spelling(values: &[String], text: &str) -> Option<Value> {
    if values.iter().any(|value| value == text) {
        return None;
    }
    let wanted = text.trim();
    if let Some(exact) = values.iter().find(|value| *value == wanted) {
        return Some(exact.as_str().into());
    }
    let wanted = wanted.to_lowercase();
    let mut alike = values.iter().filter(|value| value.to_lowercase() == wanted);
    match (alike.next(), alike.next()) {
        (Some(only), None) => Some(only.as_str().into()),
        _ => None,
    }
}
