//! A source: a folder or a file that a person named.

use super::error::SyncError;
use crate::files::told;
use crate::pack::is_left_out;
use contexture_tools::Workspace;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// An opened source.
#[derive(Debug, Clone)]
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
}

impl Source {
    /// Opens the sources of a pack.
    pub(super) fn open_all(places: &[PathBuf], base: &Path) -> Result<Vec<Self>, SyncError> {
        let mut sources = Vec::new();
        for place in places {
            sources.push(Self::open(place, base)?);
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
        Ok(Self { place, recorded, name, folder: workspace, only, prefix: String::new() })
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
