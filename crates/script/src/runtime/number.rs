//! Arithmetic (AS-7): whole numbers of 64 bits with overflow as an error, true division, and
//! floating-point numbers that are always finite.
//!
//! `%` has the sign of its left side, for whole and other numbers alike: `-7 % 3` is -1.

use super::error::{Checked, Fault, codes};
use super::value::{Value, secret, unknown};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Arithmetic {
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }
}

pub(crate) fn calculate(op: Arithmetic, left: &Value, right: &Value) -> Checked<Value> {
    match (left, right) {
        (Value::Int(left, _), Value::Int(right, _)) => whole(op, *left, *right),
        _ => match (as_float(left), as_float(right)) {
            (Some(left), Some(right)) => floating(op, left, right),
            _ => unknown_result(left, right).ok_or_else(|| wrong_type(op, left, right)),
        },
    }
}

pub(crate) fn negate(value: &Value) -> Checked<Value> {
    match value {
        Value::Int(value, tag) => match value.checked_neg() {
            Some(negative) => Ok(Value::Int(negative, *tag)),
            None => Err(overflow(format!("-({value})"))),
        },
        Value::Float(value, tag) => Ok(Value::Float(-value, *tag)),
        other if unknown::is(other) => Ok(other.clone()),
        other => {
            let message = format!("`-` takes a number, not {}", other.kind());
            Err(Fault::new(codes::WRONG_TYPE, message).help(match other {
                Value::None(_) => "compare with none first",
                Value::Str(..) => {
                    "declare the field as `number` in the shape that produced the text"
                }
                _ => "write `-` before a number only",
            }))
        }
    }
}

fn whole(op: Arithmetic, left: i64, right: i64) -> Checked<Value> {
    let result = match op {
        Arithmetic::Add => left.checked_add(right),
        Arithmetic::Subtract => left.checked_sub(right),
        Arithmetic::Multiply => left.checked_mul(right),
        Arithmetic::Divide => return divide(left, right),
        Arithmetic::Remainder if right == 0 => return Err(zero_division(op)),
        // i64::MIN % -1 is 0; the machine's own instruction overflows on it.
        Arithmetic::Remainder => Some(left.checked_rem(right).unwrap_or(0)),
    };
    result.map(Value::int).ok_or_else(|| overflow(format!("{left} {} {right}", op.symbol())))
}

/// Divides: 6 / 2 is the whole number 3; 5 / 2 is 2.5.
#[expect(clippy::cast_precision_loss, reason = "the quotient is a floating-point number")]
fn divide(left: i64, right: i64) -> Checked<Value> {
    if right == 0 {
        return Err(zero_division(Arithmetic::Divide));
    }
    match left.checked_rem(right) {
        Some(0) => Ok(Value::int(left / right)),
        Some(_) => Ok(Value::float(left as f64 / right as f64)),
        None => Err(overflow(format!("{left} / {right}"))),
    }
}

fn floating(op: Arithmetic, left: f64, right: f64) -> Checked<Value> {
    let result = match op {
        Arithmetic::Add => left + right,
        Arithmetic::Subtract => left - right,
        Arithmetic::Multiply => left * right,
        Arithmetic::Divide | Arithmetic::Remainder if right == 0.0 => {
            return Err(zero_division(op));
        }
        Arithmetic::Divide => left / right,
        Arithmetic::Remainder => left % right,
    };
    if result.is_finite() {
        return Ok(Value::float(result));
    }
    let [left, right] = [left, right].map(written);
    let message =
        format!("{left} {} {right} is too large for a floating-point number", op.symbol());
    Err(Fault::new(codes::NOT_FINITE, message).help("numbers go up to about 1.8e308"))
}

/// Formats a number as in a program, with an exponent when it has many digits.
fn written(number: f64) -> String {
    serde_json::Number::from_f64(number).map_or_else(String::new, |number| number.to_string())
}

#[expect(clippy::cast_precision_loss, reason = "mixed arithmetic is floating-point")]
fn as_float(value: &Value) -> Option<f64> {
    match value {
        Value::Int(value, _) => Some(*value as f64),
        Value::Float(value, _) => Some(*value),
        _ => None,
    }
}

fn overflow(expression: String) -> Box<Fault> {
    Fault::new(codes::OVERFLOW, format!("{expression} does not fit into 64 bits")).help(
        "make one side a number with a fraction, such as `1.0 *`, to calculate in floating point",
    )
}

fn zero_division(op: Arithmetic) -> Box<Fault> {
    Fault::new(codes::ZERO_DIVISION, format!("the right side of `{}` is zero", op.symbol()))
        .help("test the divisor before")
}

fn unknown_result(left: &Value, right: &Value) -> Option<Value> {
    [left, right].into_iter().find(|side| unknown::is(side)).cloned()
}

fn wrong_type(op: Arithmetic, left: &Value, right: &Value) -> Box<Fault> {
    let symbol = op.symbol();
    let message = format!("`{symbol}` can't be applied to {} and {}", left.kind(), right.kind());
    let fault = Fault::new(codes::WRONG_TYPE, message);
    match (op, left, right) {
        (_, Value::Secret(name, _), _) | (_, _, Value::Secret(name, _)) => {
            secret::refused(name, "a part of a text or of a sum")
        }
        (Arithmetic::Add, Value::List(..), _) => {
            fault.help("`+` joins two lists; `.add(value)` appends a value to a list")
        }
        (Arithmetic::Add, Value::Str(..), _) | (Arithmetic::Add, _, Value::Str(..)) => fault
            .help("strings, numbers and booleans can be added to a string; `.join` turns a list into a string"),
        (Arithmetic::Add, Value::Object(..), _) => {
            fault.help("set the fields one by one: `object.name = value`")
        }
        (_, Value::None(_), _) | (_, _, Value::None(_)) => fault.help("compare with none first"),
        _ => fault.help(format!("`{symbol}` takes two numbers")),
    }
}
