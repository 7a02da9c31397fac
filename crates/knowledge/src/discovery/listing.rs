//! The content of a folder, as far as packs are concerned (KN-3).

use crate::pack::GUIDE_FILE;
use std::ffi::OsString;
use std::path::Path;

/// The names in a folder that matter, sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Listing {
    pub(super) guide: Option<Guide>,
    /// Folders, without those that are never searched.
    pub(super) folders: Vec<OsString>,
    pub(super) links: Vec<OsString>,
    /// A file that is nearly named `KNOWLEDGE.md`, where there is none.
    pub(super) misnamed: Option<OsString>,
}

/// The state of a `KNOWLEDGE.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guide {
    /// A file, or a symlink.
    File,
    /// A folder, a device.
    Other,
}

impl Listing {
    pub(super) fn read(folder: &Path) -> std::io::Result<Self> {
        let mut out = Self::default();
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let name = entry.file_name();
            if name == GUIDE_FILE {
                let is_file = kind.is_file() || kind.is_symlink();
                out.guide = Some(if is_file { Guide::File } else { Guide::Other });
            } else if kind.is_dir() {
                if !is_skipped(name.to_str().unwrap_or_default()) {
                    out.folders.push(name);
                }
            } else if kind.is_symlink() {
                out.links.push(name);
            } else if name.eq_ignore_ascii_case(GUIDE_FILE) {
                out.misnamed = Some(name);
            }
        }
        if out.guide.is_some() {
            out.misnamed = None;
        }
        out.folders.sort_unstable();
        out.links.sort_unstable();
        Ok(out)
    }

    /// Returns the listing as one line of a cache; none when a name can't stand there.
    pub(super) fn to_line(&self) -> Option<String> {
        let guide = match self.guide {
            None => "-",
            Some(Guide::File) => "file",
            Some(Guide::Other) => "other",
        };
        let folders = joined(&self.folders)?;
        let links = joined(&self.links)?;
        let misnamed = joined(self.misnamed.as_slice())?;
        Some([guide, &folders, &links, &misnamed].join("\t"))
    }

    pub(super) fn of_line(line: &str) -> Option<Self> {
        let mut parts = line.split('\t');
        let guide = match parts.next()? {
            "-" => None,
            "file" => Some(Guide::File),
            "other" => Some(Guide::Other),
            _ => return None,
        };
        let mut names = || -> Option<Vec<OsString>> {
            let names = parts.next()?.split('/').filter(|name| !name.is_empty());
            names.map(|name| (!matches!(name, "." | "..")).then(|| name.into())).collect()
        };
        let (folders, links, misnamed) = (names()?, names()?, names()?.pop());
        Some(Self { guide, folders, links, misnamed })
    }
}

/// Names with the one character between them that none can have.
fn joined(names: &[OsString]) -> Option<String> {
    let mut out = String::new();
    for name in names {
        let name = name.to_str().filter(|name| !name.contains(['\n', '\t', '/']))?;
        if !out.is_empty() {
            out.push('/');
        }
        out.push_str(name);
    }
    Some(out)
}

/// Reports whether folders of that name are never searched: version control, installed modules,
/// generated indexes, and what is hidden.
pub(crate) fn is_skipped(name: &str) -> bool {
    name.starts_with('.') || matches!(name, "node_modules" | "indexes")
}
