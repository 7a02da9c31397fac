//! Lists of objects: from objects of JSON, rows of tables, items of lists, or sentences.

use super::super::field::Field;
use super::super::rank::Index;
use super::super::source::{Kind, Source};
use super::super::terms::{related, terms};
use super::text::descending;
use super::{Ask, Filler, fields, nothing, text_of};
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
            let entry = fields.iter().filter_map(|(field, name, schema)| {
                let value = named(record, field).and_then(|value| fitted(value, schema));
                let value = value.or_else(|| field.required.then(|| nothing(schema, 64)))?;
                Some(((*name).to_owned(), value))
            });
            out.push(entry.collect());
        }
        out
    }

    /// List items, or else the sentences that touch the field, each as one entry.
    fn by_units(&mut self, schema: &Value, field: &Field) -> Vec<Value> {
        let units = &self.index.source.units;
        let items: Vec<usize> = units
            .iter()
            .enumerate()
            .filter(|(_, unit)| unit.kind == Kind::Item && unit.opens)
            .map(|(at, _)| at)
            .collect();
        let chosen = if items.len() >= 2 { items } else { self.sentences_for(field) };
        self.used.extend(chosen.iter().copied());
        let texts = chosen.iter().filter_map(|at| self.unit(*at)).map(|unit| unit.text.as_str());
        texts.map(|text| entry(text, schema, self.ask)).collect()
    }

    fn sentences_for(&self, field: &Field) -> Vec<usize> {
        let relevance = self.index.relevance(&self.whole_query(field));
        let units = self.index.source.units.iter().enumerate();
        let mut scored: Vec<(usize, f64)> = units
            .filter(|(_, unit)| unit.kind != Kind::Heading)
            .map(|(at, _)| {
                (at, relevance.get(at).copied().unwrap_or_default() + self.index.central(at) * 0.1)
            })
            .collect();
        scored.sort_by(|a, b| descending(a.1, b.1).then(a.0.cmp(&b.0)));
        let mut chosen: Vec<usize> =
            scored.into_iter().take(self.size.items.min(5)).map(|(at, _)| at).collect();
        chosen.sort_unstable();
        chosen
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
/// parts that are left, in order.
fn entry(text: &str, schema: &Value, ask: &Ask) -> Value {
    let parts = split(text);
    let mut source = Source { titles: vec![None], ..Source::default() };
    for part in &parts {
        source.unit(part, Kind::Line, true);
    }
    let index = Index::new(&source);
    let size = super::Size { sentences: 1, items: 5, words: usize::MAX };
    let mut filler = Filler { top: false, ..Filler::new(&index, ask, size) };
    let mut out = Map::new();
    let fields = fields(schema, false);
    for (field, name, schema) in &fields {
        // Texts take what the other fields leave; their place is kept.
        let value = if is_text(schema) { None } else { filler.value(schema, field) };
        out.insert((*name).to_owned(), value.unwrap_or(Value::Null));
    }
    let texts = fields.iter().filter(|(.., schema)| is_text(schema)).count();
    for (field, name, schema) in &fields {
        let Some(slot) = out.get_mut(*name).filter(|slot| slot.is_null()) else { continue };
        let value = match (is_text(schema), texts) {
            (true, 1) if filler.used.is_empty() => Some(Value::from(text)),
            (true, _) => next_part(&mut filler, field).map(Value::from),
            (false, _) => None,
        };
        *slot =
            value.unwrap_or_else(|| if field.required { nothing(schema, 64) } else { Value::Null });
    }
    for (field, name, schema) in &fields {
        if !field.required && kind(schema) != "null" && out.get(*name).is_some_and(Value::is_null) {
            out.shift_remove(*name);
        }
    }
    Value::Object(out)
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
