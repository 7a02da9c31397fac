//! The port of runs: the trace of each as JSON lines, written while it happens, and the texts it saw
//! (AS-29).
//!
//! Decision: texts are kept by digest and asked for by run and digest. Secrets are masked by the
//! store, at the last moment before anything is written.

mod error;
mod id;
mod log;
mod select;
mod tree;

pub use error::RunError;
pub use id::RunId;
pub use log::{EXPORT_VERSION, LINE_BYTES, RunLog, digests_in};
pub use select::select;
pub use tree::TraceTree;

use crate::masker::Masker;
use contexture_context::manifest::Blob;
use contexture_context::{Digest, TraceEvent};
use serde_json::Value;
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
    /// The data of its root event, as far as it was written: program, input, outcome.
    pub data: Value,
    /// The size of its trace in bytes.
    pub bytes: u64,
}
