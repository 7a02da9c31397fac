//! An item of a list whose long texts are cut, so that it fits the room that is left (CA-15).

use super::ruler::Ruler;
use super::text::cut;
use crate::budget::{Keep, Measure};
use serde_json::Value;

/// Bytes of a text that may be cut; shorter ones are values and no passages.
const LONG: usize = 200;

/// Returns the JSON of an item with its long texts cut to one length, the largest with which it
/// `fits`; `None` if it holds no long text or does not fit with any.
pub(super) fn longest(
    item: &str,
    ruler: Ruler<'_>,
    limit: usize,
    keep: Keep,
    fits: impl Fn(&str) -> bool,
) -> Option<String> {
    let value: Value = serde_json::from_str(item).ok().filter(has_passage)?;
    let at = |length: usize| {
        let mut value = value.clone();
        shorten(&mut value, length, ruler, keep);
        serde_json::to_string_pretty(&value).unwrap_or_default()
    };
    // The least that must be left of each text, for the rest to be worth its place.
    let least = if ruler.measure == Measure::Tokens { 16 } else { 64 };
    let mut best = Some(at(least)).filter(|text| limit > least && fits(text))?;
    let (mut low, mut high) = (least, limit);
    while low + 1 < high {
        let middle = usize::midpoint(low, high);
        let text = at(middle);
        if fits(&text) {
            (low, best) = (middle, text);
        } else {
            high = middle;
        }
    }
    Some(best)
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
