//! Walks a tree in the order of its paths, through the workspace's handle.

use super::ignored::Rules;
use crate::error::ToolError;
use crate::file::secret_note;
use crate::settings::Shared;
use crate::workspace::{Entry, EntryKind, FileError, WorkspacePath};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of folders that a note names.
const NAMED: usize = 3;

/// A walk, and what it could not see.
pub(super) struct Walk<'a> {
    shared: &'a Shared,
    stopped: &'a AtomicBool,
    seen: usize,
    unreadable: Vec<String>,
    unnamed: usize,
    secret: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(shared: &'a Shared, stopped: &'a AtomicBool) -> Self {
        Self { shared, stopped, seen: 0, unreadable: Vec::new(), unnamed: 0, secret: 0 }
    }

    /// Shows every place below `start` to `visit`, a folder before what is in it, until it breaks.
    pub(super) fn run(
        &mut self,
        start: &WorkspacePath,
        mut visit: impl FnMut(&Entry) -> ControlFlow<()>,
    ) -> Result<(), ToolError> {
        let mut waiting: Vec<(Entry, Rules)> = Vec::new();
        let rules = Rules::above(&self.shared.workspace, start);
        self.open(start, rules, start, &mut waiting)?;
        while let Some((entry, rules)) = waiting.pop() {
            if visit(&entry).is_break() {
                break;
            }
            if entry.kind == EntryKind::Folder {
                self.open(&entry.path, rules, start, &mut waiting)?;
            }
        }
        Ok(())
    }

    /// Puts what is in a folder on top of what is waiting, the first on top.
    fn open(
        &mut self,
        folder: &WorkspacePath,
        rules: Rules,
        start: &WorkspacePath,
        waiting: &mut Vec<(Entry, Rules)>,
    ) -> Result<(), ToolError> {
        if self.stopped.load(Ordering::Relaxed) {
            return Err(ToolError::new("cancelled", "the search was cancelled"));
        }
        let limit = self.shared.settings.limits.walk_entries;
        let entries = match self.shared.workspace.entries(folder, limit) {
            Ok(listing) => {
                self.unnamed += listing.unnamed;
                self.secret += listing.secret;
                listing.entries
            }
            Err(error @ FileError::TooMany { .. }) => return Err(error.into()),
            Err(error) if folder == start => return Err(error.into()),
            // It may be forbidden, or gone by now; the rest is still worth having.
            Err(_) => {
                self.unreadable.push(folder.to_string());
                return Ok(());
            }
        };
        self.seen += entries.len();
        if self.seen > limit {
            let message = format!("there are more than {limit} files and folders in `{start}`");
            let help = "name a folder further down as `path`";
            return Err(ToolError::new("folder_too_large", message).with_help(help));
        }
        let rules = rules.within(&self.shared.workspace, folder);
        let kept = entries
            .into_iter()
            .rev()
            .filter(|entry| !rules.skip(&entry.path, entry.kind == EntryKind::Folder));
        waiting.extend(kept.map(|entry| (entry, rules.clone())));
        Ok(())
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.unreadable.is_empty() {
            let count = self.unreadable.len();
            let named: Vec<_> = self.unreadable.iter().take(NAMED).map(String::as_str).collect();
            let more = if count > NAMED { ", …" } else { "" };
            notes.push(format!("{count} folders could not be read: {}{more}", named.join(", ")));
        }
        if self.unnamed > 0 {
            let count = self.unnamed;
            notes.push(format!("{count} names that are not UTF-8 are left out"));
        }
        notes.extend(secret_note(self.secret));
        notes
    }
}
