//! Records in memory, with the search that SQLite's FTS5 does, done here: BM25 by its formula.

use super::words::{MOST_SEARCHED, indexed, searched};
use super::{Fields, Found, Query, record};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The weight of a word in `text`; in other fields it is 1.
pub(super) const TEXT_WEIGHT: f64 = 3.0;

/// FTS5's constants.
const K1: f64 = 1.2;
const B: f64 = 0.75;
const LEAST_IDF: f64 = 1e-6;

/// Records in the order they were added.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Option<Row>>,
    by_id: HashMap<String, usize>,
}

#[derive(Debug)]
struct Row {
    record: Fields,
    words: OnceLock<Words>,
}

/// The weight of each word in a record, and the number of words.
#[derive(Debug)]
struct Words {
    weights: HashMap<String, f64>,
    length: f64,
}

impl Table {
    /// Keeps a record; one with the same id gives way, and its place stays.
    pub(super) fn put(&mut self, id: String, record: Fields) {
        let row = Some(Row { record, words: OnceLock::new() });
        match self.by_id.get(&id).and_then(|place| self.rows.get_mut(*place)) {
            Some(slot) => *slot = row,
            None => {
                self.by_id.insert(id, self.rows.len());
                self.rows.push(row);
            }
        }
    }

    pub(super) fn remove(&mut self, id: &str) -> bool {
        let place = self.by_id.remove(id);
        place.and_then(|place| self.rows.get_mut(place)).and_then(Option::take).is_some()
    }

    pub(super) fn get(&self, id: &str) -> Option<&Fields> {
        let row = self.rows.get(*self.by_id.get(id)?)?.as_ref()?;
        Some(&row.record)
    }

    pub(super) fn query(&self, query: &Query) -> Found {
        let mut found = Found::default();
        let rows: Vec<&Row> = match query.text.as_deref() {
            None => self.rows.iter().rev().flatten().collect(),
            Some(text) => {
                let (words, more) = searched(text);
                found.notes.extend(note_on(&words, more));
                self.ranked(&words)
            }
        };
        for row in rows {
            if !record::fits(&row.record, query) {
                continue;
            }
            if found.records.len() == query.limit {
                found.truncated = true;
                break;
            }
            found.records.push(Value::Object(row.record.clone()));
        }
        found
    }

    /// Returns the rows with any of the words, the most relevant first, then the newest.
    fn ranked(&self, words: &[String]) -> Vec<&Row> {
        let rows: Vec<(&Row, &Words)> =
            self.rows.iter().rev().flatten().map(|row| (row, row.words())).collect();
        let count = float(rows.len());
        let average = rows.iter().map(|(_, words)| words.length).sum::<f64>() / count.max(1.0);
        let rarity: Vec<(&str, f64)> = words
            .iter()
            .map(|word| {
                let having = rows.iter().filter(|(_, row)| row.weights.contains_key(word)).count();
                let having = float(having);
                let idf = ((count - having + 0.5) / (having + 0.5)).ln().max(LEAST_IDF);
                (word.as_str(), idf)
            })
            .collect();
        let mut ranked: Vec<(f64, &Row)> = rows
            .into_iter()
            .map(|(row, words)| (words.score(&rarity, average), row))
            .filter(|(score, _)| *score > 0.0)
            .collect();
        ranked.sort_by(|(left, _), (right, _)| right.total_cmp(left));
        ranked.into_iter().map(|(_, row)| row).collect()
    }
}

impl Row {
    fn words(&self) -> &Words {
        self.words.get_or_init(|| {
            let (text, rest) = record::texts(&self.record);
            let mut words = Words { weights: HashMap::new(), length: 0.0 };
            for (text, weight) in [(text, TEXT_WEIGHT), (rest, 1.0)] {
                for word in indexed(&text) {
                    *words.weights.entry(word).or_default() += weight;
                    words.length += 1.0;
                }
            }
            words
        })
    }
}

impl Words {
    fn score(&self, rarity: &[(&str, f64)], average: f64) -> f64 {
        let length = K1 * (1.0 - B + B * self.length / average.max(f64::MIN_POSITIVE));
        let word = |(word, idf): &(&str, f64)| {
            let weight = self.weights.get(*word)?;
            Some(idf * weight * (K1 + 1.0) / (weight + length))
        };
        rarity.iter().filter_map(word).sum()
    }
}

/// Returns the note about the words of a query.
pub(super) fn note_on(words: &[String], more: bool) -> Option<String> {
    if words.is_empty() {
        return Some("`text` has no words to search for".to_owned());
    }
    more.then(|| {
        format!("only the first {MOST_SEARCHED} different words of `text` are searched for")
    })
}

fn float(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}
