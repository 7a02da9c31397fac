//! The new pages of a pack beside the old ones, and the exchange of the two.
//!
//! Decision: the system exchanges two folders in one step where it can (Linux, macOS). Elsewhere,
//! and on file systems that can't, the old folder is moved away and the new one into its place.

use super::PAGES;
use super::error::SyncError;
use super::record::Record;
use super::walk::Stat;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The beginning of the names of folders that are being written. They are hidden, so they are not
/// part of the pack.
const PREFIX: &str = ".sync-";

/// A folder of pages that is being written; it is created with the first of them.
pub(super) struct Stage {
    pack: PathBuf,
    work: Option<TempDir>,
    /// The folders that are there.
    made: HashSet<String>,
}

impl Stage {
    /// Returns the stage of a pack.
    pub(super) fn of(pack: &Path) -> Self {
        Self { pack: pack.to_owned(), work: None, made: HashSet::new() }
    }

    fn work(&mut self) -> io::Result<&Path> {
        let work = match self.work.take() {
            Some(work) => work,
            None => tempfile::Builder::new().prefix(PREFIX).tempdir_in(&self.pack)?,
        };
        Ok(self.work.insert(work).path())
    }

    /// Returns the path for a page in a folder that is there.
    fn place(&mut self, page: &str) -> io::Result<PathBuf> {
        let pages = self.work()?.join(PAGES);
        let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
        if !self.made.contains(folder) {
            fs::create_dir_all(pages.join(folder))?;
            self.made.insert(folder.to_owned());
        }
        Ok(pages.join(page))
    }

    fn present(&self, page: &str) -> PathBuf {
        self.pack.join(PAGES).join(page)
    }

    /// Reports whether a present page has that text.
    pub(super) fn has(&self, page: &str, text: &str) -> bool {
        fs::read(self.present(page)).is_ok_and(|bytes| bytes == text.as_bytes())
    }

    /// Writes a page, and returns its size and time.
    pub(super) fn write(&mut self, page: &str, text: &str) -> Result<Stat, SyncError> {
        let written = self.place(page).and_then(|path| {
            fs::write(&path, text)?;
            fs::metadata(&path)
        });
        let found = written.map_err(|error| SyncError::not_written(&self.present(page), &error))?;
        Ok(Stat::of(&found))
    }

    /// Takes over a present page as it is, with its time.
    pub(super) fn keep(&mut self, page: &str) -> Result<(), SyncError> {
        let from = self.present(page);
        let kept = self.place(page).and_then(|to| link_or_copy(&from, &to));
        kept.map_err(|error| SyncError::not_written(&from, &error))
    }

    /// Puts the new pages with their record in the place of the present ones.
    pub(super) fn finish(mut self, record: &Record) -> Result<(), SyncError> {
        let old = self.pack.join(PAGES);
        let new = self.place("").map_err(|error| SyncError::not_written(&old, &error))?;
        record.write(&new)?;
        let aside = new.with_file_name("old");
        exchange(&new, &old, &aside).map_err(|error| SyncError::not_written(&old, &error))
    }
}

/// Gives a file a second name; where that can't be done, copies it with its time.
fn link_or_copy(from: &Path, to: &Path) -> io::Result<()> {
    if fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    fs::copy(from, to)?;
    let modified = fs::metadata(from)?.modified()?;
    fs::File::options().write(true).open(to)?.set_modified(modified)
}

/// Puts the folder `new` in the place of `old`, which may be missing.
fn exchange(new: &Path, old: &Path, aside: &Path) -> io::Result<()> {
    if fs::symlink_metadata(old).is_err() {
        return fs::rename(new, old);
    }
    if exchange_in_one_step(new, old) {
        return Ok(());
    }
    fs::rename(old, aside)?;
    let moved = fs::rename(new, old);
    if moved.is_err() {
        let _ = fs::rename(aside, old);
    }
    moved
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange_in_one_step(new: &Path, old: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange_in_one_step(_: &Path, _: &Path) -> bool {
    false
}

/// Removes what syncs that were killed left behind. What can't be removed harms nothing.
pub(super) fn remove_leftovers(pack: &Path) {
    for entry in fs::read_dir(pack).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
