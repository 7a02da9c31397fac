//! Writes a run, and what is needed to find it and its calls again.

use super::parts::Parts;
use super::places::{About, Places, SMALL, STEP};
use super::texts::TextWriter;
use super::{failed, listed, shared};
use crate::home;
use crate::masker::Masker;
use crate::runs::{RunEntry, RunError, RunId, RunSummary, RunWriter};
use contexture_context::TraceEvent;
use contexture_context::manifest::Blob;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub(super) struct FolderRun {
    id: RunId,
    runs: PathBuf,
    masker: Arc<Masker>,
    events: Mutex<Events>,
    texts: Mutex<TextWriter>,
    parts: Arc<Parts>,
}

struct Events {
    file: File,
    /// True if the last write failed and may have left half a line.
    torn: bool,
    /// The places that are not in the file of places.
    places: Places,
    kept: Kept,
    /// The event of the run itself, as far as it was written.
    root: Option<TraceEvent>,
}

/// The file of places.
enum Kept {
    /// The trace is short.
    Not,
    /// With the end of the trace that it knows.
    In(File, u64),
    /// It can't be written: the trace is searched when it is read.
    Failed,
}

impl FolderRun {
    pub(super) fn new(
        folder: &Path,
        id: RunId,
        masker: Arc<Masker>,
        (file, parts): (File, Arc<Parts>),
    ) -> Self {
        // A system without locks has runs that look as if they had been killed while they run.
        let _ = file.try_lock();
        let texts = Mutex::new(TextWriter::new(folder, &id, Arc::clone(&parts)));
        let places = Places::default();
        let events = Events { file, torn: false, places, kept: Kept::Not, root: None };
        Self { id, runs: folder.join("runs"), masker, events: Mutex::new(events), texts, parts }
    }

    fn file(&self, ending: &str) -> PathBuf {
        self.runs.join(format!("{}.{ending}", self.id))
    }

    /// Notes where the lines stand, and lists the run with its last one.
    fn note(&self, log: &mut Events, lines: &str) {
        for line in lines.split_inclusive('\n') {
            let known = log.places.all.len();
            log.places.add(line.as_bytes());
            if log.places.all.get(known).is_some_and(|place| place.about == About::Run)
                && let Some(short) = shared::without_value(line)
                && let Ok(event) = serde_json::from_str::<TraceEvent>(&short)
            {
                match &mut log.root {
                    Some(root) => root.absorb(event),
                    None => log.root = Some(event),
                }
            }
        }
        let has_ended = log.root.as_ref().is_some_and(|root| root.duration_us.is_some());
        self.keep_places(log, has_ended);
        let Some(root) = log.root.take_if(|root| root.duration_us.is_some()) else { return };
        let summary = RunSummary {
            id: self.id.clone(),
            start_us: Some(root.start_us),
            duration_us: root.duration_us,
            data: root.data,
            bytes: log.places.end,
        };
        if RunEntry::is_summed_up(&summary) {
            listed::add(&self.runs, &RunEntry::of(&summary));
        }
    }

    /// Writes the places of a long trace, now and then and at its end: a write for each line would
    /// cost as much as that of the line.
    fn keep_places(&self, log: &mut Events, has_ended: bool) {
        let Events { places, kept, .. } = log;
        let is_new = match kept {
            Kept::Failed => return places.all.clear(),
            Kept::Not if places.end <= SMALL => return,
            Kept::Not => true,
            Kept::In(_, end) if !has_ended && places.end - *end < STEP => return,
            Kept::In(..) => false,
        };
        let path = self.file("places");
        let records = places.records(is_new);
        places.all.clear();
        let written = match std::mem::replace(kept, Kept::Failed) {
            Kept::In(mut file, _) => file.write_all(&records).map(|()| file),
            _ => home::create_private(&path).and_then(|mut file| {
                file.write_all(&records)?;
                Ok(file)
            }),
        };
        match written {
            Ok(file) => *kept = Kept::In(file, places.end),
            Err(_) => drop(std::fs::remove_file(path)),
        }
    }
}

impl RunWriter for FolderRun {
    fn id(&self) -> &RunId {
        &self.id
    }

    fn append_lines(&self, lines: &str) -> Result<(), RunError> {
        let mut log = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines = shared::shorten(self.masker.lines(lines), &self.parts);
        let fail = |error: std::io::Error| failed(&self.file("jsonl"), &error);
        if log.torn {
            lines.to_mut().insert(0, '\n');
            log.places.end = log.file.metadata().map_err(fail)?.len();
        }
        let written = log.file.write_all(lines.as_bytes());
        log.torn = written.is_err();
        written.map_err(fail)?;
        self.note(&mut log, &lines);
        Ok(())
    }

    fn keep(&self, blobs: &[Blob]) -> Result<(), RunError> {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.keep(blobs, &self.masker)
    }
}
