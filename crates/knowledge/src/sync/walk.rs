//! What a source and a folder of pages hold, by names and sizes alone.

use super::error::SyncError;
use super::report::Skipped;
use super::source::Source;
use crate::files::told;
use crate::gitignore::{IGNORE_FILE, MAX_RULES_BYTES, Rules, ignores};
use crate::item::GUIDE_FILE;
use crate::pack::is_left_out;
use contexture_tools::FileError;
use std::collections::HashMap;
use std::fs::{DirEntry, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

/// The most entries of one source that are looked at.
const MAX_ENTRIES: usize = 1_000_000;

/// The most levels of folders: two less than a pack can have, for the folders above them.
const MAX_DEPTH: usize = 30;

/// The size and the times of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Stat {
    pub(super) bytes: u64,
    pub(super) modified_ns: u64,
    /// The time of the last change of its content or its entry, which no program sets; 0 where the
    /// system has none.
    pub(super) changed_ns: u64,
}

impl Stat {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified_ns =
            since.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        Self { bytes: metadata.len(), modified_ns, changed_ns: changed_ns(metadata) }
    }
}

#[cfg(unix)]
fn changed_ns(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
    let rest = u64::try_from(metadata.ctime_nsec()).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

#[cfg(not(unix))]
const fn changed_ns(_: &Metadata) -> u64 {
    0
}

/// The files of a source, and the entries that are not read.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// With `/` between the parts of their paths.
    pub(super) files: Vec<(String, Stat)>,
    pub(super) skipped: Vec<Skipped>,
}

/// Walks a source; the folder of the `pack` is left out of it.
///
/// # Errors
/// [`SyncError`] when the source itself can't be listed, or has more entries than the maximum.
pub(super) fn source(source: &Source, pack: &Path) -> Result<Walked, SyncError> {
    let mut walked = Walked::default();
    if let Some(name) = &source.only {
        let found = std::fs::metadata(&source.place);
        let found = found.map_err(|error| SyncError::source(&source.place, told(&error)))?;
        match unread_name(name) {
            Some(reason) => walked.skipped.push(Skipped::new(name, reason)),
            None => walked.files.push((name.clone(), Stat::of(&found))),
        }
        return Ok(walked);
    }
    let mut open = vec![Folder::top(source)];
    while let Some(mut folder) = open.pop() {
        let entries = match folder.entries() {
            Ok(entries) => entries,
            Err(error) if folder.depth == 0 => {
                return Err(SyncError::source(&folder.place, told(&error)));
            }
            Err(error) => {
                let reason = format!("the folder can't be read: {}", told(&error).to_lowercase());
                walked.skipped.push(Skipped::new(folder.inner, reason));
                continue;
            }
        };
        for entry in entries {
            // What is not listed would look deleted.
            let entry = entry.map_err(|error| SyncError::source(&folder.place, told(&error)))?;
            if entry.path() == pack {
                continue;
            }
            open.extend(walked.take(source, &entry, &folder));
            if walked.files.len() + walked.skipped.len() > MAX_ENTRIES {
                return Err(SyncError::TooMuch {
                    source_path: source.place.display().to_string(),
                    limit: MAX_ENTRIES as u64,
                    what: "entries",
                });
            }
        }
    }
    Ok(walked)
}

/// A folder of a source that is to be listed.
struct Folder {
    place: PathBuf,
    /// Its path in the source; empty or with `/` at its end.
    inner: String,
    depth: usize,
    /// Whether `.gitignore` files are followed.
    has_rules: bool,
    rules: Option<Arc<Rules>>,
}

impl Folder {
    /// Returns the folder of a source. What a person named is read, ignored or not: then the rules
    /// above it, which leave out all of it, do not count.
    fn top(source: &Source) -> Self {
        let place = source.place.clone();
        let has_rules = source.mirror.is_none();
        let rules = has_rules.then(|| Rules::above(&place, &place).ok().flatten()).flatten();
        Self { place, inner: String::new(), depth: 0, has_rules, rules }
    }

    fn entries(&mut self) -> io::Result<Vec<io::Result<DirEntry>>> {
        let entries: Vec<io::Result<DirEntry>> = std::fs::read_dir(&self.place)?.collect();
        let is_rules = |entry: &DirEntry| entry.file_name() == IGNORE_FILE;
        if self.has_rules && entries.iter().flatten().any(is_rules) {
            self.rules = Rules::inside(&self.place, self.rules.take());
        }
        Ok(entries)
    }

