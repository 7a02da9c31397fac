//! Runs in a folder (`.contexture/` of a workspace).
//!
//! ```text
//! .gitignore                    so that none of it but definitions and packs is committed
//! runs/<id>.jsonl               the trace of a run, one event per line
//! runs/<id>.texts.jsonl         the small texts it kept: {digest, text}
//! texts/<2 hex>/<62 hex>        larger texts, once for all runs, by digest
//! ```
//!
//! Decision, by measurement (1 KB texts, ext4, per text): a line in a file that is open costs
//! 2 µs, a file of its own 44 µs and a disk block, a row in SQLite 36 µs and, before the first, 2 ms
//! and 4 MB to open it. A text of a few kilobytes is therefore cheaper to repeat in each run than to
//! share; larger ones are shared, so that ten runs over one large file keep it once. Nothing is
//! opened until there is something to write.

#[cfg(test)]
mod tests;
mod texts;

use super::LINE_BYTES;
use super::{RunError, RunId, RunLog, RunStore, RunSummary, RunWriter};
use crate::home;
use crate::masker::Masker;
use crate::stamp::Ids;
use contexture_context::manifest::Blob;
use contexture_context::{Digest, TraceEvent};
use contexture_core::store::reason;
use serde_json::Value;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use texts::{TextReader, TextWriter};

/// The bytes at the end of a trace that are searched for the end of its run.
const TAIL_BYTES: u64 = 256 << 10;

/// Runs in a folder.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// use contexture_store::masker::Masker;
/// use contexture_store::runs::{FolderStore, RunStore, select};
/// use contexture_context::{TRACE_VERSION, TraceEvent, TraceKind};
/// use std::sync::Arc;
///
/// let store = FolderStore::new(folder.path().join(".contexture"), contexture_store::stamp::system());
/// let run = store.begin(Arc::new(Masker::new(["sk-12345678".to_owned()])))?;
/// run.append(&TraceEvent {
///     v: TRACE_VERSION,
///     id: 1,
///     parent: None,
///     kind: TraceKind::Run,
///     start_us: 0,
///     duration_us: None,
///     data: "the key is sk-12345678".into(),
/// })?;
/// let log = store.load(&select(&store, "latest")?)?;
/// assert_eq!(log.events[0].data, "the key is •••");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FolderStore {
    folder: PathBuf,
    ids: Ids,
    texts: TextReader,
}

impl FolderStore {
    /// Creates a store of the runs in `folder`, which need not exist.
    #[must_use]
    pub fn new(folder: PathBuf, ids: Ids) -> Self {
        Self { texts: TextReader::new(folder.clone()), folder, ids }
    }

    /// Returns the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates the folders. A symlink in place of the folder would lead the runs elsewhere.
    fn prepare(&self) -> Result<(), RunError> {
        let found = self.folder.symlink_metadata().ok().map(|found| found.file_type());
        let wrong = match found {
            Some(found) if found.is_symlink() => Some("a symlink"),
            Some(found) if !found.is_dir() => Some("a file"),
            _ => None,
        };
        if let Some(wrong) = wrong {
            let path = self.folder.display().to_string();
            return Err(RunError::Io { path, reason: format!("it is {wrong}, expected a folder") });
        }
        let runs = self.folder.join("runs");
        std::fs::create_dir_all(&self.folder)
            .and_then(|()| home::private_folder(&runs))
            .map_err(|error| failed(&runs, &error))?;
        home::ignore(&self.folder).map_err(|error| failed(&self.folder.join(".gitignore"), &error))
    }

    fn trace(&self, id: &RunId) -> PathBuf {
        self.folder.join("runs").join(format!("{id}.jsonl"))
    }

    fn open(&self, id: &RunId) -> Result<File, RunError> {
        let path = self.trace(id);
        File::open(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => RunError::Unknown { asked: id.to_string(), similar: None },
            _ => failed(&path, &error),
        })
    }
}

