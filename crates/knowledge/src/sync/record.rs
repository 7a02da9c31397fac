//! The record of a sync: which files of the sources the pages were made of.
//!
//! The form is JSON lines: a line with the sources and the number of files, then a line for each
//! file. Each sync reads all of it, so a line is a list without names.

use super::error::SyncError;
use super::source::Source;
use super::walk::Stat;
use super::{PAGES, formats};
use crate::files::{head, replace, told};
use contexture_context::Digest;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

/// The name of the record in the folder of the pages. It is hidden, so it is not part of the pack.
pub const RECORD: &str = ".source.jsonl";

/// The form that is written and understood.
const VERSION: u32 = 2;

/// The largest record that is read, in bytes: about 250 for each file of a source.
const MAX_BYTES: u64 = 512 << 20;

/// What a pack was made of.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// The version of the formats that made the pages: other ones may make others.
    formats: u32,
    /// The sources, relative to the base or absolute.
    sources: Vec<String>,
    /// The files that were read, by their paths in the source.
    pub(super) files: HashMap<String, Known>,
}

/// A file of a source as it was read.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) stat: Stat,
    pub(super) read_ns: u64,
    pub(super) digest: Digest,
    pub(super) outcome: Outcome,
}

/// What became of a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Page(Page),
    /// The reason why it is not a page.
    Skipped(String),
}

/// A page as it was written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "(String, u64, u64, u64)", into = "(String, u64, u64, u64)")]
pub(super) struct Page {
    /// Its path in the folder of the pages.
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) modified_ns: u64,
    pub(super) sections: u64,
}

impl From<(String, u64, u64, u64)> for Page {
    fn from((path, bytes, modified_ns, sections): (String, u64, u64, u64)) -> Self {
        Self { path, bytes, modified_ns, sections }
    }
}

impl From<Page> for (String, u64, u64, u64) {
    fn from(page: Page) -> Self {
        (page.path, page.bytes, page.modified_ns, page.sections)
    }
}

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    version: u32,
    formats: u32,
    sources: Vec<String>,
    /// The number of lines that follow.
    pub(super) files: usize,
}

impl Header {
    /// Reports whether the record is about these sources and the present formats; else nothing is known of
    /// their files.
    pub(super) fn is_of(&self, sources: &[Source]) -> bool {
        is_of((self.formats, &self.sources), sources)
    }
}

fn is_of((formats, recorded): (u32, &[String]), sources: &[Source]) -> bool {
    formats == formats::VERSION && recorded.iter().eq(sources.iter().map(|source| &source.recorded))
}

/// A file: its path, its size, the times of its content, of its entry and of its reading, its
/// digest, and what became of it.
pub(super) type Line<Path, Digest, Outcome> = (Path, u64, u64, u64, u64, Digest, Outcome);

impl Record {
    /// Returns the record of a pack that has no pages yet.
    pub(super) fn new(sources: &[Source]) -> Self {
        let sources = sources.iter().map(|source| source.recorded.clone()).collect();
        Self { formats: formats::VERSION, sources, files: HashMap::new() }
    }

    /// Reports whether it is about these sources and the present formats; else nothing is known of
    /// their files.
    pub(super) fn is_of(&self, sources: &[Source]) -> bool {
        is_of((self.formats, &self.sources), sources)
    }

    /// Reports whether it is about these sources, whichever formats made the pages.
    pub(super) fn names(&self, sources: &[Source]) -> bool {
        is_of((formats::VERSION, &self.sources), sources)
    }

    /// Returns the pages.
    pub(super) fn pages(&self) -> impl Iterator<Item = &Page> {
        self.files.values().filter_map(|known| match &known.outcome {
            Outcome::Page(page) => Some(page),
            Outcome::Skipped(_) => None,
        })
    }

    /// Reads the record of a pack; `None` when it has none.
    pub(super) fn read(pack: &Path) -> Result<Option<Self>, SyncError> {
        Self::bytes(pack)?.map(|bytes| Self::of(pack, &bytes)).transpose()
    }

