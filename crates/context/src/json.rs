//! JSON from outside: inputs, files, memories, recorded answers, answers of tools.
//!
//! Decision: the depth is checked before parsing, so that the limit is the declared one and not the
//! parser's own, a text that is too deep costs no stack, and one that is deep gets the stack that
//! it needs.

mod parts;
mod text;

pub use parts::{Fields, Place, fields, fields_and_within, strings};
pub use text::JsonText;

use serde::de::{DeserializeOwned, DeserializeSeed};
use serde_json::Value;
use std::marker::PhantomData;

/// The greatest nesting of lists and objects in a text that is read. Values of programs are limited
/// further by [`Limits::value_depth`](crate::Limits::value_depth).
pub const MOST_DEPTH: usize = 1_000;

/// The native stack for each level of lists and objects, in unoptimised builds.
const LEVEL_BYTES: usize = 8 << 10;

/// The reason why a text could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// It is nested too deeply.
    #[error("nested deeper than {MOST_DEPTH} lists and objects at line {line} column {column}")]
    TooDeep {
        /// The line of the first bracket too many, from 1.
        line: usize,
        /// Its column in bytes, from 1.
        column: usize,
    },
    /// It is not JSON, or not of the expected type.
    #[error("{}", told(.0))]
    Invalid(#[from] serde_json::Error),
}

impl JsonError {
    /// Returns the line of the fault, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        match self {
            Self::TooDeep { line, .. } => *line,
            Self::Invalid(error) => error.line(),
        }
    }

    /// Returns its column in bytes, from 1; 0 if the line is empty.
    #[must_use]
    pub fn column(&self) -> usize {
        match self {
            Self::TooDeep { column, .. } => *column,
            Self::Invalid(error) => error.column(),
        }
    }

    /// Returns the fault without its place.
    #[must_use]
    pub fn reason(&self) -> String {
        let mut told = self.to_string();
        told.truncate(told.find(" at line ").unwrap_or(told.len()));
        told
    }
}

/// Returns the parser's words. Half of a surrogate pair that nothing follows is told as one that
/// another character follows.
fn told(error: &serde_json::Error) -> String {
    let told = error.to_string();
    told.replacen("unexpected end of hex escape", "lone leading surrogate in hex escape", 1)
}

/// Reads a JSON text.
///
/// ```
/// let deep = format!("{}1{}", "[".repeat(600), "]".repeat(600));
/// let value: serde_json::Value = contexture_context::json::read(deep.as_bytes())?;
/// assert!(value.is_array());
/// # Ok::<_, contexture_context::json::JsonError>(())
/// ```
///
/// # Errors
/// [`JsonError`], with line and column.
pub fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, JsonError> {
    read_with(text, PhantomData)
}

/// Reads a JSON text into what a seed makes of it, without a tree of it in memory (GR-5).
///
/// # Errors
/// [`JsonError`], with line and column; also for an error of the seed.
pub fn read_with<'t, S: DeserializeSeed<'t>>(
    text: &'t [u8],
    seed: S,
) -> Result<S::Value, JsonError> {
    read_levels(depth(text)?, text, seed)
}

/// Reads a JSON text that is nested at most so deep.
fn read_levels<'t, S: DeserializeSeed<'t>>(
    levels: usize,
    text: &'t [u8],
    seed: S,
) -> Result<S::Value, JsonError> {
    // A short text needs no stack of its own: each level takes a byte at least.
    let stack = levels.min(text.len() + 1) * LEVEL_BYTES;
    stacker::maybe_grow(stack, stack, || {
        let mut reader = serde_json::Deserializer::from_slice(text);
        reader.disable_recursion_limit();
        let value = seed.deserialize(&mut reader)?;
        reader.end()?;
        Ok(value)
    })
}

/// Describes the kind of a value.
#[must_use]
pub const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Returns the greatest nesting of lists and objects, including the text itself.
fn depth(text: &[u8]) -> Result<usize, JsonError> {
    let (mut depth, mut deepest) = (1_usize, 1);
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => at = end_of_string(text, at + 1),
            b'[' | b'{' if depth > MOST_DEPTH => return Err(too_deep(text, at)),
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    Ok(deepest)
}

/// Returns the place of the quote that ends a string; its text begins at `at`.
fn end_of_string(text: &[u8], mut at: usize) -> usize {
    while let Some(found) = memchr::memchr2(b'"', b'\\', text.get(at..).unwrap_or_default()) {
        at += found;
        if text.get(at) == Some(&b'"') {
            return at;
        }
        at += 2;
    }
    text.len()
}

fn too_deep(text: &[u8], at: usize) -> JsonError {
    let lines = text.get(..at).unwrap_or_default().split(|byte| *byte == b'\n');
    let column = lines.clone().next_back().map_or(0, <[u8]>::len) + 1;
    JsonError::TooDeep { line: lines.count(), column }
}

/// Returns the size of a value as JSON, in bytes, without writing it.
#[must_use]
pub fn bytes_of(value: &Value) -> u64 {
    struct Count(u64);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting can't fail.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> String {
        format!("{}1{}", "{\"a\":[".repeat(depth / 2), "]}".repeat(depth / 2))
    }

    #[test]
    fn as_31_json_is_read_to_declared_depth_and_not_beyond() {
        assert!(read::<Value>(nested(MOST_DEPTH).as_bytes()).is_ok());
        let error = read::<Value>(nested(MOST_DEPTH + 2).as_bytes()).unwrap_err();
        assert!(matches!(error, JsonError::TooDeep { line: 1, column: 3001 }), "{error}");
        let endless = "[\n".repeat(1_000_000);
        let error = read::<Value>(endless.as_bytes()).unwrap_err();
        assert!(error.to_string().contains("deeper than 1000"), "{error}");
        assert!(matches!(error, JsonError::TooDeep { line: 1001, column: 1 }));
    }

    #[test]
    fn as_31_brackets_in_strings_are_text() {
        let text = format!("[\"{}\\\"{}\"]", "[".repeat(5_000), "{".repeat(5_000));
        assert_eq!(read::<Vec<String>>(text.as_bytes()).unwrap()[0].len(), 10_001);
    }

    #[test]
    fn as_31_half_of_surrogate_pair_is_told_wherever_it_stands() {
        for text in ["\"\\ud800\"", "\"\\ud800 a\"", "\"\\ud800\\n\"", "\"\\ud800\\u0041\""] {
            let error = read::<Value>(text.as_bytes()).unwrap_err();
            assert_eq!(error.reason(), "lone leading surrogate in hex escape", "{text}");
        }
    }

    #[test]
    fn as_31_text_after_value_is_refused() {
        for text in ["1 2", "", "[1,]", "\"\\", "]]", "{\"a\":"] {
            assert!(matches!(read::<Value>(text.as_bytes()), Err(JsonError::Invalid(_))), "{text}");
        }
        assert_eq!(read::<Value>(b" [1] ").unwrap(), serde_json::json!([1]));
    }
}
