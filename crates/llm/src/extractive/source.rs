//! The text that can be quoted: the items of a prompt as units of text, facts and records.

use super::blocks::{Block, blocks};
use super::sentences::{normal, sentences, unmarked};
use super::terms::{terms, words};
use serde_json::{Map, Value};

/// The kind of a unit in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A sentence of running text.
    Prose,
    /// A line that stands for itself.
    Line,
    /// A sentence of a list item.
    Item,
    /// A cell of a table.
    Cell,
    /// A heading.
    Heading,
}

/// A sentence or its like, as it stands in the text but for white space.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unit {
    pub(super) text: String,
    pub(super) terms: Vec<String>,
    pub(super) kind: Kind,
    /// Its place in its document, counted from 0.
    pub(super) place: usize,
    /// The document it is from.
    pub(super) doc: usize,
    /// True if its paragraph begins with it.
    pub(super) opens: bool,
    /// `Key` and `value`, when it reads `Key: value`.
    pub(super) fact: Option<(String, String)>,
}

/// A value with a name: `Key: value`, or a field of JSON.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fact {
    pub(super) key: String,
    pub(super) terms: Vec<String>,
    pub(super) value: Value,
    /// The unit it was read from.
    pub(super) unit: Option<usize>,
}

/// All that can be quoted.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Source {
    pub(super) units: Vec<Unit>,
    pub(super) facts: Vec<Fact>,
    /// Objects of JSON and rows of tables.
    pub(super) records: Vec<Map<String, Value>>,
    /// The title of each document, where it has one.
    pub(super) titles: Vec<Option<String>>,
    /// The terms of each document's label.
    pub(super) labels: Vec<Vec<String>>,
}

/// Fields of JSON that name the source of a text and are not texts themselves.
const ORIGINS: &[&str] = &[
    "path",
    "file",
    "filename",
    "id",
    "url",
    "uri",
    "line",
    "kind",
    "type",
    "created_at",
    "updated_at",
    "digest",
    "score",
    "index",
];

impl Source {
    /// Adds a document: JSON, Markdown or plain text.
    pub(super) fn add(&mut self, label: &str, text: &str) {
        self.titles.push(None);
        self.labels.push(terms(label));
        let json = text.trim_start().starts_with(['[', '{']);
        match json.then(|| serde_json::from_str::<Value>(text).ok()).flatten() {
            Some(value) => self.json(&value, ""),
            None => self.text(text, true),
        }
    }

