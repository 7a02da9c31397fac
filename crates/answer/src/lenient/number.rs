//! Numbers in JSON's form, and the few other unambiguous spellings.

use super::chars::fold;
use super::parser::{Parser, Place};
use serde_json::{Number, Value};
use std::borrow::Cow;

impl Parser<'_> {
    /// Parses a number, or the unquoted text that only begins like one (`2024-01-01`, `12 apples`).
    pub(super) fn number(&mut self, place: Place) -> Option<Value> {
        let (end, value) = self.digits();
        // `1,234` in an object: no key begins with a digit, so the comma is part of the value.
        let grouped =
            place == Place::Member && self.byte(end) == b',' && self.byte(end + 1).is_ascii_digit();
        if !grouped
            && self.ends_value(end)
            && let Some(number) = value.or_else(|| exact(self.text.get(self.pos..end)?))
        {
            self.trusted = None;
            self.pos = end;
            return Some(Value::Number(number));
        }
        self.bare(place)
    }

    /// Returns the extent of a possible number, and its value if it is a short integer.
    fn digits(&self) -> (usize, Option<Number>) {
        let negative = self.byte(self.pos) == b'-';
        let first = self.pos + usize::from(negative);
        let mut end = first;
        let mut total: i64 = 0;
        while let byte @ b'0'..=b'9' = self.byte(end) {
            total = total.wrapping_mul(10).wrapping_add(i64::from(byte - b'0'));
            end += 1;
        }
        let length = end - first;
        let plain = !matches!(self.byte(end), b'.' | b'e' | b'E')
            && (1..=18).contains(&length)
            && (length == 1 || self.byte(first) != b'0')
            && !(negative && total == 0);
        if plain {
            return (end, Some(if negative { -total } else { total }.into()));
        }
        while matches!(self.byte(end), b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-') {
            end += 1;
        }
        (end, None)
    }
}

/// Parses a number in the grammar of JSON, with the value that `serde_json` gives it.
pub(super) fn exact(text: &str) -> Option<Number> {
    text.parse().ok()
}

/// Parses the number spelled by a text without quotes, or by a string for a number field (AS-21).
///
/// Beyond JSON's grammar: white space around it, a leading `+`, no digit on one side of the point,
/// and full-width characters. Leading zeros, thousands separators, units, words and other bases are
/// not guessed.
pub(crate) fn number_text(text: &str) -> Option<Number> {
    let text = text.trim();
    if text.is_empty() || text.len() > 400 {
        return None;
    }
    let mut folded: Cow<'_, str> = Cow::Borrowed(text);
    if !text.is_ascii() {
        folded = text.chars().map(fold).collect::<String>().into();
    }
    let (sign, digits) = match folded.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", folded.strip_prefix('+').unwrap_or(&folded)),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if let Some(number) = exact(&format!("{sign}{digits}")) {
        return Some(number);
    }
    let (whole, part) = digits.split_once('.')?;
    let whole = if whole.is_empty() { "0" } else { whole };
    let bare = part.is_empty() || part.starts_with(['e', 'E']);
    if bare && digits.starts_with('.') {
        return None;
    }
    let zero = if bare { "0" } else { "" };
    exact(&format!("{sign}{whole}.{zero}{part}"))
}
