//! The log of what was used: one JSON line per use, with exactly the fields of the format (KN-15).
//!
//! Decision: a line is one write to a file opened for appending, under a lock of the file, so
//! that processes that log at once never mix their lines. A last line that was torn off by a crash
//! is reported by the reader and fixed by the next writer, who begins a line of its own.
//!
//! ```
//! use contexture_knowledge::usage::UsageLog;
//!
//! let folder = tempfile::tempdir()?;
//! let log = UsageLog::read(&folder.path().join("usage.jsonl"))?;
//! assert!(log.lines.is_empty() && log.faults.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod read;
mod summary;

pub use summary::Summary;

use crate::item::{CatalogItem, Grounding, Profile, RuntimeMode, Status};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The name of the log, in `.contexture/` of the workspace or in `runs/` of the pack.
pub const FILE: &str = "usage.jsonl";
/// The longest line written or read, in bytes.
pub const MAX_LINE: usize = 1 << 20;

/// One use of a pack, with the fields of the format in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UsageLine {
    /// The name of the pack.
    pub pack: String,
    /// Its version; `null` when it has none.
    pub version: Option<String>,
    /// Its status.
    pub status: Status,
    /// Its effective profile.
    pub profile: Profile,
    /// Its effective runtime mode.
    pub runtime_mode: RuntimeMode,
    /// The files that the context was taken from, relative to the pack, in the order selected.
    pub selected_files: Vec<String>,
    /// The grounding policy that applied.
    pub grounding: Grounding,
    /// The claims without a source.
    pub citation_gaps: Vec<Value>,
    /// The warnings that the reader got.
    pub warnings: Vec<String>,
    /// When, in UTC: `2026-05-01T00:00:00Z`.
    pub timestamp: String,
}

impl UsageLine {
    /// Returns a use of that pack at that time, of which nothing was selected yet.
    #[must_use]
    pub fn of(item: &CatalogItem, timestamp: impl Into<String>) -> Self {
        Self {
            pack: item.name.clone(),
            version: item.version.clone(),
            status: item.status,
            profile: item.profile,
            runtime_mode: item.runtime.mode,
            selected_files: Vec::new(),
            grounding: item.grounding,
            citation_gaps: Vec::new(),
            warnings: Vec::new(),
            timestamp: timestamp.into(),
        }
    }
}

/// Why a log could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// The system refused.
    #[error("can't {action} the usage log {}: {source}", path.display())]
    Io {
        /// The operation that failed.
        action: &'static str,
        /// The log.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The log, or its folder, is a symlink.
    #[error(
        "the usage log is not written: `{}` is a symlink, which could lead anywhere; put a file or \
         folder in its place",
        path.display()
    )]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// The line is too long.
    #[error(
        "a use of `{pack}` takes {bytes} bytes in the usage log, and a line has at most \
         {MAX_LINE}: select fewer files"
    )]
    TooLong {
        /// The pack.
        pack: String,
        /// The length of the line.
        bytes: usize,
    },
}

/// A line of a log that is not a use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The line, counted from 1.
    pub line: u64,
    /// True if it is the last line and was torn off in the middle.
    pub torn: bool,
    /// The fault in it.
    pub message: String,
}

/// The content of a usage log.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct UsageLog {
    /// The uses, oldest first.
    pub lines: Vec<UsageLine>,
    /// The lines that could not be read.
    pub faults: Vec<Fault>,
}

impl UsageLog {
    /// Adds one line to the log at `path`; the log and its folder are made when there are none.
    ///
    /// # Errors
    /// A log that cannot be opened or written, and a line longer than [`MAX_LINE`].
    pub fn append(path: &Path, line: &UsageLine) -> Result<(), UsageError> {
        let mut text = serde_json::to_string(line)
            .map_err(io::Error::from)
            .map_err(fault("write a line to", path))?;
        if text.len() >= MAX_LINE {
            return Err(UsageError::TooLong { pack: line.pack.clone(), bytes: text.len() });
        }
        text.push('\n');
        refuse_links(path)?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(fault("make the folder of", path))?;
        }
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(fault("open", path))?;
        // The lock is given back when the file is closed.
        file.lock().map_err(fault("lock", path))?;
        if !ends_in_a_line(&mut file).map_err(fault("read", path))? {
            text.insert(0, '\n');
        }
        file.write_all(text.as_bytes()).map_err(fault("write to", path))
    }

    /// Reads the log at `path`; one that does not exist is empty.
    ///
    /// # Errors
    /// A log that cannot be read. A line that cannot be read is a [`Fault`] in the result.
    pub fn read(path: &Path) -> Result<Self, UsageError> {
        match File::open(path) {
            Ok(file) => read::log(BufReader::new(file)).map_err(fault("read", path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(fault("open", path)(error)),
        }
    }

    /// Returns how each pack was used, by name.
    #[must_use]
    pub fn summary(&self) -> Vec<Summary> {
        summary::of(&self.lines)
    }
}

/// In an unknown workspace, a link could lead what is written to any file of its user.
fn refuse_links(path: &Path) -> Result<(), UsageError> {
    for place in [Some(path), path.parent()].into_iter().flatten() {
        if std::fs::symlink_metadata(place).is_ok_and(|found| found.is_symlink()) {
            return Err(UsageError::Link { path: place.to_owned() });
        }
    }
    Ok(())
}

fn fault(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> UsageError {
    let path = path.to_owned();
    move |source| UsageError::Io { action, path, source }
}

fn ends_in_a_line(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests;
