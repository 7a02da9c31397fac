//! Which packs an unpacked archive holds, each with the name that its manifest gives it.

use super::error::ArchiveError;
use crate::manifest;
use crate::pack::{GUIDE_FILE, MAX_GUIDE_BYTES};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the packs in `folder` by name: the folder itself, or each folder in it, or those in the
/// one folder that stands alone in it. With `types`, those that are allowed besides the known ones,
/// each manifest must be right; without, a pack whose manifest is not is named as its folder.
pub(super) fn packs(
    folder: &Path,
    types: Option<&[String]>,
) -> Result<BTreeMap<String, PathBuf>, ArchiveError> {
    let mut top = folder.to_owned();
    if !is_pack(&top) {
        let only = subfolders(&top)?;
        if let [only] = only.as_slice()
            && !is_pack(only)
        {
            top.clone_from(only);
        }
    }
    let folders = if is_pack(&top) { vec![top] } else { subfolders(&top)? };
    if folders.is_empty() {
        return Err(ArchiveError::NoPack(format!(
            "there is no folder with a `{GUIDE_FILE}` in it"
        )));
    }
    let mut packs = BTreeMap::new();
    for pack in folders {
        let shown = pack.strip_prefix(folder).unwrap_or(&pack).display().to_string();
        if !is_pack(&pack) {
            return Err(ArchiveError::NoPack(format!("`{shown}` in it has no `{GUIDE_FILE}`")));
        }
        let name = name(&pack, types)?;
        if let Some(other) = packs.insert(name.clone(), pack) {
            let other = other.strip_prefix(folder).unwrap_or(&other).display();
            let message = format!("two packs in it are named `{name}`: `{other}` and `{shown}`");
            return Err(ArchiveError::NoPack(message));
        }
    }
    Ok(packs)
}

fn is_pack(folder: &Path) -> bool {
    folder.join(GUIDE_FILE).is_file()
}

fn subfolders(folder: &Path) -> Result<Vec<PathBuf>, ArchiveError> {
    let fault = || ArchiveError::files("list", folder);
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder).map_err(fault())? {
        let entry = entry.map_err(fault())?;
        if entry.file_type().map_err(fault())?.is_dir() {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}

/// Returns the name of a pack.
fn name(pack: &Path, types: Option<&[String]>) -> Result<String, ArchiveError> {
    match (named(pack, types.unwrap_or_default()), types) {
        (Ok(name), _) => Ok(name),
        (Err(problem), Some(_)) => Err(problem),
        (Err(_), None) => {
            let folder = pack.file_name().map(|name| name.to_string_lossy().into_owned());
            Ok(folder.filter(|name| is_name(name)).unwrap_or_else(|| "pack".to_owned()))
        }
    }
}

fn named(pack: &Path, types: &[String]) -> Result<String, ArchiveError> {
    let path = pack.join(GUIDE_FILE);
    let bytes = crate::files::head(&path, MAX_GUIDE_BYTES + 1)
        .map_err(ArchiveError::files("read", &path))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        let message = format!("its `{GUIDE_FILE}` can't be used: it is not UTF-8 at byte {place}");
        ArchiveError::NoPack(message)
    })?;
    let read = manifest::read(&text, pack, types);
    let Some(item) = read.item else {
        let reasons: Vec<_> = read.findings.into_iter().map(|finding| finding.message).collect();
        let message = format!("its `{GUIDE_FILE}` can't be used: {}", reasons.join("; "));
        return Err(ArchiveError::NoPack(message));
    };
    if !is_name(&item.name) {
        let message = format!(
            "a pack in it is named `{}`, and a name is made of letters, digits, `-` and `_`",
            item.name.escape_debug()
        );
        return Err(ArchiveError::NoPack(message));
    }
    Ok(item.name)
}

/// Reports whether a folder can have that name.
fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty()
        && name.len() <= 100
        && !name.starts_with('.')
        && !name.ends_with('.')
        && name.chars().all(is_plain)
}
