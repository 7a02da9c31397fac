//! Lists of objects: from objects of JSON, rows of tables or items of lists.

use super::super::field::Field;
use super::super::rank::Index;
use super::super::source::{Kind, Source, Unit};
use super::super::terms::{related, terms};
use super::{Ask, Filler, fields, text_of};
use crate::mock::kind;
use serde_json::{Map, Value};

/// Entries of a list of objects, at most.
const ENTRIES: usize = 50;

/// The separators of the parts of an entry.
const SEPARATORS: [&str; 11] =
    [", ", "; ", " | ", " — ", " – ", " - ", "，", "；", "、", "\t", ": "];

impl Filler<'_> {
    pub(super) fn records(&mut self, schema: &Value, field: &Field) -> Vec<Value> {
        let most = field.count.map_or(ENTRIES, |(_, most)| most).min(self.size.items);
        let mut found = self.by_keys(schema);
        if found.is_empty() {
            found = self.by_units(schema, field);
        }
        found.truncate(most);
        found
    }

    /// Objects and rows whose names meet those of the fields.
    fn by_keys(&self, schema: &Value) -> Vec<Value> {
        let fields = fields(schema, false);
        let mut out = Vec::new();
        for record in &self.index.source.records {
            if out.len() >= ENTRIES {
                break;
            }
            let met = fields.iter().filter(|(field, ..)| named(record, field).is_some()).count();
            if met * 2 < fields.len() || met == 0 {
                continue;
            }
            let entry: Vec<(bool, &str, Option<Value>)> = fields
                .iter()
                .map(|(field, name, schema)| {
                    let value = named(record, field).and_then(|value| fitted(value, schema));
                    (field.required, *name, value)
                })
                .collect();
            if entry.iter().all(|(required, _, value)| !required || value.is_some()) {
                let given = entry.into_iter();
                let given = given.filter_map(|(_, name, value)| Some((name.to_owned(), value?)));
                out.push(given.collect());
            }
        }
        out
    }

    /// List items, each as one entry: those that say each part of it, or that stand under a heading
    /// of this name.
    fn by_units(&mut self, schema: &Value, field: &Field) -> Vec<Value> {
        let units = &self.index.source.units;
        let fields = fields(schema, false);
        let texts = fields.iter().filter(|(.., schema)| is_text(schema)).count();
        let names = terms(&field.name);
        let headed = |unit: &Unit| {
            let heading = unit.section.and_then(|at| units.get(at));
            let said = |name: &String| {
                heading.is_some_and(|unit| unit.terms.iter().any(|term| related(name, term)))
            };
            !names.is_empty() && names.iter().all(said)
        };
        let items = units.iter().enumerate().filter(|(_, unit)| {
            // A second text of an entry, or nothing but one, may be anything.
            let parted = texts <= 1 && fields.len() > texts;
            unit.kind == Kind::Item && unit.opens && (parted || headed(unit))
        });
        let found: Vec<(usize, Value)> = items
            .filter_map(|(at, unit)| Some((at, entry(&unit.text, schema, self.ask)?)))
            .collect();
        self.used.extend(found.iter().map(|(at, _)| *at));
        found.into_iter().map(|(_, entry)| entry).collect()
    }
}

/// Returns the value of a record whose key means what the field's name means.
fn named<'r>(record: &'r Map<String, Value>, field: &Field) -> Option<&'r Value> {
    let wanted = terms(&field.name);
    let means = |key: &String| {
        let key = terms(key);
        !key.is_empty() && key.iter().all(|term| wanted.iter().any(|name| related(name, term)))
    };
    record
        .iter()
        .find(|(key, _)| key.replace('_', " ").to_lowercase() == field.name || means(key))
        .map(|(_, value)| value)
}

/// Returns the value, when it has the type that a schema asks for.
fn fitted(value: &Value, schema: &Value) -> Option<Value> {
    match (kind(schema), value) {
        ("string" | "", Value::String(_))
        | ("boolean", Value::Bool(_))
        | ("array", Value::Array(_)) => Some(value.clone()),
        ("number" | "integer", Value::Number(_)) => Some(value.clone()),
        ("number" | "integer", Value::String(text)) => {
            super::number::numbers_in(text).into_iter().map(|found| found.value).next()
        }
        ("string" | "", Value::Number(_) | Value::Bool(_)) => Some(text_of(value).into()),
        ("object", Value::Object(_)) | ("", _) => Some(value.clone()),
        _ => None,
    }
}

/// One entry from one text: numbers, truths and choices by their words, then the texts from the
/// parts that are left, in order; `None` when a required part is not in it.
fn entry(text: &str, schema: &Value, ask: &Ask) -> Option<Value> {
    let parts = split(text);
    let mut source = Source { titles: vec![None], ..Source::default() };
    for part in &parts {
        source.unit(part, Kind::Line, true);
    }
    let index = Index::new(&source);
    let size = super::Size { sentences: 1, items: 5, words: usize::MAX };
    let mut filler = Filler { top: false, ..Filler::new(&index, ask, size) };
    let fields = fields(schema, false);
    // Texts take what the other fields leave.
    let others: Vec<Option<Value>> = fields
        .iter()
        .map(|(field, _, schema)| if is_text(schema) { None } else { filler.value(schema, field) })
        .collect();
    let texts = fields.iter().filter(|(.., schema)| is_text(schema)).count();
    let mut out = Map::new();
    for ((field, name, schema), value) in fields.iter().zip(others) {
        let value = match (is_text(schema), texts) {
            (true, 1) if filler.used.is_empty() => Some(Value::from(text)),
            (true, _) => next_part(&mut filler, field).map(Value::from),
            (false, _) => value,
        };
        match value {
            Some(value) => drop(out.insert((*name).to_owned(), value)),
            None if field.required => return None,
            None => {}
        }
    }
    (!out.is_empty()).then_some(Value::Object(out))
}

fn is_text(schema: &Value) -> bool {
    schema.get("enum").is_none() && matches!(kind(schema), "string" | "")
}

/// Returns the part that a fact names for the field, else the first that is not used.
fn next_part(filler: &mut Filler<'_>, field: &Field) -> Option<String> {
    let fact = filler.facts_for(field).first().map(|fact| (fact.unit, text_of(&fact.value)));
    if let Some((unit, text)) = fact {
        filler.used.extend(unit);
        return Some(text);
    }
    let free = (0..filler.index.source.units.len()).find(|at| !filler.used.contains(at))?;
    filler.used.insert(free);
    filler.unit(free).map(|unit| unit.text.clone())
}

/// Returns the parts of an entry; separators inside brackets or quotes do not count.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '（' => depth += 1,
            ')' | ']' | '）' => depth -= 1,
            _ => {}
        }
        let rest = text.get(at..).unwrap_or_default();
        let separator = SEPARATORS.iter().find(|separator| rest.starts_with(**separator));
        if let Some(separator) = separator.filter(|_| depth <= 0 && at >= start) {
            parts.extend(text.get(start..at).map(str::trim).filter(|part| !part.is_empty()));
            start = at + separator.len();
        }
    }
    parts.extend(text.get(start..).map(str::trim).filter(|part| !part.is_empty()));
    parts
}
