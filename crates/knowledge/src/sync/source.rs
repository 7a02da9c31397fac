//! A source: a folder, a file or an address that a person named.

use super::error::SyncError;
use super::report::Skipped;
use crate::files::told;
use crate::pack::is_left_out;
use contexture_tools::Workspace;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Fetches the pages of sources on the web.
pub trait Web {
    /// Fetches the pages of an address, or those that a sitemap there names, into a folder, and
    /// returns those that were not.
    ///
    /// # Errors
    /// [`SyncError`] when the source can't be fetched, or a limit is broken.
    fn mirror(&self, address: &str, into: &Path) -> Result<Vec<Missed>, SyncError>;
}

/// A page of the web that was not fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missed {
    /// Its address, and why.
    pub skipped: Skipped,
    /// The paths that its file may have, when its server may give it another time: then the page
    /// of the last sync stays. None when the page is gone.
    pub paths: Vec<String>,
}

impl From<Skipped> for Missed {
    fn from(skipped: Skipped) -> Self {
        Self { skipped, paths: Vec::new() }
    }
}

/// No web: sources are folders and files.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoWeb;

impl Web for NoWeb {
    fn mirror(&self, address: &str, _: &Path) -> Result<Vec<Missed>, SyncError> {
        let reason = "this build reads no web: it lacks the feature `formats`".to_owned();
        Err(SyncError::Source { source_path: address.to_owned(), reason })
    }
}

/// Reports whether a source is an address of the web.
pub(super) fn is_address(source: &str) -> bool {
    source.starts_with("https://") || source.starts_with("http://")
}

/// An opened source.
#[derive(Debug)]
pub(super) struct Source {
    /// Its place, without symlinks.
    pub(super) place: PathBuf,
    /// Its place as the record names it.
    pub(super) recorded: String,
    /// Its last name, by which its pages are told from those of other sources.
    pub(super) name: String,
    /// The folder that files are read in: nothing outside it is reached.
    pub(super) folder: Workspace,
    /// The only file that is meant, by its name.
    pub(super) only: Option<String>,
    /// The folder in the pages for what is read; empty for a single source.
    pub(super) prefix: String,
    /// What was fetched of the web, and what was not.
    pub(super) mirror: Option<Mirrored>,
}

/// The pages of the web, in a folder that goes with them.
#[derive(Debug)]
pub(super) struct Mirrored {
    _folder: TempDir,
    pub(super) missed: Vec<Missed>,
}

impl Source {
    /// Opens the sources of a pack.
    pub(super) fn open_all(
        places: &[PathBuf],
        base: &Path,
        web: &dyn Web,
    ) -> Result<Vec<Self>, SyncError> {
        let mut sources = Vec::new();
        for place in places {
            sources.push(match place.to_str().filter(|place| is_address(place)) {
                Some(address) => Self::fetch(address, web)?,
                None => Self::open(place, base)?,
            });
        }
        if sources.len() > 1 {
            let mut names = BTreeSet::new();
            for source in &mut sources {
                if !names.insert(source.name.clone()) {
                    let reason = format!(
                        "two sources are named `{}`, and their pages would lie in one folder",
                        source.name
                    );
                    return Err(SyncError::BadSource { reason });
                }
                source.prefix = format!("{}/", source.name);
            }
        }
        Ok(sources)
    }

    fn open(given: &Path, base: &Path) -> Result<Self, SyncError> {
        let failed = |reason: String| SyncError::source(given, reason);
        let place = given.canonicalize().map_err(|error| failed(told(&error)))?;
        let is_file = place.is_file();
        let folder = if is_file { place.parent().unwrap_or(&place) } else { place.as_path() };
        let workspace = Workspace::open(folder).map_err(|error| failed(error.to_string()))?;
        let not_text = || failed("its path is not UTF-8 text".to_owned());
        let last = place.file_name().map_or(Some("root"), |name| name.to_str());
        let name = last.ok_or_else(not_text)?;
        // Folders of these names would not be part of the pack.
        let name = if is_left_out(name) { "source" } else { name }.to_owned();
        let recorded = recorded(&place, base).ok_or_else(not_text)?;
        let only = is_file.then(|| last.unwrap_or_default().to_owned());
        let (prefix, folder) = (String::new(), workspace);
        Ok(Self { place, recorded, name, folder, only, prefix, mirror: None })
    }

    /// Fetches the pages of an address.
    fn fetch(address: &str, web: &dyn Web) -> Result<Self, SyncError> {
        let failed = |reason: String| SyncError::Source { source_path: address.to_owned(), reason };
        let folder = tempfile::tempdir().map_err(|error| failed(told(&error)))?;
        let missed = web.mirror(address, folder.path())?;
        let place = folder.path().canonicalize().map_err(|error| failed(told(&error)))?;
        let workspace = Workspace::open(&place).map_err(|error| failed(error.to_string()))?;
        let host = address.split("://").nth(1).and_then(|rest| rest.split(['/', '?', '#']).next());
        let host = host.unwrap_or_default().rsplit('@').next().unwrap_or_default();
        Ok(Self {
            place,
            recorded: address.to_owned(),
            name: host.replace(':', "_"),
            folder: workspace,
            only: None,
            prefix: String::new(),
            mirror: Some(Mirrored { _folder: folder, missed }),
        })
    }

    /// Refuses a source that lies in the pack or is the pack: its pages would be made of themselves.
    pub(super) fn require_apart_from(&self, pack: &Path) -> Result<(), SyncError> {
        let pack = pack.canonicalize().unwrap_or_else(|_| pack.to_owned());
        if !self.place.starts_with(&pack) {
            return Ok(());
        }
        let reason = format!("the source `{}` lies in the pack itself", self.place.display());
        Err(SyncError::BadSource { reason })
    }

    /// Refuses a source that went away while it was read: its files would look deleted.
    pub(super) fn require_present(&self) -> Result<(), SyncError> {
        match std::fs::metadata(&self.place) {
            Ok(_) => Ok(()),
            Err(error) => {
                let reason = format!("it went away while it was read: {}", told(&error));
                Err(SyncError::source(&self.place, reason))
            }
        }
    }
}

/// Returns a place as the record names it: relative to the base when it is inside, with `/`.
fn recorded(place: &Path, base: &Path) -> Option<String> {
    let base = base.canonicalize().ok();
    let Some(inner) = base.and_then(|base| Some(place.strip_prefix(base).ok()?.to_owned())) else {
        return place.to_str().map(str::to_owned);
    };
    let names: Option<Vec<&str>> = inner.iter().map(|name| name.to_str()).collect();
    let path = names?.join("/");
    Some(if path.is_empty() { ".".to_owned() } else { path })
}

/// Reports whether a place is inside a folder, symlinks followed. A place that is not there is where
/// its name says.
pub(super) fn is_inside(place: &Path, folder: &Path) -> bool {
    let Ok(folder) = folder.canonicalize() else { return false };
    match place.canonicalize() {
        Ok(place) => place.starts_with(folder),
        Err(_) => {
            let is_plain = !place.components().any(|part| part.as_os_str() == "..");
            is_plain && std::path::absolute(place).is_ok_and(|place| place.starts_with(folder))
        }
    }
}
