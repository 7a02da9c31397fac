//! Which files a pack has, and what each of them is for.

use super::content::{Content, is_left_out, settled};
use super::error::{PackError, told};
use crate::item::GUIDE_FILE;
use crate::said;
use contexture_tools::{Entry, EntryKind, FileError, Workspace, WorkspacePath};

/// The folders of a pack.
pub(crate) const FOLDERS: [&str; 10] = [
    "assets",
    "compiled",
    "documents",
    "evals",
    "indexes",
    "ontology",
    "runs",
    "schemas",
    "sources",
    "wiki",
];

/// The folder of programs that a pack was built with, which are never run.
pub(crate) const SCRIPTS: &str = "scripts";

const MAX_FILES: usize = 100_000;

const MAX_DEPTH: usize = 32;

/// A file of a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackFile {
    /// Its path relative to the pack's folder, with `/` between the parts.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its last change, in nanoseconds since 1970; 0 for packs of the program.
    pub modified_ns: u128,
    /// Its purpose.
    pub kind: FileKind,
}

impl PackFile {
    /// Reports whether no model is ever shown it: an index of another tool, or the log of the
    /// pack's use, which each use changes.
    pub(super) fn is_unsaid(&self) -> bool {
        let index = folder_of(&self.path) == "indexes" && self.path != crate::anchor::SOURCE_MAP;
        index || self.path.strip_prefix("runs/") == Some(crate::usage::FILE)
    }
}

/// The listing of a pack.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Its files, by path.
    pub files: Vec<PackFile>,
    /// The paths that could not be listed, in order.
    pub left_out: Vec<LeftOut>,
}

/// A part of a pack that could not be listed and counts as not being there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its path relative to the pack's folder.
    pub path: String,
    /// Its kind.
    pub kind: LeftOutKind,
    /// Why.
    pub reason: String,
}

/// The kind of entry that a listing leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOutKind {
    /// A folder that can't be read.
    Folder,
    /// A symlink that leads to no file of the pack.
    Symlink,
}

impl LeftOut {
    /// Returns the message about it.
    #[must_use]
    pub fn message(&self) -> String {
        let (path, reason) = (said::quote(&self.path), said::quote(&self.reason));
        match self.kind {
            LeftOutKind::Folder => {
                format!("the folder `{path}/` is left out with all that is in it: {reason}")
            }
            LeftOutKind::Symlink => format!("the symlink `{path}` is left out: {reason}"),
        }
    }
}

/// The purpose of a file of a pack (KN-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    /// `KNOWLEDGE.md` itself.
    Guide,
    /// In `compiled/`: made for reading by a model.
    Runtime,
    /// The primary document.
    Primary,
    /// In `documents/`.
    Document,
    /// In `wiki/`.
    Wiki,
    /// In `sources/`, `indexes/` or `runs/`: where it comes from.
    Evidence,
    /// Anything else.
    Asset,
}

crate::item::words! {
    FileKind: Guide "guide", Runtime "runtime", Primary "primary", Document "document",
        Wiki "wiki", Evidence "evidence", Asset "asset";
}

impl FileKind {
    /// Returns what the file at that path is for, in a pack with that primary document.
    fn of(path: &str, primary: Option<&str>) -> Self {
        if path == GUIDE_FILE {
            return Self::Guide;
        }
        if primary == Some(path) {
            return Self::Primary;
        }
        match folder_of(path) {
            "compiled" => Self::Runtime,
            "documents" => Self::Document,
            "wiki" => Self::Wiki,
            "sources" | "indexes" | "runs" => Self::Evidence,
            _ => Self::Asset,
        }
    }
}

/// Returns the topmost folder of a path; empty for a file beside the guide.
fn folder_of(path: &str) -> &str {
    path.split_once('/').map_or("", |(folder, _)| folder)
}

