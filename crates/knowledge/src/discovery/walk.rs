//! Searching one location: level by level, the folders of a level by several threads (KN-3).

use super::cache::{Cache, Candidate, Kept};
use super::folder::{Looked, Search, Task};
use super::locations::Location;
use super::options::DiscoveryOptions;
use crate::codes;
use crate::finding::Finding;
use crate::gitignore::Rules;
use crate::item::Scope;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// So many folders are not worth another thread.
const WORTH_A_THREAD: usize = 64;

/// The number of packs that a thread takes at a time.
const CHUNK: usize = 16;

/// More threads only wait for the same file system.
const MAX_THREADS: usize = 8;

#[derive(Debug)]
pub(super) struct Searched {
    pub(super) scope: Scope,
    #[expect(clippy::vec_box, reason = "large, and moved about from folder to level to order")]
    pub(super) packs: Vec<Box<Candidate>>,
    pub(super) folders: Vec<Kept>,
    pub(super) findings: Vec<Finding>,
}

pub(super) fn search(location: &Location, options: &DiscoveryOptions, cache: &Cache) -> Searched {
    let mut out = Searched {
        scope: location.scope,
        packs: Vec::new(),
        folders: Vec::new(),
        findings: Vec::new(),
    };
    let Some(first) = first(location, options) else { return out };
    let no_pack = (!location.may_be_pack).then_some(location.path.as_path());
    let search = Search { options, cache, no_pack };
    let mut limits = Limits::new(options);
    let mut level = vec![first];
    while !level.is_empty() {
        level = limits.admit(level);
        let mut next = Vec::new();
        for mut looked in look_all(&search, &mut level) {
            out.packs.extend(looked.pack);
            out.folders.extend(looked.kept);
            out.findings.append(&mut looked.findings);
            next.append(&mut looked.next);
        }
        level = next;
    }
    out.findings.extend(limits.findings(&location.path));
    out.findings.sort_by(|left, right| (&left.path, left.code).cmp(&(&right.path, right.code)));
    // The outer one of two with the same name is meant, whatever its folders are called.
    out.packs.sort_by_cached_key(|pack| (pack.root.components().count(), pack.root.clone()));
    out
}

fn first(location: &Location, options: &DiscoveryOptions) -> Option<Task> {
    if !location.is_open {
        return None;
    }
    let rules = match &location.project {
        Some(project) if options.gitignore => Rules::above(project, &location.path).ok()?,
        _ => None,
    };
    Some(Task { path: location.path.clone(), depth: 0, inside: None, rules })
}

/// The limits of a search. Folders inside packs are only searched for packs that are out of place:
/// they have the same maxima, and count for themselves.
struct Limits<'o> {
    options: &'o DiscoveryOptions,
    folders: usize,
    inside: usize,
    too_deep: usize,
    too_many: bool,
}

impl<'o> Limits<'o> {
    fn new(options: &'o DiscoveryOptions) -> Self {
        Self { options, folders: 0, inside: 0, too_deep: 0, too_many: false }
    }

    /// Returns the folders of a level that are searched.
    fn admit(&mut self, mut level: Vec<Task>) -> Vec<Task> {
        level.retain(|task| self.admits(task));
        level
    }

    fn admits(&mut self, task: &Task) -> bool {
        let is_inside = task.inside.is_some();
        if task.depth > self.options.max_depth {
            self.too_deep += usize::from(!is_inside);
            return false;
        }
        let count = if is_inside { &mut self.inside } else { &mut self.folders };
        if *count == self.options.max_folders {
            self.too_many |= !is_inside;
            return false;
        }
        *count += 1;
        true
    }

    fn findings(&self, location: &Path) -> Vec<Finding> {
        let mut out = Vec::new();
        let mut add = |code: codes::Code, message: String| {
            out.push(Finding::explained(code, location, message));
        };
        if self.too_deep > 0 {
            let (depth, count) = (self.options.max_depth, self.too_deep);
            let message = format!(
                "the maximum depth of {depth} was hit: {count} deeper folders were not searched"
            );
            add(codes::DEPTH_LIMIT, message);
        }
        if self.too_many {
            let folders = self.options.max_folders;
            let message =
                format!("the maximum of {folders} folders was hit: the others were not searched");
            add(codes::FOLDER_LIMIT, message);
        }
        out
    }
}

/// Looks into all folders of a level; the answers are in the order of the folders.
fn look_all(search: &Search<'_>, level: &mut [Task]) -> Vec<Looked> {
    if search.options.gitignore {
        for task in level.iter_mut() {
            task.rules = Rules::inside(&task.path, task.rules.take());
        }
    }
    let level = &*level;
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(MAX_THREADS).min(level.len().div_ceil(WORTH_A_THREAD));
    if threads < 2 {
        return level.iter().map(|task| search.look(task)).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let from = next.fetch_add(CHUNK, Ordering::Relaxed);
            let tasks = level.iter().skip(from).take(CHUNK);
            let looked: Vec<Looked> = tasks.map(|task| search.look(task)).collect();
            if looked.is_empty() {
                return done;
            }
            done.push((from, looked));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            all.append(&mut other.join().unwrap_or_default());
        }
        all
    });
    all.sort_unstable_by_key(|(from, _)| *from);
    all.into_iter().flat_map(|(_, looked)| looked).collect()
}
