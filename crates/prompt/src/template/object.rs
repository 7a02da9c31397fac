//! Objects of the template context: fields in insertion order, found fast.

use super::TemplateValue;
use indexmap::IndexMap;

/// The number of fields up to which a linear search is faster than a hash of the name.
const FEW: usize = 24;

/// The first eight bytes of a name: two short names are distinguished without their texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NameTag(u64);

impl NameTag {
    pub(super) fn of(name: &str) -> Self {
        let mut bytes = [0; 8];
        for (to, from) in bytes.iter_mut().zip(name.bytes()) {
            *to = from;
        }
        Self(u64::from_le_bytes(bytes))
    }
}

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

/// A name to look up. Its text is requested only if it is longer than its tag.
pub(super) trait Key<'n> {
    fn tag(&self) -> NameTag;
    fn len(&self) -> usize;
    fn name(&self) -> &'n str;
}

impl<'n> Key<'n> for (NameTag, &'n str) {
    fn tag(&self) -> NameTag {
        self.0
    }

    fn len(&self) -> usize {
        self.1.len()
    }

    fn name(&self) -> &'n str {
        self.1
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
