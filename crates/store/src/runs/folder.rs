//! Runs in a folder (`.contexture/` of a workspace).
//!
//! ```text
//! .gitignore                    so that none of it but definitions and packs is committed
//! runs/<id>.jsonl               the trace of a run, one event per line
//! runs/<id>.texts.jsonl         the small texts that it kept without a larger one
//! runs/<id>.places              where its model calls stand, if it is long
//! runs/runs.index.jsonl         an entry for each run that has ended
//! texts/parts.db                larger texts of all runs, and small ones kept with them, by digest, in
//!                               parts that they share
//! texts/<2 hex>/<62 hex>        a larger text of an earlier version
//! ```
//!
//! Decision, by measurement (1 KB texts, ext4, per text): a line in a file that is open costs
//! 2 µs, a file of its own 44 µs and a disk block, a row in SQLite 36 µs and, before the first, 2 ms
//! and 4 MB to open it. A text of a few kilobytes is therefore cheaper to repeat in each run than to
//! share; larger ones are shared by their parts, so that ten runs over one large file keep it once, and
//! a list that grows keeps what is new. Nothing is opened until there is something to write.

mod listed;
#[cfg(feature = "sqlite")]
mod parts;
#[cfg(not(feature = "sqlite"))]
#[path = "folder/parts_missing.rs"]
mod parts;
mod places;
mod shared;
#[cfg(test)]
mod tests;
mod texts;
mod upkeep;
mod writer;

use super::{LINE_BYTES, RunEntry, RunHead, RunList};
use super::{RunError, RunId, RunLog, RunStore, RunSummary, RunWriter};
use crate::home;
use crate::masker::Masker;
use crate::stamp::Ids;
use contexture_context::{Digest, TraceEvent};
use contexture_core::store::reason;
use listed::Listed;
use parts::Parts;
use places::{About, Chosen, Place, Places};
use serde_json::Value;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use texts::TextReader;
use writer::FolderRun;

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
    parts: Arc<Parts>,
}

