//! Values of the template context (PT-5).

use super::key::{Key, NameTag};
use indexmap::IndexMap;
use serde_json::Number;
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

/// The number of fields up to which a linear search is faster than a hash of the name.
const FEW: usize = 24;

#[derive(Debug, Clone)]
struct Field {
    tag: NameTag,
    name: String,
    value: TemplateValue,
}

impl Field {
    #[inline]
    fn is<'n>(&self, key: &impl Key<'n>) -> bool {
        self.tag == key.tag()
            && self.name.len() == key.len()
            && (key.len() <= 8 || self.name == key.name())
    }
}

/// The fields of an object in the order they were inserted.
///
/// ```
/// use contexture_prompt::{TemplateObject, TemplateValue};
///
/// let mut user = TemplateObject::new();
/// user.insert("name", "Ada");
/// user.insert("admin", true);
/// assert_eq!(user.get("name"), Some(&TemplateValue::from("Ada")));
/// assert_eq!(user.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["name", "admin"]);
/// ```
#[derive(Debug, Clone)]
pub struct TemplateObject(Fields);

#[derive(Debug, Clone)]
enum Fields {
    Few(Vec<Field>),
    Many(Box<IndexMap<String, TemplateValue>>),
}

impl TemplateObject {
    /// Creates an object without fields.
    #[must_use]
    pub const fn new() -> Self {
        Self(Fields::Few(Vec::new()))
    }

    pub(crate) fn with_capacity(fields: usize) -> Self {
        Self(if fields <= FEW {
            Fields::Few(Vec::with_capacity(fields))
        } else {
            Fields::Many(Box::new(IndexMap::with_capacity(fields)))
        })
    }

    /// Sets a field; an existing field keeps its place.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<TemplateValue>) {
        let (name, value) = (name.into(), value.into());
        match &mut self.0 {
            Fields::Many(fields) => {
                fields.insert(name, value);
            }
            Fields::Few(fields) => {
                let tag = NameTag::of(&name);
                let key = (tag, name.as_str());
                if let Some(field) = fields.iter_mut().find(|field| field.is(&key)) {
                    field.value = value;
                    return;
                }
                fields.push(Field { tag, name, value });
                if fields.len() > FEW {
                    let all = std::mem::take(fields).into_iter();
                    let all = all.map(|field| (field.name, field.value)).collect();
                    self.0 = Fields::Many(Box::new(all));
                }
            }
        }
    }

    /// Returns the value of a field.
    #[must_use]
    #[inline]
    pub fn get(&self, name: &str) -> Option<&TemplateValue> {
        self.find(&(NameTag::of(name), name))
    }

    /// Does the same as [`TemplateObject::get`] with a tag made beforehand.
    #[inline]
    pub(super) fn find<'n>(&self, key: &impl Key<'n>) -> Option<&TemplateValue> {
        match &self.0 {
            Fields::Few(fields) => {
                fields.iter().find(|field| field.is(key)).map(|field| &field.value)
            }
            Fields::Many(fields) => fields.get(key.name()),
        }
    }

    /// Returns the number of fields.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Fields::Few(fields) => fields.len(),
            Fields::Many(fields) => fields.len(),
        }
    }

    /// Reports whether there are no fields.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the fields in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &TemplateValue)> {
        let (few, many) = match &self.0 {
            Fields::Few(fields) => (Some(fields), None),
            Fields::Many(fields) => (None, Some(fields)),
        };
        let few = few.into_iter().flatten().map(|field| (field.name.as_str(), &field.value));
        let many = many.into_iter().flat_map(|fields| fields.iter());
        few.chain(many.map(|(name, value)| (name.as_str(), value)))
    }
}

impl Default for TemplateObject {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialEq for TemplateObject {
    /// Compares objects; the order of fields does not matter.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl<K: Into<String>, V: Into<TemplateValue>> FromIterator<(K, V)> for TemplateObject {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(fields: I) -> Self {
        let fields = fields.into_iter();
        let mut object = Self::with_capacity(fields.size_hint().0);
        object.extend(fields);
        object
    }
}

impl<K: Into<String>, V: Into<TemplateValue>> Extend<(K, V)> for TemplateObject {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, fields: I) {
        for (name, value) in fields {
            self.insert(name, value);
        }
    }
}
