//! Answers on disk: one file each, named by the digest of what was asked (REF-22).
//!
//! Decision: an entry is a line of JSON and the body behind it, written beside its place and then
//! renamed, so that a reader sees a whole entry or none. What can't be read is no entry, and what
//! can't be written is not kept: a cache never fails a load. Neither names nor entries hold an
//! address.

use super::CacheSettings;
use super::answer::Answer;
use super::freshness::Freshness;
use contexture_context::Digest;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use url::Url;

/// Changes with the form of entries; others are no entries.
const VERSION: u32 = 1;

/// The longest first line of an entry.
const HEAD: u64 = 8 * 1024;

const ENTRY: &str = "entry";
const UNFINISHED: &str = "part";

/// Keeps the folder out of version control wherever it lies.
const IGNORE: (&str, &[u8]) = (".gitignore", b"*\n");

/// After this, what is unfinished will not be finished.
const FORGOTTEN: Duration = Duration::from_secs(3600);

#[derive(Debug)]
pub(super) struct Cache(CacheSettings);

/// A kept answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) freshness: Freshness,
    pub(super) answer: Answer,
}

#[derive(Serialize, Deserialize)]
struct Head {
    version: u32,
    /// The key, so that a file that was renamed is none.
    key: String,
    freshness: Freshness,
    content_type: Option<String>,
    body: Digest,
}

impl Cache {
    pub(super) fn new(settings: CacheSettings) -> Self {
        Self(settings)
    }

    /// The key of a question; the URL has no user info.
    pub(super) fn key(url: &Url, accept: &str) -> String {
        Digest::of_text(&format!("{url}\n{accept}")).hex()
    }

    fn path(&self, key: &str) -> PathBuf {
        self.0.folder.join(key).with_extension(ENTRY)
    }

    /// What is kept under a key, if it has at most so many bytes.
    pub(super) fn find(&self, key: &str, max_bytes: u64) -> Option<Entry> {
        let mut bytes = Vec::new();
        let most = max_bytes.saturating_add(HEAD);
        let file = fs::File::open(self.path(key)).ok()?;
        file.take(most.saturating_add(1)).read_to_end(&mut bytes).ok()?;
        let end = memchr::memchr(b'\n', &bytes)?;
        let (head, body) = bytes.split_at_checked(end)?;
        let head: Head = serde_json::from_slice(head).ok()?;
        let body = body.get(1..)?;
        let whole = head.version == VERSION
            && head.key == key
            && body.len() as u64 <= max_bytes
            && head.body == Digest::of_bytes(body);
        let answer = Answer { content_type: head.content_type, body: body.to_vec() };
        whole.then_some(Entry { freshness: head.freshness, answer })
    }

    /// Keeps an answer, unless it would take more than a quarter of the cache.
    pub(super) fn put(&self, key: &str, entry: &Entry) {
        if entry.answer.body.len() as u64 <= self.0.max_bytes / 4 && self.write(key, entry).is_ok()
        {
            self.tidy();
        }
    }

    fn write(&self, key: &str, entry: &Entry) -> std::io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let head = Head {
            version: VERSION,
            key: key.to_owned(),
            freshness: entry.freshness.clone(),
            content_type: entry.answer.content_type.clone(),
            body: Digest::of_bytes(&entry.answer.body),
        };
        let head = serde_json::to_string(&head)?;
        if head.len() as u64 >= HEAD {
            return Ok(());
        }
        self.prepare()?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{key}-{}-{number}.{UNFINISHED}", std::process::id());
        let unfinished = self.0.folder.join(name);
        let written = (|| {
            let mut file = fs::File::create_new(&unfinished)?;
            writeln!(file, "{head}")?;
            file.write_all(&entry.answer.body)?;
            drop(file);
            fs::rename(&unfinished, self.path(key))
        })();
        if written.is_err() {
            // It is swept away later, if this does not succeed.
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    /// Makes the folder, which no run may have made before, and what keeps it to itself.
    fn prepare(&self) -> std::io::Result<()> {
        fs::create_dir_all(&self.0.folder)?;
        let (name, content) = IGNORE;
        match fs::File::create_new(self.0.folder.join(name)) {
            Ok(mut file) => file.write_all(content),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Removes the oldest entries until the rest fits, and what was left unfinished long ago.
    fn tidy(&self) {
        let Ok(listed) = fs::read_dir(&self.0.folder) else { return };
        let mut entries = Vec::new();
        let mut total = 0_u64;
        for file in listed.flatten() {
            let (path, facts) = (file.path(), file.metadata());
            let Ok(facts) = facts else { continue };
            let changed = facts.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if has_extension(&path, ENTRY) {
                total = total.saturating_add(facts.len());
                entries.push((changed, facts.len(), path));
            } else if has_extension(&path, UNFINISHED)
                && changed.elapsed().is_ok_and(|age| age > FORGOTTEN)
            {
                let _ = fs::remove_file(path);
            }
        }
        entries.sort();
        for (_, bytes, path) in entries {
            if total <= self.0.max_bytes {
                break;
            }
            if fs::remove_file(path).is_ok() {
                total = total.saturating_sub(bytes);
            }
        }
    }
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

#[cfg(test)]
mod tests;
