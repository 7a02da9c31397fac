//! Runs that end with the process: for tests, and for runs that are not to be kept.

use super::{RunError, RunId, RunLog, RunStore, RunSummary, RunWriter};
use crate::masker::Masker;
use crate::stamp::Ids;
use contexture_context::manifest::Blob;
use contexture_context::{Digest, TraceKind};
use contexture_core::store::runs::part_of;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Runs in memory alone.
#[derive(Debug)]
pub struct InMemoryRuns {
    ids: Ids,
    runs: Arc<Mutex<BTreeMap<RunId, Stored>>>,
}

#[derive(Debug, Default)]
struct Stored {
    lines: String,
    notes: Vec<String>,
    texts: HashMap<Digest, String>,
}

impl InMemoryRuns {
    /// Creates a store without runs.
    #[must_use]
    pub fn new(ids: Ids) -> Self {
        Self { ids, runs: Arc::default() }
    }

    /// Begins a run under an id that it has elsewhere (IN-14). One of this id that is here is gone.
    #[must_use]
    pub fn begin_as(&self, id: RunId, masker: Arc<Masker>) -> Box<dyn RunWriter> {
        lock(&self.runs).insert(id.clone(), Stored::default());
        Box::new(InMemoryRun { id, masker, runs: Arc::clone(&self.runs) })
    }

    /// Adds a remark to those that tell what could not be read of a run.
    pub fn note(&self, id: &RunId, note: String) {
        if let Some(kept) = lock(&self.runs).get_mut(id) {
            kept.notes.push(note);
        }
    }

    fn with<T>(&self, id: &RunId, read: impl FnOnce(&Stored) -> T) -> Result<T, RunError> {
        let runs = lock(&self.runs);
        let unknown = || RunError::Unknown { asked: id.to_string(), similar: None };
        runs.get(id).map(read).ok_or_else(unknown)
    }
}

fn lock(runs: &Mutex<BTreeMap<RunId, Stored>>) -> MutexGuard<'_, BTreeMap<RunId, Stored>> {
    runs.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RunStore for InMemoryRuns {
    fn begin(&self, masker: Arc<Masker>) -> Result<Box<dyn RunWriter>, RunError> {
        let (id, _) = self.ids.next();
        Ok(self.begin_as(RunId::parse(&id).ok_or(RunError::None)?, masker))
    }

    fn ids(&self) -> Result<Vec<RunId>, RunError> {
        Ok(lock(&self.runs).keys().rev().cloned().collect())
    }

    fn summary(&self, id: &RunId) -> Result<RunSummary, RunError> {
        let bytes = self.with(id, |kept| kept.lines.len() as u64)?;
        let log = self.load(id)?;
        let root = log.of_kind(TraceKind::Run).next();
        Ok(RunSummary {
            id: id.clone(),
            start_us: root.map(|root| root.start_us),
            duration_us: root.and_then(|root| root.duration_us),
            data: root.map_or(Value::Null, |root| root.data.clone()),
            bytes,
        })
    }

    fn load(&self, id: &RunId) -> Result<RunLog, RunError> {
        let (lines, notes) = self.with(id, |kept| (kept.lines.clone(), kept.notes.clone()))?;
        let mut log = RunLog::read(id.clone(), lines.as_bytes())?;
        log.notes.extend(notes);
        Ok(log)
    }

    fn written(&self, id: &RunId, from: u64, most: usize) -> Result<Vec<u8>, RunError> {
        self.with(id, |kept| part_of(kept.lines.as_bytes(), from, most))
    }

    fn text(&self, id: &RunId, digest: &Digest) -> Result<Option<String>, RunError> {
        self.with(id, |kept| kept.texts.get(digest).cloned())
    }
}

struct InMemoryRun {
    id: RunId,
    masker: Arc<Masker>,
    runs: Arc<Mutex<BTreeMap<RunId, Stored>>>,
}

impl RunWriter for InMemoryRun {
    fn id(&self) -> &RunId {
        &self.id
    }

    fn append_lines(&self, lines: &str) -> Result<(), RunError> {
        let lines = self.masker.lines(lines);
        if let Some(kept) = lock(&self.runs).get_mut(&self.id) {
            kept.lines.push_str(&lines);
        }
        Ok(())
    }

    fn keep(&self, blobs: &[Blob]) -> Result<(), RunError> {
        if let Some(kept) = lock(&self.runs).get_mut(&self.id) {
            for blob in blobs {
                let text = self.masker.text(&blob.text).into_owned();
                kept.texts.entry(blob.digest.clone()).or_insert(text);
            }
        }
        Ok(())
    }
}
