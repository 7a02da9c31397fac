//! Limits as one explicit value: a breach is an error that names the limit, never a silent cut.

use crate::json::MOST_DEPTH;
use serde::{Deserialize, Deserializer, Serialize, de};

/// The limits of one run. All are inclusive upper bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Limits {
    /// The greatest size of one source file, in bytes.
    pub source_bytes: usize,
    /// The greatest nesting of blocks, expressions and shapes in a source file.
    #[serde(deserialize_with = "source_depth")]
    pub source_depth: usize,
    /// The greatest number of source files in one program.
    pub source_files: usize,
    /// The greatest number of open calls (functions and agents together).
    pub call_depth: usize,
    /// The greatest number of instructions in one run.
    pub steps: u64,
    /// The greatest size of one string value, in bytes.
    pub string_bytes: usize,
    /// The greatest number of items in a list, or fields in an object.
    pub collection_items: usize,
    /// The greatest total size of lists, objects and strings that a program creates, in bytes.
    pub heap_bytes: u64,
    /// The greatest nesting of a value that becomes JSON, at most [`Limits::MOST_VALUE_DEPTH`].
    #[serde(deserialize_with = "value_depth")]
    pub value_depth: usize,
    /// The greatest size of a file that a program imports or reads, in bytes.
    pub file_bytes: usize,
    /// The greatest number of model calls in one run, including repairs.
    pub model_calls: u64,
    /// The greatest number of tool and memory calls in one run.
    pub tool_calls: u64,
    /// The greatest size of one model answer, in bytes.
    pub answer_bytes: usize,
    /// The most that the model calls of one run may cost, in dollars.
    #[serde(deserialize_with = "dollars")]
    pub max_cost: Option<f64>,
    /// The most tokens that the model calls of one run may take, prompts and answers together: a
    /// number, or a text such as `200k`.
    #[serde(deserialize_with = "tokens")]
    pub max_tokens: Option<u64>,
}

/// The greatest nesting of a source file: parsing it takes native stack.
const MOST_SOURCE_DEPTH: usize = 1_200;

impl Limits {
    /// The greatest nesting of a value that any settings allow: 100 levels less than a text that is
    /// read, so that a record, which keeps a value inside its own fields, can be read back.
    pub const MOST_VALUE_DEPTH: usize = MOST_DEPTH - 100;
}

fn source_depth<'de, D: Deserializer<'de>>(value: D) -> Result<usize, D::Error> {
    at_most("source_depth", MOST_SOURCE_DEPTH, value)
}

fn value_depth<'de, D: Deserializer<'de>>(value: D) -> Result<usize, D::Error> {
    at_most("value_depth", Limits::MOST_VALUE_DEPTH, value)
}

fn at_most<'de, D: Deserializer<'de>>(
    name: &str,
    most: usize,
    value: D,
) -> Result<usize, D::Error> {
    let depth = usize::deserialize(value)?;
    match depth <= most {
        true => Ok(depth),
        false => Err(de::Error::custom(format!("`{name}` is at most {most}, found {depth}"))),
    }
}

fn dollars<'de, D: Deserializer<'de>>(value: D) -> Result<Option<f64>, D::Error> {
    let dollars = f64::deserialize(value)?;
    match dollars.is_finite() && dollars >= 0.0 {
        true => Ok(Some(dollars)),
        false => Err(de::Error::custom(format!("`{dollars}` is not an amount of dollars"))),
    }
}

fn tokens<'de, D: Deserializer<'de>>(value: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(u64),
        Text(String),
    }
    match Written::deserialize(value) {
        Ok(Written::Number(number)) => Ok(Some(number)),
        Ok(Written::Text(text)) if token_amount(&text).is_some() => Ok(token_amount(&text)),
        _ => Err(de::Error::custom("expected tokens such as 5000 or \"200k\"")),
    }
}

/// Reads an amount of tokens as it is written: `500`, `2k`, `1.5k`.
#[must_use]
pub fn token_amount(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, scale) = match text.strip_suffix(['k', 'K']) {
        Some(number) => (number, 1000),
        None => (text, 1),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || number.ends_with('.') {
        return None;
    }
    let whole = whole.parse::<u64>().ok()?.checked_mul(scale)?;
    let part = if fraction.is_empty() {
        0
    } else {
        let unit = 10_u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        let scaled = fraction.parse::<u64>().ok()?.checked_mul(scale)?;
        scaled.is_multiple_of(unit).then(|| scaled / unit)?
    };
    whole.checked_add(part)
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            source_bytes: 16 << 20,
            source_depth: MOST_SOURCE_DEPTH,
            source_files: 256,
            call_depth: 10_000,
            steps: 100_000_000_000,
            string_bytes: 64 << 20,
            collection_items: 10_000_000,
            heap_bytes: 4 << 30,
            value_depth: 512,
            file_bytes: 64 << 20,
            model_calls: 10_000,
            tool_calls: 100_000,
            answer_bytes: 16 << 20,
            max_cost: None,
            max_tokens: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ca_5_amounts_of_tokens_are_read_and_others_refused() {
        for (text, amount) in [("5000", 5_000), ("200k", 200_000), ("1.5K", 1_500), (" 0 ", 0)] {
            assert_eq!(token_amount(text), Some(amount), "{text}");
        }
        for text in
            ["", "k", "-5", "1e3", "0.5", "1.00005k", "1.", "200 k", "ä", "99999999999999999999"]
        {
            assert_eq!(token_amount(text), None, "{text}");
        }
    }
}
