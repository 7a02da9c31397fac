//! Filling a schema from a source.

mod choice;
mod facts;
mod number;
mod records;
mod text;

use super::field::Field;
use super::rank::{Index, Query};
use super::terms::listed;
use crate::mock::kind;
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::rc::Rc;

/// The topic of the call, apart from its fields.
#[derive(Debug, Clone, Default)]
pub(super) struct Ask {
    /// Terms of the instruction and of items that ask.
    pub(super) topic: Query,
    /// Those of the items that ask; of the instruction, when none does.
    pub(super) question: Query,
    /// The words behind these terms as they are written.
    pub(super) words: Vec<String>,
    /// True if a certain thing is asked, so that only what touches it is an answer.
    pub(super) specific: bool,
}

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
}

impl<'a> Filler<'a> {
    pub(super) fn new(index: &'a Index<'a>, ask: &'a Ask, size: Size) -> Self {
        let touched = index.relevance(&ask.topic).into();
        Self { index, ask, size, touched, used: HashSet::new(), depth: 64, top: true }
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
            "object" => Some(self.object(schema)),
            "array" => self.list(schema, field),
            "integer" => self.number(field, true),
            "number" => self.number(field, false),
            "boolean" => self.truth(field).map(Value::Bool),
            "null" => Some(Value::Null),
            _ => self.string(field).map(|text| Value::from(self.size.shorten(&text))),
        }
    }

    /// Returns an object: every required field, and of the others those that something fits.
    pub(super) fn object(&mut self, schema: &Value) -> Value {
        let mut out = Map::new();
        for (field, name, schema) in fields(schema, self.top) {
            match self.value(schema, &field) {
                Some(value) => drop(out.insert(name.to_owned(), value)),
                None if field.required => drop(out.insert(name.to_owned(), nothing(schema, 64))),
                None => {}
            }
        }
        Value::Object(out)
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
        (field.required || !values.is_empty()).then_some(Value::Array(values))
    }
}

impl Filler<'_> {
    /// Returns a filler of another size, at the beginning.
    pub(super) fn resized(&self, size: Size) -> Self {
        Self { size, touched: Rc::clone(&self.touched), used: HashSet::new(), ..*self }
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

/// Values that mean "neither".
const NEUTRAL: &str = "unknown other none neutral medium normal n/a mixed unclear 未知 其他 中";

/// Returns the value that means "neither", else the first.
pub(super) fn neutral(choices: &[Value]) -> Option<&Value> {
    let neutral = |choice: &&Value| listed(&text_of(choice).to_lowercase(), NEUTRAL);
    choices.iter().find(neutral).or(choices.first())
}

pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns an empty value of the right type, for a required field that nothing fits.
pub(super) fn nothing(schema: &Value, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else { return Value::Null };
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        return neutral(choices).cloned().unwrap_or_default();
    }
    match kind(schema) {
        "object" => {
            let fields = fields(schema, false).into_iter().filter(|(field, ..)| field.required);
            fields.map(|(_, name, schema)| (name.to_owned(), nothing(schema, depth))).collect()
        }
        "array" => Value::Array(Vec::new()),
        "integer" | "number" => Value::from(0),
        "boolean" => Value::Bool(false),
        "null" => Value::Null,
        _ => Value::from(""),
    }
}