/// The reason why a listing failed, before the pack is named.
pub(super) enum ListError {
    File(FileError),
    TooMany(usize, &'static str),
}

impl ListError {
    pub(super) fn of(self, pack: &str) -> PackError {
        match self {
            Self::File(error) => PackError::unreadable(pack, error),
            Self::TooMany(limit, what) => {
                PackError::TooLarge { pack: pack.to_owned(), limit, what }
            }
        }
    }
}

/// Returns all files, by path, and what is left out.
pub(super) fn list(content: &Content, primary: Option<&str>) -> Result<Listing, ListError> {
    let primary = primary.map(|path| path.strip_prefix("./").unwrap_or(path));
    let mut listing = match content {
        Content::Folder(folder) => {
            list_folder(folder, primary, &|place| Ok(folder.entries(place, MAX_FILES)?.entries))?
        }
        Content::Static(files) => Listing { files: embedded(files, primary), left_out: Vec::new() },
    };
    listing.files.sort_by(|left, right| left.path.cmp(&right.path));
    listing.left_out.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(listing)
}

fn embedded(files: &[(&str, &str)], primary: Option<&str>) -> Vec<PackFile> {
    files
        .iter()
        .map(|(path, text)| PackFile {
            path: (*path).to_owned(),
            bytes: text.len() as u64,
            modified_ns: 0,
            kind: FileKind::of(path, primary),
        })
        .collect()
}

/// Reads the entries of a folder of the pack.
type Entries<'a> = dyn Fn(&WorkspacePath) -> Result<Vec<Entry>, FileError> + 'a;

fn list_folder(
    folder: &Workspace,
    primary: Option<&str>,
    entries: &Entries<'_>,
) -> Result<Listing, ListError> {
    let mut listing = Listing::default();
    let mut open = vec![(WorkspacePath::root(), 0)];
    while let Some((place, depth)) = open.pop() {
        let entries = match entries(&place) {
            Ok(entries) => entries,
            Err(FileError::TooMany { .. }) => return Err(ListError::TooMany(MAX_FILES, "files")),
            Err(error) if depth == 0 => return Err(ListError::File(error)),
            // Gone while the pack was listed, or a file now: then nothing is in it.
            Err(FileError::NotFound { .. } | FileError::NotFolder(_)) => continue,
            Err(error) => {
                listing.left_out.push(left_out(&place, LeftOutKind::Folder, &error));
                continue;
            }
        };
        if depth > 0 && is_inner_pack(&entries) {
            continue;
        }
        for entry in entries {
            if is_left_out(entry.path.name()) {
                continue;
            }
            if entry.kind == EntryKind::Folder {
                if depth == MAX_DEPTH {
                    return Err(ListError::TooMany(MAX_DEPTH, "levels of folders"));
                }
                open.push((entry.path, depth + 1));
                continue;
            }
            let path = entry.path.clone();
            match settled(folder, entry) {
                Ok(file) => listing.files.extend(pack_file(file, primary)),
                Err(error) => {
                    listing.left_out.push(left_out(&path, LeftOutKind::Symlink, &error));
                }
            }
        }
        if listing.files.len() > MAX_FILES || listing.left_out.len() > MAX_FILES {
            return Err(ListError::TooMany(MAX_FILES, "files"));
        }
    }
    Ok(listing)
}

fn left_out(place: &WorkspacePath, kind: LeftOutKind, error: &FileError) -> LeftOut {
    LeftOut { path: place.to_string(), kind, reason: told(error) }
}

fn pack_file(entry: Entry, primary: Option<&str>) -> Option<PackFile> {
    (entry.kind == EntryKind::File).then(|| PackFile {
        kind: FileKind::of(entry.path.as_str(), primary),
        path: entry.path.to_string(),
        bytes: entry.bytes,
        modified_ns: entry.modified_ns,
    })
}

fn is_inner_pack(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| entry.kind == EntryKind::File && entry.path.name() == GUIDE_FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists a folder with `wiki/` and `wiki/page.md` in it, where reading `wiki` fails.
    fn listed(error: &FileError) -> Listing {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("wiki")).unwrap();
        std::fs::write(place.path().join("wiki/page.md"), "a page").unwrap();
        std::fs::write(place.path().join("LICENSE"), "free").unwrap();
        let folder = Workspace::open(place.path()).unwrap();
        let listing = list_folder(&folder, None, &|place| match place.as_str() {
            "wiki" => Err(error.clone()),
            _ => Ok(folder.entries(place, MAX_FILES)?.entries),
        });
        listing.unwrap_or_else(|_| panic!("{error} stops the listing"))
    }

    #[test]
    fn kn_7_folder_that_cannot_be_read_is_left_out_and_said() {
        let wiki = "wiki".to_owned();
        let io = FileError::Io { path: wiki.clone(), reason: "input/output error".to_owned() };
        for (error, reason) in [
            (FileError::Denied(wiki.clone()), "there is no permission to read it"),
            (io, "input/output error"),
        ] {
            let Listing { files, left_out } = listed(&error);
            assert_eq!(files.iter().map(|file| &file.path).collect::<Vec<_>>(), ["LICENSE"]);
            let message =
                format!("the folder `wiki/` is left out with all that is in it: {reason}");
            assert_eq!(left_out.iter().map(LeftOut::message).collect::<Vec<_>>(), [message]);
        }
    }

    #[test]
    fn kn_7_folder_that_is_gone_when_it_is_read_is_empty() {
        let gone = FileError::NotFound { path: "wiki".to_owned(), similar: None };
        for error in [gone, FileError::NotFolder("wiki".to_owned())] {
            let Listing { files, left_out } = listed(&error);
            assert_eq!((files.len(), left_out.as_slice()), (1, [].as_slice()));
        }
    }
}
