//! Answers on disk: one file each, named by the digest of what was asked (REF-22).
//!
//! Decision: an entry is a line of JSON and the body behind it, written beside its place and then
//! renamed, so that a reader sees a whole entry or none. What can't be read is not an entry, and what
//! can't be written is not kept: a cache never fails a load. Neither names nor entries hold an
//! address.

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

/// Changes with the form of entries; others are not entries.
const VERSION: u32 = 1;

/// The longest first line of an entry.
const HEAD: u64 = 8 * 1024;

const ENTRY: &str = "entry";
const UNFINISHED: &str = "part";

/// Keeps the folder out of version control wherever it lies.
const IGNORE: (&str, &[u8]) = (".gitignore", b"*\n");

/// After this, what is unfinished will not be finished.
const FORGOTTEN: Duration = Duration::from_secs(3600);

/// The folder and the size of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheSettings {
    /// The folder; it is made at the first use.
    pub folder: PathBuf,
    /// The most bytes that all answers may take; the oldest ones go first.
    pub max_bytes: u64,
}

impl CacheSettings {
    /// Creates a cache of up to 256 MiB in a folder.
    #[must_use]
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), max_bytes: 256 << 20 }
    }
}

#[derive(Debug)]
pub(super) struct Cache(CacheSettings);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) freshness: Freshness,
    pub(super) answer: Answer,
}

#[derive(Serialize, Deserialize)]
struct Head {
    version: u32,
    /// The key, so that a renamed file is not used.
    key: String,
    freshness: Freshness,
    content_type: Option<String>,
    body: Digest,
}

impl Cache {
    pub(super) fn new(settings: CacheSettings) -> Self {
        Self(settings)
    }

    /// Returns the key of a question; the URL has no user info.
    pub(super) fn key(url: &Url, accept: &str) -> String {
        Digest::of_text(&format!("{url}\n{accept}")).hex()
    }

    fn path(&self, key: &str) -> PathBuf {
        self.0.folder.join(key).with_extension(ENTRY)
    }

    /// Returns what is kept under a key, if it has at most so many bytes.
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
mod tests {
    use super::*;
    use reqwest::header::{ETAG, HeaderMap, HeaderValue};

    fn entry(body: &[u8]) -> Entry {
        let mut headers = HeaderMap::new();
        headers.insert(ETAG, HeaderValue::from_static("\"a\""));
        let freshness = Freshness::of(&headers, 1000).unwrap();
        let content_type = Some("text/plain; charset=gbk".to_owned());
        Entry { freshness, answer: Answer { content_type, body: body.to_vec() } }
    }

    fn cache(max_bytes: u64) -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let settings = CacheSettings { folder: folder.path().join("a/http"), max_bytes };
        (folder, Cache::new(settings))
    }

    fn files(cache: &Cache) -> Vec<PathBuf> {
        let all = fs::read_dir(&cache.0.folder).unwrap().map(|file| file.unwrap().path());
        all.filter(|path| !path.ends_with(IGNORE.0)).collect()
    }

    #[test]
    fn ref_22_what_is_kept_is_found_again() {
        let (_folder, cache) = cache(1 << 20);
        assert_eq!(cache.find("k", 100), None);
        cache.put("k", &entry(b"one\ntwo\0"));
        assert_eq!(cache.find("k", 100), Some(entry(b"one\ntwo\0")));
        assert_eq!(cache.find("k", 7), None);
        cache.put("k", &entry(b""));
        assert_eq!(cache.find("k", 0), Some(entry(b"")));
        assert_eq!(files(&cache).len(), 1);
    }

    #[test]
    fn ref_22_cache_keeps_itself_out_of_version_control() {
        let (_folder, cache) = cache(1 << 20);
        let ignore = cache.0.folder.join(".gitignore");
        assert_eq!(cache.find("k", 100), None);
        assert!(!cache.0.folder.exists(), "looking makes no folder");
        cache.put("k", &entry(b"one"));
        assert_eq!(fs::read(&ignore).unwrap(), b"*\n");
        fs::write(&ignore, "mine").unwrap();
        cache.put("l", &entry(b"two"));
        assert_eq!(fs::read(&ignore).unwrap(), b"mine");
        assert!(cache.find("l", 100).is_some());
    }

    #[test]
    fn ref_22_damaged_entry_is_none() {
        let (_folder, cache) = cache(1 << 20);
        cache.put("k", &entry(b"some text"));
        let path = cache.path("k");
        let whole = fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(cache.find("k", 100), None, "cut at {cut}");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x20;
            fs::write(&path, &damaged).unwrap();
            let found = cache.find("k", 100);
            assert!(found.is_none_or(|found| found.answer.body == b"some text"), "damaged at {at}");
        }
        fs::write(&path, &whole).unwrap();
        fs::rename(&path, cache.path("other")).unwrap();
        assert_eq!(cache.find("other", 100), None);
        fs::create_dir(&path).unwrap();
        assert_eq!(cache.find("k", 100), None);
        cache.put("k", &entry(b"x"));
        assert!(files(&cache).iter().all(|path| !has_extension(path, UNFINISHED)));
    }

    #[test]
    fn ref_22_oldest_entries_go_first() {
        let (_folder, cache) = cache(4000);
        for (age, key) in ["a", "b", "c"].iter().enumerate() {
            cache.put(key, &entry(&[b'x'; 900]));
            let file = fs::File::options().write(true).open(cache.path(key)).unwrap();
            let age = Duration::from_secs(1000 - 10 * age as u64);
            file.set_modified(SystemTime::now() - age).unwrap();
        }
        cache.put("d", &entry(&[b'x'; 900]));
        let kept: Vec<_> = ["a", "b", "c", "d"].map(|key| cache.find(key, 1000).is_some()).into();
        assert_eq!(kept, [false, true, true, true]);
        cache.put("e", &entry(&[b'x'; 1001]));
        assert_eq!(cache.find("e", 2000), None);
    }

    #[test]
    fn ref_22_what_was_left_unfinished_is_swept_away() {
        let (_folder, cache) = cache(4000);
        cache.put("a", &entry(b"x"));
        let left = cache.0.folder.join("a-1-1.part");
        fs::write(&left, "x").unwrap();
        cache.put("a", &entry(b"x"));
        assert!(left.exists());
        let file = fs::File::options().write(true).open(&left).unwrap();
        file.set_modified(SystemTime::now() - 2 * FORGOTTEN).unwrap();
        cache.put("a", &entry(b"x"));
        assert!(!left.exists());
    }

    #[test]
    fn ref_22_keys_and_entries_hold_no_address() {
        let url = Url::parse("https://h.example/p?token=topsecret").unwrap();
        let key = Cache::key(&url, "*/*");
        assert!(key.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
        assert_ne!(key, Cache::key(&url, "application/json"));
        let (_folder, cache) = cache(1 << 20);
        cache.put(&key, &entry(b"body"));
        let bytes = fs::read(cache.path(&key)).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains("topsecret") && !text.contains("h.example"), "{text}");
    }
}
