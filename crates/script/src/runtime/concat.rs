//! `+` with a string on either side (AS-7).

use super::error::Checked;
use super::meter::Meter;
use super::number::{Arithmetic, calculate};
use super::value::tag::Tag;
use super::value::{TEXT_BYTES, Value, unknown};
use std::borrow::Cow;
use std::rc::Rc;

/// Computes `left + right`: two numbers, or a string with a string, number or boolean.
///
/// `left` is taken, so that a string with no other owner grows in place.
pub(crate) fn add(left: Value, right: &Value, meter: &Meter) -> Checked<Value> {
    if !matches!((&left, right), (Value::Str(..), _) | (_, Value::Str(..))) {
        return calculate(Arithmetic::Add, &left, right);
    }
    let Some((tail, tail_tag)) = render(right) else {
        return calculate(Arithmetic::Add, &left, right);
    };
    if let Some(sum) = unknown_sum(&left, right) {
        return Ok(sum);
    }
    if let Value::Str(head, tag) = left {
        let tag = meter.tags().join(tag, tail_tag);
        return Ok(Value::Str(join(head, &tail, meter)?, tag));
    }
    match render(&left) {
        Some((head, head_tag)) => {
            let size = head.len() + tail.len();
            meter.string(size)?;
            meter.heap(size + TEXT_BYTES)?;
            let tag = meter.tags().join(head_tag, tail_tag);
            Ok(Value::text(head.into_owned() + &tail, tag))
        }
        None => calculate(Arithmetic::Add, &left, right),
    }
}

/// Returns the sum of a number and an unknown, which may be two numbers: it is unknown and not a
/// string.
fn unknown_sum(left: &Value, right: &Value) -> Option<Value> {
    let text = match (left, right) {
        (Value::Int(..) | Value::Float(..), text) | (text, Value::Int(..) | Value::Float(..)) => {
            text
        }
        _ => return None,
    };
    unknown::is(text).then(|| text.clone())
}

fn join(mut head: Rc<String>, tail: &str, meter: &Meter) -> Checked<Rc<String>> {
    let size = head.len() + tail.len();
    meter.string(size)?;
    if let Some(own) = Rc::get_mut(&mut head) {
        meter.heap(tail.len())?;
        own.push_str(tail);
        return Ok(head);
    }
    meter.heap(size + TEXT_BYTES)?;
    let mut text = String::with_capacity(size);
    text.push_str(&head);
    text.push_str(tail);
    Ok(Rc::new(text))
}

/// Returns the form of a value inside a string: strings unchanged, numbers as in JSON, booleans as
/// words.
pub(crate) fn render(value: &Value) -> Option<(Cow<'_, str>, Tag)> {
    let text = match value {
        Value::Str(text, tag) => return Some((Cow::Borrowed(text), *tag)),
        Value::Bool(true, _) => Cow::Borrowed("true"),
        Value::Bool(false, _) => Cow::Borrowed("false"),
        Value::Int(value, _) => Cow::Owned(value.to_string()),
        Value::Float(value, _) => Cow::Owned(
            serde_json::Number::from_f64(*value).map_or_else(String::new, |n| n.to_string()),
        ),
        _ => return None,
    };
    Some((text, value.tag()))
}
