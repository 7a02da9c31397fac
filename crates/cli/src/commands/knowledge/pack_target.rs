//! The target of a maintenance command: the packs of a project, or one pack by name or path (KN-17).

use super::pack_scope::{self, PackScope};
use crate::output::text::sanitized;
use crate::prelude::*;
use contexture::Project;
use contexture::knowledge::discovery::{Discovery, DiscoveryOptions};
use contexture::knowledge::maintenance::MaintenanceError;
use contexture::knowledge::pack::GUIDE_FILE;
use contexture::packs::Options;

/// Returns the folder of the named pack, or that of the project.
pub(super) fn folder(
    named: Option<&str>,
    scope: &PackScope,
    terminal: &Terminal,
) -> Result<(PathBuf, Project), Abort> {
    let project = scope.project()?;
    let folder = match named {
        None => project.root.clone(),
        Some(named) => match named_folder(named, scope, &project, terminal)? {
            Some(folder) => folder,
            None => of_name(named, scope, &project, terminal)?,
        },
    };
    Ok((folder, project))
}

pub(super) fn options(project: &Project) -> DiscoveryOptions {
    DiscoveryOptions { types: project.config.knowledge.types.clone(), ..Default::default() }
}

/// Returns the folder that an argument names: a path, or a word that is a folder with a pack in it
/// and the name of no pack that is known.
pub(super) fn named_folder(
    given: &str,
    scope: &PackScope,
    project: &Project,
    terminal: &Terminal,
) -> Result<Option<PathBuf>, Abort> {
    if is_path(given) {
        return of_path(Path::new(given)).map(Some);
    }
    if !Path::new(given).join(GUIDE_FILE).is_file() {
        return Ok(None);
    }
    let options = Options { archived: true, ..scope.options()? };
    let packs = pack_scope::open(project, options, terminal);
    let is_known = packs.discovery().packs.iter().any(|found| found.item.name == given);
    Ok((!is_known).then(|| PathBuf::from(given)))
}

/// Reports whether an argument is a path: a name has no separator, and `./name` is a path.
pub(super) fn is_path(text: &str) -> bool {
    text.contains(['/', '\\']) || matches!(text, "." | "..") || text.ends_with(GUIDE_FILE)
}

fn of_path(path: &Path) -> Result<PathBuf, Abort> {
    let is_guide = path.file_name().is_some_and(|name| name == GUIDE_FILE) && !path.is_dir();
    let folder = match path.parent() {
        Some(parent) if is_guide && parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) if is_guide => parent,
        _ => path,
    };
    pack_scope::require_folder(folder)?;
    Ok(folder.to_owned())
}

fn of_name(
    name: &str,
    scope: &PackScope,
    project: &Project,
    terminal: &Terminal,
) -> Result<PathBuf, Abort> {
    let options = Options { archived: true, ..scope.options()? };
    let packs = pack_scope::open(project, options, terminal);
    let found = packs.discovery();
    if let Some(found) = found.packs.iter().find(|found| found.item.name == name) {
        return Ok(found.item.pack_root.clone());
    }
    if let Some(broken) = broken(name, found) {
        return Ok(broken);
    }
    match packs.question(name) {
        Err(error) => Err(error.into()),
        Ok(_) => Err(CommandError::refused("KN1201", format!("unknown pack `{name}`")).into()),
    }
}

/// Finds the folder of an invalid pack by its name, as checks are made for such packs.
fn broken(name: &str, found: &Discovery) -> Option<PathBuf> {
    let folders = found.findings.iter().flat_map(|finding| finding.path.ancestors());
    let mut named = folders.filter(|folder| folder.file_name().is_some_and(|last| last == name));
    named.find(|folder| folder.join(GUIDE_FILE).exists()).map(Path::to_owned)
}

impl From<MaintenanceError> for Abort {
    fn from(error: MaintenanceError) -> Self {
        CommandError::refused(error.code(), sanitized(&error.to_string())).help(error.help()).into()
    }
}
