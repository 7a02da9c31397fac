//! The catalog kept for the next start: what each manifest said, by its path, size and time (KN-3).
//!
//! Decision: folders are walked every time, manifests are read when their size or time changed. A
//! file that was written less than two seconds before it was read is not kept: it could change once
//! more within what its file system tells apart. Each line has a checksum; what is damaged is read
//! anew and said. The cache only shortens listing: opening a pack reads its manifest.
//!
//! The form is a line of the version and the number of packs, then a line for each pack: checksum,
//! size, time and path of its manifest, a tab, and what was read as JSON.

use super::guide_file::{self, Stamp};
use super::{Candidate, DiscoveryOptions};
use crate::codes;
use crate::finding::Finding;
use crate::item::CatalogItem;
use crate::manifest::{self, Read};
use crate::pack::GUIDE_FILE;
use contexture_context::Digest;
use contexture_diagnostic::Severity;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The name of the file in its folder.
const FILE: &str = "catalog";

/// The first word of the file; another form is made anew without a word.
const FORM: &str = "contexture-catalog-1";

/// The largest cache that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// A file system may tell times apart no finer than this.
const GRAIN: Duration = Duration::from_secs(2);

/// What the cache keeps of one pack: a whole line, with its end.
#[derive(Debug)]
pub(super) struct Line(String);

/// The cache of the last start.
#[derive(Debug, Default)]
pub(super) struct Cache {
    path: Option<PathBuf>,
    /// The first line, without the number of packs.
    form: String,
    known: HashMap<PathBuf, Entry>,
    began_ns: u128,
    is_damaged: AtomicBool,
    used: AtomicUsize,
}

#[derive(Debug)]
struct Entry {
    stamp: Stamp,
    sum: u64,
    json: String,
}

/// What is kept of a manifest.
#[derive(Serialize, Deserialize)]
struct Kept {
    item: Option<CatalogItem>,
    findings: Vec<KeptFinding>,
}

