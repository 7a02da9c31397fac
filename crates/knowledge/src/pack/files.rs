//! Which files a pack has, and what each of them is for.

use super::content::{Content, is_left_out, settled};
use super::{GUIDE_FILE, PackError};
use contexture_tools::{Entry, EntryKind, FileError, Workspace, WorkspacePath};

/// The most files that a pack may have.
const MAX_FILES: usize = 100_000;

/// The deepest folder of a pack.
const MAX_DEPTH: usize = 32;

/// A file of a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackFile {
    /// Its path relative to the pack's folder, with `/` between the parts.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last written, in nanoseconds since 1970; 0 for packs of the program.
    pub modified_ns: u128,
    /// What it is for.
    pub kind: FileKind,
}

impl PackFile {
    /// Whether no model is ever shown it: an index of another tool, or the log of the pack's use,
    /// which each use changes.
    pub(super) fn is_unsaid(&self) -> bool {
        let index = folder_of(&self.path) == "indexes" && self.path != crate::anchor::SOURCE_MAP;
        index || self.path.strip_prefix("runs/") == Some(crate::usage::FILE)
    }
}

/// What a file of a pack is for (KN-7).
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

impl FileKind {
    /// The word that guides use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Guide => "guide",
            Self::Runtime => "runtime",
            Self::Primary => "primary",
            Self::Document => "document",
            Self::Wiki => "wiki",
            Self::Evidence => "evidence",
            Self::Asset => "asset",
        }
    }

    /// What the file at that path is for, in a pack with that primary document.
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

/// The topmost folder of a path; empty for a file beside the guide.
fn folder_of(path: &str) -> &str {
    path.split_once('/').map_or("", |(folder, _)| folder)
}

/// Why a listing failed, before the pack is named.
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

/// All files, by path.
pub(super) fn list(content: &Content, primary: Option<&str>) -> Result<Vec<PackFile>, ListError> {
    let primary = primary.map(|path| path.strip_prefix("./").unwrap_or(path));
    let mut files = match content {
        Content::Folder(folder) => list_folder(folder, primary)?,
        Content::Static(files) => files
            .iter()
            .map(|(path, text)| PackFile {
                path: (*path).to_owned(),
                bytes: text.len() as u64,
                modified_ns: 0,
                kind: FileKind::of(path, primary),
            })
            .collect(),
    };
    files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(files)
}

fn list_folder(folder: &Workspace, primary: Option<&str>) -> Result<Vec<PackFile>, ListError> {
    let mut files = Vec::new();
    let mut open = vec![(WorkspacePath::root(), 0)];
    while let Some((place, depth)) = open.pop() {
        let entries = match folder.entries(&place, MAX_FILES) {
            Ok((entries, _)) => entries,
            Err(FileError::TooMany { .. }) => return Err(ListError::TooMany(MAX_FILES, "files")),
            // Gone while the pack was listed: then nothing is in it.
            Err(FileError::NotFound { .. }) if depth > 0 => continue,
            Err(error) => return Err(ListError::File(error)),
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
            } else if let Some(file) = settled(folder, entry) {
                files.extend(pack_file(file, primary));
            }
        }
        if files.len() > MAX_FILES {
            return Err(ListError::TooMany(MAX_FILES, "files"));
        }
    }
    Ok(files)
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
