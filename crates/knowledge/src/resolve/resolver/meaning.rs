//! Sections found by their meaning: the vectors of an embedder beside the words (HO-2).
//!
//! Decision: both rankings are fused by reciprocal rank, since scores of words and of vectors cannot
//! be compared. An embedder only adds: when it fails, the words decide alone, with a warning.

use super::query::Query;
use super::select::{Candidate, Reader, Selected};
use crate::index::{Area, Search, View};
use crate::resolve::types::FoundBy;
use contexture_context::Digest;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tantivy::{DocAddress, TantivyError};

/// The constant of reciprocal rank fusion, as its authors have it.
const K: f32 = 60.0;
/// The most sections of a pack that get vectors; a larger pack is searched by words.
const MAX_SECTIONS: usize = 5_000;
/// The number of the nearest sections that are ranked, and that may join.
const RANKED: usize = 64;
const JOIN: usize = 8;
/// A section without a word of the task joins with this similarity, …
const LEAST: f32 = 0.3;
/// … and this share of the best one's.
const SHARE_OF_BEST: f32 = 0.8;
/// The number of texts of one call.
const BATCH: usize = 64;
/// The bytes of all vectors that are kept.
const MAX_KEPT: usize = 64 << 20;
/// After a failure the embedder is left alone for so long: a search must not hang again and again.
const REST: Duration = Duration::from_secs(30);

const MEANING: &str = "its meaning is close to that of the task";

type Embed = dyn Fn(Vec<String>) -> Result<Vec<Vec<f32>>, String> + Send + Sync;

/// The vectors of texts, from an embedder or from an earlier search of this process.
pub struct Embedding {
    id: String,
    embed: Box<Embed>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// By the digest of the text and the id of the model.
    vectors: HashMap<Digest, Arc<[f32]>>,
    bytes: usize,
    failure: Option<(Instant, String)>,
}

impl std::fmt::Debug for Embedding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedding").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Embedding {
    /// Returns the vectors of the model of that id. `embed` returns one of equal length for each
    /// text, or the reason why not.
    pub fn new(
        id: impl Into<String>,
        embed: impl Fn(Vec<String>) -> Result<Vec<Vec<f32>>, String> + Send + Sync + 'static,
    ) -> Self {
        Self { id: id.into(), embed: Box::new(embed), kept: Mutex::default() }
    }

    fn of(&self, texts: &[String]) -> Result<Vec<Arc<[f32]>>, String> {
        let key = |text: &String| Digest::of_text(&format!("{}\n{text}", self.id));
        let keys: Vec<Digest> = texts.iter().map(key).collect();
        let mut found: Vec<Option<Arc<[f32]>>> = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            keys.iter().map(|key| kept.vectors.get(key).cloned()).collect()
        };
        let missing: Vec<usize> =
            (0..texts.len()).filter(|at| found.get(*at).is_some_and(Option::is_none)).collect();
        for batch in missing.chunks(BATCH) {
            let new = self.ask(batch.iter().filter_map(|at| texts.get(*at)).cloned().collect())?;
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            for (at, vector) in batch.iter().zip(new) {
                let vector: Arc<[f32]> = vector.into();
                if kept.bytes > MAX_KEPT {
                    *kept = Kept::default();
                }
                kept.bytes += size_of_val(&*vector);
                if let (Some(key), Some(slot)) = (keys.get(*at), found.get_mut(*at)) {
                    kept.vectors.insert(key.clone(), Arc::clone(&vector));
                    *slot = Some(vector);
                }
            }
        }
        found.into_iter().collect::<Option<_>>().ok_or_else(|| "a text has no vector".to_owned())
    }

    fn ask(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, String> {
        let failure = self.kept.lock().unwrap_or_else(PoisonError::into_inner).failure.clone();
        if let Some((_, reason)) = failure.filter(|(since, _)| since.elapsed() < REST) {
            return Err(reason);
        }
        let vectors = (self.embed)(texts);
        let failure = vectors.as_ref().err().map(|reason| (Instant::now(), reason.clone()));
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).failure = failure;
        vectors
    }

    /// Ranks the sections of a pack by words and meaning, and adds those that the words missed.
    /// Returns the warning when the words decide alone.
    pub(super) fn fuse(
        &self,
        selected: &mut Selected,
        view: &View,
        query: &Query,
        areas: &[Area],
        read: &Reader<'_>,
    ) -> Result<Option<String>, TantivyError> {
        let search = Search::new(&view.opened, Vec::new(), areas)?;
        let count = search.documents();
        if count > MAX_SECTIONS as u64 {
            return Ok(Some(format!(
                "it has {count} sections, and the embedder `{}` is asked for packs of at most \
                 {MAX_SECTIONS}; sections were found by words alone",
                self.id
            )));
        }
        let sections = sections(&search, areas, read)?;
        let mut texts = vec![query.text.clone()];
        texts.extend(sections.iter().map(|(_, text)| text.clone()));
        let vectors = match self.of(&texts) {
            Ok(vectors) => vectors,
            Err(reason) => {
                return Ok(Some(format!(
                    "the embedder `{}` failed: {reason}; sections were found by words alone",
                    self.id
                )));
            }
        };
        let Some((task, vectors)) = vectors.split_first() else { return Ok(None) };
        let mut near: Vec<(f32, Candidate)> = sections
            .into_iter()
            .zip(vectors)
            .map(|((candidate, _), vector)| (similarity(task, vector), candidate))
            .collect();
        near.sort_by(|(left, one), (right, other)| {
            right.total_cmp(left).then_with(|| one.address.cmp(&other.address))
        });
        near.truncate(RANKED);
        rank(selected, near, query);
        Ok(None)
    }
}

/// Returns all sections of some areas with their texts. One that can't be read is found by its
/// words, which tells that it changed.
fn sections(
    search: &Search<'_>,
    areas: &[Area],
    read: &Reader<'_>,
) -> Result<Vec<(Candidate, String)>, TantivyError> {
    let mut found = Vec::new();
    for area in areas {
        for address in search.area(*area, MAX_SECTIONS)? {
            let place = search.place(address)?;
            let Some(text) = read(&place) else { continue };
            let text = format!("{}\n{text}", place.heading);
            found.push((Candidate::wordless(place, *area, address, MEANING), text));
        }
    }
    Ok(found)
}

/// Orders the candidates by the sum of their reciprocal ranks.
fn rank(selected: &mut Selected, near: Vec<(f32, Candidate)>, query: &Query) {
    let reciprocal = |rank: usize| 1.0 / (K + 1.0 + rank as f32);
    let mut ranked: HashMap<DocAddress, f32> = HashMap::new();
    for (rank, (_, candidate)) in near.iter().enumerate() {
        ranked.insert(candidate.address, reciprocal(rank));
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

/// Returns the cosine of two vectors; 0 where one has no direction.
fn similarity(left: &[f32], right: &[f32]) -> f32 {
    let product = |left: &[f32], right: &[f32]| -> f32 {
        left.iter().zip(right).map(|(one, other)| one * other).sum()
    };
    let lengths = (product(left, left) * product(right, right)).sqrt();
    let cosine = product(left, right) / lengths;
    if cosine.is_finite() { cosine } else { 0.0 }
}
