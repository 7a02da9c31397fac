//! Sections that match a task well enough (KN-11): one common word is not enough.

use crate::index::{Hit, Search};
use crate::resolve::resolver::query::{Query, QueryTerm};
use std::collections::HashSet;
use std::ops::Range;

/// A section needs this share of the best score of its group, …
pub(super) const SHARE_OF_BEST: f32 = 0.33;
/// … this share of the weight of all the terms of the task, …
const LEAST: f32 = 0.06;
/// … this share of those that the pack knows, …
const LEAST_OF_KNOWN: f32 = 0.12;
/// … and either so much of the task, …
const MUCH: f32 = 0.4;
/// … or terms worth this share of a word that stands in one section alone.
const RARE: f32 = 0.35;
/// Sections are about the task when all of them have this share of it, …
const MOSTLY: f32 = 0.4;
/// … or one of them has several words of it, worth so many that stand in one section alone (tasks
/// may be long and name what they are about only once), …
const SEVERAL: f32 = 1.3;
/// … or this share of a task of a few words, …
const SUBJECT: f32 = 0.25;
const FEW_WORDS: u32 = 3;
/// … or that share of a longer one, when all have more than it has or it has several words.
const SUBJECT_OF_ALL: f32 = 0.3;
/// From so many sections on, words that stand only each for itself, in different sections, show
/// nothing by this: any large text has some words of any task.
const LARGE: u64 = 500;
/// A term is rare when it weighs this share of a word that stands in one section alone.
const LACKED: f32 = 0.6;
/// With fewer sections than this, the frequency of a word shows little about its weight.
const FEW: u64 = 50;
/// From so many sections on, a word in more than two thirds of them is common all the same.
const ENOUGH: u64 = 8;
/// The weight of a pair of characters: words are made of two or three of them.
const PIECE: f32 = 0.5;

/// The weight of a word that mostly belongs to how tasks are worded, where a heading has it.
const WORDING: f32 = 0.75;

/// The weight of a single character beside others.
const HINT: f32 = 0.25;

/// The number of them that together show what a task is about.
const HINTS: u32 = 3;

/// The weights of the terms of a search for the task.
pub(super) struct Weights {
    weights: Vec<f32>,
    content: u64,
    hints: u64,
    rare: u64,
    /// The places of the terms of content in the task.
    places: Vec<Option<Range<usize>>>,
    total: f32,
    known: f32,
    /// The weight of a word that stands in one section alone.
    rarest: f32,
    is_large: bool,
}

