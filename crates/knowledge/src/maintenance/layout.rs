//! Conventions of a pack's folders: which there are, what belongs into them (KN-17).

use super::view::View;
use crate::codes;
use crate::index::not_indexed_because;
use crate::pack::{FOLDERS, FileKind, SCRIPTS, plain_text};
use crate::section::is_markdown;
use crate::synonyms::{FILE, Synonyms};
use contexture_diagnostic::suggestion;
use std::collections::BTreeSet;

pub(super) const SPLITS: &str = "compiled/splits/";

pub(super) fn check(view: &mut View<'_>) {
    folders(view);
    skills(view);
    splits(view);
    orphans(view);
    not_indexed(view);
    synonyms(view);
}

/// Lines of the list of synonyms that are not used.
fn synonyms(view: &mut View<'_>) {
    if !view.has(FILE) {
        return;
    }
    let text = view.read(FILE).map(plain_text).unwrap_or_default();
    for problem in Synonyms::parse(&text).1 {
        let message = format!("this line of synonyms is not used: {}", problem.message);
        view.found(codes::BAD_SYNONYMS, FILE, Some(problem.line), message);
    }
}

fn folders(view: &mut View<'_>) {
    let unknown: Vec<String> = view
        .folders()
        .into_iter()
        .filter(|name| !FOLDERS.contains(name) && *name != SCRIPTS)
        .map(str::to_owned)
        .collect();
    for name in unknown {
        let hint = suggestion(&name, FOLDERS)
            .unwrap_or_else(|| format!("known are {}", FOLDERS.join(", ")));
        let message = format!("the folder `{name}/` has no meaning in a pack; {hint}");
        view.found(codes::UNKNOWN_FOLDER, &name, None, message);
    }
}

fn skills(view: &mut View<'_>) {
    let skills: Vec<String> = view
        .files
        .keys()
        .filter(|path| path.rsplit('/').next() == Some("SKILL.md"))
        .cloned()
        .collect();
    for path in skills {
        view.found(
            codes::SCRIPTS_IN_PACK,
            &path,
            None,
            "a skill lies in the pack; it is never run",
        );
    }
    if view.has_folder(SCRIPTS) {
        let message = "the pack has a folder `scripts/`; nothing in it is run";
        view.found(codes::SCRIPTS_IN_PACK, SCRIPTS, None, message);
    }
}

/// Splits lie in a folder with the name of their document.
fn splits(view: &mut View<'_>) {
    let documents: BTreeSet<&str> = view
        .files
        .values()
        .filter(|file| matches!(file.kind, FileKind::Document | FileKind::Primary))
        .map(|file| crate::section::stem(&file.path))
        .collect();
    let strange: BTreeSet<String> = view
        .files
        .keys()
        .filter_map(|path| Some(path.strip_prefix(SPLITS)?.split_once('/')?.0))
        .filter(|folder| !documents.contains(folder))
        .map(str::to_owned)
        .collect();
    for folder in strange {
        let message = format!(
            "`{SPLITS}{folder}/` holds sections of a document that is not there: expected \
             `documents/{folder}.md`"
        );
        view.found(codes::SPLIT_WITHOUT_DOCUMENT, &format!("{SPLITS}{folder}"), None, message);
    }
}

/// Pages of the wiki that no other page leads to.
fn orphans(view: &mut View<'_>) {
    // A site leads to its pages by its navigation, which is not part of them.
    if view.has_source() {
        return;
    }
    let mut linked: BTreeSet<String> = BTreeSet::new();
    for (path, text) in view.texts.iter().filter(|(path, _)| is_markdown(path)) {
        for link in super::links::links(path, text) {
            let target = super::links::target(view, path, &link);
            linked.extend(target.into_iter().filter(|target| target != path));
        }
    }
    let is_entry = |path: &str| {
        matches!(
            crate::section::stem(path).to_ascii_lowercase().as_str(),
            "index" | "readme" | "home"
        )
    };
    let orphans: Vec<String> = view
        .texts
        .keys()
        .filter(|path| {
            path.starts_with("wiki/")
                && is_markdown(path)
                && !is_entry(path)
                && !linked.contains(*path)
        })
        .cloned()
        .collect();
    for path in orphans {
        view.found(codes::ORPHAN_PAGE, &path, None, "no other page links to this page");
    }
}

/// Files that are not searched, but for those of a folder that is a finding itself.
fn not_indexed(view: &mut View<'_>) {
    let primary = view.pack.item().metadata.primary_document.clone();
    let is_known = |path: &&String| {
        path.split_once('/').is_none_or(|(folder, _)| FOLDERS.contains(&folder))
            || primary.as_ref() == Some(path)
    };
    let unread: Vec<(String, String)> = view
        .files
        .keys()
        .filter(is_known)
        .filter_map(|path| Some((path.clone(), not_indexed_because(path, primary.as_deref())?)))
        .collect();
    for (path, reason) in unread {
        view.found(codes::NOT_INDEXED, &path, None, format!("`{path}` is not indexed: {reason}"));
    }
}
