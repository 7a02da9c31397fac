//! The database that is meant, and its place.

use crate::failure::{invalid, of_file};
use crate::settings::Limits;
use contexture_flow::action::ActionFailure;
use contexture_tools::paths::Access;
use contexture_tools::{EntryKind, Workspace, WorkspacePath};
use std::path::PathBuf;
use std::sync::Arc;

/// The databases that a query may read.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) workspace: Arc<Workspace>,
    pub(super) database: Option<String>,
    pub(super) limits: Limits,
}

/// Entries of the workspace that are looked at for its only database.
const LOOKED_AT: usize = 10_000;

/// A database file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// For SQLite.
    pub(super) path: PathBuf,
    /// For people.
    pub(super) shown: String,
}

/// Returns the database that is asked for, else that of the settings, else the only one there is.
pub(super) fn find(source: &Source, asked: Option<&str>) -> Result<Place, ActionFailure> {
    let named = asked.or(source.database.as_deref());
    let place = match named {
        Some(name) => source.workspace.resolve(name).map_err(of_file)?,
        None => only(source)?,
    };
    source.workspace.require_regular(&place).map_err(of_file)?;
    let path = source.workspace.locate(&place, Access::Read).map_err(of_file)?;
    Ok(Place { path, shown: place.to_string() })
}

fn only(source: &Source) -> Result<WorkspacePath, ActionFailure> {
    let root = WorkspacePath::root();
    let listing = source.workspace.entries(&root, LOOKED_AT).map_err(of_file)?;
    let mut found = listing
        .entries
        .into_iter()
        .filter(|entry| entry.kind == EntryKind::File && is_database(entry.path.name()))
        .map(|entry| entry.path);
    let Some(first) = found.next() else {
        return Err(invalid(
            "`database`: expected the path of an SQLite file, found nothing, and the workspace has no *.db, *.sqlite or *.sqlite3 in its root",
        ));
    };
    match found.next() {
        None => Ok(first),
        Some(second) => Err(invalid(format!(
            "`database`: expected the path of an SQLite file, found nothing, and the workspace has several: `{first}`, `{second}`"
        ))),
    }
}

fn is_database(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    matches!(ending.as_deref(), Some("db" | "sqlite" | "sqlite3"))
}
