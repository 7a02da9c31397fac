//! Values of the template context (PT-5).

use super::TemplateObject;
use super::object::{Key, NameTag};
use serde_json::{Number, Value};
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// A value that a template can print, test or iterate over.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum TemplateValue {
    /// Nothing: prints nothing, is false.
    #[default]
    Null,
    /// Prints `true` or `false`.
    Bool(bool),
    /// Prints as it was written; is true, even 0.
    Number(TemplateNumber),
    /// Prints unchanged; the empty one is false.
    String(String),
    /// Prints as compact JSON; the empty one is false.
    Array(Vec<TemplateValue>),
    /// Prints as compact JSON, fields in insertion order; is true.
    Object(TemplateObject),
}

impl TemplateValue {
    /// Reports whether `{{#if}}` takes it for true (PT-3): everything except null, false, the empty
    /// string and the empty array.
    #[must_use]
    pub fn is_true(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::String(text) => !text.is_empty(),
            Self::Array(items) => !items.is_empty(),
            Self::Number(_) | Self::Object(_) => true,
        }
    }

    /// Returns the field or item that one name of a dotted path means: a field of an object, or an
    /// item of an array by its number from 0.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Self> {
        self.member_by(&(NameTag::of(name), name))
    }

    #[inline]
    pub(super) fn member_by<'n>(&self, key: &impl Key<'n>) -> Option<&Self> {
        match self {
            Self::Object(fields) => fields.find(key),
            Self::Array(items) => items.get(key.name().parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// Returns the kind of the value, in JSON's terms.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

/// A number as it was written.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TemplateNumber {
    /// A whole number.
    Int(i64),
    /// A whole number above [`i64::MAX`].
    Unsigned(u64),
    /// A number with a fraction or exponent; prints the shortest form, `1.0` for 1.
    Float(f64),
    /// A number by its own JSON text, such as `1.10` or `1e400`.
    Written(Box<str>),
}

impl fmt::Display for TemplateNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(number) => f.write_str(itoa::Buffer::new().format(*number)),
            Self::Unsigned(number) => f.write_str(itoa::Buffer::new().format(*number)),
            // JSON has no form for NaN and infinity.
            Self::Float(number) => match Number::from_f64(*number) {
                Some(number) => fmt::Display::fmt(&number, f),
                None => fmt::Display::fmt(number, f),
            },
            Self::Written(text) => f.write_str(text),
        }
    }
}

impl TemplateNumber {
    /// Returns the number of a JSON text; the text is kept only if no other variant prints it.
    pub(crate) fn written(text: &str) -> Self {
        let whole = text.parse::<i64>().map(Self::Int);
        let number = whole
            .or_else(|_| text.parse::<u64>().map(Self::Unsigned))
            .or_else(|_| text.parse::<f64>().map(Self::Float));
        match number {
            Ok(number) if number.to_string() == text => number,
            _ => Self::Written(text.into()),
        }
    }
}

impl From<&Number> for TemplateNumber {
    fn from(number: &Number) -> Self {
        match number.as_i64() {
            Some(whole) => Self::Int(whole),
            None => Self::written(&number.to_string()),
        }
    }
}

/// Implements conversions that are one expression each.
macro_rules! from {
    ($($value:ident: $From:ty => $made:expr;)*) => {$(
        impl From<$From> for TemplateValue {
            fn from($value: $From) -> Self {
                $made
            }
        }
    )*};
}

from! {
    text: &str => Self::String(text.to_owned());
    text: String => Self::String(text);
    text: &String => Self::String(text.clone());
    value: bool => Self::Bool(value);
    number: i64 => Self::Number(TemplateNumber::Int(number));
    number: i32 => i64::from(number).into();
    number: u32 => i64::from(number).into();
    number: u64 => Self::Number(
        i64::try_from(number).map_or(TemplateNumber::Unsigned(number), TemplateNumber::Int),
    );
    // No platform has a usize wider than 64 bits.
    number: usize => u64::try_from(number).unwrap_or(u64::MAX).into();
    number: f64 => Self::Number(TemplateNumber::Float(number));
    object: TemplateObject => Self::Object(object);
    value: Value => super::json::from_value(value);
    value: &Value => super::json::from_value(value.clone());
}

impl<T: Into<TemplateValue>> From<Vec<T>> for TemplateValue {
    fn from(items: Vec<T>) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<TemplateValue>, const N: usize> From<[T; N]> for TemplateValue {
    fn from(items: [T; N]) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<TemplateValue>> From<Option<T>> for TemplateValue {
    /// Converts `None` to null.
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<V: Into<TemplateValue>> From<BTreeMap<String, V>> for TemplateValue {
    fn from(fields: BTreeMap<String, V>) -> Self {
        Self::Object(fields.into_iter().collect())
    }
}

impl<V: Into<TemplateValue>> From<HashMap<String, V>> for TemplateValue {
    /// Converts the fields, sorted by name, since a hash map has no order.
    fn from(fields: HashMap<String, V>) -> Self {
        fields.into_iter().collect::<BTreeMap<_, _>>().into()
    }
}

impl<K: Into<String>, V: Into<TemplateValue>> FromIterator<(K, V)> for TemplateValue {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(fields: I) -> Self {
        Self::Object(fields.into_iter().collect())
    }
}