    fn json(&mut self, value: &Value, key: &str) {
        match value {
            Value::Null => {}
            Value::Bool(_) | Value::Number(_) => self.fact(key, value.clone(), None),
            Value::String(text) => {
                if words(text).len() <= 40 {
                    self.fact(key, value.clone(), None);
                }
                if !ORIGINS.contains(&key.to_ascii_lowercase().as_str()) {
                    self.text(text, false);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.json(item, key)),
            Value::Object(fields) => {
                self.records.push(fields.clone());
                fields.iter().for_each(|(key, field)| self.json(field, key));
            }
        }
    }

    fn fact(&mut self, key: &str, value: Value, unit: Option<usize>) {
        let terms = terms(key);
        if !terms.is_empty() {
            self.facts.push(Fact { key: key.to_owned(), terms, value, unit });
        }
    }

    fn text(&mut self, text: &str, titled: bool) {
        let mut blocks = blocks(text);
        // A lone heading is a line, such as a comment that begins with `#`.
        if let [Block::Heading(_, text)] = blocks.as_slice() {
            blocks = vec![Block::Line(text.clone())];
        } else if titled && let Some(title) = title(&blocks).map(str::to_owned) {
            self.set_title(&title);
            if blocks.first() == Some(&Block::Prose(title.clone())) {
                blocks.remove(0);
                self.unit(&title, Kind::Heading, true);
            }
        }
        for block in blocks {
            match block {
                Block::Heading(_, text) => self.unit(&text, Kind::Heading, true),
                Block::Prose(text) => self.sentences(&text, Kind::Prose),
                Block::Line(text) => self.sentences(&text, Kind::Line),
                Block::Item(text) => self.sentences(&text, Kind::Item),
                Block::Row { header, cells } => self.row(&header, &cells),
            }
        }
    }

    fn set_title(&mut self, title: &str) {
        if let Some(last) = self.titles.last_mut() {
            *last = Some(title.to_owned());
        }
    }

    fn sentences(&mut self, text: &str, kind: Kind) {
        for (index, sentence) in sentences(text).into_iter().enumerate() {
            self.unit(unmarked(sentence), kind, index == 0);
        }
    }

    fn row(&mut self, header: &[String], cells: &[String]) {
        let record = header
            .iter()
            .zip(cells)
            .filter(|(name, _)| !name.is_empty())
            .map(|(name, cell)| (name.clone(), Value::from(unmarked(cell))))
            .collect();
        self.records.push(record);
        if let [key, value] = cells {
            self.fact(unmarked(key), Value::from(unmarked(value)), None);
        }
        for cell in cells.iter().filter(|cell| words(cell).len() >= 4) {
            self.unit(unmarked(cell), Kind::Cell, false);
        }
    }

    pub(super) fn unit(&mut self, text: &str, kind: Kind, opens: bool) {
        let text = first_chars(text.trim_start_matches(['#', '/', '-', ' ']).trim());
        // Nothing to read: a ruler, a marker, a lone bracket.
        if !text.chars().any(char::is_alphanumeric) {
            return;
        }
        let doc = self.titles.len().saturating_sub(1);
        let last = self.units.last().filter(|unit| unit.doc == doc);
        let place = last.map_or(0, |unit| unit.place + 1);
        let fact = if kind == Kind::Heading { None } else { split_fact(text) };
        if let Some((key, value)) = &fact {
            self.fact(&key.clone(), Value::from(value.as_str()), Some(self.units.len()));
        }
        let mut terms = terms(text);
        if fact.as_ref().is_some_and(|(key, _)| key.ends_with('!')) {
            // The mark of a breaking change in a conventional commit.
            terms.push("break".to_owned());
        }
        self.units.push(Unit { text: normal(text), terms, kind, place, doc, opens, fact });
    }
}

/// Returns the beginning of a text without an end in sight, up to a word's end where there is one
/// near.
fn first_chars(text: &str) -> &str {
    const CHARS: usize = 1_500;
    let Some((end, _)) = text.char_indices().nth(CHARS) else { return text };
    let kept = text.get(..end).unwrap_or(text);
    match kept.rsplit_once(' ') {
        Some((words, rest)) if rest.len() < 100 => words,
        _ => kept,
    }
}

/// Returns the title of a document: its first top heading, else the heading or the short line that
/// it begins with.
fn title(blocks: &[Block]) -> Option<&str> {
    let heading = |level: u8| {
        blocks.iter().find_map(|block| match block {
            Block::Heading(found, text) if *found == level => Some(text.as_str()),
            _ => None,
        })
    };
    heading(1).or_else(|| match blocks {
        [Block::Heading(_, text), ..] => Some(text),
        [Block::Prose(text), _, ..] if is_title(text) => Some(text),
        _ => None,
    })
}

fn is_title(text: &str) -> bool {
    let ends = text.chars().last().is_some_and(|c| ".!?:;,。！？：；".contains(c));
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let mixed = words(text).iter().any(|word| {
        word.chars().any(|c| c.is_ascii_digit()) && word.chars().any(|c| c.is_ascii_alphabetic())
    });
    !ends && !mixed && text.chars().count() <= 80 && letters * 2 > text.chars().count()
}

/// `Key: value` with a key of few words.
fn split_fact(text: &str) -> Option<(String, String)> {
    let (key, value) = match text.split_once('：') {
        Some(parts) => parts,
        None => text.split_once(": ").or_else(|| text.strip_suffix(':').map(|key| (key, "")))?,
    };
    let key = unmarked(key.trim());
    let value = unmarked(value.trim());
    let few = (1..=5).contains(&words(key).len()) && key.chars().count() <= 48;
    let clean = !key.contains(['.', ',', ';', '?', '。', '，', '"']);
    (few && clean && !value.is_empty()).then(|| (key.to_owned(), value.to_owned()))
}
