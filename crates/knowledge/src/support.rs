//! Folders with packs, for tests.

use crate::discovery::{Discovery, DiscoveryOptions, Roots, discover};
use std::path::{Path, PathBuf};

/// A project and a home in a folder that goes away with it.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes a file with missing folders.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Writes a good pack into a folder: its name is that of the folder.
    pub(crate) fn pack(&self, folder: &str) -> PathBuf {
        self.pack_with(folder, "")
    }

    /// Returns the same with further fields; a field that is given again takes the place of the
    /// usual one.
    pub(crate) fn pack_with(&self, folder: &str, fields: &str) -> PathBuf {
        let text = manifest(Path::new(folder).file_name().unwrap().to_str().unwrap(), fields);
        self.write(&format!("{folder}/KNOWLEDGE.md"), text).parent().unwrap().to_owned()
    }

    pub(crate) fn roots(&self) -> Roots {
        Roots {
            project: Some(self.path("project")),
            user: Some(self.path("home")),
            ..Roots::default()
        }
    }

    /// Makes the project's folder, and looks for packs.
    pub(crate) fn discover(&self) -> Discovery {
        std::fs::create_dir_all(self.path("project")).unwrap();
        discover(&self.roots(), &DiscoveryOptions::default())
    }
}

/// Returns the text of a good manifest.
pub(crate) fn manifest(name: &str, fields: &str) -> String {
    let usual = [
        ("name", name.to_owned()),
        ("description", format!("What {name} knows.")),
        ("type", "brand-product".to_owned()),
        ("status", "ready".to_owned()),
        ("profile", "hybrid".to_owned()),
    ];
    let mut text = String::from("---\n");
    for (field, value) in usual {
        if !fields.lines().any(|line| line.starts_with(&format!("{field}:"))) {
            text.push_str(&format!("{field}: {value}\n"));
        }
    }
    format!("{text}{fields}{}---\n# {name}\n", if fields.is_empty() { "" } else { "\n" })
}

/// Returns the names of the packs, in their order.
pub(crate) fn names(discovery: &Discovery) -> Vec<&str> {
    discovery.packs.iter().map(|found| found.item.name.as_str()).collect()
}

/// Returns the codes of the findings with the end of their paths, in their order.
pub(crate) fn told<'d>(discovery: &'d Discovery, root: &Path) -> Vec<(&'d str, &'d str)> {
    let shown = |path: &'d Path| path.strip_prefix(root).unwrap_or(path).to_str().unwrap();
    discovery.findings.iter().map(|finding| (finding.code, shown(&finding.path))).collect()
}
