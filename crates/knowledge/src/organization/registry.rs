//! A registry over HTTP: an index that names archives with their digests (KN-16).
//!
//! ```json
//! { "packs": [ { "name": "acme", "version": "1.0.0", "url": "acme-1.0.0.tar.gz",
//!                "sha256": "…64 hex digits…", "size": 12345 } ] }
//! ```
//!
//! Decision: the digest in the index is the name under which an archive is kept. What is kept is
//! used without asking for it again, so that a registry that can't be reached only means that
//! nothing new is learnt.

use super::archive::ArchiveLimits;
use super::error::ArchiveError;
use super::fetch::{Fetch, FetchError};
use super::mount::{Mounted, mount_bytes};
use crate::files;
use crate::finding::Finding;
use crate::pack::{GUIDE_FILE, MAX_GUIDE_BYTES};
use crate::{codes, manifest};
use contexture_context::Digest;
use contexture_diagnostic::Code;
use serde_json::Value;
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use url::Url;

/// The options of reading a registry.
#[derive(Debug, Clone)]
pub struct RegistryOptions {
    /// Hosts besides that of the index from which archives may come, over https.
    pub hosts: Vec<String>,
    /// The largest index, in bytes.
    pub index_bytes: u64,
    /// The most packs of an index.
    pub packs: usize,
    /// The limits of each archive.
    pub archives: ArchiveLimits,
}

impl Default for RegistryOptions {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            index_bytes: 4 << 20,
            packs: 1_000,
            archives: ArchiveLimits::default(),
        }
    }
}

/// The result of reading a registry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Registry {
    /// The folders of its packs, in the order of the index, for
    /// [`Roots::organization`](crate::discovery::Roots::organization).
    pub packs: Vec<PathBuf>,
    /// The faults; paths are addresses.
    pub findings: Vec<Finding>,
}

/// Reads the index at `url` and has the archives that it names in `cache`, fetching those that are
/// not there. Of several versions of a pack the highest counts. Never fails: what can't be had is a
/// finding. Without a way to fetch, only what is in `cache` is used.
pub async fn registry(
    fetch: Option<&dyn Fetch>,
    url: &str,
    cache: &Path,
    options: &RegistryOptions,
) -> Registry {
    let mut read = Registry::default();
    let Ok(base) = Url::parse(url) else {
        read.say(codes::BAD_REGISTRY_INDEX, url, "its address is not a URL".to_owned());
        return read;
    };
    let place = cache.join(format!("index-{}.json", Digest::of_text(url).hex()));
    let Some(bytes) = read.index(fetch, url, &place, options).await else {
        return read;
    };
    let (index, bytes) = match read_index(&bytes, options.packs) {
        Ok(index) => (index, bytes),
        Err(problem) => {
            read.say(codes::BAD_REGISTRY_INDEX, url, problem);
            // One that answers something else, as a hotel's net does, takes away nothing.
            let Some(kept) = kept(&place, options) else { return read };
            let Ok(index) = read_index(&kept, options.packs) else { return read };
            let message = "its packs are used as they were last seen".to_owned();
            read.say(codes::REGISTRY_OFFLINE, url, message);
            (index, kept)
        }
    };
    if let Err(error) = files::replace(&place, &bytes, false) {
        let code = codes::ORGANIZATION_FILES;
        read.say(
            code,
            url,
            format!("its index could not be kept in `{}`: {error}", place.display()),
        );
    }
    let Index { entries, faults } = index;
    for fault in faults {
        read.say(codes::BAD_REGISTRY_ENTRY, url, fault);
    }
    for entry in entries {
        read.entry(fetch, &base, entry, cache, options).await;
    }
    read
}

impl Registry {
    fn say(&mut self, code: Code, about: &str, message: String) {
        self.findings.push(Finding::explained(code, Path::new(about), message));
    }

    /// Returns the index as it is now, or as it was when the registry was last reached.
    async fn index(
        &mut self,
        fetch: Option<&dyn Fetch>,
        url: &str,
        place: &Path,
        options: &RegistryOptions,
    ) -> Option<Vec<u8>> {
        let fetched = match fetch {
            Some(fetch) => {
                fetch.get(url, options.index_bytes).await.map_err(|error| error.to_string())
            }
            None => Err("was not asked: nothing is fetched".to_owned()),
        };
        let problem = match fetched {
            Ok(bytes) => return Some(bytes),
            Err(problem) => problem,
        };
        if let Some(kept) = kept(place, options) {
            let message =
                format!("the registry {problem}; its packs are used as they were last seen");
            self.say(codes::REGISTRY_OFFLINE, url, message);
            return Some(kept);
        }
        let message = format!("the registry {problem}, and nothing of it is kept here");
        self.say(codes::REGISTRY_UNREACHABLE, url, message);
        None
    }

