//! Packs made for tests.

use crate::discovery::DiscoveryOptions;
use crate::finding::Finding;
use crate::maintenance::{Validation, validate};
use std::path::{Path, PathBuf};

/// The frontmatter of a pack without a fault.
pub(super) const GUIDE: &str = "---\nname: acme\ndescription: Facts about the Acme Widget.\n\
    type: brand-product\nstatus: ready\nprofile: wiki-first\n---\n\n# Acme\n";

/// A folder with one pack in it.
pub(super) struct Folder {
    _folder: tempfile::TempDir,
    pub(super) root: PathBuf,
}

/// Returns a pack of those files, with [`GUIDE`] unless one is given.
pub(super) fn pack(files: &[(&str, &str)]) -> Folder {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("acme");
    let made = Folder { _folder: folder, root };
    made.write("KNOWLEDGE.md", GUIDE);
    for (path, text) in files {
        made.write(path, text);
    }
    made
}

impl Folder {
    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(super) fn validate(&self) -> Validation {
        validate(&self.root, &DiscoveryOptions::default()).unwrap()
    }

    /// Returns the findings as `CODE path:line message`, with paths relative to the pack.
    pub(super) fn findings(&self) -> Vec<String> {
        shown(&self.validate().findings, &self.root)
    }
}

pub(super) fn shown(findings: &[Finding], root: &Path) -> Vec<String> {
    let root = root.canonicalize().unwrap();
    findings
        .iter()
        .map(|finding| {
            let path = finding.path.strip_prefix(&root).unwrap_or(&finding.path).display();
            let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
            format!("{} {path}{line} {}", finding.code, finding.message)
        })
        .collect()
}
