//! Where the packs of a project are looked for (KN-2).

use super::Options;
use crate::project::Project;
use contexture_knowledge::discovery::{Discovery, DiscoveryOptions, Roots, discover};
use std::path::Path;

/// Looks everywhere that settings and options name; `cache` is the project's folder for what can be
/// made again.
pub(super) fn find(project: &Project, options: &Options, cache: Option<&Path>) -> Discovery {
    let settings = &project.config.knowledge;
    let roots = Roots {
        explicit: options.explicit.clone(),
        project: Some(project.root.clone()),
        user: crate::references::home(project).map(Path::to_owned),
        organization: Vec::new(),
        built_in: Vec::new(),
    };
    let defaults = DiscoveryOptions::default();
    let limits = (settings.max_depth, settings.max_folders);
    let discovery = DiscoveryOptions {
        max_depth: limits.0.map_or(defaults.max_depth, std::num::NonZeroUsize::get),
        max_folders: limits.1.map_or(defaults.max_folders, std::num::NonZeroUsize::get),
        gitignore: settings.gitignore,
        types: settings.types.clone(),
        archived: options.archived,
        cache: cache.map(|cache| cache.join("catalog")),
        ..defaults
    };
    discover(&roots, &discovery)
}
