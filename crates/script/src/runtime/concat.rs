//! `+` with a string on either side (AS-7).

use super::error::Checked;
use super::meter::Meter;
use super::number::{Arithmetic, calculate};
use super::value::tag::Tag;
use super::value::text::Text;
use super::value::{TEXT_BYTES, Value, unknown};
use std::borrow::Cow;
use std::rc::Rc;

/// Appends to a string in its own place, as `text = text + tail` does; a string with no other owner
/// grows. Returns false, with everything unchanged, where the left side is not a string or the right
/// side can't be a part of one.
pub(crate) fn append(slot: &mut Value, tail: &Value, meter: &Meter) -> Checked<bool> {
    if unknown_sum(slot, tail).is_some() {
        return Ok(false);
    }
    let Value::Str(head, tag) = slot else { return Ok(false) };
    let Some((text, tail_tag)) = render(tail) else { return Ok(false) };
    let size = head.len() + text.len();
    meter.string(size)?;
    let tags = meter.tags();
    match Rc::get_mut(head) {
        Some(own) => {
            meter.heap(text.len())?;
            own.push(&text);
        }
        None => {
            meter.heap(size + TEXT_BYTES)?;
            *head = Rc::new(Text::from(joined(head, &text)));
        }
    }
    *tag = tags.influenced(tags.influenced(tags.join(*tag, tail_tag), *tag), tail.tag());
    Ok(true)
}

/// Computes `left + right`: two numbers, or a string with a string, number or boolean.
pub(crate) fn add(left: &Value, right: &Value, meter: &Meter) -> Checked<Value> {
    if !matches!((left, right), (Value::Str(..), _) | (_, Value::Str(..))) {
        return calculate(Arithmetic::Add, left, right);
    }
    let (Some((head, head_tag)), Some((tail, tail_tag))) = (render(left), render(right)) else {
        return calculate(Arithmetic::Add, left, right);
    };
    if let Some(sum) = unknown_sum(left, right) {
        return Ok(sum);
    }
    let size = head.len() + tail.len();
    meter.string(size)?;
    meter.heap(size + TEXT_BYTES)?;
    Ok(Value::text(joined(&head, &tail), meter.tags().join(head_tag, tail_tag)))
}

fn joined(head: &str, tail: &str) -> String {
    let mut text = String::with_capacity(head.len() + tail.len());
    text.push_str(head);
    text.push_str(tail);
    text
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
