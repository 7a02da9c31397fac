//! The functions of the condition language (FL-8), each with its name and its arguments.

use super::path::field;
use super::value::equal;
use regex::{Regex, RegexBuilder};
use serde_json::Value;

/// The greatest size of a compiled pattern, in bytes.
const PATTERN_BYTES: usize = 1 << 20;

macro_rules! functions {
    ($($(#[doc = $doc:literal])* $Variant:ident $name:literal $arguments:literal)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Function {
            $($(#[doc = $doc])* $Variant,)*
        }

        impl Function {
            pub(crate) const NAMES: &'static [&'static str] = &[$($name),*];

            pub(crate) fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$Variant),)* _ => None }
            }

            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$Variant => $name,)* }
            }

            pub(crate) const fn arguments(self) -> usize {
                match self { $(Self::$Variant => $arguments,)* }
            }
        }
    };
}

functions! {
    /// A list has an equal element, a string the substring, an object the key.
    Contains "contains" 2
    /// Null, a blank string, an empty list or object.
    IsEmpty "isEmpty" 1
    /// Characters, items or fields.
    Size "size" 1
    /// A string begins with another.
    StartsWith "startsWith" 2
    /// A string ends with another.
    EndsWith "endsWith" 2
    /// A string matches a regular expression somewhere.
    Matches "matches" 2
    /// The path is there.
    Exists "exists" 1
}

pub(crate) fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Array(items), _) => items.iter().any(|item| equal(item, part)),
        (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
        (Value::Object(map), Value::String(key)) => field(map, key).is_some(),
        _ => false,
    }
}

pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.chars().all(char::is_whitespace),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

pub(crate) fn size(value: &Value) -> Option<usize> {
    match value {
        Value::String(text) => Some(text.chars().count()),
        Value::Array(items) => Some(items.len()),
        Value::Object(map) => Some(map.len()),
        _ => None,
    }
}

/// Compiles a pattern; matching takes time in proportion to the text.
pub(crate) fn pattern(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).size_limit(PATTERN_BYTES).build()
}

/// Matches against a pattern from a value; an invalid one matches nothing.
pub(crate) fn matches(text: &Value, with: &Value) -> bool {
    let (Value::String(text), Value::String(with)) = (text, with) else { return false };
    pattern(with).is_ok_and(|pattern| pattern.is_match(text))
}
