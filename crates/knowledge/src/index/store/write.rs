//! Writing an index: only files that changed are read and parted again.

use crate::files::now_ns;
use crate::index::schema::{Area, Fields};
use crate::index::state::{Changes, Known, State, nanoseconds};
use crate::index::terms::Language;
use crate::pack::{Pack, PackFile, plain_text};
use crate::said;
use crate::section::sections;
use contexture_context::Digest;
use serde::Serialize;
use std::path::{Path, PathBuf};
use tantivy::indexer::IndexWriterOptions;
use tantivy::{Index, IndexWriter, TantivyError};

pub(crate) const MAX_FILE_BYTES: u64 = 32 << 20;

/// Packs with less to read than this, in bytes, are indexed by one thread.
const SMALL: u64 = 4 << 20;
/// The bytes that one thread may hold in memory before it writes: the engine's minimum and a
/// share for large packs.
const SMALL_MEMORY: usize = 15_000_000;
const LARGE_MEMORY: usize = 48_000_000;
const MAX_THREADS: usize = 4;

/// A report on bringing an index up to date.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IndexReport {
    /// The pack.
    pub pack: String,
    /// The files in the index.
    pub files: u64,
    /// The sections in the index.
    pub sections: u64,
    /// The files that were read for it now.
    pub read: u64,
    /// The files that were taken out of it.
    pub removed: u64,
    /// Its folder; absent when it is in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// The files and links of the folders that are searched which are not in the index, by path;
    /// filled when the index is brought up to date on request (MA-4).
    pub not_indexed: Vec<NotIndexed>,
}

/// A file of a pack that is not in its index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct NotIndexed {
    /// Its path in the pack.
    pub path: String,
    /// Why.
    pub reason: String,
}

impl IndexReport {
    pub(super) fn unchanged(pack: &Pack, state: &State, folder: Option<&Path>) -> Self {
        Self {
            pack: pack.item().name.clone(),
            files: state.files.len() as u64,
            sections: state.sections(),
            folder: folder.map(Path::to_owned),
            ..Self::default()
        }
    }
}

pub(super) struct Writing<'a> {
    pub(super) pack: &'a Pack,
    pub(super) index: &'a Index,
    pub(super) fields: &'a Fields,
    pub(super) folder: Option<&'a Path>,
    /// True if it holds no state yet: one is written even if there is nothing to index.
    pub(super) is_new: bool,
}

impl Writing<'_> {
    /// Takes the changes in and commits them with the state that follows from them.
    pub(super) fn write(
        &self,
        mut state: State,
        changes: &Changes,
    ) -> Result<(State, IndexReport), TantivyError> {
        let before = state.clone();
        state.language.clone_from(&self.pack.item().language);
        let mut writer: Option<IndexWriter> = None;
        let mut read = 0;
        for path in &changes.gone {
            state.files.remove(path);
            self.writer(&mut writer, changes)?.delete_term(self.fields.file(path));
        }
        for (file, area) in &changes.read {
            read += 1;
            self.take_in(&mut state, &mut writer, changes, file, *area)?;
        }
        if state != before || self.is_new {
            let mut writer = match writer {
                Some(writer) => writer,
                None => self.open_writer(changes)?,
            };
            let mut commit = writer.prepare_commit()?;
            commit.set_payload(&state.payload());
            commit.commit()?;
            writer.wait_merging_threads()?;
        }
        let mut report = IndexReport::unchanged(self.pack, &state, self.folder);
        report.read = read;
        report.removed = changes.gone.len() as u64;
        let problems = state.problems();
        report.warnings = problems
            .map(|(path, why)| {
                said::line(&format!("`{}` is not indexed: {why}", said::quote(path)))
            })
            .collect();
        Ok((state, report))
    }

    fn take_in(
        &self,
        state: &mut State,
        writer: &mut Option<IndexWriter>,
        changes: &Changes,
        file: &PackFile,
        area: Area,
    ) -> Result<(), TantivyError> {
        let read_ns = now_ns();
        let text = self.pack.read(&file.path, MAX_FILE_BYTES);
        let of_pack = self.pack.item().language.as_deref();
        let language = text.as_deref().ok().and_then(|text| Language::of_page(text, of_pack));
        let mut known = Known {
            bytes: file.bytes,
            modified_ns: nanoseconds(file.modified_ns),
            read_ns,
            area: area.number(),
            sections: 0,
            language,
            digest: Digest::of_bytes(text.as_deref().unwrap_or_default().as_bytes()),
            problem: text.as_ref().err().map(ToString::to_string),
        };
        let old = state.files.get(&file.path);
        let is_same = |old: &Known| {
            (&old.digest, old.area, &old.problem, old.language)
                == (&known.digest, known.area, &known.problem, known.language)
        };
        if let Some(old) = old.filter(|old| is_same(old)) {
            known.sections = old.sections;
            let was_tried = known.problem.is_some() || known.modified_ns > read_ns;
            if was_tried && (old.bytes, old.modified_ns) == (known.bytes, known.modified_ns) {
                known.read_ns = old.read_ns;
            }
            state.files.insert(file.path.clone(), known);
            return Ok(());
        }
        let had_sections = old.is_some_and(|old| old.sections > 0);
        let text = plain_text(text.unwrap_or_default());
        let sections = sections(&file.path, &text);
        if had_sections || !sections.is_empty() {
            let writer = self.writer(writer, changes)?;
            if had_sections {
                writer.delete_term(self.fields.file(&file.path));
            }
            for section in &sections {
                writer.add_document(self.fields.document(
                    (&file.path, area),
                    section,
                    &text,
                    language,
                ))?;
            }
        }
        known.sections = u32::try_from(sections.len()).unwrap_or(u32::MAX);
        state.files.insert(file.path.clone(), known);
        Ok(())
    }

    fn writer<'w>(
        &self,
        writer: &'w mut Option<IndexWriter>,
        changes: &Changes,
    ) -> Result<&'w mut IndexWriter, TantivyError> {
        match writer {
            Some(writer) => Ok(writer),
            None => Ok(writer.insert(self.open_writer(changes)?)),
        }
    }

    fn open_writer(&self, changes: &Changes) -> Result<IndexWriter, TantivyError> {
        let bytes: u64 = changes.read.iter().map(|(file, _)| file.bytes).sum();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (threads, memory) =
            if bytes < SMALL { (1, SMALL_MEMORY) } else { (cores.min(MAX_THREADS), LARGE_MEMORY) };
        let options = IndexWriterOptions::builder()
            .num_worker_threads(threads)
            .memory_budget_per_thread(memory)
            .num_merge_threads(1)
            .build();
        self.index.writer_with_options(options)
    }
}
