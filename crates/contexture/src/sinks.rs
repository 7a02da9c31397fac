//! The destinations of traces: the store of the workspace, and a file (AS-29).

use crate::project::{Project, runs};
use crate::recorder::TraceSink;
use contexture_context::manifest::Blob;
use contexture_context::{Digest, TRACE_VERSION};
use contexture_store::home;
use contexture_store::masker::Masker;
use contexture_store::runs::RunWriter;
use serde_json::json;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Begins a run in the workspace's store; returns its id and its sink.
///
/// # Errors
/// The reason why the store can't be used.
pub(crate) fn store(
    project: &Project,
    masker: &Arc<Masker>,
) -> Result<(String, Box<dyn TraceSink>), String> {
    let writer = runs(project).begin(Arc::clone(masker)).map_err(|error| error.to_string())?;
    Ok((writer.id().to_string(), Box::new(StoreSink(writer))))
}

struct StoreSink(Box<dyn RunWriter>);

impl TraceSink for StoreSink {
    fn append(&self, lines: &str) -> Result<(), String> {
        self.0.append_lines(lines).map_err(|error| error.line())
    }

    fn keep(&self, blobs: &[Blob]) -> Result<(), String> {
        self.0.keep(blobs).map_err(|error| error.line())
    }
}

/// Creates a file of JSON lines, for its owner alone, that holds events and, once each, the texts they name:
/// `{"v": 1, "kind": "text", "data": {"digest": …, "text": …}}`.
///
/// # Errors
/// The reason why the file can't be written.
pub(crate) fn file(path: &Path, masker: &Arc<Masker>) -> io::Result<Box<dyn TraceSink>> {
    let file = home::create_private(path)?;
    let written = Mutex::new((file, HashSet::new()));
    Ok(Box::new(FileSink { masker: Arc::clone(masker), written }))
}

struct FileSink {
    masker: Arc<Masker>,
    /// The file, and the texts that are in it.
    written: Mutex<(File, HashSet<Digest>)>,
}

impl TraceSink for FileSink {
    fn append(&self, lines: &str) -> Result<(), String> {
        let lines = self.masker.lines(lines);
        let (file, _) = &mut *self.written.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(lines.as_bytes()).map_err(|error| error.to_string())
    }

    fn keep(&self, blobs: &[Blob]) -> Result<(), String> {
        let (file, kept) = &mut *self.written.lock().unwrap_or_else(PoisonError::into_inner);
        for blob in blobs.iter().filter(|blob| kept.insert(blob.digest.clone())) {
            let data = json!({ "digest": blob.digest, "text": self.masker.text(&blob.text) });
            let line = json!({ "v": TRACE_VERSION, "kind": "text", "data": data });
            writeln!(file, "{line}").map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}
