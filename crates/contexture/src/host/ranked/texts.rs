//! The texts that a question selects from, and what is shown of them.

use contexture_context::DeclaredItem;
use contexture_knowledge::resolve::{Passage, Ranked, Ranking};
use contexture_knowledge::section;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The bytes of a text in a list up to which it is one passage, and of the longest passage.
pub(super) const SHORT: usize = 2_400;

/// The texts of one `use`: each item, or the parts of the only one.
pub(super) struct Texts<'i> {
    first: &'i DeclaredItem,
    form: Form<'i>,
    parts: Vec<Part<'i>>,
}

enum Form<'i> {
    Items(&'i [DeclaredItem]),
    List(&'i [Value]),
    Object(Vec<(&'i String, &'i Value)>),
}

struct Part<'i> {
    name: String,
    text: Cow<'i, str>,
    is_whole: bool,
}

impl<'i> Texts<'i> {
    /// Returns the texts of items; `None` when there is nothing to select from.
    pub(super) fn of(items: &'i [DeclaredItem]) -> Option<Self> {
        let first = items.first()?;
        let (form, parts) = match (items, &first.value) {
            ([_], Value::Array(values)) => {
                let parts = values.iter().enumerate();
                let parts = parts.map(|(at, value)| part(format!("[{at}]"), value)).collect();
                (Form::List(values), parts)
            }
            ([_], Value::Object(fields)) => {
                let parts = fields.iter().map(|(key, value)| part(key.clone(), value));
                (Form::Object(fields.iter().collect()), parts.collect())
            }
            ([_], value) if !value.is_string() => return None,
            _ => (Form::Items(items), items.iter().map(whole_item).collect()),
        };
        Some(Self { first, form, parts })
    }

    pub(super) fn first(&self) -> &'i DeclaredItem {
        self.first
    }

    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// Reports whether a text stands in the item of this source.
    pub(super) fn is_in(&self, text: usize, source: &str) -> bool {
        match &self.form {
            Form::Items(items) => items.get(text).is_some_and(|item| item.source == source),
            _ => self.first.source == source,
        }
    }

    pub(super) fn ranked(&self) -> Vec<Ranked<'_>> {
        self.parts
            .iter()
            .map(|part| Ranked { name: &part.name, text: &part.text, is_whole: part.is_whole })
            .collect()
    }

    /// Returns the name of a text in a record.
    pub(super) fn name(&self, text: usize) -> String {
        match &self.form {
            Form::Items(items) => items.get(text).map(|item| item.source.clone()),
            _ => self.parts.get(text).map(|part| part.name.clone()),
        }
        .unwrap_or_default()
    }

    pub(super) fn slice(&self, passage: &Passage) -> &str {
        let text = self.parts.get(passage.text).map_or("", |part| &*part.text);
        text.get(passage.range.clone()).unwrap_or_default()
    }

    /// Returns the text by which a part of a list or an object stands in a prompt, about.
    pub(super) fn written(&self, passage: &Passage) -> Cow<'_, str> {
        let value = match &self.form {
            Form::List(values) => values.get(passage.text),
            Form::Object(fields) => fields.get(passage.text).map(|(_, value)| *value),
            Form::Items(_) => None,
        };
        match value {
            Some(value) if !value.is_string() => Cow::Owned(value.to_string()),
            _ => Cow::Borrowed(self.slice(passage)),
        }
    }

    /// Returns the items that show these passages.
    pub(super) fn make(&self, found: &Ranking, chosen: &[usize]) -> Vec<DeclaredItem> {
        let mut order: Vec<usize> = Vec::new();
        let mut by_text: BTreeMap<usize, Vec<&Passage>> = BTreeMap::new();
        for passage in chosen.iter().filter_map(|number| found.passages.get(*number)) {
            let own = by_text.entry(passage.text).or_default();
            if own.is_empty() {
                order.push(passage.text);
            }
            own.push(passage);
        }
        let rest = |text: usize| {
            let all = found.counts.get(text).copied().unwrap_or_default();
            let passages = by_text.get(&text).map_or(&[][..], Vec::as_slice);
            (passages.len() < all).then(|| self.excerpt(text, passages))
        };
        if order.is_empty() {
            return Vec::new();
        }
        let value = match &self.form {
            Form::Items(items) => {
                let shown = order.iter().filter_map(|text| {
                    let item = (*items.get(*text)?).clone();
                    Some(match rest(*text) {
                        Some(excerpt) => DeclaredItem { value: excerpt.into(), ..item },
                        None => item,
                    })
                });
                return shown.collect();
            }
            Form::List(values) => Value::Array(
                by_text
                    .keys()
                    .filter_map(|text| {
                        Some(rest(*text).map_or(values.get(*text)?.clone(), Value::from))
                    })
                    .collect(),
            ),
            Form::Object(fields) => Value::Object(
                by_text
                    .keys()
                    .filter_map(|text| {
                        let (key, value) = fields.get(*text)?;
                        let value = rest(*text).map_or_else(|| (*value).clone(), Value::from);
                        Some(((*key).clone(), value))
                    })
                    .collect(),
            ),
        };
        vec![DeclaredItem { value, ..self.first.clone() }]
    }

    /// Returns passages of a text in their order, each behind a line that says where it stands.
    fn excerpt(&self, text: usize, passages: &[&Passage]) -> String {
        let whole = self.parts.get(text).map_or("", |part| &*part.text);
        let mut passages = passages.to_vec();
        passages.sort_by_key(|passage| passage.range.start);
        let mut out = String::new();
        let mut end = None;
        for passage in passages {
            let between = end.and_then(|end| whole.get(end..passage.range.start));
            match between {
                Some(gap) if gap.trim().is_empty() => out.push_str(gap),
                _ => {
                    if !out.is_empty() {
                        out.push_str("\n\n");
                    }
                    out.push_str(&place(passage));
                }
            }
            out.push_str(self.slice(passage));
            end = Some(passage.range.end);
        }
        out
    }
}

/// Returns the line over a passage: `… [lines 12-20: Install > Linux]`.
fn place(passage: &Passage) -> String {
    let lines = match (passage.first_line, passage.last_line) {
        (first, last) if first == last => format!("line {first}"),
        (first, last) => format!("lines {first}-{last}"),
    };
    let heading = passage.heading.iter().map(|heading| format!(": {heading}")).collect::<String>();
    format!("… [{lines}{heading}]\n")
}

fn whole_item(item: &DeclaredItem) -> Part<'_> {
    let text = item.value.as_str().unwrap_or_default();
    Part { name: section::named(&item.source, text), text: Cow::Borrowed(text), is_whole: false }
}

fn part(name: String, value: &Value) -> Part<'_> {
    match value {
        Value::String(text) => {
            let is_whole = text.len() <= SHORT;
            Part { name, text: Cow::Borrowed(text), is_whole }
        }
        value => {
            let mut leaves = String::new();
            collect(value, &mut leaves);
            Part { name, text: Cow::Owned(leaves), is_whole: true }
        }
    }
}

/// Collects the texts and numbers of a value, each on a line.
fn collect(value: &Value, out: &mut String) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => {
                out.push_str(text);
                out.push('\n');
            }
            Value::Number(number) => {
                out.push_str(&number.to_string());
                out.push('\n');
            }
            Value::Array(items) => open.extend(items.iter().rev()),
            Value::Object(fields) => open.extend(fields.values().rev()),
            Value::Null | Value::Bool(_) => {}
        }
    }
}