    /// Returns the bytes of the record of a pack; `None` when it has none.
    pub(super) fn bytes(pack: &Path) -> Result<Option<Vec<u8>>, SyncError> {
        let path = path_of(pack);
        match head(&path, MAX_BYTES + 1) {
            Ok(bytes) if bytes.len() as u64 > MAX_BYTES => {
                let reason = format!("it is larger than {MAX_BYTES} bytes");
                Err(SyncError::BadRecord { path, reason })
            }
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(SyncError::BadRecord { path, reason: told(&error) }),
        }
    }

    /// Reads the bytes of the record of a pack.
    pub(super) fn of(pack: &Path, bytes: &[u8]) -> Result<Self, SyncError> {
        let wrong = |reason| SyncError::BadRecord { path: path_of(pack), reason };
        Self::parse(bytes).map_err(wrong)
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut lines = bytes.split(|byte| *byte == b'\n');
        let header = parse_header(lines.next().unwrap_or_default())?;
        // The number is of the file: memory is taken for what is really there.
        let mut files = HashMap::with_capacity(header.files.min(bytes.len() / 100));
        for (number, line) in lines.filter(|line| !line.is_empty()).enumerate() {
            let read: Result<Line<String, Digest, Outcome>, _> = serde_json::from_slice(line);
            let (path, bytes, modified_ns, changed_ns, read_ns, digest, outcome) =
                read.map_err(|error| format!("line {}: {error}", number + 2))?;
            let stat = Stat { bytes, modified_ns, changed_ns };
            files.insert(path, Known { stat, read_ns, digest, outcome });
        }
        if files.len() != header.files {
            let (found, expected) = (files.len(), header.files);
            return Err(format!("it names {found} files, expected {expected}"));
        }
        Ok(Self { formats: header.formats, sources: header.sources, files })
    }

    /// Reads the sources of a pack alone; `None` when it has no record.
    pub(super) fn read_sources(pack: &Path) -> Result<Option<Vec<String>>, SyncError> {
        let path = path_of(pack);
        let mut line = Vec::new();
        let read = File::open(&path)
            .and_then(|file| BufReader::new(file.take(MAX_BYTES)).read_until(b'\n', &mut line));
        let header = match read {
            Ok(_) => parse_header(&line),
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => Err(told(&error)),
        };
        match header {
            Ok(header) => Ok(Some(header.sources)),
            Err(reason) => Err(SyncError::BadRecord { path, reason }),
        }
    }

    /// Writes the record into the folder of the pages, whole or not at all.
    pub(super) fn write(&self, pages: &Path) -> Result<(), SyncError> {
        let path = pages.join(RECORD);
        let bytes = self.to_bytes().map_err(io::Error::from);
        let written = bytes.and_then(|bytes| replace(&path, &bytes, true));
        written.map_err(|error| SyncError::not_written(&path, &error))
    }

    fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let Self { formats, sources, files } = self;
        let (formats, sources) = (*formats, sources.clone());
        let header = Header { version: VERSION, formats, sources, files: files.len() };
        let mut bytes = serde_json::to_vec(&header)?;
        bytes.push(b'\n');
        let mut files: Vec<_> = files.iter().collect();
        files.sort_unstable_by_key(|(path, _)| *path);
        for (path, Known { stat, read_ns, digest, outcome }) in files {
            let Stat { bytes: size, modified_ns, changed_ns } = *stat;
            let line: Line<&String, &Digest, &Outcome> =
                (path, size, modified_ns, changed_ns, *read_ns, digest, outcome);
            serde_json::to_writer(&mut bytes, &line)?;
            bytes.push(b'\n');
        }
        Ok(bytes)
    }
}

fn path_of(pack: &Path) -> PathBuf {
    pack.join(PAGES).join(RECORD)
}

pub(super) fn parse_header(line: &[u8]) -> Result<Header, String> {
    let header: Header = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    match header.version {
        VERSION => Ok(header),
        version => Err(format!("it has version {version}, expected {VERSION}")),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
