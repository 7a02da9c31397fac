//! What trials measured of the choices of programs, and whether it still holds (EV-10).
//!
//! Decision: a measurement holds while the program marks what was measured and the cases are the same.
//! Everything else of a program may change: who wants to know what that changed runs the trial again.

use super::{Drift, digest_of, read, unusable};
use crate::project::Project;
use crate::run::{SetupError, load};
use crate::servers::lock_file;
use contexture_mcp::{Lock, Measured};
use contexture_script::sites::{Site, lasting_names, sites};
use std::collections::BTreeMap;
use std::path::Path;

/// The kind of what has changed.
const KIND: &str = "choices";

/// Refuses a lock that can't be read, before something is measured.
///
/// # Errors
/// [`SetupError`] about the lock.
pub fn require_lock(project: &Project) -> Result<(), SetupError> {
    read(project).map(drop)
}

/// Keeps what a trial measured of a program, in place of an earlier measurement. False when the program
/// lies outside the project: then nothing is kept.
///
/// # Errors
/// [`SetupError`] when the lock can't be read or written.
pub fn keep_measured(
    project: &Project,
    program: &Path,
    measured: Measured,
) -> Result<bool, SetupError> {
    let name = project.name_of(program);
    if Path::new(&name).is_absolute() {
        return Ok(false);
    }
    let mut lock = read(project)?;
    lock.choices.insert(name, measured);
    lock.write(&lock_file(project)).map_err(|error| unusable(&error))?;
    Ok(true)
}

/// Returns what differs from what was measured.
pub(super) fn drift(project: &Project, lock: &Lock) -> Vec<Drift> {
    let of_program = |(name, measured): (&String, &Measured)| of_program(project, name, measured);
    lock.choices.iter().flat_map(of_program).collect()
}

/// Removes the measurements that no longer hold.
pub(super) fn forget_changed(project: &Project, lock: &mut Lock) {
    lock.choices.retain(|name, measured| of_program(project, name, measured).is_empty());
}

fn of_program(project: &Project, name: &str, measured: &Measured) -> Vec<Drift> {
    let marked = marked(project, name);
    let candidates = measured.selected.iter().map(|(site, candidate)| Drift {
        kind: KIND.to_owned(),
        name: format!("{name} {site}"),
        pinned: Some(candidate.clone()),
        found: marked.get(site).cloned(),
    });
    let data = measured.data.iter().map(|(file, pinned)| Drift {
        kind: KIND.to_owned(),
        name: format!("{name} {file}"),
        pinned: Some(pinned.clone()),
        found: digest_of(project, file),
    });
    candidates.chain(data).filter(|drift| drift.pinned != drift.found).collect()
}

/// Returns the candidate that each choice of a program shows, by its lasting name.
fn marked(project: &Project, name: &str) -> BTreeMap<String, String> {
    let program = load(project, &project.root.join(name)).ok();
    let file = program.and_then(|(program, _)| program.files.into_iter().next());
    let sites = file.map(|file| sites(&file.source, &file.parsed.file)).unwrap_or_default();
    let shown = |(name, site): (String, &Site)| {
        Some((name, site.candidates.iter().find(|one| one.selected)?.name.clone()))
    };
    lasting_names(&sites).into_iter().zip(&sites).filter_map(shown).collect()
}
