//! The packs of an organization: folders, archives, a registry (KN-2).

use super::fetch;
use super::options::Options;
use crate::project::Project;
use contexture_knowledge::organization::{ArchiveLimits, folders as unpacked};
use contexture_knowledge::{Finding, codes};
use std::path::{Path, PathBuf};

/// Returns the folders of the organization's packs, and the faults of the rest.
pub(super) fn folders(
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
    let (mut all, mut findings) = unpacked(&named, &archives, &ArchiveLimits::default());
    if let Some(url) = &settings.registry {
        let read = fetch::of_registry(project, url, &archives, options.offline);
        all.extend(read.packs);
        findings.extend(read.findings);
    }
    (all, findings)
}
