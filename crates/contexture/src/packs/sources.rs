//! Where the packs of a project are looked for (KN-2).

use super::{Options, fetch};
use crate::project::Project;
use contexture_knowledge::discovery::{Discovery, DiscoveryOptions, Roots, discover};
use contexture_knowledge::organization::{ArchiveLimits, folders};
use contexture_knowledge::{Finding, builtin};
use std::path::{Path, PathBuf};

/// Looks everywhere that settings and options name; `cache` is the project's folder for what can be
/// made again.
pub(super) fn find(project: &Project, options: &Options, cache: &Path) -> Discovery {
    let settings = &project.config.knowledge;
    let (organization, findings) = organization(project, options, cache);
    let roots = Roots {
        explicit: options.explicit.clone(),
        project: Some(project.root.clone()),
        user: crate::references::home(project).map(Path::to_owned),
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
        cache: (!options.read_only).then(|| cache.join("catalog")),
    };
    let mut found = discover(&roots, &discovery);
    found.findings.extend(findings);
    found
}

/// The folders of what the organization gives: folders, archives, a registry.
fn organization(
    project: &Project,
    options: &Options,
    cache: &Path,
) -> (Vec<PathBuf>, Vec<Finding>) {
    let settings = &project.config.knowledge;
    let named: Vec<PathBuf> =
        settings.organization.iter().map(|path| project.root.join(path)).collect();
    let archives = cache.join("archives");
    let (mut all, mut findings) = folders(&named, &archives, &ArchiveLimits::default());
    if let Some(url) = &settings.registry {
        let read = fetch::of_registry(project, url, &archives, options.offline);
        all.extend(read.packs);
        findings.extend(read.findings);
    }
    (all, findings)
}
