//! The catalog kept for the next start: each manifest's content, by path, size and time (KN-3).
//!
//! Decision: every folder and every manifest is looked at each time, and read when its size or time
//! changed. What was written less than two seconds before it was read is not kept: it could change
//! again with the same time. Each line has a checksum; damaged entries are read again and reported.
//! The cache only shortens listing: opening a pack reads its manifest.
//!
//! The form is a line of the version and the number of lines, then a line for each manifest and
//! each folder: checksum, size, time and path, a tab, and what was read (of a manifest as JSON).

use super::guide_file::{self, Stamp};
use super::listing::Listing;
use super::options::DiscoveryOptions;
use crate::codes;
use crate::files;
use crate::finding::Finding;
use crate::item::CatalogItem;
use crate::manifest::{self, Read};
use crate::pack::GUIDE_FILE;
use contexture_context::Digest;
use contexture_diagnostic::Severity;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const FILE: &str = "catalog";

/// The first word of the file; another form is rebuilt silently.
const FORM: &str = "contexture-catalog-1";

const MAX_BYTES: u64 = 256 << 20;

/// A file system may tell times apart no finer than this.
const GRAIN: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) enum Kept {
    Nothing,
    /// The line that it had, by its number.
    Known(usize),
    /// A new line, with its end.
    New(String),
}

/// A folder with a `KNOWLEDGE.md` in it.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) root: PathBuf,
    pub(super) read: Read,
    pub(super) kept: Kept,
}

#[derive(Debug, Default)]
pub(super) struct Cache {
    path: Option<PathBuf>,
    /// The first line, without the number of lines.
    form: String,
    text: String,
    /// The lines of the text, by the path that each is about.
    known: Vec<Entry>,
    began_ns: u128,
    is_damaged: AtomicBool,
    used: AtomicUsize,
}

#[derive(Debug)]
struct Entry {
    whole: Range<usize>,
    path: Range<usize>,
    body: Range<usize>,
    stamp: Stamp,
    sum: u64,
}

/// The cached part of a manifest.
#[derive(Serialize, Deserialize)]
struct Told {
    item: Option<CatalogItem>,
    findings: Vec<ToldFinding>,
}

#[derive(Serialize, Deserialize)]
struct ToldFinding {
    code: String,
    severity: Severity,
    line: Option<u32>,
    message: String,
    help: Option<String>,
}

impl Cache {
    /// Reads what the last start left; nothing is kept when no folder is given.
    pub(super) fn load(options: &DiscoveryOptions) -> Self {
        let Some(folder) = &options.cache else { return Self::default() };
        let path = folder.join(FILE);
        let began_ns = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
        // Which packs are left out depends on the types that are allowed.
        let types = Digest::of_json(&options.types.as_slice().into()).hex();
        let form = format!("{FORM} {types}");
        let mut cache = Self { form, began_ns, ..Self::default() };
        let is_small = std::fs::metadata(&path).is_ok_and(|found| found.len() <= MAX_BYTES);
        if is_small {
            match std::fs::read_to_string(&path) {
                Ok(text) => cache.take(text),
                Err(_) => cache.is_damaged = true.into(),
            }
        }
        cache.path = Some(path);
        cache
    }

    fn take(&mut self, text: String) {
        let (header, _) = text.split_once('\n').unwrap_or_default();
        let Some(count) = header.strip_prefix(self.form.as_str()) else {
            // Of another version or for other types; anything else is damage.
            self.is_damaged = (!header.starts_with("contexture-catalog-")).into();
            return;
        };
        let count = count.trim().parse::<usize>().ok();
        let mut at = header.len() + 1;
        for line in text.split_inclusive('\n').skip(1) {
            self.known.extend(Entry::parse(line, at));
            at += line.len();
        }
        let path = |entry: &Entry| text.get(entry.path.clone()).unwrap_or_default();
        self.known.sort_by(|left, right| path(left).cmp(path(right)));
        self.is_damaged = (count != Some(self.known.len())).into();
        self.text = text;
    }

