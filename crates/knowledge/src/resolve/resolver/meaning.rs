//! Sections found by their meaning: the vectors of an embedder beside the words (HO-2, MA-7).
//!
//! Decision: both rankings are fused by reciprocal rank, since scores of words and of vectors cannot
//! be compared. An embedder only adds: when it fails, the words decide alone, with a warning.

mod embedding;
mod file;
mod table;

pub use embedding::Embedding;

use super::query::Query;
use super::select::{Candidate, Reader, Selected};
use crate::index::{Area, Search, Store, View};
use crate::resolve::types::FoundBy;
use contexture_context::Digest;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use table::{Group, NoTable, Reason, Table};
use tantivy::{DocAddress, TantivyError};

/// The constant of reciprocal rank fusion, and the weight of a rank by meaning beside one by words.
/// Both were chosen on questions that are not those of the published figures; the constant that its
/// authors have, 60, makes neighbours so alike that what is new goes before what answers.
const K: f32 = 20.0;
const WEIGHT: f32 = 0.5;
/// The number of the nearest sections that are ranked, and that may join.
const RANKED: usize = 64;
const JOIN: usize = 8;
/// A section without a word of the task joins with this similarity, …
const LEAST: f32 = 0.3;
/// … and this share of the best one's.
const SHARE_OF_BEST: f32 = 0.8;
/// Where the words found nothing, the best one must have this similarity, …
const SURE: f32 = 0.4;
/// … and stand out among all by so many standard deviations, …
const STANDS_OUT: f32 = 6.0;
/// … or by this share of what is possible among a few.
const SHARE_OF_POSSIBLE: f32 = 0.9;

const MEANING: &str = "its meaning is close to that of the task";

/// The embedder of a resolver with what its vectors are made of.
pub(super) struct Meaning<'a> {
    pub(super) embedding: &'a Embedding,
    pub(super) store: &'a Store,
    pub(super) view: &'a View,
    pub(super) read: &'a Reader<'a>,
}

impl Meaning<'_> {
    /// Gives all passages of a pack their vectors, those of its sources too.
    pub(super) fn index(&self, warnings: &mut Vec<String>) -> Result<(), TantivyError> {
        for group in Group::ALL {
            let own: Vec<Area> =
                self.view.opened.areas.iter().copied().filter(|area| group.has(*area)).collect();
            if !own.is_empty() {
                self.unless_told(self.table(group, &own, Reason::Index, warnings), warnings)?;
            }
        }
        Ok(())
    }

    /// Ranks the sections of a pack by words and meaning, and adds those that the words missed.
    pub(super) fn fuse(
        &self,
        selected: &mut Selected,
        query: &Query,
        areas: &[Area],
        warnings: &mut Vec<String>,
    ) -> Result<(), TantivyError> {
        if query.text.trim().is_empty() {
            return Ok(());
        }
        let similarities = self.similarities(query, areas, warnings);
        let Some(mut near) = self.unless_told(similarities, warnings)? else { return Ok(()) };
        if selected.candidates.is_empty() && !stands_out(&near) {
            return Ok(());
        }
        near.sort_by(|(left, one, _), (right, other, _)| {
            right.total_cmp(left).then_with(|| one.cmp(other))
        });
        near.truncate(RANKED);
        let search = Search::new(&self.view.opened, Vec::new(), areas)?;
        let mut candidates = Vec::with_capacity(near.len());
        for (similarity, address, area) in near {
            let place = search.place(address)?;
            candidates.push((similarity, Candidate::wordless(place, area, address, MEANING)));
        }
        rank(selected, candidates, query);
        Ok(())
    }

    fn similarities(
        &self,
        query: &Query,
        areas: &[Area],
        warnings: &mut Vec<String>,
    ) -> Result<Vec<(f32, DocAddress, Area)>, NoTable> {
        let mut all = Vec::new();
        for group in Group::ALL {
            let own: Vec<Area> = areas.iter().copied().filter(|area| group.has(*area)).collect();
            if !own.is_empty() {
                let table = self.table(group, &own, Reason::Task, warnings)?;
                let task = self.embedding.of_task(&query.text).map_err(NoTable::Told)?;
                all.extend(table.similarities(&task, &own));
            }
        }
        Ok(all)
    }

    /// Returns the vectors of the passages as the index is now.
    fn table(
        &self,
        group: Group,
        areas: &[Area],
        reason: Reason,
        warnings: &mut Vec<String>,
    ) -> Result<Arc<Table>, NoTable> {
        let known = self.embedding.table(self.view, group);
        if let Some(known) = known.filter(|known| known.is_of(&self.view.opened)) {
            return Ok(known);
        }
        let path = self.path(group);
        let of = (self.view, group, areas);
        let table = Table::make(self.embedding, of, path.as_deref(), reason, self.read, warnings)?;
        self.embedding.keep(self.view, group, Arc::clone(&table));
        Ok(table)
    }

    /// Returns the file of vectors beside the index.
    fn path(&self, group: Group) -> Option<PathBuf> {
        let model = Digest::of_text(self.embedding.id()).hex();
        let model = model.get(..16).unwrap_or_default();
        self.store.beside(&self.view.key, &format!("{model}.{}.vectors", group.name()))
    }

    /// Makes a warning of the reason why there are no vectors.
    fn unless_told<T>(
        &self,
        result: Result<T, NoTable>,
        warnings: &mut Vec<String>,
    ) -> Result<Option<T>, TantivyError> {
        match result {
            Ok(found) => Ok(Some(found)),
            Err(NoTable::Engine(error)) => Err(error),
            Err(NoTable::Told(reason)) => {
                let id = self.embedding.id();
                warnings.push(format!(
                    "the embedder `{id}` failed: {reason}; sections were found by words alone"
                ));
                Ok(None)
            }
        }
    }
}

