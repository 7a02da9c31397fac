//! What can still be read of a damaged data folder.

use super::{Draft, FolderFinding, unusable, verify};
use crate::fault::Fault;
use crate::serve::codes;
use crate::serve::flows::journal::FLOWS_FILE;
use crate::serve::folder::{FolderLock, LOCK_FILE};
use crate::serve::operations::audit;
use crate::serve::tokens::Tokens;
use contexture::contexts::CONTEXTS_FILE;
use contexture::store::contexts;
use contexture::store::copy::{self, Copied};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The result of saving a data folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Salvage {
    /// The number of contexts.
    pub contexts: u64,
    /// The number of their messages and changes.
    pub entries: u64,
    /// What is lost, or was damaged.
    pub lost: Vec<FolderFinding>,
}

/// Writes what can be read of a data folder into a new one; the folder stays as it is.
///
/// # Errors
/// A [`Fault`] when a server uses the folder, and when the new one is not empty or can't be written.
pub fn salvage(data: &Path, target: &Path) -> Result<Salvage, Fault> {
    let before = verify(data)?;
    // A folder without the lock of a server is in no server's use; nothing is written into it.
    let _lock = data.join(LOCK_FILE).exists().then(|| FolderLock::take(data)).transpose()?;
    let draft = Draft::begin(target, false)?;
    let saved = contexts::salvage(&data.join(CONTEXTS_FILE), &draft.path(CONTEXTS_FILE));
    let saved = saved.map_err(|error| Fault::of(codes::BAD_DATA, error.to_string()))?;
    let mut lost: Vec<FolderFinding> = saved.lost.into_iter().map(FolderFinding::from).collect();
    let others = before.findings.into_iter();
    lost.extend(others.filter(|finding| !matches!(finding, FolderFinding::Contexts { .. })));
    let flows = Copied { from: data.join(FLOWS_FILE), to: draft.path(FLOWS_FILE) };
    if flows.from.exists() && copy::salvage_flows(&flows).is_err() {
        let reason = "nothing of it can be read".to_owned();
        lost.push(FolderFinding::of(FLOWS_FILE, reason));
    }
    let files = audit::files(data).map_err(|error| unusable(data, &error))?;
    // Damaged tokens, which no server could read, are told with the other findings.
    let tokens = Tokens::in_folder(data);
    let tokens =
        tokens.list().is_ok().then(|| tokens.path()).flatten().filter(|path| path.exists());
    for path in files.iter().map(PathBuf::as_path).chain(tokens) {
        if let Some(name) = path.file_name().filter(|_| path.is_file()) {
            draft.copy(path, &name.to_string_lossy())?;
        }
    }
    draft.finish()?;
    Ok(Salvage { contexts: saved.contexts, entries: saved.entries, lost })
}
