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

use super::error::ArchiveError;
use super::fetch::{Fetch, FetchError};
use super::index::{self, Entry, Index};
use super::limits::ArchiveLimits;
use super::mount::{Mounted, mount_bytes};
use crate::codes;
use crate::finding::Finding;
use crate::manifest;
use crate::pack::{GUIDE_FILE, MAX_GUIDE_BYTES};
use contexture_context::Digest;
use contexture_diagnostic::Code;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use url::Url;

/// How a registry is read.
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
    let (index, bytes) = match index::read(&bytes, options.packs) {
        Ok(index) => (index, bytes),
        Err(problem) => {
            read.say(codes::BAD_REGISTRY_INDEX, url, problem);
            // One that answers something else, as a hotel's net does, takes away nothing.
            let Some(kept) = kept(&place, options) else { return read };
            let Ok(index) = index::read(&kept, options.packs) else { return read };
            let message = "its packs are used as they were last seen".to_owned();
            read.say(codes::REGISTRY_OFFLINE, url, message);
            (index, kept)
        }
    };
    if let Err(error) = keep(&bytes, &place) {
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
        self.findings
            .push(Finding::new(code, Path::new(about), message).with_help(code.explanation));
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

    /// The pack of that name, if it is in the archive.
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
    let mut kept = Vec::new();
    let read =
        File::open(place).and_then(|file| file.take(options.index_bytes).read_to_end(&mut kept));
    read.is_ok().then_some(kept)
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
    let mut text = String::new();
    let file = File::open(pack.join(GUIDE_FILE)).ok()?;
    file.take(MAX_GUIDE_BYTES).read_to_string(&mut text).ok()?;
    manifest::read(&text, pack, &[]).item?.version
}

/// Keeps the index for the time when the registry can't be reached; whole or not at all.
fn keep(bytes: &[u8], place: &Path) -> std::io::Result<()> {
    let folder = place.parent().unwrap_or(place);
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(place)?;
    Ok(())
}
