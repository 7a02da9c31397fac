//! The pins of a project: what the prompts of its programs can hold, by digest, in its one lock
//! (EV-14).
//!
//! Decision: what is pinned is read from the programs alone, so that it depends on no input and no
//! run. What lies in the network is pinned by its name: to see whether it has changed, it would have
//! to be loaded.

mod choices;
mod collect;

use crate::project::Project;
use crate::run::SetupError;
use crate::servers::lock_file;
use contexture_context::Digest;
use contexture_mcp::{Lock, LockError, Pins};
#[cfg(feature = "flow")]
use contexture_script::program::Program;
use serde::Serialize;

pub use choices::{keep_measured, require_lock};
pub use contexture_mcp::Measured;

/// What has changed since a project was pinned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Drift {
    /// The kind: `files`, `templates`, `references`, `packs`, `tools`, `models`, `choices`.
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
    /// What has changed since it was pinned, and since choices were measured; `None` when neither ever was.
    pub drift: Option<Vec<Drift>>,
    /// True if its prompts were pinned.
    pub is_pinned: bool,
}

/// Compares a project with its lock.
///
/// # Errors
/// [`SetupError`] when the workspace or the lock can't be read.
pub async fn compare(project: &Project) -> Result<Compared, SetupError> {
    let lock = read(project)?;
    let found = collect::collect(project, &lock).await?;
    let changed = lock.pins.as_ref().map(|pinned| difference(pinned, &found));
    let is_pinned = changed.is_some();
    let is_known = is_pinned || !lock.choices.is_empty();
    let all = || changed.unwrap_or_default().into_iter().chain(choices::drift(project, &lock));
    Ok(Compared { found, drift: is_known.then(|| all().collect()), is_pinned })
}

/// Returns what has changed since a project was pinned, and since choices were measured. One that never
/// was pinned is not looked at otherwise.
///
/// # Errors
/// [`SetupError`] when the workspace or the lock can't be read.
pub async fn drift(project: &Project) -> Result<Vec<Drift>, SetupError> {
    let lock = read(project)?;
    if lock.pins.is_none() {
        return Ok(choices::drift(project, &lock));
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

/// Pins a project: writes its lock, without the measurements of choices that no longer hold.
///
/// # Errors
/// [`SetupError`] when the lock can't be read or written.
pub fn pin(project: &Project, pins: Pins) -> Result<(), SetupError> {
    let mut lock = read(project)?;
    lock.pins = Some(pins);
    choices::forget_changed(project, &mut lock);
    lock.write(&lock_file(project)).map_err(|error| unusable(&error))
}

fn read(project: &Project) -> Result<Lock, SetupError> {
    Lock::read(&lock_file(project)).map_err(|error| unusable(&error))
}

/// Returns the digest of a file of the project: of its text, where it is one.
pub(crate) fn digest_of(project: &Project, name: &str) -> Option<String> {
    let bytes = std::fs::read(project.root.join(name)).ok()?;
    Some(Digest::of_text(&String::from_utf8_lossy(&bytes)).to_string())
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
