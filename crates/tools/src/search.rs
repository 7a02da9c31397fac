//! `sh://find` and `sh://grep`, in this process: nothing is started.
//!
//! Decision: results are in the order of their paths, so that a `max` always keeps the same ones.
//! Paths in `.gitignore` files of the workspace are skipped, and so are `.git` and its like, unless
//! the call names a path inside them; what the policy does not let be read is skipped always.

mod filter;
mod find;
mod grep;
mod ignored;
mod pattern;
#[cfg(test)]
mod tests;
mod walk;

use crate::workspace::{Entry, EntryKind, FileError, Workspace, WorkspacePath};
use ignored::Rules;

pub(crate) use find::find;
pub(crate) use grep::grep;

/// Returns what stands in a folder and is meant to be seen: without hidden names and what `.gitignore`
/// names (TY-10).
///
/// # Errors
/// [`FileError`], also when there are more than `limit` entries.
pub fn shown_entries(
    workspace: &Workspace,
    folder: &WorkspacePath,
    limit: usize,
) -> Result<Vec<Entry>, FileError> {
    let mut entries = workspace.entries(folder, limit)?.entries;
    let rules = Rules::above(workspace, folder).within(workspace, folder);
    let is_folder = |entry: &Entry| entry.kind == EntryKind::Folder;
    entries.retain(|entry| {
        !entry.path.name().starts_with('.') && !rules.skip(&entry.path, is_folder(entry))
    });
    Ok(entries)
}

const DEFAULT_MOST: u64 = 1_000;

/// Returns how many results a call may give.
fn most(asked: Option<u64>) -> usize {
    usize::try_from(asked.unwrap_or(DEFAULT_MOST)).unwrap_or(usize::MAX)
}
