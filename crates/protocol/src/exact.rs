//! Numbers that can't be represented: integers beyond 64 bits, and fractions with more digits than
//! a double has. They are refused, since keeping them would change them (CP-1, CP-3).
//!
//! Decision: a text is searched for them only if it contains a fraction or an integer beyond 64
//! bits, which the reader notes on its way; so a message without any costs nothing.

use std::borrow::Cow;

/// The description of a number that can be represented.
pub(crate) const EXPECTED: &str =
    "a number that 64 bits hold exactly, as an integer or as a double; send any other as a string";

/// The path of a number in its text.
#[derive(Debug, Default)]
pub(crate) struct Trail<'t>(Vec<Step<'t>>);

#[derive(Debug)]
enum Step<'t> {
    /// In an object, under this name.
    Field {
        name: &'t [u8],
        is_name_next: bool,
    },
    Item(usize),
}

impl Trail<'_> {
    /// Returns the index in the outermost list, if that is what the text is.
    pub(crate) fn first_index(&self) -> Option<usize> {
        match self.0.first() {
            Some(Step::Item(index)) => Some(*index),
            _ => None,
        }
    }

    /// Returns the JSON pointer, without the first `skip` steps.
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

fn plain(name: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(name);
    if !text.contains('\\') {
        return text;
    }
    serde_json::from_str(&format!("\"{text}\"")).map_or(text, Cow::Owned)
}

/// Reports each number of a JSON text that can't be represented: its path, its text, and its first
/// byte. The text was parsed before, and is JSON.
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

/// Returns the inside of a string that begins here, and the rest.
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

/// Returns the number that begins at a byte, and the rest.
fn number(text: &[u8], at: usize) -> (&str, &[u8]) {
    let rest = text.get(at..).unwrap_or_default();
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
    let (number, after) = rest.split_at_checked(length).unwrap_or((rest, b""));
    (std::str::from_utf8(number).unwrap_or_default(), after)
}

/// Reports whether a JSON number keeps its value as a Rust number.
fn is_kept(number: &str) -> bool {
    let is_whole = !number.contains(['.', 'e', 'E']);
    if is_whole {
        return number.len() <= 18
            || number.parse::<u64>().is_ok()
            || number.parse::<i64>().is_ok();
    }
    // A double distinguishes all decimals of 15 digits.
    if number.len() <= 16 && !number.contains(['e', 'E']) {
        return true;
    }
    let (Some(written), Ok(value)) = (Decimal::of(number), number.parse::<f64>()) else {
        return false;
    };
    let is = |text: String| Decimal::of(&text).as_ref() == Some(&written);
    // Writers differ in the last digit of a double between two decimals, and some print all the digits
    // it may need.
    let shortest = serde_json::Number::from_f64(value).map(|number| number.to_string());
    shortest.is_some_and(is) || is(format!("{value:e}")) || is(format!("{value:.16e}"))
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
