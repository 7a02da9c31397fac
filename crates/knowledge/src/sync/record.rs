//! The record of a sync: which files of the sources the pages were made of.

use super::error::SyncError;
use super::source::Source;
use super::{PAGES, formats};
use crate::files::{head, replace, told};
use contexture_context::Digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The name of the record in the folder of the pages. It is hidden, so it is not part of the pack.
pub const RECORD: &str = ".source.json";

/// The form that is written and understood.
const VERSION: u32 = 1;

/// The largest record that is read, in bytes: about 300 for each file of a source.
const MAX_BYTES: u64 = 512 << 20;

/// What a pack was made of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    version: u32,
    /// The version of the formats that made the pages: other ones may make others.
    formats: u32,
    /// The sources, relative to the base or absolute.
    pub(super) sources: Vec<String>,
    /// The files that were read, by their paths in the source.
    pub(super) files: BTreeMap<String, Known>,
}

/// A file of a source as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    pub(super) bytes: u64,
    pub(super) modified_ns: u64,
    pub(super) read_ns: u64,
    pub(super) digest: Digest,
    pub(super) outcome: Outcome,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Outcome {
    Page(Page),
    /// The reason why it is not a page.
    Skipped(String),
}

/// A page as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    /// Its path in the folder of the pages.
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) modified_ns: u64,
    pub(super) sections: u64,
}

impl Record {
    /// Returns the record of a pack that has no pages yet.
    pub(super) fn new(sources: &[Source]) -> Self {
        let sources = sources.iter().map(|source| source.recorded.clone()).collect();
        Self { version: VERSION, formats: formats::VERSION, sources, files: BTreeMap::new() }
    }

    /// Returns the record with what is known for these sources and the present formats: nothing
    /// when the sources are other ones.
    pub(super) fn of_sources(&self, sources: &[Source]) -> Self {
        let new = Self::new(sources);
        let is_same = self.sources == new.sources && self.formats == new.formats;
        Self { files: if is_same { self.files.clone() } else { BTreeMap::new() }, ..new }
    }

    /// Returns the paths of the pages.
    pub(super) fn pages(&self) -> impl Iterator<Item = &Page> {
        self.files.values().filter_map(|known| match &known.outcome {
            Outcome::Page(page) => Some(page),
            Outcome::Skipped(_) => None,
        })
    }

    /// Reads the record of a pack; `None` when it has none.
    pub(super) fn read(pack: &Path) -> Result<Option<Self>, SyncError> {
        let path = pack.join(PAGES).join(RECORD);
        let wrong = |reason: String| SyncError::BadRecord { path: path.clone(), reason };
        let bytes = match head(&path, MAX_BYTES + 1) {
            Ok(bytes) if bytes.len() as u64 > MAX_BYTES => {
                return Err(wrong(format!("it is larger than {MAX_BYTES} bytes")));
            }
            Ok(bytes) => bytes,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(wrong(told(&error))),
        };
        let record: Self =
            serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
        if record.version != VERSION {
            let version = record.version;
            return Err(wrong(format!("it has version {version}, expected {VERSION}")));
        }
        Ok(Some(record))
    }

    /// Writes the record into the folder of the pages, whole or not at all.
    pub(super) fn write(&self, pages: &Path) -> Result<(), SyncError> {
        let path = pages.join(RECORD);
        let bytes = serde_json::to_vec(self).map_err(io::Error::from);
        let written = bytes.and_then(|bytes| replace(&path, &bytes, true));
        written.map_err(|error| SyncError::not_written(&path, &error))
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
