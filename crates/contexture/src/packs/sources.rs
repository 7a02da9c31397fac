//! The places that are searched for the packs of a project (KN-2).

use super::options::Options;
use super::organization;
use crate::project::Project;
use contexture_knowledge::builtin;
use contexture_knowledge::discovery::{Discovery, DiscoveryOptions, Roots, discover};
use contexture_store::home;
use std::path::{Path, PathBuf};

/// Returns the project's cache folder; `None` when a symlink on the way leads out of the project:
/// the author of a workspace does not decide what is written elsewhere.
pub(super) fn cache(project: &Project) -> Option<PathBuf> {
    let cache = project.state_folder().join("cache").join("knowledge");
    let there = cache.ancestors().find(|folder| folder.symlink_metadata().is_ok())?;
    let (root, real) = (project.root.canonicalize().ok()?, there.canonicalize().ok()?);
    real.starts_with(root).then_some(cache)
}

/// Searches all places that settings and options name; `cache` is the project's cache folder.
pub(super) fn find(project: &Project, options: &Options, cache: Option<&Path>) -> Discovery {
    let settings = &project.config.knowledge;
    let (organization, findings) = organization::folders(project, options, cache);
    let roots = Roots {
        explicit: options.explicit.clone(),
        project: Some(project.root.clone()),
        user: project.home().map(Path::to_owned),
        organization,
        built_in: if settings.built_in { builtin::packs() } else { Vec::new() },
    };
    let defaults = DiscoveryOptions::default();
    let limits = (settings.max_depth, settings.max_folders);
    let discovery = DiscoveryOptions {
        max_depth: limits.0.map_or(defaults.max_depth, std::num::NonZeroUsize::get),
        max_folders: limits.1.map_or(defaults.max_folders, std::num::NonZeroUsize::get),
        gitignore: settings.gitignore,
        types: settings.types.clone(),
        archived: options.archived,
        cache: cache.filter(|_| !options.read_only).map(|cache| cache.join("catalog")),
    };
    let mut found = discover(&roots, &discovery);
    if let Some(cache) = &discovery.cache {
        home::mark(cache);
    }
    found.findings.extend(findings);
    // Also one that gave nothing: it was searched.
    found.scanned.extend(settings.registry.as_ref().map(PathBuf::from));
    found
}