/// Reports whether one passage is so much nearer to the task than the others that the pack must be
/// about it, although it shares no word with it. Of any text some passage is the nearest one, and
/// models differ in what similarity means.
fn stands_out(near: &[(f32, DocAddress, Area)]) -> bool {
    let count = near.len() as f32;
    let best = near.iter().map(|(similarity, ..)| *similarity).fold(0.0, f32::max);
    let mean = near.iter().map(|(similarity, ..)| similarity).sum::<f32>() / count;
    let square = |(similarity, ..): &(f32, DocAddress, Area)| (similarity - mean).powi(2);
    let deviation = (near.iter().map(square).sum::<f32>() / count).sqrt();
    let possible = (count - 1.0).max(0.0).sqrt();
    let wanted = STANDS_OUT.min(possible * SHARE_OF_POSSIBLE);
    best >= SURE && best - mean >= wanted * deviation
}

/// Orders the candidates by the weighted sum of their reciprocal ranks.
fn rank(selected: &mut Selected, near: Vec<(f32, Candidate)>, query: &Query) {
    let reciprocal = |rank: usize| 1.0 / (K + 1.0 + rank as f32);
    let mut ranked: HashMap<DocAddress, f32> = HashMap::new();
    for (rank, (_, candidate)) in near.iter().enumerate() {
        ranked.insert(candidate.address, WEIGHT * reciprocal(rank));
    }
    for (rank, candidate) in selected.candidates.iter_mut().enumerate() {
        let other = ranked.remove(&candidate.address);
        if other.is_some() {
            candidate.found_by = FoundBy::Both;
        }
        // Scores of both ways cannot be compared with those of the groups.
        (candidate.score, candidate.group) = (reciprocal(rank) + other.unwrap_or_default(), 0);
    }
    let best = near.first().map_or(0.0, |(similarity, _)| *similarity);
    let is_near = |similarity: f32| similarity >= LEAST.max(best * SHARE_OF_BEST);
    let new: Vec<Candidate> = near
        .into_iter()
        .filter(|(similarity, _)| is_near(*similarity))
        .take(JOIN)
        .filter_map(|(_, candidate)| {
            let score = *ranked.get(&candidate.address)?;
            Some(Candidate { score, found_by: FoundBy::Dense, ..candidate })
        })
        .collect();
    if !new.is_empty() {
        // A fact that a section states in other words is not missing.
        selected.common.extend(0..query.terms.len());
        selected.coverage = selected.coverage.max(best);
        selected.candidates.extend(new);
    }
    selected.candidates.sort_by(|left, right| right.score.total_cmp(&left.score));
}