    async fn entry(
        &mut self,
        fetch: Option<&dyn Fetch>,
        base: &Url,
        entry: Entry,
        cache: &Path,
        options: &RegistryOptions,
    ) {
        let url = match address(base, &entry.url, &options.hosts) {
            Ok(url) => url,
            Err((code, problem)) => {
                return self.say(code, base.as_str(), format!("pack `{}`: {problem}", entry.name));
            }
        };
        let kept = cache.join(entry.digest.hex());
        let mounted = if kept.is_dir() {
            known(&kept, &entry.digest)
        } else {
            fetched(fetch, &url, &entry, cache, options).await
        };
        match mounted {
            Ok(mounted) => self.take(&mounted, &entry, url.as_str()),
            Err((code, problem)) => {
                self.say(code, url.as_str(), format!("pack `{}` {problem}", entry.name));
            }
        }
    }

    /// Adds the pack of that name, if it is in the archive.
    fn take(&mut self, mounted: &Mounted, entry: &Entry, url: &str) {
        let is_it = |pack: &&PathBuf| pack.file_name().is_some_and(|name| *name == *entry.name);
        let Some(pack) = mounted.packs.iter().find(is_it) else {
            let message = format!("the archive holds no pack `{}`", entry.name);
            return self.say(codes::BAD_REGISTRY_ENTRY, url, message);
        };
        if let Some(version) = version(pack).filter(|version| *version != entry.version) {
            let message = format!(
                "pack `{}` is version {version}, and the index says {}",
                entry.name, entry.version
            );
            self.say(codes::OTHER_PACK_VERSION, url, message);
        }
        self.packs.push(pack.clone());
    }
}

/// Returns the index as it was when the registry last answered with one.
fn kept(place: &Path, options: &RegistryOptions) -> Option<Vec<u8>> {
    files::head(place, options.index_bytes).ok()
}

type Problem = (Code, String);

/// Returns the address of an archive, if it may be fetched from there.
fn address(base: &Url, url: &str, hosts: &[String]) -> Result<Url, Problem> {
    let whole = base.join(url).map_err(|error| {
        (codes::BAD_REGISTRY_ENTRY, format!("`{}` is not an address: {error}", url.escape_debug()))
    })?;
    if whole.origin() == base.origin() && matches!(whole.scheme(), "https" | "http") {
        return Ok(whole);
    }
    let host = whole.host_str().unwrap_or_default();
    if whole.scheme() == "https" && hosts.iter().any(|listed| listed.eq_ignore_ascii_case(host)) {
        return Ok(whole);
    }
    Err((codes::REFUSED_ARCHIVE_ADDRESS, format!("its archive lies at another place, `{whole}`")))
}

/// Returns an archive that was unpacked before.
fn known(folder: &Path, digest: &Digest) -> Result<Mounted, Problem> {
    let packs = super::settle::packs(folder, None).map_err(|problem| refused(&problem))?;
    let (folder, packs) = (folder.to_owned(), packs.into_values().collect());
    Ok(Mounted { folder, packs, digest: digest.clone() })
}

async fn fetched(
    fetch: Option<&dyn Fetch>,
    url: &Url,
    entry: &Entry,
    cache: &Path,
    options: &RegistryOptions,
) -> Result<Mounted, Problem> {
    let unreachable = |problem: String| (codes::REGISTRY_UNREACHABLE, problem);
    let most = options.archives.archive_bytes.min(entry.size.unwrap_or(u64::MAX));
    let Some(fetch) = fetch else {
        return Err(unreachable("is not kept here, and nothing is fetched".to_owned()));
    };
    let bytes = fetch.get(url.as_str(), most).await.map_err(|error| match error {
        FetchError::TooLarge { limit } if entry.size == Some(limit) => {
            let message = format!("is larger than the {limit} bytes that the index names");
            (codes::WRONG_ARCHIVE_DIGEST, message)
        }
        FetchError::TooLarge { .. } => (codes::ARCHIVE_TOO_LARGE, error.to_string()),
        FetchError::Refused(_) => (codes::REFUSED_ARCHIVE_ADDRESS, error.to_string()),
        _ => unreachable(error.to_string()),
    })?;
    let digest = Digest::of_bytes(&bytes);
    if digest != entry.digest {
        let message = format!("came as {digest}, and the index names {}", entry.digest);
        return Err((codes::WRONG_ARCHIVE_DIGEST, message));
    }
    mount_bytes(&bytes, url.as_str(), cache, &options.archives)
        .map_err(|error| refused(&error.problem))
}

