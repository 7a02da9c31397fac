//! Equality and order of values (FL-9): without coercion, numbers by value.

use super::path::field;
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// Reports whether two values are equal: deep, numbers by value.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => {
            deep_equal(left, right)
        }
        _ => flat_equal(left, right),
    }
}

fn flat_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::String(left), Value::String(right)) => left == right,
        (Value::Number(left), Value::Number(right)) => {
            compare_numbers(left, right) == Some(Ordering::Equal)
        }
        _ => false,
    }
}

/// Compares with a work list, since values can be nested to any depth.
fn deep_equal<'v>(left: &'v Value, right: &'v Value) -> bool {
    let mut open = vec![(left, right)];
    while let Some((left, right)) = open.pop() {
        match (left, right) {
            (Value::Array(left), Value::Array(right)) => {
                if left.len() != right.len() {
                    return false;
                }
                open.extend(left.iter().zip(right));
            }
            (Value::Object(left), Value::Object(right)) => {
                if left.len() != right.len() {
                    return false;
                }
                for (name, value) in left {
                    let Some(other) = field(right, name) else { return false };
                    open.push((value, other));
                }
            }
            _ if !flat_equal(left, right) => return false,
            _ => {}
        }
    }
    true
}

/// Returns the order of two values; there is one between numbers and between strings.
pub(crate) fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right),
        // UTF-8 keeps the order of code points.
        (Value::String(left), Value::String(right)) => Some(left.as_str().cmp(right)),
        _ => None,
    }
}

/// Compares by value; 64-bit integers exactly, beside a fraction too.
pub(crate) fn compare_numbers(left: &Number, right: &Number) -> Option<Ordering> {
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        (Some(left), None) => compare_mixed(left, right.as_f64()?),
        (None, Some(right)) => compare_mixed(right, left.as_f64()?).map(Ordering::reverse),
        (None, None) => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

fn integer(number: &Number) -> Option<i128> {
    match number.as_i64() {
        Some(number) => Some(number.into()),
        None => number.as_u64().map(Into::into),
    }
}

/// 2⁶⁴: integers of 64 bits are below it and above its negative.
const BEYOND: f64 = 18_446_744_073_709_551_616.0;

#[expect(clippy::cast_possible_truncation, reason = "the bounds are checked before")]
fn compare_mixed(left: i128, right: f64) -> Option<Ordering> {
    if right.is_nan() {
        return None;
    }
    if right >= BEYOND {
        return Some(Ordering::Less);
    }
    if right <= -BEYOND {
        return Some(Ordering::Greater);
    }
    let whole = right.floor();
    let order = left.cmp(&(whole as i128));
    Some(if order == Ordering::Equal && right > whole { Ordering::Less } else { order })
}