    /// Returns the reason why the rules leave an entry out.
    fn ignored(&self, entry: &DirEntry, is_folder: bool) -> Option<&'static str> {
        let rules = self.rules.as_deref()?;
        let reason = ".gitignore leaves it out; to read it, name it as a source";
        ignores(Some(rules), &entry.path(), is_folder).then_some(reason)
    }

    fn inside(&self, entry: &DirEntry, inner: String) -> Self {
        let (rules, has_rules) = (self.rules.clone(), self.has_rules);
        Self { place: entry.path(), inner, depth: self.depth + 1, has_rules, rules }
    }
}

impl Walked {
    /// Returns it with the files in the order of their paths.
    pub(super) fn sorted(mut self) -> Self {
        self.files.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        self
    }

    /// Notes an entry of a folder; a folder in it is returned.
    fn take(&mut self, source: &Source, entry: &DirEntry, folder: &Folder) -> Option<Folder> {
        let name = entry.file_name();
        let path = format!("{}{}", folder.inner, name.to_string_lossy());
        let kind = entry.file_type().ok()?;
        let reason = match name.to_str() {
            None => Some("its name is not UTF-8 text; rename it"),
            Some(IGNORE_FILE) if folder.has_rules && is_too_large(entry) => {
                Some("its rules are not followed: it has more than 1 MiB")
            }
            Some(name) => {
                unread(name, kind, folder.depth).or_else(|| folder.ignored(entry, kind.is_dir()))
            }
        };
        if let Some(reason) = reason {
            let end = if kind.is_dir() { "/" } else { "" };
            self.skipped.push(Skipped::new(path + end, reason));
        } else if kind.is_dir() {
            return Some(folder.inside(entry, path + "/"));
        } else if kind.is_symlink() {
            match linked(source, &path) {
                Ok(stat) => self.files.push((path, stat)),
                Err(reason) => self.skipped.push(Skipped::new(path, reason)),
            }
        } else if let Ok(found) = entry.metadata() {
            self.files.push((path, Stat::of(&found)));
        }
        None
    }
}

fn is_too_large(rules: &DirEntry) -> bool {
    std::fs::metadata(rules.path()).is_ok_and(|found| found.len() > MAX_RULES_BYTES)
}

/// Returns the reason why an entry of that name is not read.
fn unread(name: &str, kind: FileType, depth: usize) -> Option<&'static str> {
    if let Some(reason) = unread_name(name) {
        return Some(reason);
    }
    if kind.is_dir() {
        return (depth >= MAX_DEPTH).then_some("folders deeper than 30 levels are not read");
    }
    let is_readable = kind.is_file() || kind.is_symlink();
    (!is_readable).then_some("it is a device, a pipe or a socket, expected a regular file")
}

/// Returns the reason why nothing of that name is read.
fn unread_name(name: &str) -> Option<&'static str> {
    match name {
        "node_modules" => Some("installed modules are not part of a pack"),
        GUIDE_FILE => Some("it is the guide of a pack; add that pack itself"),
        _ => is_left_out(name).then_some("hidden files and folders are not part of a pack"),
    }
}

/// Returns the file inside the source that a symlink leads to.
fn linked(source: &Source, path: &str) -> Result<Stat, String> {
    let found = source.folder.resolve(path).and_then(|place| source.folder.file(&place));
    match found {
        Ok(file) => Ok(Stat {
            bytes: file.bytes,
            modified_ns: u64::try_from(file.modified_ns).unwrap_or(u64::MAX),
            changed_ns: 0,
        }),
        Err(FileError::LeadsOut(_) | FileError::Outside(_)) => {
            Err("the symlink leads out of the source; add what it leads to as a source".to_owned())
        }
        Err(FileError::IsFolder(_)) => {
            Err("the symlink leads to a folder of the source, which is read where it is".to_owned())
        }
        Err(FileError::Loop(_)) => Err("the symlink leads to itself".to_owned()),
        Err(FileError::Dangling(_) | FileError::NotFound { .. }) => {
            Err("the symlink leads to nothing".to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the files in a folder of pages, with their paths. What can't be looked at counts as
/// missing.
pub(super) fn pages(folder: &Path) -> HashMap<String, Stat> {
    let mut files = HashMap::new();
    let mut open = vec![(folder.to_owned(), String::new())];
    while let Some((folder, inner)) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
                continue;
            };
            let path = format!("{inner}{name}");
            if kind.is_dir() {
                open.push((entry.path(), format!("{path}/")));
            } else if let Ok(found) = entry.metadata() {
                files.insert(path, Stat::of(&found));
            }
        }
    }
    files
}
