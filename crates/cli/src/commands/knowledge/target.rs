//! What a chore is about: the packs of a project, or one pack by its name or path (KN-17).

use super::place::{self, Place};
use crate::complaint::{Complaint, Stop};
use crate::paint::harmless;
use crate::terminal::Terminal;
use contexture::Project;
use contexture::knowledge::discovery::{Discovery, DiscoveryOptions};
use contexture::knowledge::maintenance::MaintenanceError;
use contexture::knowledge::pack::GUIDE_FILE;
use contexture::packs::Options;
use std::path::{Path, PathBuf};

/// The folder of what was named; of the project when nothing was.
///
/// # Errors
/// A complaint when there is nothing of that name or path.
pub(super) fn folder(
    named: Option<&str>,
    place: &Place,
    terminal: &Terminal,
) -> Result<(PathBuf, Project), Stop> {
    let project = place.project()?;
    let folder = match named {
        None => project.root.clone(),
        Some(named) if is_path(named) => of_path(Path::new(named))?,
        Some(name) => of_name(name, place, &project, terminal)?,
    };
    Ok((folder, project))
}

/// What discovery takes from the settings of the project.
pub(super) fn options(project: &Project) -> DiscoveryOptions {
    DiscoveryOptions { types: project.config.knowledge.types.clone(), ..Default::default() }
}

/// A name holds no separator; a folder of packs in the current one is meant by `./name`.
fn is_path(text: &str) -> bool {
    text.contains(['/', '\\']) || matches!(text, "." | "..") || text.ends_with(GUIDE_FILE)
}

fn of_path(path: &Path) -> Result<PathBuf, Stop> {
    let is_guide = path.file_name().is_some_and(|name| name == GUIDE_FILE) && !path.is_dir();
    let folder = match path.parent() {
        Some(parent) if is_guide && parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) if is_guide => parent,
        _ => path,
    };
    place::is_folder(folder)?;
    Ok(folder.to_owned())
}

fn of_name(
    name: &str,
    place: &Place,
    project: &Project,
    terminal: &Terminal,
) -> Result<PathBuf, Stop> {
    let options = Options { archived: true, ..place.options()? };
    let packs = place::open(project, options, terminal);
    let found = packs.discovery();
    if let Some(found) = found.packs.iter().find(|found| found.item.name == name) {
        return Ok(found.item.pack_root.clone());
    }
    if let Some(broken) = broken(name, found) {
        return Ok(broken);
    }
    match packs.question(name) {
        Err(error) if Path::new(name).join(GUIDE_FILE).is_file() => {
            let help = format!("the folder is named by `./{name}`");
            Err(Complaint::refused(error.code, harmless(&error.message)).help(help).into())
        }
        Err(error) => Err(place::refuse(&error)),
        Ok(_) => Err(Complaint::refused("KN1201", format!("there is no pack `{name}`")).into()),
    }
}

/// The folder of that name that holds a pack which can't be used: checks are made for such.
fn broken(name: &str, found: &Discovery) -> Option<PathBuf> {
    let folders = found.findings.iter().flat_map(|finding| finding.path.ancestors());
    let mut named = folders.filter(|folder| folder.file_name().is_some_and(|last| last == name));
    named.find(|folder| folder.join(GUIDE_FILE).exists()).map(Path::to_owned)
}

/// The complaint about a chore that could not be done at all.
pub(super) fn refuse(error: &MaintenanceError) -> Stop {
    Complaint::refused(error.code(), harmless(&error.to_string())).help(error.help()).into()
}
