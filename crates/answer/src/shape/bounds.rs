//! Bounds of a value beyond its type (TY-1): `stars integer min 1 max 5`, `name string length 1 to
//! 80`, `code string pattern "[A-Z]+"`.

use super::{Shape, ShapeError};
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

/// The greatest size of a compiled pattern, in bytes.
const MAX_PATTERN: usize = 1 << 20;

/// A shape with bounds on its values (TY-1).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bounds {
    /// The type: a number, an integer, a string or a list.
    pub shape: Shape,
    /// The least number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Number>,
    /// The greatest number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Number>,
    /// The least and the greatest number of characters or items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<(u64, u64)>,
    /// What a string must match somewhere; `^` and `$` stand for its ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
}

impl Bounds {
    /// Creates bounds that hold for every value of a shape.
    #[must_use]
    pub const fn new(shape: Shape) -> Self {
        Self { shape, min: None, max: None, length: None, pattern: None }
    }

    /// Checks that a value can be within the bounds.
    pub(super) fn check(&self) -> Result<(), ShapeError> {
        let as_float = |number: &Option<Number>| number.as_ref().and_then(Number::as_f64);
        if let (Some(min), Some(max)) = (as_float(&self.min), as_float(&self.max))
            && min > max
        {
            let text = format!("no number is from {min} to {max}; write the smaller one first");
            return Err(ShapeError::Bounds(text));
        }
        if let Some((least, most)) = self.length
            && least > most
        {
            let text = format!("no length is from {least} to {most}; write the smaller one first");
            return Err(ShapeError::Bounds(text));
        }
        self.check_pattern().map_err(ShapeError::Bounds)
    }

    /// Checks that the pattern is a regular expression.
    ///
    /// # Errors
    /// The reason, in a line.
    pub fn check_pattern(&self) -> Result<(), String> {
        self.pattern.as_ref().map_or(Ok(()), Pattern::check)
    }

    /// Reports whether a value of the right type is within the bounds.
    #[must_use]
    pub fn hold(&self, value: &Value) -> bool {
        match value {
            Value::Number(number) => self.hold_number(number),
            Value::String(text) => self.hold_text(text),
            Value::Array(items) => self.hold_length(items.len()),
            Value::Null | Value::Bool(_) | Value::Object(_) => true,
        }
    }

    /// Reports whether a number is within the bounds.
    #[must_use]
    pub fn hold_number(&self, number: &Number) -> bool {
        self.min.as_ref().is_none_or(|min| !is_less(number, min))
            && self.max.as_ref().is_none_or(|max| !is_less(max, number))
    }

    /// Reports whether a text is within the bounds; its length counts code points.
    #[must_use]
    pub fn hold_text(&self, text: &str) -> bool {
        (self.length.is_none() || self.hold_length(text.chars().count()))
            && self.pattern.as_ref().is_none_or(|pattern| pattern.matches(text))
    }

    /// Reports whether a number of characters or items is within the bounds.
    #[must_use]
    pub fn hold_length(&self, length: usize) -> bool {
        let length = length as u64;
        self.length.is_none_or(|(least, most)| (least..=most).contains(&length))
    }

    /// Describes the bounds in a few words: `from 1 to 5`.
    #[must_use]
    pub fn describe(&self) -> String {
        let mut words = Vec::new();
        match (&self.min, &self.max) {
            (Some(min), Some(max)) => words.push(format!("from {min} to {max}")),
            (Some(min), None) => words.push(format!("of {min} or more")),
            (None, Some(max)) => words.push(format!("of {max} or less")),
            (None, None) => {}
        }
        if let Some((least, most)) = self.length {
            let unit = if matches!(self.shape, Shape::List(_)) { "item" } else { "character" };
            let plural = if most == 1 { "" } else { "s" };
            words.push(match (least, most) {
                (least, most) if least == most => format!("of {most} {unit}{plural}"),
                (least, most) => format!("of {least} to {most} {unit}{plural}"),
            });
        }
        if let Some(pattern) = &self.pattern {
            words.push(format!("matching /{}/", pattern.text));
        }
        words.join(", ")
    }

    /// Adds the keywords of JSON Schema. A strict schema has none for the length of a string.
    pub(super) fn add_to(&self, schema: &mut Map<String, Value>, is_strict: bool) {
        let numbers = [("minimum", &self.min), ("maximum", &self.max)];
        for (key, number) in numbers {
            schema.extend(number.clone().map(|number| (key.to_owned(), Value::Number(number))));
        }
        if let Some((least, most)) = self.length {
            match self.shape {
                Shape::List(_) => {
                    schema.insert("minItems".to_owned(), least.into());
                    schema.insert("maxItems".to_owned(), most.into());
                }
                _ if is_strict => {}
                _ => {
                    schema.insert("minLength".to_owned(), least.into());
                    schema.insert("maxLength".to_owned(), most.into());
                }
            }
        }
        if let Some(pattern) = &self.pattern {
            schema.insert("pattern".to_owned(), pattern.text.as_str().into());
        }
    }
}

/// Compares two numbers; integers exactly.
fn is_less(left: &Number, right: &Number) -> bool {
    match (left.as_i64(), right.as_i64()) {
        (Some(left), Some(right)) => left < right,
        _ => left.as_f64().zip(right.as_f64()).is_some_and(|(left, right)| left < right),
    }
}

/// A regular expression, compiled when it is first needed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pattern {
    /// The expression as written.
    pub text: String,
    #[serde(skip)]
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Creates a pattern; [`Shape::check`] tells whether it is one.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), compiled: OnceLock::new() }
    }

    /// Checks that the text is a regular expression.
    ///
    /// # Errors
    /// The reason, in a line.
    pub fn check(&self) -> Result<(), String> {
        match build(&self.text) {
            Ok(_) => Ok(()),
            Err(regex::Error::CompiledTooBig(_)) => {
                Err("the pattern is too large; write a shorter one".to_owned())
            }
            Err(error) => {
                let text = error.to_string();
                let reason = text.lines().last().unwrap_or_default();
                let reason = reason.trim_start_matches("error: ");
                Err(format!("`{}` is not a regular expression: {reason}", self.text))
            }
        }
    }

    /// Reports whether a text matches somewhere, in time proportional to its length.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let regex = self.compiled.get_or_init(|| build(&self.text).ok());
        regex.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

fn build(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).size_limit(MAX_PATTERN).build()
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

impl Hash for Pattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}
