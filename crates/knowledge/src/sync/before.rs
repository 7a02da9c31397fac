//! What a pack has before a sync: its record, and its pages as they are.

use super::record::{RECORD, Record};
use super::walk::Stat;
use std::collections::HashMap;

/// A pack before a sync.
#[derive(Debug, Default)]
pub(super) struct Before {
    pub(super) record: Record,
    /// The pages, by their paths in the folder of the pages.
    pub(super) pages: HashMap<String, PageState>,
}

/// A page of a pack.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PageState {
    /// Its size and time; `None` when it is not there.
    pub(super) present: Option<Stat>,
    pub(super) standing: Standing,
}

/// Who made a page, and what the sync does with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Standing {
    /// An earlier sync made it, or it is new; it goes when no file of the sources has it.
    #[default]
    Own,
    /// It stays as it is.
    Kept,
    /// This sync wrote it.
    Written,
    /// No sync made it: it is the person's own.
    Foreign,
}

impl Before {
    /// Returns a pack with its record and the pages that it has.
    pub(super) fn of(record: Record, present: HashMap<String, Stat>) -> Self {
        let foreign =
            |(path, stat)| (path, PageState { present: Some(stat), standing: Standing::Foreign });
        let mut pages: HashMap<String, PageState> = present.into_iter().map(foreign).collect();
        pages.remove(RECORD);
        for page in record.pages() {
            match pages.get_mut(&page.path) {
                Some(state) => state.standing = Standing::Own,
                None => drop(pages.insert(page.path.clone(), PageState::default())),
            }
        }
        Self { record, pages }
    }
}
