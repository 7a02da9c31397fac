//! The text that can be quoted: the items of a prompt as units of text, facts and records.

use super::blocks::{Block, blocks};
use super::layout::CUT;
use super::mail;
use super::rank::ends_sentence;
use super::sentences::{normal, sentences, unmarked};
use super::terms::{terms, words};
use serde_json::{Map, Value};

/// The kind of a unit in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A sentence of running text.
    Prose,
    /// A sentence of somebody else, who is quoted.
    Quote,
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
    /// The heading that it stands under.
    pub(super) section: Option<usize>,
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
    /// The name of each document's file, where it has one.
    pub(super) names: Vec<Option<String>>,
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
    pub(super) fn add(&mut self, label: &str, origin: &str, text: &str) {
        self.titles.push(None);
        self.names.push(file_name(origin).or_else(|| file_name(label)).map(str::to_owned));
        self.labels.push(terms(label));
        let whole = text.trim_matches(|c: char| c == CUT || c.is_whitespace());
        let json = whole.starts_with(['[', '{']);
        match json.then(|| serde_json::from_str::<Value>(whole).ok()).flatten() {
            Some(value) => self.json(&value, ""),
            None => self.text(text, true),
        }
    }

    fn json(&mut self, value: &Value, key: &str) {
        match value {
            Value::Null => {}
            Value::Bool(_) | Value::Number(_) => self.fact(key, value.clone(), None),
            Value::String(text) => {
                if words(text).len() <= 40 && !text.contains(CUT) {
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
        let mut blocks = blocks(&mail::own(text));
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
                Block::Quote(text) => self.sentences(&text, Kind::Quote),
                Block::Pair(key, value) => self.fact(&key, Value::from(value), None),
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
        if cells.iter().any(|cell| cell.contains(CUT)) {
            return;
        }
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
        // A sentence that a cut ends is whole if its end was kept.
        let text = text.strip_suffix(CUT).filter(|text| ends_sentence(text)).unwrap_or(text);
        // Nothing to read: a ruler, a lone bracket, what a cut left of a sentence.
        if !text.chars().any(char::is_alphanumeric) || text.contains(CUT) {
            return;
        }
        let doc = self.titles.len().saturating_sub(1);
        let last = self.units.last().filter(|unit| unit.doc == doc);
        let place = last.map_or(0, |unit| unit.place + 1);
        let told = !matches!(kind, Kind::Heading | Kind::Quote);
        let fact = told.then(|| split_fact(text)).flatten();
        let section = match last {
            Some(unit) if unit.kind == Kind::Heading => Some(self.units.len() - 1),
            last => last.and_then(|unit| unit.section),
        };
        if let Some((key, value)) = &fact {
            self.fact(&key.clone(), Value::from(value.as_str()), Some(self.units.len()));
        }
        let mut terms = terms(text);
        if fact.as_ref().is_some_and(|(key, _)| key.ends_with('!')) {
            // The mark of a breaking change in a conventional commit.
            terms.push("break".to_owned());
        }
        self.units.push(Unit { text: normal(text), terms, kind, place, doc, opens, section, fact });
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
            Block::Heading(found, text) if *found == level && !text.contains(CUT) => {
                Some(text.as_str())
            }
            _ => None,
        })
    };
    heading(1).or_else(|| match blocks {
        [Block::Heading(_, text), ..] if !text.contains(CUT) => Some(text),
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
    !ends
        && !mixed
        && !text.contains(CUT)
        && text.chars().count() <= 80
        && letters * 2 > text.chars().count()
}

/// `key = value`, as settings are written.
fn setting(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(" = ").filter(|(key, _)| !key.trim().contains(' '))?;
    Some((key, value))
}

/// Returns the name of the file that a source names.
fn file_name(origin: &str) -> Option<&str> {
    let name = origin.rsplit('/').next()?.split(['#', '?']).next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let written = ending.chars().all(|c| c.is_ascii_alphanumeric()) && ending.len() <= 5;
    // `input.text` is the name of a value.
    const ENDINGS: &[&str] = &["md", "txt", "rst", "html", "toml", "json", "yaml", "yml", "eml"];
    let path = origin.contains('/') || ENDINGS.contains(&ending);
    (path && written && !stem.is_empty() && !ending.is_empty() && !name.contains(' '))
        .then_some(name)
}

/// `Key: value` with a key of few words.
fn split_fact(text: &str) -> Option<(String, String)> {
    let (key, value) = match text.split_once('：') {
        Some(parts) => parts,
        None => text.split_once(": ").or_else(|| setting(text))?,
    };
    let key = unmarked(key.trim());
    let value = unmarked(value.trim());
    let value = ["\"", "'"]
        .iter()
        .find_map(|mark| value.strip_prefix(mark)?.strip_suffix(mark))
        .unwrap_or(value);
    let few = (1..=5).contains(&words(key).len()) && key.chars().count() <= 48;
    let clean = !key.contains(['.', ',', ';', '?', '。', '，', '"']);
    (few && clean && value.chars().any(char::is_alphanumeric))
        .then(|| (key.to_owned(), value.to_owned()))
}