    fn part(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// Returns the pack in a folder, from the cache or from its manifest.
    pub(super) fn candidate(&self, root: &Path, types: &[String]) -> Candidate {
        let location = root.join(GUIDE_FILE);
        let root = root.to_owned();
        if let Some((number, read)) = self.recall(&location) {
            return Candidate { root, read, kept: Kept::Known(number) };
        }
        match guide_file::read_stamped(&root, types) {
            Ok((read, stamp)) => {
                let kept = self.keep(&location, stamp, &read).map_or(Kept::Nothing, Kept::New);
                Candidate { root, read, kept }
            }
            Err(finding) => {
                Candidate { root, read: manifest::refused(finding), kept: Kept::Nothing }
            }
        }
    }

    /// Returns what a folder has in it, and what the cache keeps of that.
    pub(super) fn listing(&self, folder: &Path) -> std::io::Result<(Listing, Option<Kept>)> {
        if self.path.is_none() {
            return Ok((Listing::read(folder)?, None));
        }
        // The time is taken before the folder is read: what changes meanwhile is seen next time.
        let stamp = stamp(folder, std::fs::Metadata::is_dir);
        if let Some((number, listing)) = self.find(folder, stamp, Listing::of_line) {
            return Ok((listing, Some(Kept::Known(number))));
        }
        let listing = Listing::read(folder)?;
        let line = stamp
            .zip(listing.to_line())
            .and_then(|(stamp, body)| self.line_of(folder, stamp, &body));
        Ok((listing, line.map(Kept::New)))
    }

    fn recall(&self, location: &Path) -> Option<(usize, Read)> {
        if self.known.is_empty() {
            return None;
        }
        let stamp = stamp(location, std::fs::Metadata::is_file);
        self.find(location, stamp, |json| told(json, location))
    }

    /// Returns the line about a path in that state, with what is read of it.
    fn find<T>(
        &self,
        path: &Path,
        stamp: Option<Stamp>,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<(usize, T)> {
        let path = path.to_str()?;
        let number = self.known.binary_search_by(|entry| self.part(&entry.path).cmp(path)).ok()?;
        let entry = self.known.get(number)?;
        if stamp != Some(entry.stamp) {
            return None;
        }
        let body = self.part(&entry.body);
        let found = (checksum(body) == entry.sum).then(|| read(body)).flatten();
        match &found {
            Some(_) => self.used.fetch_add(1, Ordering::Relaxed),
            None => usize::from(self.is_damaged.swap(true, Ordering::Relaxed)),
        };
        Some((number, found?))
    }

    fn keep(&self, location: &Path, stamp: Stamp, read: &Read) -> Option<String> {
        self.path.as_ref()?;
        let findings = read.findings.iter().map(|finding| ToldFinding {
            code: finding.code.to_owned(),
            severity: finding.severity,
            line: finding.line,
            message: finding.message.clone(),
            help: finding.help.clone(),
        });
        let told = Told { item: read.item.clone(), findings: findings.collect() };
        self.line_of(location, stamp, &serde_json::to_string(&told).ok()?)
    }

    /// Returns a line; none for a path that would break it, and for what could still change unseen.
    fn line_of(&self, path: &Path, stamp: Stamp, body: &str) -> Option<String> {
        let path = path.to_str().filter(|path| !path.contains(['\n', '\t']))?;
        let Stamp { bytes, modified_ns } = stamp;
        let is_settled = modified_ns.saturating_add(GRAIN.as_nanos()) < self.began_ns;
        is_settled
            .then(|| format!("{:016x} {bytes} {modified_ns} {path}\t{body}\n", checksum(body)))
    }

    /// Writes the cache for the next start when it is not the same; a failure is only a hint.
    pub(super) fn save<'c>(&self, kept: impl Iterator<Item = &'c Kept> + Clone) -> Vec<Finding> {
        let Some(path) = &self.path else { return Vec::new() };
        let mut findings = Vec::new();
        let mut hint = |code: codes::Code, message: String| {
            findings.push(Finding::explained(code, path, message));
        };
        let is_damaged = self.is_damaged.load(Ordering::Relaxed);
        if is_damaged {
            let message = "the cache of the catalog was damaged; it is made anew";
            hint(codes::CACHE_REBUILT, message.to_owned());
        }
        let used = self.used.load(Ordering::Relaxed);
        let has_new = kept.clone().any(|kept| matches!(kept, Kept::New(_)));
        if is_damaged || has_new || used != self.known.len() {
            let lines: Vec<&str> = kept.filter_map(|kept| self.line(kept)).collect();
            let text = format!("{} {}\n{}", self.form, lines.len(), lines.concat());
            if let Err(error) = files::replace(path, text.as_bytes(), false) {
                hint(codes::CACHE_NOT_WRITTEN, format!("the cache could not be written: {error}"));
            }
        }
        findings
    }

    fn line<'c>(&'c self, kept: &'c Kept) -> Option<&'c str> {
        match kept {
            Kept::Nothing => None,
            Kept::Known(number) => Some(self.part(&self.known.get(*number)?.whole)),
            Kept::New(line) => Some(line),
        }
    }
}

impl Entry {
    /// Returns a line that begins at a place of the text.
    fn parse(line: &str, at: usize) -> Option<Self> {
        let (head, body) = line.strip_suffix('\n')?.split_once('\t')?;
        let mut words = head.splitn(4, ' ');
        let sum = u64::from_str_radix(words.next()?, 16).ok()?;
        let stamp =
            Stamp { bytes: words.next()?.parse().ok()?, modified_ns: words.next()?.parse().ok()? };
        let path = words.next()?;
        let end = at + head.len();
        Some(Self {
            whole: at..at + line.len(),
            path: end - path.len()..end,
            body: end + 1..end + 1 + body.len(),
            stamp,
            sum,
        })
    }
}

/// Returns the state of what is at a path, when it is of that kind itself and no symlink to it.
fn stamp(path: &Path, is_right: impl Fn(&std::fs::Metadata) -> bool) -> Option<Stamp> {
    let found = std::fs::symlink_metadata(path).ok()?;
    is_right(&found).then(|| Stamp::of(&found))
}

/// Returns what was read of a manifest, when it is about this very file.
fn told(json: &str, location: &Path) -> Option<Read> {
    let told: Told = serde_json::from_str(json).ok()?;
    let is_here = |item: &CatalogItem| {
        item.location == location && Some(item.pack_root.as_path()) == location.parent()
    };
    if !told.item.as_ref().is_none_or(is_here) {
        return None;
    }
    let mut findings = Vec::new();
    for finding in told.findings {
        findings.push(Finding {
            code: codes::ALL.find(&finding.code)?.code,
            severity: finding.severity,
            path: location.to_owned(),
            line: finding.line,
            message: finding.message,
            help: finding.help,
        });
    }
    Some(Read { item: told.item, findings })
}

/// FNV-1a over words of eight bytes: it finds damage, it does not keep out who means harm.
fn checksum(text: &str) -> u64 {
    const PRIME: u64 = 0x0100_0000_01b3;
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let mut sum: u64 = 0xcbf2_9ce4_8422_2325;
    for word in words {
        sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(PRIME).rotate_left(23);
    }
    for byte in rest {
        sum = (sum ^ u64::from(*byte)).wrapping_mul(PRIME);
    }
    sum ^ text.len() as u64
}
