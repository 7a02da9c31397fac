//! Upload: the packs of an archive become packs of a scope (KN-16).

use super::archive::ArchiveLimits;
use super::error::{ArchiveError, OrganizationError};
use super::mount::{bytes, work_folder};
use super::settle;
use super::unpack::unpack;
use contexture_context::Digest;
use std::fs;
use std::path::{Path, PathBuf};

/// An added pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// The folders of the packs, by name.
    pub packs: Vec<PathBuf>,
    /// Those of them that took the place of another pack.
    pub replaced: Vec<PathBuf>,
    /// The entries of the archive that are not part of a pack: hidden files and folders, at most
    /// 50.
    pub left_out: Vec<String>,
    /// The digest of the archive.
    pub digest: Digest,
}

/// Unpacks the packs of an archive into `into`, the knowledge folder of a scope, which is made when
/// it is not there. Each pack gets a folder with its name. All are added, or none. Types of
/// packs that `types` names are allowed besides the known ones.
///
/// # Errors
/// An archive that can't be read, breaks a limit, holds an unsafe entry or no pack; a pack that is
/// there already, unless `replace`.
pub fn add(
    archive: &Path,
    into: &Path,
    replace: bool,
    types: &[String],
    limits: &ArchiveLimits,
) -> Result<Added, OrganizationError> {
    let is_missing = |folder: &&Path| fs::symlink_metadata(folder).is_err();
    let new: Vec<&Path> = into.ancestors().take_while(is_missing).collect();
    let added =
        bytes(archive, limits).and_then(|bytes| add_bytes(&bytes, into, replace, types, limits));
    if added.is_err() {
        // Those that were made for it and hold nothing; others can't be removed so.
        new.into_iter().for_each(|folder| drop(fs::remove_dir(folder)));
    }
    added.map_err(|problem| problem.of(archive.display().to_string()))
}

fn add_bytes(
    bytes: &[u8],
    into: &Path,
    replace: bool,
    types: &[String],
    limits: &ArchiveLimits,
) -> Result<Added, ArchiveError> {
    fs::create_dir_all(into).map_err(ArchiveError::files("make the folder", into))?;
    let work = work_folder(into)?;
    let (raw, old) = (work.path().join("raw"), work.path().join("old"));
    for place in [&raw, &old] {
        fs::create_dir(place).map_err(ArchiveError::files("make the folder", place))?;
    }
    let left_out = unpack(bytes, &raw, limits)?;
    let packs = settle::packs(&raw, Some(types))?;
    let mut moves = Moves { old, done: Vec::new() };
    if !replace {
        for name in packs.keys() {
            if fs::symlink_metadata(into.join(name)).is_ok() {
                return Err(ArchiveError::Exists { name: name.clone(), place: into.to_owned() });
            }
        }
    }
    for (name, pack) in &packs {
        if let Err(error) = moves.put(name, pack, &into.join(name)) {
            moves.undo();
            return Err(error);
        }
    }
    let replaced = moves.done.iter().filter(|step| step.replaced).map(|step| step.to.clone());
    Ok(Added {
        replaced: replaced.collect(),
        packs: packs.keys().map(|name| into.join(name)).collect(),
        left_out,
        digest: Digest::of_bytes(bytes),
    })
}

/// Moves that can be taken back.
struct Moves {
    old: PathBuf,
    done: Vec<Step>,
}

struct Step {
    name: String,
    from: PathBuf,
    to: PathBuf,
    replaced: bool,
}

impl Moves {
    fn put(&mut self, name: &str, from: &Path, to: &Path) -> Result<(), ArchiveError> {
        let is_there = fs::symlink_metadata(to).is_ok();
        if is_there {
            let aside = self.old.join(name);
            fs::rename(to, &aside).map_err(ArchiveError::files("move away", to))?;
        }
        if let Err(source) = fs::rename(from, to) {
            if is_there {
                let _ = fs::rename(self.old.join(name), to);
            }
            return Err(ArchiveError::files("make", to)(source));
        }
        let (from, to) = (from.to_owned(), to.to_owned());
        self.done.push(Step { name: name.to_owned(), from, to, replaced: is_there });
        Ok(())
    }

    /// As far as the system lets us: what can't be moved back stays where it is.
    fn undo(&mut self) {
        for step in self.done.drain(..).rev() {
            let _ = fs::rename(&step.to, &step.from);
            if step.replaced {
                let _ = fs::rename(self.old.join(&step.name), &step.to);
            }
        }
    }
}
