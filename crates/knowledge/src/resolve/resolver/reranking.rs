//! Sections in the order of a reranker, a model that reads the task together with each (MA-7).
//!
//! Decision: it orders what was found and adds nothing, so that a pack stays silent on what it is not
//! about. When it fails, the order stays as it was, with a warning.

use super::failure::LastFailure;
use super::select::{Candidate, Reader, Selected};

/// The most sections of a pack that are ranked; those after them keep their order.
const MOST: usize = 50;

/// The most characters of a section that are sent: models of this kind read no more.
const LONGEST: usize = 4_000;

/// The constant of the scores, which are reciprocal ranks: relevance of one call can't be compared
/// with that of another.
const K: f32 = 20.0;

type Rank = dyn Fn(&str, Vec<String>) -> Result<Vec<f32>, String> + Send + Sync;

/// The order of texts by a model.
pub struct Reranking {
    id: String,
    rank: Box<Rank>,
    failure: LastFailure,
}

impl std::fmt::Debug for Reranking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reranking").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Reranking {
    /// Returns the order of the model of that id. `rank` returns for a task the relevance of each
    /// text, greater for more, or the reason why not.
    pub fn new(
        id: impl Into<String>,
        rank: impl Fn(&str, Vec<String>) -> Result<Vec<f32>, String> + Send + Sync + 'static,
    ) -> Self {
        Self { id: id.into(), rank: Box::new(rank), failure: LastFailure::default() }
    }

    /// Orders the sections of a pack by their relevance to the task.
    pub(super) fn order(
        &self,
        selected: &mut Selected,
        task: &str,
        read: &Reader<'_>,
        warnings: &mut Vec<String>,
    ) {
        let ranked = selected.candidates.len().min(MOST);
        if ranked < 2 {
            return;
        }
        let texts = selected.candidates.iter().take(ranked).map(|one| shown(one, read)).collect();
        match self.failure.guard(|| self.relevance(task, texts, ranked)) {
            Ok(relevance) => arrange(&mut selected.candidates, &relevance),
            Err(reason) => {
                let id = &self.id;
                warnings.push(format!(
                    "the reranker `{id}` failed: {reason}; sections keep the order of the search"
                ));
            }
        }
    }

    fn relevance(&self, task: &str, texts: Vec<String>, count: usize) -> Result<Vec<f32>, String> {
        let relevance = (self.rank)(task, texts)?;
        if relevance.len() != count {
            return Err(format!("expected {count} numbers, found {}", relevance.len()));
        }
        if !relevance.iter().all(|number| number.is_finite()) {
            return Err("a relevance is not a finite number".to_owned());
        }
        Ok(relevance)
    }
}

/// Returns a section with its headings. One that changed meanwhile has its headings alone: what
/// shows it finds that out.
fn shown(candidate: &Candidate, read: &Reader<'_>) -> String {
    let text = read(&candidate.place).unwrap_or_default();
    let text = format!("{}\n{text}", candidate.place.heading);
    text.chars().take(LONGEST).collect()
}

/// Puts the first candidates in the order of their relevance; of equals the first one first.
fn arrange(candidates: &mut Vec<Candidate>, relevance: &[f32]) {
    let rest = candidates.split_off(relevance.len().min(candidates.len()));
    let mut ranked: Vec<(f32, Candidate)> =
        relevance.iter().copied().zip(candidates.drain(..)).collect();
    ranked.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    candidates.extend(ranked.into_iter().map(|(_, candidate)| candidate));
    candidates.extend(rest);
    for (rank, candidate) in candidates.iter_mut().enumerate() {
        // Groups rank one after the other: now all are one.
        (candidate.score, candidate.group) = (1.0 / (K + 1.0 + rank as f32), 0);
    }
}