#[derive(Serialize, Deserialize)]
struct KeptFinding {
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
                Ok(text) => cache.take(&text),
                Err(_) => cache.is_damaged = true.into(),
            }
        }
        cache.path = Some(path);
        cache
    }

    fn take(&mut self, text: &str) {
        let mut lines = text.split_inclusive('\n');
        let header = lines.next().unwrap_or_default();
        let Some(count) = header.strip_prefix(self.form.as_str()) else {
            // Of another version or for other types; anything else is damage.
            self.is_damaged = (!header.starts_with("contexture-catalog-")).into();
            return;
        };
        let Ok(count) = count.trim().parse::<usize>() else {
            self.is_damaged = true.into();
            return;
        };
        self.known.reserve(count.min(1 << 20));
        for line in lines {
            if let Some((path, entry)) = Entry::parse(line) {
                self.known.insert(path, entry);
            }
        }
        self.is_damaged = (self.known.len() != count).into();
    }

    /// The pack in a folder, as the cache knows it or as its manifest says.
    pub(super) fn candidate(&self, root: &Path, types: &[String]) -> Candidate {
        let location = root.join(GUIDE_FILE);
        if let Some(known) = self.recall(&location) {
            return Candidate { root: root.to_owned(), read: known.0, line: Some(known.1) };
        }
        match guide_file::read_stamped(root, types) {
            Ok((read, stamp)) => {
                let line = self.keep(&location, stamp, &read);
                Candidate { root: root.to_owned(), read, line }
            }
            Err(finding) => {
                Candidate { root: root.to_owned(), read: manifest::refused(finding), line: None }
            }
        }
    }

    fn recall(&self, location: &Path) -> Option<(Read, Line)> {
        let entry = self.known.get(location)?;
        let found = std::fs::symlink_metadata(location).ok()?;
        if !found.is_file() || Stamp::of(&found) != entry.stamp {
            return None;
        }
        let read = entry.read(location);
        if read.is_none() {
            self.is_damaged.store(true, Ordering::Relaxed);
        }
        let read = read?;
        self.used.fetch_add(1, Ordering::Relaxed);
        Some((read, Line(entry.line(location)?)))
    }

    fn keep(&self, location: &Path, stamp: Stamp, read: &Read) -> Option<Line> {
        self.path.as_ref()?;
        let is_settled = stamp.modified_ns.saturating_add(GRAIN.as_nanos()) < self.began_ns;
        if !is_settled {
            return None;
        }
        let findings = read.findings.iter().map(|finding| KeptFinding {
            code: finding.code.to_owned(),
            severity: finding.severity,
            line: finding.line,
            message: finding.message.clone(),
            help: finding.help.clone(),
        });
        let kept = Kept { item: read.item.clone(), findings: findings.collect() };
        let json = serde_json::to_string(&kept).ok()?;
        let entry = Entry { stamp, sum: checksum(&json), json };
        entry.line(location).map(Line)
    }

    /// Writes the cache for the next start when it is not the same; what went wrong is no more than
    /// a hint.
    pub(super) fn save<'c>(&self, candidates: impl Iterator<Item = &'c Candidate>) -> Vec<Finding> {
        let Some(path) = &self.path else { return Vec::new() };
        let mut findings = Vec::new();
        let mut hint = |code: codes::Code, message: String| {
            findings.push(Finding::new(code, path, message).with_help(code.explanation));
        };
        let is_damaged = self.is_damaged.load(Ordering::Relaxed);
        if is_damaged {
            hint(
                codes::CACHE_REBUILT,
                "the cache of the catalog was damaged; it is made anew".into(),
            );
        }
        let lines: Vec<&str> =
            candidates.filter_map(|pack| pack.line.as_ref()).map(|line| line.0.as_str()).collect();
        let used = self.used.load(Ordering::Relaxed);
        if is_damaged || used != self.known.len() || lines.len() != used {
            let text = format!("{} {}\n{}", self.form, lines.len(), lines.concat());
            if let Err(error) = write(path, text.as_bytes()) {
                hint(codes::CACHE_NOT_WRITTEN, format!("the cache could not be written: {error}"));
            }
        }
        findings
    }
}

impl Entry {
    fn parse(line: &str) -> Option<(PathBuf, Self)> {
        let line = line.strip_suffix('\n')?;
        let (head, json) = line.split_once('\t')?;
        let mut words = head.splitn(4, ' ');
        let sum = u64::from_str_radix(words.next()?, 16).ok()?;
        let bytes = words.next()?.parse().ok()?;
        let modified_ns = words.next()?.parse().ok()?;
        let path = PathBuf::from(words.next()?);
        Some((path, Self { stamp: Stamp { bytes, modified_ns }, sum, json: json.to_owned() }))
    }

    /// The line of the file; none for a path that would break it.
    fn line(&self, location: &Path) -> Option<String> {
        let path = location.to_str().filter(|path| !path.contains(['\n', '\t']))?;
        let Stamp { bytes, modified_ns } = self.stamp;
        Some(format!("{:016x} {bytes} {modified_ns} {path}\t{}\n", self.sum, self.json))
    }

    /// What was read, when it is undamaged and about this very file.
    fn read(&self, location: &Path) -> Option<Read> {
        if checksum(&self.json) != self.sum {
            return None;
        }
        let kept: Kept = serde_json::from_str(&self.json).ok()?;
        let is_here = |item: &CatalogItem| {
            item.location == location && Some(item.pack_root.as_path()) == location.parent()
        };
        if !kept.item.as_ref().is_none_or(is_here) {
            return None;
        }
        let mut findings = Vec::new();
        for kept in kept.findings {
            findings.push(Finding {
                code: codes::find(&kept.code)?.code,
                severity: kept.severity,
                path: location.to_owned(),
                line: kept.line,
                message: kept.message,
                help: kept.help,
            });
        }
        Some(Read { item: kept.item, findings })
    }
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

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
