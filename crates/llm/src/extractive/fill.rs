//! Filling a schema from a source. What nothing supports stays empty: `None` (CA-9).

mod asked;
mod choice;
mod facts;
mod number;
mod records;
mod text;

use super::asked::Ask;
use super::field::Field;
use super::rank::Index;
use crate::mock::kind;
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::rc::Rc;

/// The size of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    /// Sentences of a summary, at most.
    pub(super) sentences: usize,
    /// Items of a list, at most.
    pub(super) items: usize,
    /// Words of one text, at most; a text that has more is cut at a word.
    pub(super) words: usize,
}

impl Size {
    /// Returns the beginning of a text, of as many words as this size allows.
    pub(super) fn shorten(self, text: &str) -> &str {
        let end = text.match_indices(' ').nth(self.words.saturating_sub(1)).map(|(at, _)| at);
        let kept = end.and_then(|end| text.get(..end)).unwrap_or(text);
        kept.trim_end_matches([',', ';', ':', '，', '；', '：'])
    }
}

/// Fills fields one after the other and remembers what it has used.
pub(super) struct Filler<'a> {
    pub(super) index: &'a Index<'a>,
    pub(super) ask: &'a Ask,
    pub(super) size: Size,
    /// The relevance of every unit to the topic.
    pub(super) touched: Rc<[f64]>,
    pub(super) used: HashSet<usize>,
    /// The levels of a schema that are still followed.
    pub(super) depth: usize,
    /// True if fields are those of the answer and not those of a list's items.
    pub(super) top: bool,
    /// The names on the way to the field under way.
    path: Vec<String>,
    /// The paths of required fields that nothing supports.
    pub(super) missing: Vec<String>,
}

impl<'a> Filler<'a> {
    pub(super) fn new(index: &'a Index<'a>, ask: &'a Ask, size: Size) -> Self {
        let touched = index.relevance(&ask.topic).into();
        let used = HashSet::new();
        let (path, missing) = (Vec::new(), Vec::new());
        Self { index, ask, size, touched, used, depth: 64, top: true, path, missing }
    }

    /// Returns a value for the schema; `None` when nothing fits.
    pub(super) fn value(&mut self, schema: &Value, field: &Field) -> Option<Value> {
        self.depth = self.depth.checked_sub(1)?;
        let value = self.value_inside(schema, field);
        self.depth += 1;
        value
    }

    fn value_inside(&mut self, schema: &Value, field: &Field) -> Option<Value> {
        if let Some(constant) = schema.get("const") {
            return Some(constant.clone());
        }
        if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
            return self.choice(choices, field);
        }
        if let Some(alternatives) =
            ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array())
        {
            let schema = alternatives.iter().find(|schema| kind(schema) != "null")?;
            return self.value(schema, field);
        }
        match kind(schema) {
            "object" => self.object(schema),
            "array" => self.list(schema, field),
            "integer" => self.number(field, true),
            "number" => self.number(field, false),
            "boolean" => self.truth(field).map(Value::Bool),
            "null" => Some(Value::Null),
            _ => self.string(field).map(|text| Value::from(self.size.shorten(&text))),
        }
    }

    /// Returns an object of the fields that something supports; `None` when a required one is not
    /// among them.
    pub(super) fn object(&mut self, schema: &Value) -> Option<Value> {
        let mut out = Map::new();
        let mut whole = true;
        for (field, name, schema) in fields(schema, self.top) {
            let before = self.missing.len();
            self.path.push(name.to_owned());
            let value =
                self.value(schema, &field).or_else(|| is_nullable(schema).then(|| Value::Null));
            match value {
                Some(value) => {
                    self.missing.truncate(before);
                    drop(out.insert(name.to_owned(), value));
                }
                None if field.required => {
                    whole = false;
                    if self.missing.len() == before {
                        self.missing.push(self.path.join("."));
                    }
                }
                None => self.missing.truncate(before),
            }
            self.path.pop();
        }
        whole.then_some(Value::Object(out))
    }

    fn list(&mut self, schema: &Value, field: &Field) -> Option<Value> {
        let texts = Value::Null;
        let items = schema.get("items").unwrap_or(&texts);
        let values = match kind(items) {
            "object" => self.records(items, field),
            "integer" => self.numbers(field, true),
            "number" => self.numbers(field, false),
            "boolean" | "null" | "array" => Vec::new(),
            _ => match items.get("enum").and_then(Value::as_array) {
                Some(choices) => self.choices(choices),
                None => {
                    let texts = self.strings(field).into_iter();
                    texts.map(|text| Value::from(self.size.shorten(&text))).collect()
                }
            },
        };
        // That there are none is an answer where faults are asked for, and where there is no room.
        let none_is_answer = field.required && (field.may_be_empty || self.size.items == 0);
        (none_is_answer || !values.is_empty()).then_some(Value::Array(values))
    }
}

impl Filler<'_> {
    /// Returns a filler of another size, at the beginning.
    pub(super) fn resized(&self, size: Size) -> Self {
        let touched = Rc::clone(&self.touched);
        let (path, missing) = (Vec::new(), Vec::new());
        Self { size, touched, used: HashSet::new(), path, missing, ..*self }
    }
}

pub(super) fn fields(schema: &Value, top: bool) -> Vec<(Field, &str, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let field = |(name, schema): (&'_ String, &'_ Value)| {
        let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let must = required.is_some_and(|names| names.iter().any(|known| known == name));
        Field { required: must, ..Field::new(name, description, top) }
    };
    properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| (field((name, schema)), name.as_str(), schema))
        .collect()
}

/// Reports whether `null` is a value of a schema.
fn is_nullable(schema: &Value) -> bool {
    let named = |value: &Value| value.as_str() == Some("null");
    let typed = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(named),
        _ => false,
    };
    let alternatives = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array());
    typed || alternatives.into_iter().flatten().any(|schema| kind(schema) == "null")
}

pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
