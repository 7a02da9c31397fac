//! The report of a sync.

use serde::Serialize;

/// The result of making a pack of a source or bringing it in step (MA-4). Each entry of the source
/// is in one of `read` and `skipped`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct SyncReport {
    /// The files of the source that are pages of the pack, by their paths in the source.
    pub read: Vec<String>,
    /// The entries of the source that are not.
    pub skipped: Vec<Skipped>,
    /// The number of sections in all pages.
    pub sections: u64,
    /// The number of new pages.
    pub added: usize,
    /// The number of pages with another text than before.
    pub changed: usize,
    /// The number of pages that went.
    pub removed: usize,
    /// The number of pages that stayed as they were.
    pub unchanged: usize,
}

/// An entry of a source that is not a page of the pack.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Skipped {
    /// Its path in the source; that of a folder ends with `/`.
    pub path: String,
    /// Why, and what to do about it.
    pub reason: String,
}

impl Skipped {
    pub(super) fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }
}

impl SyncReport {
    /// Reports whether no page changed.
    #[must_use]
    pub const fn is_unchanged(&self) -> bool {
        self.added == 0 && self.changed == 0 && self.removed == 0
    }

    /// Reports whether it says something that `last`, the report of an earlier sync, did not: a page
    /// changed, or other entries of the source are read.
    #[must_use]
    pub fn has_news_since(&self, last: &Self) -> bool {
        !self.is_unchanged() || (&self.read, &self.skipped) != (&last.read, &last.skipped)
    }
}
