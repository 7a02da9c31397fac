//! Where the packs of a project are looked for (KN-2).

use super::{Options, fetch};
use crate::project::Project;
use contexture_knowledge::discovery::{Discovery, DiscoveryOptions, Roots, discover};
use contexture_knowledge::organization::{ArchiveLimits, folders};
use contexture_knowledge::{Finding, builtin, codes};
use contexture_store::home;
use std::path::{Path, PathBuf};

/// The project's folder for what can be made again; none when a symlink leads out of the project on the
/// way there: whoever made the workspace does not say what is written elsewhere.
pub(super) fn cache(project: &Project) -> Option<PathBuf> {
    let cache = project.state_folder().join("cache").join("knowledge");
    let there = cache.ancestors().find(|folder| folder.symlink_metadata().is_ok())?;
    let (root, real) = (project.root.canonicalize().ok()?, there.canonicalize().ok()?);
    real.starts_with(root).then_some(cache)
}

/// Looks everywhere that settings and options name; `cache` is the project's folder for what can be
/// made again.
pub(super) fn find(project: &Project, options: &Options, cache: Option<&Path>) -> Discovery {
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
        cache: cache.filter(|_| !options.read_only).map(|cache| cache.join("catalog")),
    };
    let mut found = discover(&roots, &discovery);
    if let Some(cache) = &discovery.cache {
        home::mark(cache);
    }
    found.findings.extend(findings);
    // Also one that gave nothing: it is a place that was looked at.
    found.scanned.extend(settings.registry.as_ref().map(PathBuf::from));
    found
}

/// The folders of what the organization gives: folders, archives, a registry.
fn organization(
    project: &Project,
    options: &Options,
    cache: Option<&Path>,
) -> (Vec<PathBuf>, Vec<Finding>) {
    let settings = &project.config.knowledge;
    let named: Vec<PathBuf> =
        settings.organization.iter().map(|path| project.root.join(path)).collect();
    let Some(archives) = cache.map(|cache| cache.join("archives")) else {
        let (archives, folders): (Vec<PathBuf>, _) =
            named.into_iter().partition(|path| path.is_file());
        let code = codes::LINK_NOT_FOLLOWED;
        let message = "a symlink leads out of the project, so nothing is kept there: archives and \
                       the registry of the organization are not used";
        let finding = Finding::new(code, &project.state_folder(), message);
        let is_needed = !archives.is_empty() || settings.registry.is_some();
        let finding = is_needed.then(|| finding.with_help(code.explanation));
        return (folders, finding.into_iter().collect());
    };
    let (mut all, mut findings) = folders(&named, &archives, &ArchiveLimits::default());
    if let Some(url) = &settings.registry {
        let read = fetch::of_registry(project, url, &archives, options.offline);
        all.extend(read.packs);
        findings.extend(read.findings);
    }
    (all, findings)
}
