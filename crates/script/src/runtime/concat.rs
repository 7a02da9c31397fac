//! `+` with a string on either side (AS-7).

use super::error::Checked;
use super::meter::Meter;
use super::number::{Arithmetic, calculate};
use super::value::origin::Origin;
use super::value::{TEXT_BYTES, Text, Value, unknown};
use std::borrow::Cow;
use std::rc::Rc;

/// Computes `left + right`: two numbers, or a string with a string, number or boolean.
///
/// `left` is taken, so that a string with no other owner grows in place.
pub(crate) fn add(left: Value, right: &Value, meter: &Meter) -> Checked<Value> {
    if !matches!((&left, right), (Value::Str(_), _) | (_, Value::Str(_))) {
        return calculate(Arithmetic::Add, &left, right);
    }
    let Some((tail, tail_origin)) = render(right) else {
        return calculate(Arithmetic::Add, &left, right);
    };
    if let Some(sum) = unknown_sum(&left, right) {
        return Ok(sum);
    }
    if let Value::Str(head) = left {
        return join(head, &tail, tail_origin, meter).map(Value::Str);
    }
    match render(&left) {
        Some((head, head_origin)) => {
            let size = head.len() + tail.len();
            meter.string(size)?;
            meter.heap(size + TEXT_BYTES)?;
            Ok(Value::text(head.into_owned() + &tail, head_origin.least(tail_origin)))
        }
        None => calculate(Arithmetic::Add, &left, right),
    }
}

/// Returns the sum of a number and an unknown, which may be two numbers: it is unknown and not a
/// string.
fn unknown_sum(left: &Value, right: &Value) -> Option<Value> {
    let text = match (left, right) {
        (Value::Int(_) | Value::Float(_), text) | (text, Value::Int(_) | Value::Float(_)) => text,
        _ => return None,
    };
    unknown::is(text).then(|| text.clone())
}

fn join(mut head: Rc<Text>, tail: &str, origin: Origin, meter: &Meter) -> Checked<Rc<Text>> {
    let size = head.text.len() + tail.len();
    meter.string(size)?;
    if let Some(own) = Rc::get_mut(&mut head) {
        meter.heap(tail.len())?;
        own.text.push_str(tail);
        own.origin = own.origin.least(origin);
        return Ok(head);
    }
    meter.heap(size + TEXT_BYTES)?;
    let mut text = String::with_capacity(size);
    text.push_str(&head.text);
    text.push_str(tail);
    Ok(Rc::new(Text { origin: head.origin.least(origin), text }))
}

/// Returns the form of a value inside a string: strings unchanged, numbers as in JSON, booleans as
/// words.
pub(crate) fn render(value: &Value) -> Option<(Cow<'_, str>, Origin)> {
    let text = match value {
        Value::Str(text) => return Some((Cow::Borrowed(&text.text), text.origin)),
        Value::Bool(true) => Cow::Borrowed("true"),
        Value::Bool(false) => Cow::Borrowed("false"),
        Value::Int(value) => Cow::Owned(value.to_string()),
        Value::Float(value) => Cow::Owned(
            serde_json::Number::from_f64(*value).map_or_else(String::new, |n| n.to_string()),
        ),
        _ => return None,
    };
    Some((text, Origin::PROGRAM))
}
