//! Numbers that can't be kept: whole ones beyond 64 bits, and fractions with more digits than a
//! double holds. They are refused, since to keep them would be to change them (CP-1, CP-3).
//!
//! Decision: a text is looked through for them only when it holds a fraction or a whole number that
//! no integer takes, which the reader notes on its way; so a message without any costs nothing.

use std::borrow::Cow;

/// What can be kept.
pub(crate) const EXPECTED: &str = "a number that 64 bits hold exactly, as a whole number or as a double; send any other as a string";

/// Where a number stands in its text.
#[derive(Debug, Default)]
pub(crate) struct Trail<'t>(Vec<Step<'t>>);

#[derive(Debug)]
enum Step<'t> {
    /// In an object, behind this name.
    Field {
        name: &'t [u8],
        is_name_next: bool,
    },
    Item(usize),
}

impl Trail<'_> {
    /// The index in the outermost list, if that is what the text is.
    pub(crate) fn first_index(&self) -> Option<usize> {
        match self.0.first() {
            Some(Step::Item(index)) => Some(*index),
            _ => None,
        }
    }

    /// The JSON pointer, without the first `skip` steps.
    pub(crate) fn pointer(&self, skip: usize) -> String {
        let mut pointer = String::new();
        for step in self.0.iter().skip(skip) {
            pointer.push('/');
            match step {
                Step::Field { name, .. } => {
                    pointer.push_str(&plain(name).replace('~', "~0").replace('/', "~1"));
                }
                Step::Item(index) => pointer.push_str(&index.to_string()),
            }
        }
        pointer
    }
}

/// A name as it is meant.
fn plain(name: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(name);
    if !text.contains('\\') {
        return text;
    }
    serde_json::from_str(&format!("\"{text}\"")).map_or(text, Cow::Owned)
}

/// Tells of each number of a JSON text that can't be kept: its place, itself, and the byte it begins
/// at. The text was read before, and is JSON.
pub(crate) fn lost<'t>(text: &'t [u8], mut tell: impl FnMut(&Trail<'t>, &'t str, usize)) {
    let mut trail = Trail::default();
    let mut rest = text;
    while let Some((byte, tail)) = rest.split_first() {
        let at = text.len() - rest.len();
        rest = tail;
        match byte {
            b'"' => {
                let (content, after) = quoted(tail);
                if let Some(Step::Field { name, is_name_next: is_next @ true }) = trail.0.last_mut()
                {
                    (*name, *is_next) = (content, false);
                }
                rest = after;
            }
            b'{' => trail.0.push(Step::Field { name: b"", is_name_next: true }),
            b'[' => trail.0.push(Step::Item(0)),
            b'}' | b']' => drop(trail.0.pop()),
            b',' => match trail.0.last_mut() {
                Some(Step::Field { is_name_next, .. }) => *is_name_next = true,
                Some(Step::Item(index)) => *index += 1,
                None => {}
            },
            b'-' | b'0'..=b'9' => {
                let (number, after) = number(text, at);
                if !is_kept(number) {
                    tell(&trail, number, at);
                }
                rest = after;
            }
            _ => {}
        }
    }
}

/// The inside of a string that begins here, and what follows it.
fn quoted(text: &[u8]) -> (&[u8], &[u8]) {
    let mut is_escaped = false;
    let end = text.iter().position(|byte| match byte {
        _ if is_escaped => {
            is_escaped = false;
            false
        }
        b'\\' => {
            is_escaped = true;
            false
        }
        byte => *byte == b'"',
    });
    let (content, after) = text.split_at_checked(end.unwrap_or(text.len())).unwrap_or((text, b""));
    (content, after.get(1..).unwrap_or_default())
}

/// The number that begins at a byte, and what follows it.
fn number(text: &[u8], at: usize) -> (&str, &[u8]) {
    let rest = text.get(at..).unwrap_or_default();
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
    let (number, after) = rest.split_at_checked(length).unwrap_or((rest, b""));
    (std::str::from_utf8(number).unwrap_or_default(), after)
}

/// Whether a number of JSON has the same value after it was kept.
fn is_kept(number: &str) -> bool {
    let is_whole = !number.contains(['.', 'e', 'E']);
    if is_whole {
        return number.len() <= 18
            || number.parse::<u64>().is_ok()
            || number.parse::<i64>().is_ok();
    }
    // Any decimal of 15 digits is told apart by a double.
    if number.len() <= 16 && !number.contains(['e', 'E']) {
        return true;
    }
    let (Some(written), Ok(value)) = (Decimal::of(number), number.parse::<f64>()) else {
        return false;
    };
    let is = |text: String| Decimal::of(&text).as_ref() == Some(&written);
    // Some write a double with all the digits that it may need.
    value.is_finite() && (is(format!("{value:e}")) || is(format!("{value:.16e}")))
}

/// A decimal without its sign: 0.DIGITS times ten to the power.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    digits: String,
    power: i64,
}

impl Decimal {
    fn of(text: &str) -> Option<Self> {
        let text = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0');
        if digits.is_empty() {
            return Some(Self { digits: String::new(), power: 0 });
        }
        let leading = i64::try_from(all.len() - digits.len()).ok()?;
        let point = i64::try_from(whole.len()).ok()?;
        let power = power.parse::<i64>().ok()?.checked_add(point)?.checked_sub(leading)?;
        Some(Self { digits: digits.trim_end_matches('0').to_owned(), power })
    }
}

#[cfg(test)]
mod tests;
