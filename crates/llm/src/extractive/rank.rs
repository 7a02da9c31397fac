//! Ranking: the units that are most relevant to something.

use super::source::{Kind, Source, Unit};
use super::terms::{dense, length, related, terms};
use std::collections::HashMap;

/// A text of fewer units says as little about how rare a term is as one of so many.
const LEAST_UNITS: usize = 20;

/// Weighted terms to look for.
pub(super) type Query = Vec<(String, f64)>;

/// The statistics of a source's terms.
#[derive(Debug)]
pub(super) struct Index<'a> {
    pub(super) source: &'a Source,
    /// In how many units a term occurs.
    frequency: HashMap<&'a str, usize>,
    average: f64,
    /// The centrality of each unit, 0 to 1.
    central: Vec<f64>,
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
const fn float(count: usize) -> f64 {
    count as f64
}

impl<'a> Index<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        let mut frequency: HashMap<&str, usize> = HashMap::new();
        let mut total = 0;
        for unit in &source.units {
            for term in distinct(unit) {
                *frequency.entry(term).or_default() += 1;
            }
            total += unit.terms.len();
        }
        let average = float(total) / float(source.units.len().max(1));
        let mut index = Self { source, frequency, average: average.max(1.0), central: Vec::new() };
        index.central = index.centrality();
        index
    }

    fn rarity(&self, term: &str) -> f64 {
        let with = float(self.frequency.get(term).copied().unwrap_or(0));
        let all = float(self.source.units.len().max(LEAST_UNITS));
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    fn centrality(&self) -> Vec<f64> {
        let weight = |term: &str| {
            let often = float(self.frequency.get(term).copied().unwrap_or(0));
            // A term that occurs once shows nothing about the whole.
            if often < 2.0 { 0.0 } else { often.sqrt() * self.rarity(term) }
        };
        let raw: Vec<f64> = self
            .source
            .units
            .iter()
            .map(|unit| {
                let sum: f64 = distinct(unit).into_iter().map(weight).sum();
                sum / (float(unit.terms.len()) + 4.0).powf(0.6)
            })
            .collect();
        let most = raw.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        raw.into_iter().map(|value| value / most).collect()
    }

    /// Returns the centrality of a unit, 0 to 1.
    pub(super) fn central(&self, unit: usize) -> f64 {
        self.central.get(unit).copied().unwrap_or_default()
    }

    /// Returns the terms of the source that mean what the query's mean, with their weights.
    fn expand<'q>(&self, query: &'q [(String, f64)]) -> Vec<(Vec<&'a str>, f64, &'q str)> {
        query
            .iter()
            .map(|(term, weight)| {
                let known = self.frequency.keys().copied();
                (known.filter(|known| related(known, term)).collect(), *weight, term.as_str())
            })
            .collect()
    }

    /// Returns the relevance of every unit to a query (BM25).
    pub(super) fn relevance(&self, query: &[(String, f64)]) -> Vec<f64> {
        const SATURATION: f64 = 1.2;
        const LENGTH: f64 = 0.5;
        let expanded = self.expand(query);
        let score = |unit: &Unit| {
            let long = 1.0 - LENGTH + LENGTH * float(unit.terms.len()) / self.average;
            let hit = |(forms, weight, _): &(Vec<&str>, f64, &str)| {
                let count = unit.terms.iter().filter(|term| forms.contains(&term.as_str())).count();
                if count == 0 {
                    return 0.0;
                }
                let rarity = forms.iter().map(|form| self.rarity(form)).fold(f64::MAX, f64::min);
                let often = float(count);
                weight * rarity * often * (SATURATION + 1.0) / (often + SATURATION * long)
            };
            expanded.iter().map(hit).sum()
        };
        self.source.units.iter().map(score).collect()
    }

    /// Returns how far each unit answers a query, 0 to 1: the share of the query's weight that the
    /// unit holds, with less for what only its heading or the sentence before it holds.
    pub(super) fn support(&self, query: &[(String, f64)]) -> Vec<f64> {
        const HEADING: f64 = 0.75;
        const BEFORE: f64 = 0.5;
        const ALIKE: f64 = 0.7;
        let known = self.subjects();
        let weighed: Vec<(Vec<&str>, f64, &str)> = self
            .expand(query)
            .into_iter()
            .map(|(forms, weight, term)| {
                let rarest = forms.iter().map(|form| self.rarity(form)).fold(f64::MAX, f64::min);
                let absent = if dense(term) { 0.4 } else { 1.0 };
                let rarity = if forms.is_empty() { self.rarity(term) * absent } else { rarest };
                // What the whole is about goes without saying in each of its sentences.
                let often = forms.iter().filter_map(|form| self.frequency.get(form)).sum::<usize>();
                let given = often * 10 >= self.source.units.len()
                    && known.iter().any(|subject| related(subject, term));
                (forms, weight * rarity * if given { 0.25 } else { 1.0 }, term)
            })
            .collect();
        let all: f64 = weighed.iter().map(|(_, weight, _)| weight).sum();
        let units = &self.source.units;
        let holds = |unit: &Unit, forms: &[&str], term: &str| {
            let said =
                |wanted: &[&str]| unit.terms.iter().any(|own| wanted.contains(&own.as_str()));
            if said(&[term]) {
                1.0
            } else if said(forms) {
                ALIKE
            } else {
                0.0
            }
        };
        let score = |(at, unit): (usize, &Unit)| {
            let heading = unit.section.and_then(|at| units.get(at));
            let before = at.checked_sub(1).and_then(|at| units.get(at));
            let before =
                before.filter(|before| before.doc == unit.doc && before.kind != Kind::Heading);
            let share = |forms: &[&str], term: &str| {
                let own = holds(unit, forms, term);
                let above = heading.map_or(0.0, |unit| holds(unit, forms, term) * HEADING);
                let near = before.map_or(0.0, |unit| holds(unit, forms, term) * BEFORE);
                f64::max(own, f64::max(above, near))
            };
            let found: f64 =
                weighed.iter().map(|(forms, weight, term)| weight * share(forms, term)).sum();
            if all == 0.0 { 0.0 } else { found / all }
        };
        units.iter().enumerate().map(score).collect()
    }

    /// Returns the terms of titles and labels: what the whole is about.
    pub(super) fn subjects(&self) -> Vec<String> {
        let titles = self.source.titles.iter().flatten().flat_map(|title| terms(title));
        titles.chain(self.source.labels.iter().flatten().cloned()).collect()
    }

    /// Returns the share of a query that a unit covers, 0 to 1; rare terms count more.
    pub(super) fn coverage(&self, query: &[(String, f64)], unit: &Unit) -> f64 {
        let mut all = 0.0;
        let mut found = 0.0;
        for (forms, weight, term) in self.expand(query) {
            let rarity = forms.first().map_or_else(|| self.rarity(term), |form| self.rarity(form));
            all += weight * rarity;
            if unit.terms.iter().any(|term| forms.contains(&term.as_str())) {
                found += weight * rarity;
            }
        }
        if all == 0.0 { 0.0 } else { found / all }
    }
}

