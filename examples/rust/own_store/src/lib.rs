//! Stores outside Contexture: of runs, a folder for each, with its trace and its texts in two files of
//! JSON lines; and of [contexts](contexts), as rows of tables. `tests/contract.rs` runs Contexture's
//! own suites over them.

pub mod contexts;

use contexture_core::context::manifest::Blob;
use contexture_core::context::{Digest, TraceKind};
use contexture_core::masker::Masker;
use contexture_core::stamp::Ids;
use contexture_core::store::runs::{
    LINE_BYTES, RunError, RunId, RunLog, RunStore, RunSummary, RunWriter,
};
use contexture_core::store::{lines, reason};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

const TRACE: &str = "trace.jsonl";
const TEXTS: &str = "texts.jsonl";

/// Runs in a folder.
#[derive(Debug)]
pub struct JsonLines {
    folder: PathBuf,
    ids: Ids,
}

impl JsonLines {
    /// The runs in `folder`, which is made when the first one begins.
    #[must_use]
    pub fn new(folder: PathBuf, ids: Ids) -> Self {
        Self { folder, ids }
    }

    /// Opens a file of a run that is there.
    fn open(&self, id: &RunId, name: &str) -> Result<BufReader<File>, RunError> {
        let path = self.folder.join(id.as_str()).join(name);
        match File::open(&path) {
            Ok(file) => Ok(BufReader::new(file)),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(RunError::Unknown { asked: id.to_string(), similar: None })
            }
            Err(error) => Err(failed(&path, &error)),
        }
    }
}

impl RunStore for JsonLines {
    fn begin(&self, masker: Arc<Masker>) -> Result<Box<dyn RunWriter>, RunError> {
        let id = RunId::parse(&self.ids.next().0).ok_or(RunError::None)?;
        let folder = self.folder.join(id.as_str());
        let file = |name| OpenOptions::new().create(true).append(true).open(folder.join(name));
        let files = fs::create_dir_all(&folder).and_then(|()| Ok((file(TRACE)?, file(TEXTS)?)));
        let (trace, texts) = files.map_err(|error| failed(&folder, &error))?;
        let (trace, texts) = (Mutex::new(trace), Mutex::new((texts, HashSet::new())));
        Ok(Box::new(Writer { id, folder, masker, trace, texts }))
    }

    fn ids(&self) -> Result<Vec<RunId>, RunError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(&self.folder, &error)),
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut ids: Vec<RunId> = names.filter_map(|name| RunId::parse(&name)).collect();
        // An id begins with its time.
        ids.sort_by(|left, right| right.cmp(left));
        Ok(ids)
    }

    fn summary(&self, id: &RunId) -> Result<RunSummary, RunError> {
        let log = self.load(id)?;
        let path = self.folder.join(id.as_str()).join(TRACE);
        let bytes = fs::metadata(&path).map_err(|error| failed(&path, &error))?.len();
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
        RunLog::read(id.clone(), self.open(id, TRACE)?)
    }

    fn text(&self, id: &RunId, digest: &Digest) -> Result<Option<String>, RunError> {
        let wanted = digest.to_string();
        let mut found = None;
        let read = lines::read(self.open(id, TEXTS)?, LINE_BYTES, |line| {
            let Ok(mut value) = line.value else { return };
            if value["digest"] == *wanted
                && let Value::String(text) = value["text"].take()
            {
                found.get_or_insert(text);
            }
        });
        read.map_err(|error| failed(&self.folder, &error))?;
        Ok(found)
    }
}

struct Writer {
    id: RunId,
    folder: PathBuf,
    masker: Arc<Masker>,
    trace: Mutex<File>,
    /// The file, and what is in it.
    texts: Mutex<(File, HashSet<Digest>)>,
}

impl RunWriter for Writer {
    fn id(&self) -> &RunId {
        &self.id
    }

    fn append_lines(&self, lines: &str) -> Result<(), RunError> {
        let lines = self.masker.lines(lines);
        let mut trace = self.trace.lock().unwrap_or_else(PoisonError::into_inner);
        trace.write_all(lines.as_bytes()).map_err(|error| failed(&self.folder, &error))
    }

    fn keep(&self, blobs: &[Blob]) -> Result<(), RunError> {
        let (file, kept) = &mut *self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        for blob in blobs {
            if kept.contains(&blob.digest) {
                continue;
            }
            let text = self.masker.text(&blob.text);
            let line = json!({ "digest": blob.digest.to_string(), "text": text });
            writeln!(file, "{line}").map_err(|error| failed(&self.folder, &error))?;
            kept.insert(blob.digest.clone());
        }
        Ok(())
    }
}

fn failed(path: &Path, error: &io::Error) -> RunError {
    RunError::Io { path: path.display().to_string(), reason: reason(error) }
}
