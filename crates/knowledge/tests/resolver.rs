//! The resolver as a whole: packs in folders, tasks, budgets, anchors, indexes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

#[path = "resolver/anchors.rs"]
mod anchors;
#[path = "resolver/budget.rs"]
mod budget;
#[path = "resolver/diversity.rs"]
mod diversity;
#[path = "resolver/index.rs"]
mod index;
#[path = "resolver/languages.rs"]
mod languages;
#[path = "resolver/meaning.rs"]
mod meaning;
#[path = "resolver/partial.rs"]
mod partial;
#[path = "resolver/profiles.rs"]
mod profiles;
#[path = "resolver/reranking.rs"]
mod reranking;
#[path = "resolver/warnings.rs"]
mod warnings;

use contexture_context::tokens::O200K_BASE;
use contexture_knowledge::resolve::{Resolution, Resolver, Task};
use contexture_knowledge::{DiscoveryOptions, Pack, Roots, discover};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A project with packs in it.
pub(crate) struct Project {
    folder: TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A project with one pack, `acme`, of that frontmatter (without name and description).
    pub(crate) fn with(frontmatter: &str, files: &[(&str, &str)]) -> Self {
        let project = Self::new();
        project.pack("acme", frontmatter, files);
        project
    }

    pub(crate) fn root(&self, pack: &str) -> PathBuf {
        self.folder.path().join(".agents/knowledge").join(pack)
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    pub(crate) fn pack(&self, name: &str, frontmatter: &str, files: &[(&str, &str)]) {
        let guide = format!(
            "---\nname: {name}\ndescription: Facts of {name}.\ntype: brand-product\n\
             {frontmatter}\n---\n\n# {name}\n"
        );
        write(&self.root(name).join("KNOWLEDGE.md"), &guide);
        for (path, text) in files {
            self.write(name, path, text);
        }
    }

    pub(crate) fn write(&self, pack: &str, path: &str, text: &str) {
        write(&self.root(pack).join(path), text);
    }

    pub(crate) fn open(&self, name: &str) -> Pack {
        let roots = Roots { project: Some(self.folder.path().to_owned()), ..Roots::default() };
        discover(&roots, &DiscoveryOptions::default()).open(name).unwrap()
    }

    /// Asks `acme` with a fresh resolver in memory.
    pub(crate) fn ask(&self, text: &str, budget: u64) -> Resolution {
        self.asks(&Task::new(text, budget))
    }

    pub(crate) fn asks(&self, task: &Task) -> Resolution {
        Resolver::new(&O200K_BASE, None).resolve(&[self.open("acme")], task).unwrap()
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub(crate) fn paths(resolution: &Resolution) -> Vec<&str> {
    resolution.sections.iter().map(|section| section.path.as_str()).collect()
}

pub(crate) fn headings(resolution: &Resolution) -> Vec<&str> {
    resolution.sections.iter().map(|section| section.heading.as_str()).collect()
}

pub(crate) const READY: &str = "status: ready\ntrust: official\nprofile: wiki-first";
pub(crate) const DOCUMENTS: &str = "status: ready\ntrust: official\nprofile: document-first\n\
                                    metadata:\n  primaryDocument: documents/brief.md";