fn refused(problem: &ArchiveError) -> Problem {
    match problem {
        ArchiveError::NoPack(told) => (problem.code(), format!("can't be had: {told}")),
        _ => (problem.code(), problem.to_string()),
    }
}

fn version(pack: &Path) -> Option<String> {
    let text =
        String::from_utf8(files::head(&pack.join(GUIDE_FILE), MAX_GUIDE_BYTES).ok()?).ok()?;
    manifest::read(&text, pack, &[]).item?.version
}

#[derive(Debug, Default)]
pub(super) struct Index {
    /// The highest version of each pack, in the order of their first mention.
    pub(super) entries: Vec<Entry>,
    pub(super) faults: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) url: String,
    pub(super) digest: Digest,
    pub(super) size: Option<u64>,
}

fn read_index(bytes: &[u8], most: usize) -> Result<Index, String> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| format!("its index is not JSON: {error}"))?;
    let packs = value.get("packs").and_then(Value::as_array);
    let packs = packs.ok_or("its index has no list `packs`")?;
    if packs.len() > most {
        return Err(format!("its index names {} packs; at most {most} are read", packs.len()));
    }
    let mut index = Index::default();
    for (number, pack) in (1..).zip(packs) {
        match entry(pack) {
            Err(problem) => index.faults.push(format!("entry {number} of the index {problem}")),
            Ok(entry) => index.take(entry),
        }
    }
    Ok(index)
}

impl Index {
    fn take(&mut self, entry: Entry) {
        match self.entries.iter_mut().find(|known| known.name == entry.name) {
            None => self.entries.push(entry),
            Some(known) if compare(&entry.version, &known.version) == Ordering::Greater => {
                *known = entry;
            }
            Some(_) => {}
        }
    }
}

fn entry(pack: &Value) -> Result<Entry, String> {
    let text = |field: &str| {
        let value = pack.get(field).and_then(Value::as_str);
        let value = value.filter(|text| !text.trim().is_empty()).map(str::to_owned);
        value.ok_or_else(|| format!("has no text `{field}`"))
    };
    let (name, version, url) = (text("name")?, text("version")?, text("url")?);
    let about = |problem: &str| format!("(`{}`) {problem}", name.escape_debug());
    let sha256 = text("sha256").map_err(|problem| about(&problem))?.to_lowercase();
    let hex = sha256.strip_prefix("sha256:").unwrap_or(&sha256);
    let digest = format!("sha256:{hex}").parse();
    let digest = digest.map_err(|_| about("has a `sha256` that is not 64 hex digits"))?;
    let size = match pack.get("size") {
        None | Some(Value::Null) => None,
        Some(size) => {
            Some(size.as_u64().ok_or_else(|| about("has a `size` that is not a number"))?)
        }
    };
    Ok(Entry { name, version, url, digest, size })
}

/// Versions by their numbers; with equal ones, what has a suffix (`1.0.0-rc1`) comes before what
/// has none.
fn compare(left: &str, right: &str) -> Ordering {
    let parts = |version: &str| -> (Vec<u64>, Option<String>) {
        let version = version.trim_start_matches('v');
        let version = version.split_once('+').map_or(version, |(version, _)| version);
        let (numbers, suffix) = match version.split_once('-') {
            Some((numbers, suffix)) => (numbers, Some(suffix.to_owned())),
            None => (version, None),
        };
        let mut numbers: Vec<u64> =
            numbers.split('.').map(|part| part.parse().unwrap_or(0)).collect();
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        (numbers, suffix)
    };
    let ((left, left_suffix), (right, right_suffix)) = (parts(left), parts(right));
    left.cmp(&right).then_with(|| match (left_suffix, right_suffix) {
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (left, right) => left.cmp(&right),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kn_16_versions_are_compared_by_their_numbers() {
        for (higher, lower) in
            [("1.10.0", "1.9.9"), ("2", "1.99"), ("1.0.0", "1.0.0-rc1"), ("1.0.1", "v1.0")]
        {
            assert_eq!(compare(higher, lower), Ordering::Greater, "{higher} {lower}");
            assert_eq!(compare(lower, higher), Ordering::Less, "{higher} {lower}");
        }
        assert_eq!(compare("1.0", "1.0.0+build"), Ordering::Equal);
    }
}
