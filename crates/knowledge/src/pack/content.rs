//! The files of a pack: in a folder, or in the program itself.

use crate::item::GUIDE_FILE;
use contexture_tools::paths::Access;
use contexture_tools::{Entry, EntryKind, FileError, Workspace, WorkspacePath};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(super) enum Content {
    /// Below a folder.
    Folder(Arc<Workspace>),
    /// In the program: pairs of a path and a text.
    Static(&'static [(&'static str, &'static str)]),
}

impl Content {
    pub(super) fn folder(root: &Path) -> Result<Self, FileError> {
        Ok(Self::Folder(Arc::new(Workspace::open(root)?)))
    }

    pub(super) fn read_text(&self, path: &str, limit: u64) -> Result<String, FileError> {
        match self {
            Self::Folder(folder) => folder.read_text(&own(folder, path)?, limit),
            Self::Static(files) => Ok(within(files, path, limit)?.to_owned()),
        }
    }

    /// Reads a file that was listed.
    pub(super) fn read_listed(&self, path: &str, limit: u64) -> Result<String, FileError> {
        match self {
            Self::Folder(folder) => folder.read_text(&folder.resolve(path)?, limit),
            Self::Static(_) => self.read_text(path, limit),
        }
    }

    /// Reads a part of a file that was listed.
    pub(super) fn listed_part(&self, path: &str, part: Range<usize>) -> Result<Vec<u8>, FileError> {
        match self {
            Self::Folder(folder) => {
                folder.read_part(&folder.resolve(path)?, part.start as u64..part.end as u64)
            }
            Self::Static(files) => {
                let whole = within(files, path, u64::MAX)?.as_bytes();
                Ok(whole.get(part).unwrap_or_default().to_vec())
            }
        }
    }

    /// Reads the bytes of a file that was listed.
    pub(super) fn listed_bytes(&self, path: &str, limit: u64) -> Result<Vec<u8>, FileError> {
        match self {
            Self::Folder(folder) => folder.read_bytes(&folder.resolve(path)?, limit),
            Self::Static(files) => Ok(within(files, path, limit)?.as_bytes().to_vec()),
        }
    }
}

fn within(
    files: &[(&'static str, &'static str)],
    path: &str,
    limit: u64,
) -> Result<&'static str, FileError> {
    let asked = path.strip_prefix("./").unwrap_or(path);
    let Some((_, text)) = files.iter().find(|(name, _)| *name == asked) else {
        let names = files.iter().map(|(name, _)| *name);
        let similar = contexture_diagnostic::nearest(asked, names).map(str::to_owned);
        return Err(FileError::NotFound { path: path.to_owned(), similar });
    };
    let bytes = text.len() as u64;
    if bytes > limit {
        return Err(FileError::TooLarge { path: path.to_owned(), bytes, limit });
    }
    Ok(text)
}

/// Returns one entry of a listing: a symlink stands for the file of the pack that it leads to.
///
/// # Errors
/// The reason why it stands for nothing, when it leads to no such file.
pub(super) fn settled(folder: &Workspace, entry: Entry) -> Result<Entry, FileError> {
    if entry.kind != EntryKind::Symlink {
        return Ok(entry);
    }
    folder.file(&own(folder, entry.path.as_str())?)
}

/// Returns the place in the pack that a path means, when it is part of the pack by name and,
/// symlinks followed, by place.
fn own(folder: &Workspace, path: &str) -> Result<WorkspacePath, FileError> {
    let place = folder.resolve(path)?;
    let missing = || FileError::NotFound { path: path.to_owned(), similar: None };
    if !is_visible(place.as_str()) {
        return Err(missing());
    }
    let real = folder.locate(&place, Access::Read)?;
    let real = real.strip_prefix(folder.root()).ok().and_then(Path::to_str);
    let real = real.ok_or_else(missing)?.replace(std::path::MAIN_SEPARATOR, "/");
    let is_own = is_visible(&real) && !is_in_inner_pack(folder, &real);
    if is_own { Ok(place) } else { Err(missing()) }
}

/// Reports whether a folder on the way to the file is a pack of its own.
fn is_in_inner_pack(folder: &Workspace, path: &str) -> bool {
    let folders = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
    folders
        .filter_map(|above| folder.resolve(&format!("{above}/{GUIDE_FILE}")).ok())
        .any(|guide| folder.has(&guide))
}

/// Reports whether no part of a path is hidden or installed by tools.
pub(super) fn is_visible(path: &str) -> bool {
    path == "." || !path.split('/').any(is_left_out)
}

/// Reports whether a name is not part of a pack: hidden, or what tools install.
pub(crate) fn is_left_out(name: &str) -> bool {
    name.starts_with('.') || name == "node_modules"
}
