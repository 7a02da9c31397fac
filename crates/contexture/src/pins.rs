//! The pins of a project: what the prompts of its programs can hold, by digest, in its one lock
//! (EV-14).
//!
//! Decision: what is pinned is read from the programs alone, so that it depends on no input and no
//! run. What lies in the network is pinned by its name: to see whether it has changed, it would have
//! to be loaded.

mod collect;

use crate::project::Project;
use crate::run::SetupError;
use crate::servers::lock_file;
use contexture_mcp::{Lock, LockError, Pins};
#[cfg(feature = "flow")]
use contexture_script::program::Program;
use serde::Serialize;

/// What has changed since a project was pinned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Drift {
    /// The kind: `files`, `templates`, `references`, `packs`, `tools`, `models`.
    pub kind: String,
    /// The name of what has changed.
    pub name: String,
    /// Its pin; absent when it was not pinned.
    pub pinned: Option<String>,
    /// What it is now; absent when no prompt can hold it any more.
    pub found: Option<String>,
}

/// A project as it is, beside its lock.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Compared {
    /// What its prompts can hold now.
    pub found: Pins,
    /// What has changed since it was pinned; `None` when it never was.
    pub drift: Option<Vec<Drift>>,
}

/// Compares a project with its lock.
///
/// # Errors
/// [`SetupError`] when the workspace or the lock can't be read.
pub async fn compare(project: &Project) -> Result<Compared, SetupError> {
    let lock = read(project)?;
    let found = collect::collect(project, &lock).await?;
    let drift = lock.pins.as_ref().map(|pinned| difference(pinned, &found));
    Ok(Compared { found, drift })
}

/// Returns what has changed since a project was pinned. One that never was is not looked at.
///
/// # Errors
/// [`SetupError`] when the workspace or the lock can't be read.
pub async fn drift(project: &Project) -> Result<Vec<Drift>, SetupError> {
    if read(project)?.pins.is_none() {
        return Ok(Vec::new());
    }
    Ok(compare(project).await?.drift.unwrap_or_default())
}

/// Returns what the prompts of a program can hold now.
///
/// # Errors
/// [`SetupError`] when the workspace or the lock can't be read.
#[cfg(feature = "flow")]
pub(crate) async fn of_program(project: &Project, program: &Program) -> Result<Pins, SetupError> {
    collect::of_program(project, &read(project)?, program).await
}

/// Pins a project: writes its lock.
///
/// # Errors
/// [`SetupError`] when the lock can't be read or written.
pub fn pin(project: &Project, pins: Pins) -> Result<(), SetupError> {
    let mut lock = read(project)?;
    lock.pins = Some(pins);
    lock.write(&lock_file(project)).map_err(|error| unusable(&error))
}

fn read(project: &Project) -> Result<Lock, SetupError> {
    Lock::read(&lock_file(project)).map_err(|error| unusable(&error))
}

fn unusable(error: &LockError) -> SetupError {
    SetupError::new("mcp_lock", error, Some(error.help()))
}

/// Compares pins, by kind and name.
fn difference(pinned: &Pins, found: &Pins) -> Vec<Drift> {
    let mut all: Vec<(&String, &String)> = Vec::new();
    for (kind, names) in pinned.iter().chain(found) {
        all.extend(names.keys().map(|name| (kind, name)));
    }
    all.sort();
    all.dedup();
    let of = |pins: &Pins, kind: &str, name: &str| pins.get(kind)?.get(name).cloned();
    let drifts = all.into_iter().map(|(kind, name)| Drift {
        pinned: of(pinned, kind, name),
        found: of(found, kind, name),
        kind: kind.clone(),
        name: name.clone(),
    });
    drifts.filter(|drift| drift.pinned != drift.found).collect()
}
