//! Searches runs for a text, and removes runs with the texts that no other run has.

use super::texts::{large, small};
use super::{FolderStore, failed, shared};
use crate::runs::{RunError, RunId, RunStore as _, json_text};
use contexture_context::Digest;
use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A text so young may belong to a run whose line about it is not written yet.
pub(super) const YOUNG: Duration = Duration::from_secs(3_600);

/// The beginning of a digest, and its digits.
const DIGEST: &str = "sha256:";
const DIGITS: usize = 64;

/// Reports whether a run has a text: in its events, or in what it kept.
pub(super) fn mentions(store: &FolderStore, id: &RunId, text: &str) -> Result<bool, RunError> {
    let written = json_text(text);
    let events = read(&store.trace(id))?;
    if events.contains(&written) || read(&small(&store.folder, id))?.contains(&written) {
        return Ok(true);
    }
    // A value of a line is kept as JSON.
    let has_it = |kept: &str| kept.contains(text) || kept.contains(&written);
    let mut named: HashSet<Digest> = digests(&events).collect();
    for digest in shared::digests(&events).collect::<HashSet<_>>() {
        named.remove(&digest);
        let Some(value) = store.text(id, &digest)? else { continue };
        if has_it(&value) {
            return Ok(true);
        }
        named.extend(digests(&value));
    }
    for digest in named {
        if store.parts.get(&digest)?.as_deref().is_some_and(has_it) {
            return Ok(true);
        }
        for masked in [false, true] {
            if read(&large(&store.folder, &digest, masked))?.contains(text) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Removes runs, and the texts that none of the others names.
pub(super) fn remove(store: &FolderStore, gone: &[RunId]) -> Result<(), RunError> {
    let runs = store.folder.join("runs");
    // The trace first: without it the run is not listed.
    for (id, ending) in
        gone.iter().flat_map(|id| ["jsonl", "texts.jsonl", "places"].map(|ending| (id, ending)))
    {
        remove_file(&runs.join(format!("{id}.{ending}")))?;
    }
    let mut named = HashSet::new();
    for id in store.ids()? {
        let lines = read(&store.trace(&id))?;
        named.extend(digests(&lines));
        // Those that a long value of a line names.
        for value in shared::digests(&lines) {
            let value = store.text(&id, &value)?;
            named.extend(value.iter().flat_map(|value| digests(value)));
        }
    }
    store.parts.free(&named)?;
    sweep(&store.folder.join("texts"), &named)
}

/// Removes the files of texts that no run names, unless they are young.
fn sweep(texts: &Path, named: &HashSet<Digest>) -> Result<(), RunError> {
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
            let digest = format!("{DIGEST}{first}{rest}").parse();
            if is_old && !digest.is_ok_and(|digest| named.contains(&digest)) {
                remove_file(&file)?;
            }
        }
    }
    Ok(())
}

fn digests(text: &str) -> impl Iterator<Item = Digest> {
    let written = |(at, _)| text.get(at..at + DIGEST.len() + DIGITS);
    text.match_indices(DIGEST).filter_map(move |found| written(found)?.parse().ok())
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
