//! The stand-in for archives and registries in a build without the feature `knowledge`.

use super::options::Options;
use crate::project::Project;
use contexture_knowledge::Finding;
use std::path::{Path, PathBuf};

/// Returns the folders that the settings name: no archive is unpacked and nothing is fetched.
pub(super) fn folders(
    project: &Project,
    _options: &Options,
    _cache: Option<&Path>,
) -> (Vec<PathBuf>, Vec<Finding>) {
    let named = project.config.knowledge.organization.iter();
    let named = named.map(|path| project.root.join(path)).filter(|path| !path.is_file());
    (named.collect(), Vec::new())
}
