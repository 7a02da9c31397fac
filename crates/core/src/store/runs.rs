//! The port of runs: the trace of each as JSON lines, written while it happens, and the texts it saw
//! (AS-29).
//!
//! Decision: texts are kept by digest and asked for by run and digest. Secrets are masked by the
//! store, at the last moment before anything is written.

mod error;
mod id;
mod list;
mod log;
mod select;
mod tree;

pub use error::RunError;
pub use id::RunId;
pub use list::{RunEntry, RunHead, RunList, is_asked};
pub use log::{EXPORT_VERSION, LINE_BYTES, RunLog, digests_in};
pub use select::select;
pub use tree::TraceTree;

use crate::masker::Masker;
use contexture_context::manifest::Blob;
use contexture_context::{Digest, TraceEvent, TraceKind};
use serde_json::Value;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Keeps runs.
pub trait RunStore: Send + Sync {
    /// Begins a run under a new id; what it writes is masked by `masker`.
    ///
    /// # Errors
    /// [`RunError`] when nothing can be written.
    fn begin(&self, masker: Arc<Masker>) -> Result<Box<dyn RunWriter>, RunError>;

    /// Returns all runs, the newest first.
    ///
    /// # Errors
    /// [`RunError`] when they can't be read.
    fn ids(&self) -> Result<Vec<RunId>, RunError>;

    /// Returns the entry of a run in a list, without reading the whole trace.
    ///
    /// # Errors
    /// [`RunError`] when there is no such run or it can't be read.
    fn summary(&self, id: &RunId) -> Result<RunSummary, RunError>;

    /// Reads the whole trace of a run.
    ///
    /// # Errors
    /// [`RunError`] when there is no such run or it can't be read.
    fn load(&self, id: &RunId) -> Result<RunLog, RunError>;

    /// Lists the runs that are wanted, the newest first, at most so many. A run that can't be read is
    /// told in the notes.
    ///
    /// # Errors
    /// [`RunError`] when no run can be read.
    fn list(&self, wanted: &dyn Fn(&RunEntry) -> bool, most: usize) -> Result<RunList, RunError> {
        Ok(RunList::of(&self.ids()?, wanted, most, |id| self.entry(id)))
    }

    /// Returns a run as a list has it, with the sums of its model calls.
    ///
    /// # Errors
    /// [`RunError`] when there is no such run or it can't be read.
    fn entry(&self, id: &RunId) -> Result<RunEntry, RunError> {
        let summary = self.summary(id)?;
        let mut entry = RunEntry::of(&summary);
        if !RunEntry::is_summed_up(&summary) {
            let head = self.head(id, 1..=u64::MAX)?;
            let told = entry.cost.take();
            head.log.of_kind(TraceKind::Generate).for_each(|call| entry.add_call(call));
            entry.cost = told.or(entry.cost);
        }
        entry.running = entry.outcome.is_none() && self.is_running(id);
        Ok(entry)
    }

    /// Reports whether a run is under way now, as far as the store knows.
    fn is_running(&self, _id: &RunId) -> bool {
        false
    }

    /// Reads the event of a run and the model calls with these numbers, and no other event.
    ///
    /// # Errors
    /// [`RunError`] when there is no such run or it can't be read.
    fn head(&self, id: &RunId, calls: RangeInclusive<u64>) -> Result<RunHead, RunError> {
        let log = self.load(id)?;
        let lines = log.events.len() as u64;
        Ok(log.head(&calls, lines))
    }