impl FolderStore {
    /// Creates a store of the runs in `folder`, which need not exist.
    #[must_use]
    pub fn new(folder: PathBuf, ids: Ids) -> Self {
        let parts = Arc::new(Parts::new(&folder));
        let texts = TextReader::new(folder.clone(), Arc::clone(&parts));
        Self { folder, ids, texts, parts }
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

impl FolderStore {
    fn places_file(&self, id: &RunId) -> PathBuf {
        self.folder.join("runs").join(format!("{id}.places"))
    }

    fn bytes(&self, id: &RunId) -> Option<u64> {
        Some(self.trace(id).metadata().ok()?.len())
    }

    /// Returns the places of a trace. Those of a long one are kept, so that it is searched once.
    fn places(&self, id: &RunId, file: &File) -> Result<Places, RunError> {
        let fail = |error: std::io::Error| failed(&self.trace(id), &error);
        let bytes = file.metadata().map_err(fail)?.len();
        let path = self.places_file(id);
        let kept = if bytes > places::SMALL { Places::load(&path, bytes) } else { None };
        let mut places = kept.unwrap_or_default();
        let known = places.end;
        if known == bytes {
            return Ok(places);
        }
        let is_written = is_written(file);
        places.read_on(file, is_written).map_err(fail)?;
        if places.end.saturating_sub(known) > places::STEP && bytes > places::SMALL && !is_written {
            // Where it can't be kept, the trace is searched again.
            let _ = places.keep(&path);
        }
        Ok(places)
    }
}

impl FolderStore {
    /// Reads the event of a run and these model calls as their lines have them.
    fn written_head(&self, id: &RunId, calls: &RangeInclusive<u64>) -> Result<RunHead, RunError> {
        let file = self.open(id)?;
        let bytes = file.metadata().map_err(|error| failed(&self.trace(id), &error))?.len();
        let path = self.places_file(id);
        let chosen = match Chosen::load(&path, bytes, calls) {
            Some(chosen) => chosen,
            None => Chosen::of(&self.places(id, &file)?, calls),
        };
        if let Some(head) = read_head(id, &file, chosen, true)? {
            return Ok(head);
        }
        // The file of places belongs to another trace, or a line of a call is damaged.
        let _ = std::fs::remove_file(&path);
        let chosen = Chosen::of(&self.places(id, &file)?, calls);
        read_head(id, &file, chosen, false)?.ok_or(RunError::None)
    }

    /// Notes that a trace has no event, unless its run has only begun.
    fn note_empty(&self, log: &mut RunLog) {
        if log.events.is_empty() && log.notes.is_empty() && !self.is_running(&log.id) {
            log.notes.push("its trace is damaged: it is empty".to_owned());
        }
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
                    let place = (file, Arc::clone(&self.parts));
                    return Ok(Box::new(FolderRun::new(&self.folder, id, masker, place)));
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

    /// Its writer holds a lock on the trace.
    fn is_running(&self, id: &RunId) -> bool {
        self.open(id).is_ok_and(|file| is_written(&file))
    }

    fn load(&self, id: &RunId) -> Result<RunLog, RunError> {
        let mut log = RunLog::read(id.clone(), BufReader::new(self.open(id)?))?;
        self.note_empty(&mut log);
        shared::restore(&mut log, |digest| self.text(id, digest));
        Ok(log)
    }

    fn written(&self, id: &RunId, from: u64, most: usize) -> Result<Vec<u8>, RunError> {
        let mut file = self.open(id)?;
        let mut part = Vec::new();
        let fail = |error: std::io::Error| failed(&self.trace(id), &error);
        // A place far behind the end is not one that systems seek to.
        if from < file.metadata().map_err(fail)?.len() {
            file.seek(SeekFrom::Start(from)).map_err(fail)?;
            file.take(most as u64).read_to_end(&mut part).map_err(fail)?;
        }
        Ok(part)
    }

    fn text(&self, id: &RunId, digest: &Digest) -> Result<Option<String>, RunError> {
        self.texts.get(id, digest)
    }

    fn list(&self, wanted: &dyn Fn(&RunEntry) -> bool, most: usize) -> Result<RunList, RunError> {
        let ids = self.ids()?;
        let listed = Listed::read(&self.folder.join("runs"));
        let mut fresh = Vec::new();
        let mut list = RunList::of(&ids, wanted, most, |id| {
            let is_current =
                |entry: &RunEntry| entry.outcome.is_some() || self.bytes(id) == Some(entry.bytes);
            let mut entry = match listed.get(id).filter(is_current) {
                Some(entry) => entry,
                None => {
                    let entry = self.entry(id)?;
                    fresh.push(entry.clone());
                    entry
                }
            };
            entry.running = entry.outcome.is_none() && self.is_running(id);
            Ok(entry)
        });
        list.notes.extend(listed.add(&fresh, &ids));
        Ok(list)
    }

    fn head(&self, id: &RunId, calls: RangeInclusive<u64>) -> Result<RunHead, RunError> {
        let mut head = self.written_head(id, &calls)?;
        self.note_empty(&mut head.log);
        shared::restore(&mut head.log, |digest| self.text(id, digest));
        Ok(head)
    }

    fn mentions(&self, id: &RunId, text: &str) -> Result<bool, RunError> {
        upkeep::mentions(self, id, text)
    }

    fn check(&self) -> Result<(), RunError> {
        self.parts.check()
    }

    fn remove(&self, runs: &[RunId]) -> Result<Vec<RunId>, RunError> {
        let runs: Vec<RunId> = runs.iter().filter(|id| !self.is_running(id)).cloned().collect();
        upkeep::remove(self, &runs)?;
        Ok(runs)
    }
}

/// Reports whether a run holds its lock on a trace.
fn is_written(file: &File) -> bool {
    let locked = matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock));
    if !locked {
        // It is unlocked with the file at the latest.
        let _ = file.unlock();
    }
    locked
}

/// The most damaged lines that are told one by one.
const TOLD: usize = 10;

/// Reads the event of a run and the chosen model calls at their places; `None` if it is `strict` and
/// a place does not fit.
fn read_head(
    id: &RunId,
    mut file: &File,
    chosen: Chosen,
    strict: bool,
) -> Result<Option<RunHead>, RunError> {
    let (damaged, whole): (Vec<_>, Vec<_>) =
        chosen.places.iter().partition(|place| place.about == About::Damaged);
    let name = |place: &&Place| format!("line {} is skipped: it is not a whole event", place.event);
    let mut notes: Vec<String> = damaged.iter().take(TOLD).map(name).collect();
    let mut lines = Vec::new();
    let mut buffer = Vec::new();
    for place in whole {
        buffer.clear();
        let read = file.seek(SeekFrom::Start(place.start));
        let read = read.and_then(|_| file.take(place.bytes).read_to_end(&mut buffer));
        read.map_err(|error| RunError::Io { path: id.to_string(), reason: reason(&error) })?;
        let event = serde_json::from_slice::<TraceEvent>(&buffer).ok();
        match event.filter(|event| event.id == place.event) {
            Some(event) => lines.push(event),
            None if strict => return Ok(None),
            None => {
                notes.push(format!("a line of event {} is skipped: it is damaged", place.event))
            }
        }
    }
    let log = RunLog::of_lines(id.clone(), lines, notes)?;
    Ok(Some(RunHead { log, calls: chosen.calls, lines: chosen.lines }))
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

fn failed(path: &Path, error: &std::io::Error) -> RunError {
    RunError::Io { path: path.display().to_string(), reason: reason(error) }
}
