//! What the system and the `ignore` crate allow: a parallel walk with the same folders left out,
//! bare, and reading each manifest whole.

use ignore::{DirEntry, WalkBuilder, WalkState};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of packs.
pub fn walk(location: &Path, threads: usize) -> usize {
    let count = AtomicUsize::new(0);
    each(location, threads, |_| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    count.into_inner()
}

/// The number of packs, and the bytes of their manifests.
pub fn read(location: &Path, threads: usize) -> (usize, usize) {
    let (count, bytes) = (AtomicUsize::new(0), AtomicUsize::new(0));
    each(location, threads, |entry| {
        let text = std::fs::read(entry.path()).map_or(0, |text| text.len());
        count.fetch_add(1, Ordering::Relaxed);
        bytes.fetch_add(text, Ordering::Relaxed);
    });
    (count.into_inner(), bytes.into_inner())
}

fn each(location: &Path, threads: usize, seen: impl Fn(&DirEntry) + Sync) {
    let walker = WalkBuilder::new(location)
        .standard_filters(false)
        .threads(threads)
        .filter_entry(|entry| !is_skipped(entry))
        .build_parallel();
    walker.run(|| {
        Box::new(|entry| {
            if let Ok(entry) = entry
                && entry.file_name() == "KNOWLEDGE.md"
            {
                seen(&entry);
            }
            WalkState::Continue
        })
    });
}

fn is_skipped(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_str().unwrap_or_default();
    entry.depth() > 0
        && (name.starts_with('.') || matches!(name, "node_modules" | "indexes" | "target"))
}