    /// Reports whether a run has a text: in its events, or in what it kept.
    ///
    /// # Errors
    /// [`RunError`] when there is no such run or it can't be read.
    fn mentions(&self, id: &RunId, text: &str) -> Result<bool, RunError> {
        let written = json_text(text);
        for event in &self.load(id)?.events {
            if event.data.to_string().contains(&written) {
                return Ok(true);
            }
            for digest in digests_in(&event.data) {
                if self.text(id, &digest)?.is_some_and(|kept| kept.contains(text)) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Reports why the texts of runs can't be read, if they can't.
    ///
    /// # Errors
    /// [`RunError::Unusable`] for a file of a newer version, of another program or a damaged one.
    fn check(&self) -> Result<(), RunError> {
        Ok(())
    }

    /// Removes runs that are not under way, with the texts that no other run has; returns those
    /// that are gone. A store that removes nothing returns none.
    ///
    /// # Errors
    /// [`RunError`] when one can't be removed.
    fn remove(&self, runs: &[RunId]) -> Result<Vec<RunId>, RunError> {
        let _ = runs;
        Ok(Vec::new())
    }

    /// Reads the lines of a run's trace as they are kept: at most so many bytes from a place on,
    /// and none behind its end (IN-4).
    ///
    /// # Errors
    /// [`RunError`] when there is no such run or it can't be read.
    fn written(&self, id: &RunId, from: u64, most: usize) -> Result<Vec<u8>, RunError> {
        let mut lines = Vec::new();
        for event in &self.load(id)?.events {
            let line = serde_json::to_vec(event).map_err(|error| RunError::Io {
                path: id.to_string(),
                reason: error.to_string(),
            })?;
            lines.extend(line);
            lines.push(b'\n');
        }
        Ok(part_of(&lines, from, most))
    }

    /// Returns a text that a run kept; `None` when it did not, or when another text is there.
    ///
    /// # Errors
    /// [`RunError`] when it can't be read.
    fn text(&self, id: &RunId, digest: &Digest) -> Result<Option<String>, RunError>;
}

impl<S: RunStore + ?Sized> RunStore for Arc<S> {
    fn begin(&self, masker: Arc<Masker>) -> Result<Box<dyn RunWriter>, RunError> {
        (**self).begin(masker)
    }

    fn ids(&self) -> Result<Vec<RunId>, RunError> {
        (**self).ids()
    }

    fn summary(&self, id: &RunId) -> Result<RunSummary, RunError> {
        (**self).summary(id)
    }

    fn load(&self, id: &RunId) -> Result<RunLog, RunError> {
        (**self).load(id)
    }

    fn text(&self, id: &RunId, digest: &Digest) -> Result<Option<String>, RunError> {
        (**self).text(id, digest)
    }

    fn written(&self, id: &RunId, from: u64, most: usize) -> Result<Vec<u8>, RunError> {
        (**self).written(id, from, most)
    }

    fn list(&self, wanted: &dyn Fn(&RunEntry) -> bool, most: usize) -> Result<RunList, RunError> {
        (**self).list(wanted, most)
    }

    fn entry(&self, id: &RunId) -> Result<RunEntry, RunError> {
        (**self).entry(id)
    }

    fn is_running(&self, id: &RunId) -> bool {
        (**self).is_running(id)
    }

    fn head(&self, id: &RunId, calls: RangeInclusive<u64>) -> Result<RunHead, RunError> {
        (**self).head(id, calls)
    }

    fn mentions(&self, id: &RunId, text: &str) -> Result<bool, RunError> {
        (**self).mentions(id, text)
    }

    fn check(&self) -> Result<(), RunError> {
        (**self).check()
    }

    fn remove(&self, runs: &[RunId]) -> Result<Vec<RunId>, RunError> {
        (**self).remove(runs)
    }
}

/// Returns a part of a text, at most so many bytes from a place on.
#[must_use]
pub fn part_of(text: &[u8], from: u64, most: usize) -> Vec<u8> {
    let start = usize::try_from(from).unwrap_or(usize::MAX).min(text.len());
    let end = start.saturating_add(most).min(text.len());
    text.get(start..end).unwrap_or_default().to_vec()
}

/// Returns a text as it stands inside a string of JSON.
#[must_use]
pub fn json_text(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// Writes one run. Calls come from any thread.
pub trait RunWriter: Send + Sync {
    /// Returns the id of the run.
    fn id(&self) -> &RunId;

    /// Keeps a line of the trace; it is written when this returns.
    ///
    /// # Errors
    /// [`RunError`].
    fn append(&self, event: &TraceEvent) -> Result<(), RunError> {
        self.append_all(std::slice::from_ref(event))
    }

    /// Keeps lines of the trace in one write; they are written when this returns.
    ///
    /// # Errors
    /// [`RunError`].
    fn append_all(&self, events: &[TraceEvent]) -> Result<(), RunError> {
        let mut lines = String::new();
        for event in events {
            let line = serde_json::to_string(event).map_err(|error| RunError::Io {
                path: self.id().to_string(),
                reason: error.to_string(),
            })?;
            lines.push_str(&line);
            lines.push('\n');
        }
        self.append_lines(&lines)
    }

    /// Keeps events as [`RunWriter::append_all`] does; each is JSON already, with its line end.
    ///
    /// # Errors
    /// [`RunError`].
    fn append_lines(&self, lines: &str) -> Result<(), RunError>;

    /// Keeps texts; one that is there already costs next to nothing.
    ///
    /// # Errors
    /// [`RunError`].
    fn keep(&self, blobs: &[Blob]) -> Result<(), RunError>;
}

/// The entry of a run in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    /// The id.
    pub id: RunId,
    /// Its start, in microseconds since 1970-01-01 UTC; `None` when its first line is lost.
    pub start_us: Option<u64>,
    /// Its duration; `None` while it is under way, and when it was killed.
    pub duration_us: Option<u64>,
    /// The data of its root event, as far as it was written: program, input, outcome. A value that is
    /// kept elsewhere is not put back.
    pub data: Value,
    /// The size of its trace in bytes.
    pub bytes: u64,
}