impl Weights {
    /// From how often each term occurs; `numbers` gives the number of each term in the query, and
    /// `raised` are those that count as content since headings of the pack have them.
    pub(super) fn of(
        query: &Query,
        numbers: &[usize],
        search: &Search<'_>,
        raised: &HashSet<usize>,
    ) -> Self {
        let real = search.documents();
        let rarity = |frequency: u64| {
            let is_common = real >= ENOUGH && frequency * 3 > real * 2;
            let documents = if is_common { real } else { real.max(FEW) } as f32;
            let frequency = frequency as f32;
            (1.0 + (documents - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln().max(0.05)
        };
        let mut made = Self {
            weights: Vec::new(),
            content: 0,
            hints: 0,
            rare: 0,
            places: Vec::new(),
            total: 0.0,
            known: 0.0,
            rarest: rarity(1),
            is_large: real >= LARGE,
        };
        let covered = covered(query, numbers, search);
        for (bit, (number, frequency)) in numbers.iter().zip(search.frequencies()).enumerate() {
            let is_raised = raised.contains(number);
            let content = |term: &&QueryTerm| term.is_content || is_raised;
            let Some(term) = query.terms.get(*number).filter(content) else {
                let is_hint = query.terms.get(*number).is_some_and(|term| term.is_hint);
                let is_known = is_hint && *frequency > 0;
                if is_known {
                    made.hints |= 1_u64.checked_shl(bit as u32).unwrap_or(0);
                }
                made.weights.push(if is_known { HINT * rarity(*frequency) } else { 0.0 });
                made.places.push(None);
                continue;
            };
            let factor = if term.is_pair { PIECE } else { 1.0 };
            let factor = if is_raised { factor * WORDING } else { factor };
            let weight = factor * rarity((*frequency).max(1));
            // A pair across the end of a known word is not a word of its own.
            let is_seam = *frequency == 0
                && term.is_pair
                && term.at.clone().any(|byte| covered.get(byte).copied().unwrap_or(false));
            made.weights.push(if is_seam { 0.0 } else { weight });
            made.places.push((!is_seam).then(|| term.at.clone()));
            if !is_seam {
                made.total += weight;
            }
            if *frequency > 0 {
                made.known += weight;
                made.content |= 1_u64.checked_shl(bit as u32).unwrap_or(0);
                if rarity(*frequency) >= made.rarest * LACKED {
                    made.rare |= 1_u64.checked_shl(bit as u32).unwrap_or(0);
                }
            }
        }
        made
    }

    fn sum(&self, terms: u64) -> f32 {
        let has = |bit: usize| terms >> bit & 1 == 1;
        let some = self.weights.iter().take(64).enumerate().filter(|(bit, _)| has(*bit));
        some.map(|(_, weight)| weight).sum()
    }

    /// Returns the share of the task that these terms are.
    pub(super) fn share(&self, terms: u64) -> f32 {
        if self.total > 0.0 { (self.sum(terms) / self.total).min(1.0) } else { 0.0 }
    }

    /// Returns the share of what the pack knows of the task.
    pub(super) fn share_of_known(&self, terms: u64) -> f32 {
        if self.known > 0.0 { (self.sum(terms) / self.known).min(1.0) } else { 0.0 }
    }

    /// Returns the terms that the pack knows and has in few places.
    pub(super) fn rare(&self) -> u64 {
        self.rare
    }

    /// Returns how many words of the task these terms are; pairs of characters that overlap are
    /// one.
    pub(super) fn words(&self, terms: u64) -> u32 {
        let mut places: Vec<&Range<usize>> = self
            .places
            .iter()
            .take(64)
            .enumerate()
            .filter(|(bit, _)| terms >> bit & 1 == 1)
            .filter_map(|(_, place)| place.as_ref())
            .collect();
        places.sort_by_key(|place| place.start);
        let (mut count, mut end) = (0, 0);
        for place in places {
            count += u32::from(count == 0 || place.start >= end);
            end = end.max(place.end);
        }
        count
    }

    /// Reports whether one of the terms shows what the task is about.
    pub(super) fn says(&self, terms: u64) -> bool {
        terms & self.content != 0
    }

    /// Reports whether the terms show what the task is about: one that does, or several hints.
    pub(super) fn has_content(&self, terms: u64) -> bool {
        self.says(terms) || (terms & self.hints).count_ones() >= HINTS
    }

    /// Reports whether sections with these terms are about the task, and do not only share a word
    /// with it.
    pub(super) fn are_about(&self, sections: &[u64]) -> bool {
        let all = sections.iter().fold(0, |all, terms| all | terms);
        let all = self.share(all);
        let is_short = self.words(u64::MAX) <= FEW_WORDS;
        sections.iter().any(|terms| {
            let (share, has_several) = (self.share(*terms), self.words(*terms) > 1);
            let adds_up = all >= SUBJECT_OF_ALL && (has_several || all > share + f32::EPSILON);
            let is_subject = all >= MOSTLY || share >= SUBJECT && (is_short || adds_up);
            share >= MOSTLY
                || has_several && self.sum(*terms) >= self.rarest * SEVERAL
                || (has_several || !self.is_large) && is_subject
        })
    }

    /// Keeps the hits that match well enough.
    pub(super) fn admit(&self, hits: &mut Vec<(Hit, &'static str)>) {
        hits.retain(|(hit, _)| {
            let share = self.share(hit.terms);
            self.has_content(hit.terms)
                && share >= LEAST
                && self.share_of_known(hit.terms) >= LEAST_OF_KNOWN
                && (share >= MUCH || self.sum(hit.terms) >= self.rarest * RARE)
        });
        let best = hits.iter().map(|(hit, _)| hit.score).fold(0.0, f32::max);
        hits.retain(|(hit, _)| hit.score >= best * SHARE_OF_BEST);
    }
}

/// Returns which bytes of the query belong to words, or pairs of characters, that the pack knows.
fn covered(query: &Query, numbers: &[usize], search: &Search<'_>) -> Vec<bool> {
    let mut covered = vec![false; query.text.len()];
    for (number, frequency) in numbers.iter().zip(search.frequencies()) {
        if let Some(term) = query.terms.get(*number).filter(|_| *frequency > 0)
            && !term.is_hint
        {
            let bytes = covered.get_mut(term.at.clone()).unwrap_or_default();
            bytes.fill(true);
        }
    }
    covered
}
