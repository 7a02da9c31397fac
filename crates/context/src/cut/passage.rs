//! An item of a list whose long texts are cut, so that it fits the room that is left (CA-15).

use super::ruler::Ruler;
use super::text::cut;
use crate::budget::{Keep, Measure};
use serde_json::Value;

/// Bytes of a text that may be cut; shorter ones are values and no passages.
const LONG: usize = 200;

/// The parts of a limit, and of the room for the item, that may stay unused, for a list to be made
/// fewer times.
const UNUSED: (usize, usize) = (512, 16);

/// Cuts the long texts in the JSON of an item to one length, the largest with which it fits into the
/// `spare` room of `limit`, within a small part of the limit, and returns what `made` makes of it,
/// which is nothing where it does not fit; `None` if the item holds no long text or does not fit with
/// any length.
///
/// What is made is counted as a whole, which takes far longer than the item does: its counts say
/// where to look first.
pub(super) fn longest<T>(
    item: &str,
    ruler: Ruler<'_>,
    (limit, spare): (usize, usize),
    keep: Keep,
    made: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let value: Value = serde_json::from_str(item).ok().filter(has_passage)?;
    let at = |length: usize| {
        let mut value = value.clone();
        shorten(&mut value, length, ruler, keep);
        serde_json::to_string_pretty(&value).unwrap_or_default()
    };
    // The least that must be left of each text, for the rest to be worth its place.
    let least = if ruler.measure == Measure::Tokens { 16 } else { 64 };
    let shortest = at(least);
    let mut best = made(&shortest).filter(|_| limit > least)?;
    let (mut low, mut high) = (least, limit);
    let guess = guess(ruler, (least, ruler.count(&shortest)), spare, at);
    let mut near = Some(guess.min(limit - 1).max(least + 1));
    let close = (limit / UNUSED.0).min(spare / UNUSED.1).max(1);
    let mut step = close;
    while low + close < high {
        near = near.filter(|near| low < *near && *near < high);
        let length = near.unwrap_or(usize::midpoint(low, high));
        match made(&at(length)) {
            Some(other) => {
                (low, best) = (length, other);
                near = near.map(|_| length.saturating_add(step));
            }
            None => {
                high = length;
                near = near.map(|_| length.saturating_sub(step));
            }
        }
        step = step.saturating_mul(2);
    }
    Some(best)
}

/// Returns about the length with which an item takes that much room: its counts lie on a line.
fn guess(
    ruler: Ruler<'_>,
    (least, taken): (usize, usize),
    room: usize,
    at: impl Fn(usize) -> String,
) -> usize {
    let wanted = room.saturating_sub(taken);
    let more = ruler.count(&at(least.saturating_add(wanted))).saturating_sub(taken).max(1);
    least.saturating_add(wanted.saturating_mul(wanted) / more)
}

fn has_passage(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() >= LONG,
        Value::Array(items) => items.iter().any(has_passage),
        Value::Object(fields) => fields.values().any(has_passage),
        _ => false,
    }
}

fn shorten(value: &mut Value, length: usize, ruler: Ruler<'_>, keep: Keep) {
    match value {
        Value::String(text) if text.len() >= LONG => {
            *text = cut(text, length, ruler.measure, keep, ruler.counter).text.into_owned();
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| shorten(item, length, ruler, keep));
        }
        Value::Object(fields) => {
            fields.values_mut().for_each(|field| shorten(field, length, ruler, keep));
        }
        _ => {}
    }
}
