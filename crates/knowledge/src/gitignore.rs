//! Rules of `.gitignore` files: those of a folder, of the folders above it, and of no other place.

use crate::files::head;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::path::Path;
use std::sync::Arc;

/// The name of a file of rules.
pub(crate) const IGNORE_FILE: &str = ".gitignore";

/// The largest file of rules that is followed, in bytes.
pub(crate) const MAX_RULES_BYTES: u64 = 1 << 20;

/// The rules of one folder and, through `above`, of those that it is in.
#[derive(Debug)]
pub(crate) struct Rules {
    matcher: Gitignore,
    above: Option<Arc<Self>>,
}

impl Rules {
    /// Returns the rules for what is in `folder`, which may have a `.gitignore` of its own. One that
    /// is too large or can't be read adds no rules.
    pub(crate) fn inside(folder: &Path, above: Option<Arc<Self>>) -> Option<Arc<Self>> {
        let file = folder.join(IGNORE_FILE);
        if !file.is_file() {
            return above;
        }
        let bytes = head(&file, MAX_RULES_BYTES + 1).unwrap_or_default();
        if bytes.len() as u64 > MAX_RULES_BYTES {
            return above;
        }
        let mut builder = GitignoreBuilder::new(folder);
        for line in String::from_utf8_lossy(&bytes).lines() {
            // A pattern that can't be read ignores nothing; the others count.
            let _ = builder.add_line(None, line.trim_start_matches('\u{feff}'));
        }
        match builder.build() {
            Ok(matcher) if !matcher.is_empty() => Some(Arc::new(Self { matcher, above })),
            _ => above,
        }
    }

    /// Returns the rules for what is in `location`, with those of the folders from `top` down and of
    /// those above it in its repository; an error when the location is ignored itself.
    pub(crate) fn above(top: &Path, location: &Path) -> Result<Option<Arc<Self>>, Ignored> {
        let mut folders: Vec<&Path> =
            location.ancestors().skip(1).take_while(|folder| folder.starts_with(top)).collect();
        // The rules of a repository begin at its top.
        let top = folders.last().copied().unwrap_or(top);
        folders.extend(repository_above(top));
        folders.reverse();
        let mut rules = None;
        let mut ways: Vec<&Path> = folders.iter().skip(1).copied().collect();
        ways.push(location);
        for (folder, way) in folders.iter().zip(ways) {
            rules = Self::inside(folder, rules);
            if ignores(rules.as_deref(), way, true) {
                return Err(Ignored);
            }
        }
        Ok(rules)
    }
}

/// A place that the rules of the folders above it leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ignored;

/// Returns the folders above `folder` up to the top of the repository it is in; none outside of
/// one.
fn repository_above(folder: &Path) -> Vec<&Path> {
    if folder.join(".git").exists() {
        return Vec::new();
    }
    let above: Vec<&Path> = folder.ancestors().skip(1).collect();
    let top = above.iter().position(|folder| folder.join(".git").exists());
    top.and_then(|top| above.get(..=top)).unwrap_or_default().to_vec()
}

/// Reports whether the rules, the nearest first, ignore a path.
pub(crate) fn ignores(rules: Option<&Rules>, path: &Path, is_folder: bool) -> bool {
    let mut rules = rules;
    while let Some(here) = rules {
        match here.matcher.matched(path, is_folder) {
            Match::Ignore(_) => return true,
            Match::Whitelist(_) => return false,
            Match::None => rules = here.above.as_deref(),
        }
    }
    false
}
