//! What people do with a data folder: check it, copy it, and save what a damaged one holds (GU-12).

mod backup;
mod salvage;
mod transfer;
mod verify;

pub use backup::{Backup, Restored, backup, restore};
pub use salvage::{Salvage, salvage};
pub use transfer::transfer;
pub use verify::{FolderFinding, FolderReport, verify};

use super::codes;
use super::flows::journal::FLOWS_FILE;
use super::operations::audit::AUDIT_FILE;
use super::tokens::TOKENS_FILE;
use crate::fault::Fault;
use contexture::contexts::CONTEXTS_FILE;
use contexture::store::contexts::ContextError;
use contexture::store::flows::FlowStoreError;
use contexture::store::home;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Reports whether a file of this name belongs into a copy of a data folder.
fn is_kept(name: &str) -> bool {
    let is_audit = name.strip_prefix("audit.").and_then(|rest| rest.strip_suffix(".jsonl"));
    let is_audit = is_audit.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    let marked = name.strip_suffix("-marks");
    let is_marks =
        marked.is_some_and(|name| [CONTEXTS_FILE, FLOWS_FILE, AUDIT_FILE].contains(&name));
    is_audit || is_marks || [CONTEXTS_FILE, FLOWS_FILE, TOKENS_FILE, AUDIT_FILE].contains(&name)
}

fn unusable(path: &Path, error: &io::Error) -> Fault {
    let reason = contexture::ports::store::reason(error);
    Fault::of(codes::BAD_DATA, format!("{}: {reason}", path.display()))
}

fn of_flows(error: &FlowStoreError) -> Fault {
    Fault::of(codes::BAD_DATA, error.to_string()).with_help(error.help())
}

fn of_store(error: &ContextError) -> Fault {
    let code = match error {
        ContextError::Damaged { .. } => codes::DAMAGED,
        _ => codes::BAD_DATA,
    };
    let fault = Fault::of(code, error.to_string());
    match error {
        ContextError::Io { .. } => fault,
        error => fault.with_help(error.help()),
    }
}

/// A folder that is filled under another name beside its place, and stands there whole or not at all.
struct Draft {
    target: PathBuf,
    folder: PathBuf,
    is_done: bool,
}

impl Draft {
    /// Begins a folder for its owner alone. Only with `replaces` it takes the place of one that holds
    /// something.
    fn begin(target: &Path, replaces: bool) -> Result<Self, Fault> {
        let failed = |error: io::Error| unusable(target, &error);
        let Some(name) = target.file_name() else {
            let message = format!("{} does not name a folder", target.display());
            return Err(Fault::of(codes::BAD_DATA, message));
        };
        match std::fs::read_dir(target).map(|mut entries| entries.next().is_some()) {
            Ok(true) if !replaces => {
                let message = format!("the folder {} is not empty", target.display());
                return Err(Fault::of(codes::BAD_DATA, message).with_help("name another folder"));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        let mut draft = name.to_owned();
        draft.push(format!(".{}.part", std::process::id()));
        let folder = target.with_file_name(draft);
        drop(std::fs::remove_dir_all(&folder));
        super::folder::create(&folder).map_err(failed)?;
        Ok(Self { target: target.to_owned(), folder, is_done: false })
    }

    /// Returns the place of a file in the draft.
    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Copies a file for its owner alone.
    fn copy(&self, from: &Path, name: &str) -> Result<(), Fault> {
        let to = self.path(name);
        let copied = || {
            let mut from = File::open(from)?;
            let mut file = home::private_file().write(true).create_new(true).open(&to)?;
            io::copy(&mut from, &mut file)?;
            file.sync_all()
        };
        copied().map_err(|error| unusable(&to, &error))
    }

    /// Puts the folder into its place; returns where one that stood there is now.
    fn finish(mut self) -> Result<Option<PathBuf>, Fault> {
        let failed = |error: io::Error| unusable(&self.target, &error);
        for entry in std::fs::read_dir(&self.folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            // What SQLite leaves beside a file that is closed has nothing that is not in it.
            if path.extension().is_some_and(|end| end == "db-shm" || end == "db-wal") {
                std::fs::remove_file(&path).map_err(failed)?;
                continue;
            }
            File::open(&path).and_then(|file| file.sync_all()).map_err(failed)?;
        }
        let is_empty = std::fs::read_dir(&self.target).map(|mut all| all.next().is_none());
        let earlier = match is_empty {
            Ok(true) => {
                std::fs::remove_dir(&self.target).map_err(failed)?;
                None
            }
            Ok(false) => Some(self.aside()?),
            Err(_) => None,
        };
        std::fs::rename(&self.folder, &self.target).map_err(|error| {
            // The one that stood there stands there again.
            if let Some(earlier) = &earlier {
                drop(std::fs::rename(earlier, &self.target));
            }
            unusable(&self.target, &error)
        })?;
        self.is_done = true;
        #[cfg(unix)]
        if let Some(parent) = self.target.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            drop(File::open(parent).and_then(|parent| parent.sync_all()));
        }
        Ok(earlier)
    }

    /// Moves what stands in the place to a name of its own.
    fn aside(&self) -> Result<PathBuf, Fault> {
        let name = self.target.file_name().unwrap_or_default().to_owned();
        let free = (1..).map(|number| {
            let mut name = name.clone();
            name.push(format!(".before-{number}"));
            self.target.with_file_name(name)
        });
        let earlier = free.into_iter().find(|path| path.symlink_metadata().is_err());
        let earlier = earlier.unwrap_or_default();
        std::fs::rename(&self.target, &earlier).map_err(|error| unusable(&earlier, &error))?;
        Ok(earlier)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_done {
            drop(std::fs::remove_dir_all(&self.folder));
        }
    }
}
