//! Bare BM25, the yardstick: words in lower case, pairs of characters where words have no spaces,
//! no stemming, no fields, no rules.

use crate::index::terms::is_unspaced;
use std::collections::HashMap;

const K1: f64 = 1.2;
const B: f64 = 0.75;

pub(super) struct Bm25 {
    postings: HashMap<String, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    mean: f64,
}

impl Bm25 {
    /// Indexes sections, each with its heading and text.
    #[expect(clippy::cast_precision_loss, reason = "counts of terms are small")]
    pub(super) fn of<'t>(sections: impl Iterator<Item = (&'t str, &'t str)>) -> Self {
        let mut postings: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut lengths = Vec::new();
        for (number, (heading, text)) in sections.enumerate() {
            let mut counts: HashMap<String, f64> = HashMap::new();
            let terms = terms(&format!("{heading}\n{text}"));
            lengths.push(terms.len() as f64);
            for term in terms {
                *counts.entry(term).or_default() += 1.0;
            }
            for (term, count) in counts {
                postings.entry(term).or_default().push((number, count));
            }
        }
        let mean = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Self { postings, lengths, mean }
    }

    /// Returns the numbers of the sections with a term of the question, best first.
    #[expect(clippy::cast_precision_loss, reason = "counts of sections are small")]
    pub(super) fn ranked(&self, question: &str) -> Vec<usize> {
        let mut terms = terms(question);
        terms.sort_unstable();
        terms.dedup();
        let all = self.lengths.len() as f64;
        let mut scores: HashMap<usize, f64> = HashMap::new();
        for own in terms.iter().filter_map(|term| self.postings.get(term)) {
            let frequency = own.len() as f64;
            let weight = (1.0 + (all - frequency + 0.5) / (frequency + 0.5)).ln();
            for (number, count) in own {
                let length = self.lengths.get(*number).copied().unwrap_or_default();
                let norm = K1 * (1.0 - B + B * length / self.mean.max(1.0));
                *scores.entry(*number).or_default() += weight * count * (K1 + 1.0) / (count + norm);
            }
        }
        let mut ranked: Vec<(usize, f64)> = scores.into_iter().collect();
        ranked.sort_by(|(one, left), (other, right)| right.total_cmp(left).then(one.cmp(other)));
        ranked.into_iter().map(|(number, _)| number).collect()
    }
}

fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    for c in text.chars().flat_map(char::to_lowercase).chain([' ']) {
        if is_unspaced(c) {
            terms.extend(before.map(|before| String::from_iter([before, c])));
        }
        before = Some(c).filter(|c| is_unspaced(*c));
        if c.is_alphanumeric() && !is_unspaced(c) {
            word.push(c);
        } else if !word.is_empty() {
            terms.push(std::mem::take(&mut word));
        }
    }
    terms
}
