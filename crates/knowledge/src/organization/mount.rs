//! Archives as folders: unpacked once into a cache, under the digest of the archive.

use super::archive::ArchiveLimits;
use super::error::{ArchiveError, OrganizationError};
use super::settle;
use super::unpack::unpack;
use crate::finding::Finding;
use contexture_context::Digest;
use std::fs;
use std::path::{Path, PathBuf};

/// An archive that was unpacked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mounted {
    /// The folder with its packs.
    pub folder: PathBuf,
    /// The folders of its packs, by name.
    pub packs: Vec<PathBuf>,
    /// The digest of the archive.
    pub digest: Digest,
}

/// Unpacks an archive into `cache`, unless it was before: into a folder named by its digest.
/// Discovery reports the faults of manifests in it.
///
/// # Errors
/// An archive that can't be read, breaks a limit, holds an unsafe entry or no pack.
pub fn mount(
    archive: &Path,
    cache: &Path,
    limits: &ArchiveLimits,
) -> Result<Mounted, OrganizationError> {
    let name = archive.display().to_string();
    let bytes = bytes(archive, limits).map_err(|problem| problem.of(&name))?;
    mount_bytes(&bytes, &name, cache, limits)
}

/// Returns the same of an archive in memory; `name` is what errors call it.
///
/// # Errors
/// As for [`mount`].
pub fn mount_bytes(
    bytes: &[u8],
    name: &str,
    cache: &Path,
    limits: &ArchiveLimits,
) -> Result<Mounted, OrganizationError> {
    mounted(bytes, cache, limits).map_err(|problem| problem.of(name))
}

/// Turns what settings name, folders and archives, into folders for
/// [`Roots::organization`](crate::discovery::Roots::organization). What can't be used is a finding.
#[must_use]
pub fn folders(
    named: &[PathBuf],
    cache: &Path,
    limits: &ArchiveLimits,
) -> (Vec<PathBuf>, Vec<Finding>) {
    let mut folders = Vec::new();
    let mut findings = Vec::new();
    for path in named {
        if !path.is_file() {
            // Also what is not there: discovery reports it.
            folders.push(path.clone());
            continue;
        }
        match mount(path, cache, limits) {
            Ok(mounted) => folders.push(mounted.folder),
            Err(error) => findings.push(
                Finding::new(error.code(), path, error.problem.to_string()).with_help(error.help()),
            ),
        }
    }
    (folders, findings)
}

fn mounted(bytes: &[u8], cache: &Path, limits: &ArchiveLimits) -> Result<Mounted, ArchiveError> {
    let digest = Digest::of_bytes(bytes);
    let folder = cache.join(digest.hex());
    if !folder.is_dir() {
        fs::create_dir_all(cache).map_err(ArchiveError::files("make the folder", cache))?;
        let work = work_folder(cache)?;
        let (raw, ready) = (work.path().join("raw"), work.path().join("ready"));
        for place in [&raw, &ready] {
            fs::create_dir(place).map_err(ArchiveError::files("make the folder", place))?;
        }
        unpack(bytes, &raw, limits)?;
        for (name, pack) in settle::packs(&raw, None)? {
            fs::rename(&pack, ready.join(name)).map_err(ArchiveError::files("move", &pack))?;
        }
        match fs::rename(&ready, &folder) {
            Ok(()) => {}
            // Somebody else was faster, with the same archive.
            Err(_) if folder.is_dir() => {}
            Err(source) => return Err(ArchiveError::files("make the folder", &folder)(source)),
        }
    }
    let packs = settle::packs(&folder, None)?.into_values().collect();
    Ok(Mounted { folder, packs, digest })
}

/// Returns a hidden folder in `place`, gone when it is dropped.
pub(super) fn work_folder(place: &Path) -> Result<tempfile::TempDir, ArchiveError> {
    tempfile::Builder::new()
        .prefix(".unpacking-")
        .tempdir_in(place)
        .map_err(ArchiveError::files("make a folder in", place))
}

/// Returns the bytes of an archive, if they are not too many.
pub(super) fn bytes(archive: &Path, limits: &ArchiveLimits) -> Result<Vec<u8>, ArchiveError> {
    let most = limits.archive_bytes;
    let bytes = crate::files::head(archive, most.saturating_add(1))
        .map_err(ArchiveError::files("read", archive))?;
    if bytes.len() as u64 > most {
        return Err(ArchiveError::TooLarge { limit: most, what: "bytes" });
    }
    Ok(bytes)
}
