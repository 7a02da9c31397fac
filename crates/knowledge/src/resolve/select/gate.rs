//! What matches a task well enough (KN-11): one common word is not enough.

use crate::index::{Hit, Search};
use crate::resolve::query::Query;

/// A section needs this share of the best score of its group.
pub(super) const SHARE_OF_BEST: f32 = 0.35;
/// It needs this share of the weight of all the terms of the task, …
const LEAST: f32 = 0.2;
/// … and this share of those that the pack knows.
const LEAST_OF_KNOWN: f32 = 0.3;
/// What a pair of characters weighs: words are made of two or three of them.
const PIECE: f32 = 0.5;

/// How much each term of a search says about the task.
pub(super) struct Weights {
    weights: Vec<f32>,
    content: u64,
    total: f32,
    known: f32,
}

impl Weights {
    /// From how often each term occurs; `numbers` gives the number of each term in the query.
    pub(super) fn of(query: &Query, numbers: &[usize], search: &Search<'_>) -> Self {
        let documents = search.documents() as f32;
        let rarity = |frequency: u64| {
            let frequency = frequency as f32;
            (1.0 + (documents - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln().max(0.05)
        };
        let mut made = Self { weights: Vec::new(), content: 0, total: 0.0, known: 0.0 };
        let covered = covered(query, numbers, search);
        for (bit, (number, frequency)) in numbers.iter().zip(search.frequencies()).enumerate() {
            let Some(term) = query.terms.get(*number).filter(|term| term.is_content) else {
                made.weights.push(0.0);
                continue;
            };
            let factor = if term.is_piece { PIECE } else { 1.0 };
            let weight = factor * rarity((*frequency).max(1));
            // A pair across two words stands nowhere, and says nothing.
            let is_seam = *frequency == 0
                && term.is_piece
                && term.at.clone().all(|byte| covered.get(byte).copied().unwrap_or(false));
            made.weights.push(if is_seam { 0.0 } else { weight });
            if !is_seam {
                made.total += weight;
            }
            if *frequency > 0 {
                made.known += weight;
                made.content |= 1_u64.checked_shl(bit as u32).unwrap_or(0);
            }
        }
        made
    }

    fn sum(&self, terms: u64) -> f32 {
        let has = |bit: usize| terms >> bit & 1 == 1;
        let some = self.weights.iter().take(64).enumerate().filter(|(bit, _)| has(*bit));
        some.map(|(_, weight)| weight).sum()
    }

    /// The share of the task that these terms are.
    pub(super) fn share(&self, terms: u64) -> f32 {
        if self.total > 0.0 { self.sum(terms) / self.total } else { 0.0 }
    }

    /// The share of what the pack knows of the task.
    pub(super) fn share_of_known(&self, terms: u64) -> f32 {
        if self.known > 0.0 { self.sum(terms) / self.known } else { 0.0 }
    }

    /// Whether one of the terms says what the task is about.
    pub(super) fn has_content(&self, terms: u64) -> bool {
        terms & self.content != 0
    }

    /// Keeps the hits that match well enough.
    pub(super) fn admit(&self, hits: &mut Vec<(Hit, &'static str)>) {
        hits.retain(|(hit, _)| {
            self.has_content(hit.terms)
                && self.share(hit.terms) >= LEAST
                && self.share_of_known(hit.terms) >= LEAST_OF_KNOWN
        });
        let best = hits.iter().map(|(hit, _)| hit.score).fold(0.0, f32::max);
        hits.retain(|(hit, _)| hit.score >= best * SHARE_OF_BEST);
    }
}

/// Which bytes of the query belong to terms that the pack knows.
fn covered(query: &Query, numbers: &[usize], search: &Search<'_>) -> Vec<bool> {
    let mut covered = vec![false; query.text.len()];
    for (number, frequency) in numbers.iter().zip(search.frequencies()) {
        if let Some(term) = query.terms.get(*number).filter(|_| *frequency > 0) {
            let bytes = covered.get_mut(term.at.clone()).unwrap_or_default();
            bytes.fill(true);
        }
    }
    covered
}
