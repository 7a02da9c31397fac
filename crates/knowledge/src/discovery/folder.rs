//! Looking into one folder: is it a pack, and which folders in it are searched next (KN-3).

use super::cache::{Cache, Candidate, Kept};
use super::guide_file::{self, unreadable};
use super::listing::{Guide, Listing};
use super::options::DiscoveryOptions;
use crate::codes;
use crate::finding::Finding;
use crate::gitignore::{Rules, ignores};
use crate::pack::GUIDE_FILE;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Folders that builds make. A pack may have such a name; the content of such a folder is not
/// searched.
const BUILD_OUTPUT: [&str; 8] =
    ["target", "dist", "build", "out", "_build", "_site", "__pycache__", "bower_components"];

#[derive(Debug)]
pub(super) struct Task {
    pub(super) path: PathBuf,
    /// The depth below its location; inside a pack, below that.
    pub(super) depth: usize,
    /// The pack that it is in.
    pub(super) inside: Option<Arc<Path>>,
    pub(super) rules: Option<Arc<Rules>>,
}

/// The state that all folders of a location share.
pub(super) struct Search<'s> {
    pub(super) options: &'s DiscoveryOptions,
    pub(super) cache: &'s Cache,
    /// The folder of the location, when that cannot be a pack itself.
    pub(super) no_pack: Option<&'s Path>,
}

#[derive(Debug, Default)]
pub(super) struct Looked {
    pub(super) next: Vec<Task>,
    /// Boxed: most folders are none, and answers are moved about.
    pub(super) pack: Option<Box<Candidate>>,
    pub(super) findings: Vec<Finding>,
    pub(super) kept: Option<Kept>,
}

struct Entries {
    folders: Vec<PathBuf>,
    links: Vec<PathBuf>,
    guide: Option<Guide>,
    misnamed: Option<PathBuf>,
}

impl Search<'_> {
    pub(super) fn look(&self, task: &Task) -> Looked {
        let mut looked = Looked::default();
        let entries = match self.cache.listing(&task.path) {
            Ok((listing, kept)) => {
                looked.kept = kept;
                self.entries(task, listing)
            }
            Err(error) => {
                // Inside a pack, the pack's reader reports it.
                if task.inside.is_none() {
                    let code = codes::FOLDER_UNREADABLE;
                    looked.findings.push(unreadable(&task.path, &error, code));
                }
                return looked;
            }
        };
        let mut inside = task.inside.clone();
        match (&task.inside, entries.guide) {
            (Some(outer), Some(Guide::File)) => {
                looked.findings.push(nested(&task.path, outer));
                return looked;
            }
            (None, Some(Guide::File)) if self.no_pack == Some(task.path.as_path()) => {
                looked.findings.push(in_location(&task.path));
            }
            (None, Some(Guide::File)) => {
                looked.pack = Some(Box::new(self.candidate(&task.path)));
                inside = Some(Arc::from(task.path.as_path()));
            }
            (None, Some(Guide::Other)) => {
                looked.findings.push(guide_file::not_a_file(&task.path.join(GUIDE_FILE)));
            }
            _ => {}
        }
        if inside.is_none() {
            looked.findings.extend(entries.misnamed.as_deref().map(misnamed));
            looked.findings.extend(entries.links.iter().filter_map(|link| linked(link)));
        }
        let depth = if inside.is_some() && task.inside.is_none() { 1 } else { task.depth + 1 };
        looked.next = entries
            .folders
            .into_iter()
            .map(|path| Task { path, depth, inside: inside.clone(), rules: task.rules.clone() })
            .collect();
        looked
    }

    fn candidate(&self, root: &Path) -> Candidate {
        self.cache.candidate(root, &self.options.types)
    }

    fn entries(&self, task: &Task, listing: Listing) -> Entries {
        let path = |name: &OsString| task.path.join(name);
        let mut out = Entries {
            folders: listing.folders.iter().map(path).collect(),
            links: listing.links.iter().map(path).collect(),
            guide: listing.guide,
            misnamed: listing.misnamed.as_ref().map(path),
        };
        out.folders.retain(|path| !is_build_output(path));
        if self.options.gitignore {
            self.without_ignored(task, &mut out);
        }
        out
    }

    fn without_ignored(&self, task: &Task, entries: &mut Entries) {
        let rules = task.rules.as_deref();
        entries.folders.retain(|path| !ignores(rules, path, true));
        if ignores(rules, &task.path.join(GUIDE_FILE), false) {
            entries.guide = None;
        }
    }
}

fn is_build_output(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    BUILD_OUTPUT.contains(&name) && !path.join(GUIDE_FILE).is_file()
}

fn finding(code: codes::Code, path: &Path, message: String) -> Finding {
    Finding::explained(code, path, message)
}

fn nested(path: &Path, outer: &Path) -> Finding {
    let message = format!("the pack lies inside the pack `{}`; it is not used", outer.display());
    finding(codes::NESTED_PACK, &path.join(GUIDE_FILE), message)
}

fn in_location(path: &Path) -> Finding {
    let message = "the folder holds packs and is none itself; this file is not used".to_owned();
    finding(codes::GUIDE_IN_LOCATION, &path.join(GUIDE_FILE), message)
}

fn misnamed(path: &Path) -> Finding {
    finding(codes::MISNAMED_GUIDE, path, format!("a pack's file is named exactly `{GUIDE_FILE}`"))
}

/// Returns the finding for a symlink to a folder, or in a circle; others matter to nobody.
fn linked(link: &Path) -> Option<Finding> {
    match std::fs::metadata(link) {
        Ok(found) if !found.is_dir() => None,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        found => {
            let message = match (found, link.canonicalize()) {
                (Ok(_), Ok(real)) => {
                    format!("a symlink to the folder `{}` is not followed", real.display())
                }
                _ => "a symlink that leads nowhere is not followed".to_owned(),
            };
            Some(finding(codes::LINK_NOT_FOLLOWED, link, message))
        }
    }
}
