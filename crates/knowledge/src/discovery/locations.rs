//! The places that are searched, in their order (KN-2).

use super::options::Roots;
use crate::codes;
use crate::files;
use crate::finding::Finding;
use crate::item::Scope;
use crate::pack::GUIDE_FILE;
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

/// Below a project and below a home, in their order.
const FOLDERS: [&str; 2] = [".contexture/knowledge", ".agents/knowledge"];

#[derive(Debug)]
pub(super) struct Location {
    pub(super) scope: Scope,
    pub(super) path: PathBuf,
    /// True if it can be a pack itself; the usual folders only hold packs.
    pub(super) may_be_pack: bool,
    /// The folder above, whose `.gitignore` counts.
    pub(super) project: Option<PathBuf>,
    pub(super) is_open: bool,
}

/// Returns all places, without those that are there twice.
pub(super) fn of(roots: &Roots, findings: &mut Vec<Finding>) -> Vec<Location> {
    let mut all = Vec::new();
    for path in &roots.explicit {
        all.extend(named(path, Scope::Explicit, findings));
    }
    for (scope, root) in [(Scope::Project, &roots.project), (Scope::User, &roots.user)] {
        if let Some(root) = root {
            let root = whole(root);
            if scope == Scope::Project && !root.is_dir() {
                let code = codes::LOCATION_MISSING;
                findings.push(Finding::explained(code, &root, "there is no such folder"));
            }
            all.extend(FOLDERS.map(|folder| usual(&root, folder, scope, findings)));
        }
    }
    for path in &roots.organization {
        all.extend(named(path, Scope::Organization, findings));
    }
    let mut seen = HashSet::new();
    all.retain(|location| {
        let real = location.is_open.then(|| location.path.canonicalize().ok()).flatten();
        seen.insert(real.unwrap_or_else(|| location.path.clone()))
    });
    all
}

/// Returns a place that somebody named: it must be there.
fn named(path: &Path, scope: Scope, findings: &mut Vec<Finding>) -> Vec<Location> {
    let mut path = whole(path);
    if path.file_name().is_some_and(|name| name == GUIDE_FILE) && !path.is_dir() {
        path.pop();
    }
    let location = |path: PathBuf, may_be_pack, is_open| Location {
        scope,
        project: Some(path.clone()),
        path,
        may_be_pack,
        is_open,
    };
    match std::fs::metadata(&path) {
        Ok(found) if found.is_dir() => {
            let inner = FOLDERS.map(|folder| path.join(folder)).into_iter();
            let inner: Vec<_> = inner.filter(|inner| inner.is_dir()).collect();
            if inner.is_empty() || path.join(GUIDE_FILE).is_file() {
                return vec![location(path, true, true)];
            }
            // A project: its packs are in the usual folders, not among its sources.
            inner.into_iter().map(|inner| location(inner, false, true)).collect()
        }
        found => {
            let (code, message) = match found {
                Ok(_) => (codes::LOCATION_UNUSABLE, "it is a file, expected a folder".to_owned()),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    (codes::LOCATION_MISSING, "there is no such folder".to_owned())
                }
                Err(error) => {
                    let told = files::told(&error);
                    (codes::LOCATION_UNUSABLE, format!("it could not be read: {told}"))
                }
            };
            findings.push(Finding::explained(code, &path, message));
            vec![location(path, true, false)]
        }
    }
}

/// Returns a place below a project or a home: it may be absent, and below a project it may not be a
/// way out of it.
fn usual(root: &Path, folder: &str, scope: Scope, findings: &mut Vec<Finding>) -> Location {
    let path = root.join(folder);
    let mut is_open = path.is_dir();
    if is_open && scope == Scope::Project && leads_out(root, &path) {
        let code = codes::LINK_NOT_FOLLOWED;
        let message = "a symlink leads out of the project; it is not followed";
        findings.push(Finding::explained(code, &path, message));
        is_open = false;
    } else if !is_open && std::fs::symlink_metadata(&path).is_ok() {
        let code = codes::LOCATION_UNUSABLE;
        let message = "it is not a folder that can be searched";
        findings.push(Finding::explained(code, &path, message));
    }
    Location { scope, path, may_be_pack: false, project: Some(root.to_owned()), is_open }
}

fn leads_out(root: &Path, path: &Path) -> bool {
    match (root.canonicalize(), path.canonicalize()) {
        (Ok(root), Ok(path)) => !path.starts_with(root),
        _ => true,
    }
}

/// Returns the path from the root of the file system on, without `..`.
fn whole(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if absolute.components().any(|part| part == Component::ParentDir)
        && let Ok(real) = absolute.canonicalize()
    {
        return real;
    }
    absolute.components().collect()
}
