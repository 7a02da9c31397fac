//! What `.gitignore` files say, when they are honoured (KN-3).

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::path::Path;
use std::sync::Arc;

/// The rules of a folder and of those above it.
#[derive(Debug)]
pub(super) struct Rules {
    matcher: Gitignore,
    above: Option<Arc<Self>>,
}

impl Rules {
    /// Returns the rules for what is in `folder`, which may have a `.gitignore` of its own.
    pub(super) fn inside(folder: &Path, above: Option<Arc<Self>>) -> Option<Arc<Self>> {
        let file = folder.join(".gitignore");
        if !file.is_file() {
            return above;
        }
        let mut builder = GitignoreBuilder::new(folder);
        // A pattern that can't be read ignores nothing; the others count.
        let _ = builder.add(file);
        match builder.build() {
            Ok(matcher) => Some(Arc::new(Self { matcher, above })),
            Err(_) => above,
        }
    }

    /// Returns the rules for what is in `location`, with those of the folders from `project` down;
    /// none when the location is ignored itself.
    pub(super) fn above(project: &Path, location: &Path) -> Result<Option<Arc<Self>>, ()> {
        let mut folders: Vec<&Path> =
            location.ancestors().skip(1).take_while(|folder| folder.starts_with(project)).collect();
        // The rules of a repository begin at its top.
        let top = folders.last().copied().unwrap_or(project);
        folders.extend(repository_above(top));
        folders.reverse();
        let mut rules = None;
        let mut ways: Vec<&Path> = folders.iter().skip(1).copied().collect();
        ways.push(location);
        for (folder, way) in folders.iter().zip(ways) {
            rules = Self::inside(folder, rules);
            if ignores(rules.as_deref(), way, true) {
                return Err(());
            }
        }
        Ok(rules)
    }
}

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
pub(super) fn ignores(rules: Option<&Rules>, path: &Path, is_folder: bool) -> bool {
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
