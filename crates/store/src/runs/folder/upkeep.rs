//! Searches runs for a text, and removes runs with the texts that no other run has.

use super::failed;
use super::texts::{large, small};
use crate::runs::{RunError, RunId, json_text};
use contexture_context::Digest;
use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A text so young may belong to a run whose line about it is not written yet.
const YOUNG: Duration = Duration::from_secs(3_600);

/// The beginning of a digest, and its digits.
const DIGEST: &str = "sha256:";
const DIGITS: usize = 64;

/// Reports whether a run has a text: in its events, or in what it kept.
pub(super) fn mentions(
    folder: &Path,
    trace: &Path,
    id: &RunId,
    text: &str,
) -> Result<bool, RunError> {
    let written = json_text(text);
    let events = read(trace)?;
    if events.contains(&written) || read(&small(folder, id))?.contains(&written) {
        return Ok(true);
    }
    for digest in digests(&events) {
        let Ok(digest) = digest.parse::<Digest>() else { continue };
        for masked in [false, true] {
            if read(&large(folder, &digest, masked))?.contains(text) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Removes runs, and the texts that none of the others names.
pub(super) fn remove(folder: &Path, gone: &[RunId], all: &[RunId]) -> Result<(), RunError> {
    let runs = folder.join("runs");
    let gone: HashSet<&RunId> = gone.iter().collect();
    // The trace first: without it the run is not listed.
    for (id, ending) in
        gone.iter().flat_map(|id| ["jsonl", "texts.jsonl", "places"].map(|ending| (id, ending)))
    {
        remove_file(&runs.join(format!("{id}.{ending}")))?;
    }
    let mut named = HashSet::new();
    for id in all.iter().filter(|id| !gone.contains(id)) {
        let events = read(&runs.join(format!("{id}.jsonl")))?;
        named.extend(digests(&events).filter_map(|one| Some(one.get(DIGEST.len()..)?.to_owned())));
    }
    sweep(&folder.join("texts"), &named)
}

/// Removes the texts that no run names, unless they are young.
fn sweep(texts: &Path, named: &HashSet<String>) -> Result<(), RunError> {
    let list = |path: &Path| match std::fs::read_dir(path) {
        Ok(entries) => Ok(entries.flatten().map(|entry| entry.path()).collect::<Vec<_>>()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(failed(path, &error)),
    };
    for shard in list(texts)?.iter().filter(|path| path.is_dir() && !path.is_symlink()) {
        let first = shard.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for file in list(shard)? {
            let rest = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let written = file.metadata().and_then(|found| found.modified()).ok();
            let age = written.and_then(|at| SystemTime::now().duration_since(at).ok());
            let is_old = age.is_some_and(|age| age > YOUNG);
            if is_old && !named.contains(&format!("{first}{rest}")) {
                remove_file(&file)?;
            }
        }
    }
    Ok(())
}

fn digests(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(DIGEST).filter_map(|(at, _)| text.get(at..at + DIGEST.len() + DIGITS))
}

/// Reads a file as text; one that is not there has none.
fn read(path: &Path) -> Result<String, RunError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(failed(path, &error)),
    }
}

fn remove_file(path: &Path) -> Result<(), RunError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(path, &error)),
        _ => Ok(()),
    }
}
