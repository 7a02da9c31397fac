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

use crate::item::{CatalogItem, Grounding, Profile, RuntimeMode, Status};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
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

/// The reason why a log could not be written or read.
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
            Ok(file) => log(BufReader::new(file)).map_err(fault("read", path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(fault("open", path)(error)),
        }
    }

    /// Returns the use of each pack, by name.
    #[must_use]
    pub fn summary(&self) -> Vec<Summary> {
        of(&self.lines)
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

/// The most faults that are reported one by one.
const MOST_FAULTS: usize = 100;

fn log(mut reader: impl BufRead) -> io::Result<UsageLog> {
    let mut log = UsageLog::default();
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let most = u64::try_from(MAX_LINE).unwrap_or(u64::MAX);
        if reader.by_ref().take(most).read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        let is_whole = bytes.ends_with(b"\n");
        let is_cut = !is_whole && bytes.len() >= MAX_LINE;
        if is_cut {
            reader.skip_until(b'\n')?;
            note(&mut log, number, false, format!("it is longer than {MAX_LINE} bytes"));
        } else if !bytes.iter().all(u8::is_ascii_whitespace) {
            match serde_json::from_slice::<UsageLine>(&bytes) {
                Ok(line) => log.lines.push(line),
                Err(_) if !is_whole => {
                    let message = "it breaks off: the writer was interrupted".to_owned();
                    note(&mut log, number, true, message);
                }
                Err(error) => note(&mut log, number, false, format!("it is not a use: {error}")),
            }
        }
    }
    Ok(log)
}

fn note(log: &mut UsageLog, line: u64, torn: bool, message: String) {
    if log.faults.len() < MOST_FAULTS {
        log.faults.push(Fault { line, torn, message });
    }
}

/// The uses of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Summary {
    /// The pack.
    pub pack: String,
    /// The number of times.
    pub uses: u64,
    /// The versions used, in the order of their first use.
    pub versions: Vec<String>,
    /// The time of its first use.
    pub first: String,
    /// The time of its last use.
    pub last: String,
    /// The files taken from and how often, most often first, then by path.
    pub files: Vec<Counted>,
    /// Claims without a source, in all.
    pub citation_gaps: u64,
    /// The warnings and how often they were given, most often first.
    pub warnings: Vec<Counted>,
}

/// Something and how often it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// The thing.
    pub value: String,
    /// The number of times.
    pub count: u64,
}

#[derive(Default)]
struct Gathered<'l> {
    summary: Summary,
    files: BTreeMap<&'l str, u64>,
    warnings: BTreeMap<&'l str, u64>,
}

fn of(lines: &[UsageLine]) -> Vec<Summary> {
    let mut packs: BTreeMap<&str, Gathered<'_>> = BTreeMap::new();
    for line in lines {
        packs.entry(&line.pack).or_default().add(line);
    }
    packs.into_values().map(Gathered::finish).collect()
}

impl<'l> Gathered<'l> {
    fn add(&mut self, line: &'l UsageLine) {
        let summary = &mut self.summary;
        summary.pack.clone_from(&line.pack);
        summary.uses += 1;
        if let Some(version) = line.version.as_ref().filter(|it| !summary.versions.contains(it)) {
            summary.versions.push(version.clone());
        }
        // Times in UTC of one form sort as texts; lines of several processes may be out of order.
        if summary.first.is_empty() || line.timestamp < summary.first {
            summary.first.clone_from(&line.timestamp);
        }
        if line.timestamp > summary.last {
            summary.last.clone_from(&line.timestamp);
        }
        summary.citation_gaps += u64::try_from(line.citation_gaps.len()).unwrap_or(u64::MAX);
        for file in &line.selected_files {
            *self.files.entry(file).or_default() += 1;
        }
        for warning in &line.warnings {
            *self.warnings.entry(warning).or_default() += 1;
        }
    }

    fn finish(self) -> Summary {
        Summary { files: counted(self.files), warnings: counted(self.warnings), ..self.summary }
    }
}

fn counted(counts: BTreeMap<&str, u64>) -> Vec<Counted> {
    let each = counts.into_iter().map(|(value, count)| Counted { value: value.to_owned(), count });
    let mut counted: Vec<_> = each.collect();
    counted.sort_by_key(|one| std::cmp::Reverse(one.count));
    counted
}

#[cfg(test)]
mod tests;
