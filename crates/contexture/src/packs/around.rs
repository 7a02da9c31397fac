//! The pack that a file lies in, for access by path (KN-8).
//!
//! Decision: most programs have no packs, so the search begins only when a file lies below a folder
//! of packs or a `KNOWLEDGE.md`. In a folder of packs nothing is a plain file: a file of no usable
//! pack is refused with the reason, or, beside the packs, gets the trust level of one.

use super::error::PacksError;
use super::on_demand::OnDemand;
use contexture_knowledge::codes;
use contexture_knowledge::pack::GUIDE_FILE;
use std::path::{Path, PathBuf};

/// The folders of a project that hold packs.
const FOLDERS: [&str; 2] = [".contexture/knowledge", ".agents/knowledge"];

/// A file of a pack that may be read, or a file beside the packs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Held(String);

impl Held {
    /// Returns its reference.
    pub(crate) const fn reference(&self) -> &String {
        &self.0
    }
}

impl OnDemand {
    /// Returns a file in a pack or beside the packs, once it may be read; `None` for others.
    ///
    /// # Errors
    /// [`PacksError`] when somebody has to allow the pack first, or it can't be used.
    pub(crate) fn around(&self, path: &Path) -> Result<Option<Held>, PacksError> {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let root = self.folder_of_packs(&real);
        let guided: Vec<&Path> = guided(&real).collect();
        if root.is_none() && guided.is_empty() {
            return Ok(None);
        }
        for folder in &guided {
            if let Some(name) = self.pack_in(folder) {
                self.allowed(&name)?;
                return Ok(Some(Held(refer(&name, folder, &real))));
            }
        }
        let Some(root) = root else { return Ok(None) };
        match guided.iter().find(|folder| folder.starts_with(&root)) {
            Some(folder) => Err(unusable(folder)),
            None => Ok(Some(Held(format!("@file://{}", self.shown(&real))))),
        }
    }

    /// Reports whether a file lies in a pack, allowed or not.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let root = self.folder_of_packs(&real);
        let is_pack = |folder: &Path| {
            root.as_ref().is_some_and(|root| folder.starts_with(root))
                || self.pack_in(folder).is_some()
        };
        guided(&real).any(is_pack)
    }

    /// Returns the folder of packs of the project that a file lies in.
    fn folder_of_packs(&self, real: &Path) -> Option<PathBuf> {
        let folders = FOLDERS.iter().map(|folder| self.project.root.join(folder));
        let real_folders = folders.filter_map(|folder| folder.canonicalize().ok());
        real_folders.into_iter().find(|folder| real.starts_with(folder))
    }

    /// Returns the name of the pack in a folder.
    fn pack_in(&self, folder: &Path) -> Option<String> {
        let packs = &self.get().discovery().packs;
        let is_it = |root: &Path| root == folder;
        let linked = |root: &Path| root.canonicalize().is_ok_and(|root| root == folder);
        let found = packs.iter().find(|found| is_it(&found.item.pack_root));
        let found = found.or_else(|| packs.iter().find(|found| linked(&found.item.pack_root)));
        found.map(|found| found.item.name.clone())
    }

    fn shown(&self, real: &Path) -> String {
        let below = real.strip_prefix(&self.project.root).unwrap_or(real);
        below.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
    }
}

/// Returns the folders that a file lies in and that have a guide, the innermost first.
fn guided(file: &Path) -> impl Iterator<Item = &Path> {
    let has_guide = |folder: &&Path| folder.join(GUIDE_FILE).symlink_metadata().is_ok();
    file.ancestors().skip(1).filter(has_guide)
}

fn refer(name: &str, folder: &Path, real: &Path) -> String {
    let below = real.strip_prefix(folder).unwrap_or(real);
    let below = below.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    if below == GUIDE_FILE {
        return format!("@knowledge://{name}");
    }
    format!("@knowledge://{name}/{below}")
}

/// Returns the error for an unused pack: it has a fault, is archived, or another of its name comes
/// first.
fn unusable(folder: &Path) -> PacksError {
    let message =
        format!("the file lies in the knowledge pack {}, which is not used", folder.display());
    let help = "`contexture knowledge list` says why; mend the pack, or move the file out of it";
    PacksError::new(codes::UNKNOWN_PACK.code, message, help)
}