fn distinct(unit: &Unit) -> Vec<&str> {
    let mut terms: Vec<&str> = unit.terms.iter().map(String::as_str).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Rates how well a unit reads on its own, 0 to 1.
pub(super) fn quality(unit: &Unit) -> f64 {
    let text = unit.text.as_str();
    let words = length(text);
    let mut quality = match words {
        0..=2 => 0.15,
        3..=4 => 0.5,
        5..=45 => 1.0,
        46..=70 => 0.6,
        _ => 0.3,
    };
    let last = text.chars().last().unwrap_or(' ');
    if matches!(last, ':' | '：') {
        quality *= 0.15;
    } else if matches!(last, '?' | '？') {
        quality *= 0.5;
    } else if unit.kind == Kind::Prose && !ends_sentence(text) {
        quality *= 0.45;
    }
    let count = text.chars().count().max(1);
    let letters = text.chars().filter(|c| c.is_alphabetic() || *c == ' ').count();
    if letters * 10 < count * 7 {
        quality *= 0.4;
    }
    let code = text.chars().filter(|c| "(){}[];=<>_\\".contains(*c)).count();
    if code * 10 > count {
        quality *= 0.3;
    }
    if text.contains("](") || text.contains("://") {
        let links = length(text).saturating_sub(length(&visible(text)));
        quality *= if links * 2 > words || text.contains(" | ") { 0.2 } else { 0.7 };
    }
    match unit.kind {
        Kind::Heading => quality * 0.2,
        Kind::Cell => quality * 0.6,
        _ => quality,
    }
}

pub(super) fn ends_sentence(text: &str) -> bool {
    let end =
        text.trim_end_matches(['"', '\'', '”', '’', ')', ']', '*', '_', '`', '」', '』', '）']);
    end.ends_with(['.', '!', '?', '…', '。', '！', '？', ':', '：', ';']) || end.is_empty()
}

/// Returns the text without the addresses of its links.
fn visible(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        out.push_str(before);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    let words = rest.split(' ').filter(|word| !word.contains("://"));
    words.fold(out, |out, word| out + word + " ")
}

/// Returns the share of the smaller of two units that is in the other, 0 to 1.
pub(super) fn overlap(a: &Unit, b: &Unit) -> f64 {
    let (a, b) = (distinct(a), distinct(b));
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let common = small.iter().filter(|term| large.binary_search(term).is_ok()).count();
    float(common) / float(small.len().max(1))
}
