//! The places and the options of discovery.

use crate::item::{CatalogItem, Scope};
use crate::pack::Pack;
use serde::Serialize;
use std::path::PathBuf;

/// The places where packs are looked for (KN-2).
#[derive(Debug, Clone, Default)]
pub struct Roots {
    /// Named by the user: packs, their `KNOWLEDGE.md`, folders with packs in them, or projects.
    pub explicit: Vec<PathBuf>,
    /// The folder of the project: `.contexture/knowledge` goes before `.agents/knowledge`.
    pub project: Option<PathBuf>,
    /// The home of the user, with the same two folders.
    pub user: Option<PathBuf>,
    /// Folders of the organization: packs, or folders with packs in them.
    pub organization: Vec<PathBuf>,
    /// Packs that come with the program.
    pub built_in: Vec<Pack>,
}

/// The options of discovery (KN-3).
#[derive(Debug, Clone)]
pub struct DiscoveryOptions {
    /// The number of levels below a location that are searched.
    pub max_depth: usize,
    /// The number of folders of one location that are searched.
    pub max_folders: usize,
    /// True if what `.gitignore` names is skipped.
    pub gitignore: bool,
    /// Types that are allowed besides those that the format knows.
    pub types: Vec<String>,
    /// True if archived packs are shown.
    pub archived: bool,
    /// The folder in which the catalog is kept for the next start.
    pub cache: Option<PathBuf>,
}

impl Default for DiscoveryOptions {
    fn default() -> Self {
        Self {
            max_depth: 6,
            max_folders: 20_000,
            gitignore: false,
            types: Vec::new(),
            archived: false,
            cache: None,
        }
    }
}

/// A pack that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    /// Its metadata.
    pub item: CatalogItem,
    /// In which scope it was found.
    pub scope: Scope,
}