impl RunStore for FolderStore {
    fn begin(&self, masker: Arc<Masker>) -> Result<Box<dyn RunWriter>, RunError> {
        self.prepare()?;
        loop {
            let (id, _) = self.ids.next();
            let id = RunId::parse(&id).ok_or(RunError::None)?;
            let path = self.trace(&id);
            match home::private_file().append(true).create_new(true).open(&path) {
                Ok(file) => {
                    let texts = Mutex::new(TextWriter::new(&self.folder, &id));
                    let events = Mutex::new(Events { path, file, torn: false });
                    return Ok(Box::new(FolderRun { id, masker, events, texts }));
                }
                // A fixed stamp may give an id again.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(&path, &error)),
            }
        }
    }

    fn ids(&self) -> Result<Vec<RunId>, RunError> {
        let runs = self.folder.join("runs");
        let entries = match std::fs::read_dir(&runs) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(&runs, &error)),
        };
        let id_of = |entry: std::io::Result<std::fs::DirEntry>| {
            let name = entry.ok()?.file_name();
            RunId::parse(name.to_str()?.strip_suffix(".jsonl")?)
        };
        let mut ids: Vec<RunId> = entries.filter_map(id_of).collect();
        ids.sort_unstable_by(|left, right| right.cmp(left));
        Ok(ids)
    }

    fn summary(&self, id: &RunId) -> Result<RunSummary, RunError> {
        let mut file = self.open(id)?;
        let fail = |error: std::io::Error| failed(&self.trace(id), &error);
        let bytes = file.metadata().map_err(fail)?.len();
        let mut head = Vec::new();
        (&mut file).take(TAIL_BYTES).read_to_end(&mut head).map_err(fail)?;
        let tail = tail(&file, bytes).map_err(fail)?;
        let parse = |line: &[u8]| serde_json::from_slice::<TraceEvent>(line).ok();
        let first = head.split(|byte| *byte == b'\n').find_map(parse);
        let last = first.as_ref().and_then(|first| {
            let mut lines = tail.rsplit(|byte| *byte == b'\n').filter_map(parse);
            lines.find(|event| event.id == first.id)
        });
        let root = match (first, last) {
            (Some(mut first), Some(last)) => {
                first.absorb(last);
                Some(first)
            }
            (first, last) => last.or(first),
        };
        Ok(RunSummary {
            id: id.clone(),
            start_us: root.as_ref().map(|root| root.start_us),
            duration_us: root.as_ref().and_then(|root| root.duration_us),
            data: root.map_or(Value::Null, |root| root.data),
            bytes,
        })
    }

    fn load(&self, id: &RunId) -> Result<RunLog, RunError> {
        RunLog::read(id.clone(), BufReader::new(self.open(id)?))
    }

    fn text(&self, id: &RunId, digest: &Digest) -> Result<Option<String>, RunError> {
        self.texts.get(id, digest)
    }
}

/// Returns the end of a file: [`TAIL_BYTES`], or as many as its last line has.
fn tail(mut file: &File, bytes: u64) -> std::io::Result<Vec<u8>> {
    let mut wanted = TAIL_BYTES;
    loop {
        let mut tail = Vec::new();
        file.seek(SeekFrom::Start(bytes.saturating_sub(wanted)))?;
        file.take(wanted).read_to_end(&mut tail)?;
        let lines = tail.trim_ascii_end();
        if wanted >= bytes || wanted >= LINE_BYTES || lines.contains(&b'\n') {
            return Ok(tail);
        }
        wanted = wanted.saturating_mul(8);
    }
}

struct FolderRun {
    id: RunId,
    masker: Arc<Masker>,
    events: Mutex<Events>,
    texts: Mutex<TextWriter>,
}

struct Events {
    path: PathBuf,
    file: File,
    /// True if the last write failed and may have left half a line.
    torn: bool,
}

impl RunWriter for FolderRun {
    fn id(&self) -> &RunId {
        &self.id
    }

    fn append_lines(&self, lines: &str) -> Result<(), RunError> {
        let mut log = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines = self.masker.lines(lines);
        if log.torn {
            lines.to_mut().insert(0, '\n');
        }
        let written = log.file.write_all(lines.as_bytes());
        log.torn = written.is_err();
        written.map_err(|error| failed(&log.path, &error))
    }

    fn keep(&self, blobs: &[Blob]) -> Result<(), RunError> {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.keep(blobs, &self.masker)
    }
}

fn failed(path: &Path, error: &std::io::Error) -> RunError {
    RunError::Io { path: path.display().to_string(), reason: reason(error) }
}
