//! The vectors of texts, from an embedder, from an earlier search or from an earlier process.

use super::super::failure::LastFailure;
use super::file::{self, Vectors};
use super::table::{Group, Table};
use crate::index::View;
use contexture_context::Digest;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of texts of one call.
const BATCH: usize = 64;
/// The tasks whose vectors are kept.
const MAX_TASKS: usize = 1_024;
/// The bytes of all tables that are kept.
const MAX_KEPT: usize = 256 << 20;

type Embed = dyn Fn(Vec<String>) -> Result<Vec<Vec<f32>>, String> + Send + Sync;

/// The vectors of texts, from an embedder or from an earlier search.
pub struct Embedding {
    id: String,
    embed: Box<Embed>,
    kept: Mutex<Kept>,
    failure: LastFailure,
}

#[derive(Default)]
struct Kept {
    tasks: HashMap<Digest, Arc<[f32]>>,
    tables: HashMap<(Arc<str>, Group), Arc<Table>>,
}

impl std::fmt::Debug for Embedding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedding").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Embedding {
    /// Returns the vectors of the model of that id: under one id a text has one vector, as vectors
    /// are kept by it. `embed` returns one of equal length for each text, or the reason why not.
    pub fn new(
        id: impl Into<String>,
        embed: impl Fn(Vec<String>) -> Result<Vec<Vec<f32>>, String> + Send + Sync + 'static,
    ) -> Self {
        let (kept, failure) = (Mutex::default(), LastFailure::default());
        Self { id: id.into(), embed: Box::new(embed), kept, failure }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the vector of a task.
    pub(super) fn of_task(&self, text: &str) -> Result<Arc<[f32]>, String> {
        let key = Digest::of_text(text);
        if let Some(known) = self.kept().tasks.get(&key) {
            return Ok(Arc::clone(known));
        }
        let vector = self.ask(vec![text.to_owned()])?.pop().unwrap_or_default();
        let vector: Arc<[f32]> = vector.into();
        let mut kept = self.kept();
        if kept.tasks.len() >= MAX_TASKS {
            kept.tasks.clear();
        }
        kept.tasks.insert(key, Arc::clone(&vector));
        Ok(vector)
    }

    /// Returns the table of an index that was made last, which may be of an earlier state of it.
    pub(super) fn table(&self, view: &View, group: Group) -> Option<Arc<Table>> {
        self.kept().tables.get(&(Arc::clone(&view.key), group)).cloned()
    }

    pub(super) fn keep(&self, view: &View, group: Group, table: Arc<Table>) {
        let mut kept = self.kept();
        kept.tables.remove(&(Arc::clone(&view.key), group));
        let bytes: usize = kept.tables.values().map(|table| table.bytes()).sum();
        if bytes + table.bytes() > MAX_KEPT {
            kept.tables.clear();
        }
        kept.tables.insert((Arc::clone(&view.key), group), table);
    }

    /// Adds the vectors that are missing, and writes all to the file when there are new ones.
    /// Returns the reason why they can't be kept there.
    pub(super) fn complete(
        &self,
        vectors: &mut Vectors,
        missing: &[(Digest, String)],
        path: Option<&Path>,
    ) -> Result<Option<String>, String> {
        for batch in missing.chunks(BATCH) {
            let texts = batch.iter().map(|(_, text)| text.clone()).collect();
            for ((key, _), vector) in batch.iter().zip(self.ask(texts)?) {
                vectors.add(key.clone(), vector)?;
            }
        }
        let (Some(path), false) = (path, missing.is_empty()) else { return Ok(None) };
        let written = file::write(path, vectors);
        Ok(written.err().map(|error| crate::files::told(&error)))
    }

    /// Asks the embedder. Vectors come with length 1: their product is their cosine.
    fn ask(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, String> {
        let count = texts.len();
        self.failure.guard(|| (self.embed)(texts).and_then(|vectors| checked(vectors, count)))
    }
}

/// Refuses vectors that can't be compared, and gives the others the length 1.
fn checked(mut vectors: Vec<Vec<f32>>, count: usize) -> Result<Vec<Vec<f32>>, String> {
    if vectors.len() != count {
        return Err(format!("expected {count} vectors, found {}", vectors.len()));
    }
    for vector in &mut vectors {
        if vector.is_empty() || !vector.iter().all(|number| number.is_finite()) {
            return Err("a vector is empty or holds a number that is not finite".to_owned());
        }
        // The square of a number may not fit into 32 bits.
        let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
        // A text without a word of the model has no direction.
        if length > 0.0 {
            #[expect(clippy::cast_possible_truncation, reason = "a part of a whole is at most 1")]
            vector.iter_mut().for_each(|number| *number = (f64::from(*number) / length) as f32);
        }
    }
    Ok(vectors)
}
