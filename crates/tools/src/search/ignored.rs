//! Rules of `.gitignore` files, from the workspace's root down and no further up.

use crate::workspace::{Workspace, WorkspacePath};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::sync::Arc;

/// Folders that are passed over with or without a `.gitignore`.
const SKIPPED: [&str; 5] = [".git", ".hg", ".svn", ".jj", ".contexture"];

const IGNORE_BYTES: u64 = 1 << 20;

/// The rules of one folder and, through its parent, of those above it.
#[derive(Clone, Default)]
pub(super) struct Rules(Option<Arc<Level>>);

struct Level {
    folder: WorkspacePath,
    rules: Gitignore,
    parent: Rules,
}

impl Rules {
    /// Returns the rules of the folders above `start`.
    pub(super) fn above(workspace: &Workspace, start: &WorkspacePath) -> Self {
        let mut rules = Self::default();
        let mut place = WorkspacePath::root();
        for part in start.parts() {
            rules = rules.within(workspace, &place);
            place = place.join(part);
        }
        rules
    }

    /// Returns these rules and those that `folder` adds; a file that can't be read adds none.
    pub(super) fn within(self, workspace: &Workspace, folder: &WorkspacePath) -> Self {
        let file = folder.join(".gitignore");
        let Ok(bytes) = workspace.read_bytes(&file, IGNORE_BYTES) else { return self };
        let mut builder = GitignoreBuilder::new(".");
        for line in String::from_utf8_lossy(&bytes).lines() {
            // A line that is not a pattern counts for nothing, as in git.
            let _ = builder.add_line(None, line.trim_start_matches('\u{feff}'));
        }
        match builder.build() {
            Ok(rules) if !rules.is_empty() => {
                Self(Some(Arc::new(Level { folder: folder.clone(), rules, parent: self })))
            }
            _ => self,
        }
    }

    /// Reports whether a place is passed over; the deepest rule that speaks of it decides.
    pub(super) fn skip(&self, path: &WorkspacePath, is_folder: bool) -> bool {
        if is_folder && SKIPPED.contains(&path.name()) {
            return true;
        }
        let mut next = self;
        while let Self(Some(level)) = next {
            match level.rules.matched(path.below(&level.folder), is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => next = &level.parent,
            }
        }
        false
    }
}
