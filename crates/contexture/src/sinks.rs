//! Where traces go: the store of the workspace, and a file (AS-29).

use crate::project::Project;
use crate::recorder::TraceSink;
use contexture_context::manifest::Blob;
use contexture_context::{Digest, TRACE_VERSION, TraceEvent};
use contexture_store::runs::{FolderStore, RunStore, RunWriter};
use contexture_store::stamp::Ids;
use serde_json::json;
use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The runs kept in a workspace.
#[must_use]
pub fn runs(project: &Project) -> FolderStore {
    FolderStore::new(project.state_folder(), Ids::system())
}

/// A new run of the workspace's store, with its id.
///
/// # Errors
/// Why the store can't be used.
pub(crate) fn store(project: &Project) -> Result<(String, Box<dyn TraceSink>), String> {
    // The recorder masks what it writes, for all sinks alike.
    let writer = runs(project).begin(Arc::default()).map_err(|error| error.to_string())?;
    Ok((writer.id().to_string(), Box::new(StoreSink(writer))))
}

struct StoreSink(Box<dyn RunWriter>);

impl TraceSink for StoreSink {
    fn append(&self, event: &TraceEvent) -> Result<(), String> {
        self.0.append(event).map_err(|error| error.to_string())
    }

    fn keep(&self, blob: &Blob) -> Result<(), String> {
        self.0.keep(std::slice::from_ref(blob)).map_err(|error| error.to_string())
    }
}

/// A file of JSON lines that holds events and, once each, the texts they name:
/// `{"v": 1, "kind": "text", "data": {"digest": …, "text": …}}`.
///
/// # Errors
/// Why the file can't be written.
pub(crate) fn file(path: &Path) -> Result<Box<dyn TraceSink>, String> {
    let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Box::new(FileSink(Mutex::new((file, HashSet::new())))))
}

struct FileSink(Mutex<(File, HashSet<Digest>)>);

impl TraceSink for FileSink {
    fn append(&self, event: &TraceEvent) -> Result<(), String> {
        let line = serde_json::to_string(event).map_err(|error| error.to_string())?;
        let (file, _) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(file, "{line}").map_err(|error| error.to_string())
    }

    fn keep(&self, blob: &Blob) -> Result<(), String> {
        let (file, kept) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.insert(blob.digest.clone()) {
            return Ok(());
        }
        let data = json!({ "digest": blob.digest, "text": blob.text });
        let line = json!({ "v": TRACE_VERSION, "kind": "text", "data": data });
        writeln!(file, "{line}").map_err(|error| error.to_string())
    }
}
