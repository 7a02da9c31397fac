//! Indexes kept: opened, brought up to date, rebuilt when they are damaged.

mod home;
mod write;

pub(crate) use write::MAX_FILE_BYTES;
pub use write::{IndexReport, NotIndexed};

use super::opened::{IndexError, Opened, Purpose};
use super::schema::not_indexed_because;
use super::state::nanoseconds;
use crate::pack::{LeftOut, LeftOutKind, Pack, PackFile};
use home::Home;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const MAX_OPEN: usize = 64;

/// The files of a pack: their sizes and times, by path.
pub(crate) type Listing = HashMap<String, (u64, u64)>;

/// An index that is up to date, with the listing that it was compared with.
#[derive(Clone)]
pub(crate) struct View {
    pub(crate) opened: Arc<Opened>,
    pub(crate) listing: Arc<Listing>,
    /// Names the pack among all that are open.
    pub(crate) key: Arc<str>,
    pub(crate) report: IndexReport,
}

#[derive(Default)]
struct Slot {
    opened: Option<Arc<Opened>>,
    listing: Arc<Listing>,
    /// Remarks about folders that can't be read.
    left_out: Vec<String>,
    checked: Option<Instant>,
}

pub(crate) struct Store {
    cache: Option<PathBuf>,
    recheck: Duration,
    slots: Mutex<HashMap<String, Arc<Mutex<Slot>>>>,
}

impl Store {
    pub(crate) fn new(cache: Option<PathBuf>) -> Self {
        Self { cache, recheck: Duration::ZERO, slots: Mutex::default() }
    }

    /// Returns another store of the same indexes.
    pub(crate) fn again(&self) -> Self {
        Self { recheck: self.recheck, ..Self::new(self.cache.clone()) }
    }

    /// Sets the time that a check of the files is trusted.
    pub(crate) fn set_recheck(&mut self, recheck: Duration) {
        self.recheck = recheck;
    }

    /// Returns the path of a file that is kept beside an index; `None` when indexes are in memory.
    pub(crate) fn beside(&self, key: &str, name: &str) -> Option<PathBuf> {
        Some(self.cache.as_ref()?.join(format!("{key}.{name}")))
    }

    /// Returns the index of a pack, up to date.
    pub(crate) fn open(&self, pack: &Pack, purpose: Purpose) -> Result<View, IndexError> {
        let key = home::key(pack);
        let slot = self.slot(&key);
        let key: Arc<str> = key.into();
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if purpose == Purpose::Ask
            && let (Some(opened), Some(checked)) = (&slot.opened, slot.checked)
            && checked.elapsed() < self.recheck
        {
            let (opened, listing) = (Arc::clone(opened), Arc::clone(&slot.listing));
            let report = IndexReport { warnings: slot.left_out.clone(), ..IndexReport::default() };
            return Ok(View { opened, listing, key, report });
        }
        let crate::pack::Listing { files, left_out } = pack.listing()?;
        let closed = left_out.iter().filter(|left| left.kind == LeftOutKind::Folder);
        slot.left_out = closed.map(LeftOut::message).collect();
        let home = Home::of(self.cache.as_deref(), &key);
        let known = if purpose == Purpose::Rebuild { None } else { slot.opened.take() };
        let (opened, mut report) = home.bring_up(pack, known, &files, purpose)?;
        report.warnings.extend(slot.left_out.iter().cloned());
        let stat = |file: PackFile| (file.path, (file.bytes, nanoseconds(file.modified_ns)));
        slot.opened = Some(Arc::clone(&opened));
        slot.listing = Arc::new(files.into_iter().map(stat).collect());
        slot.checked = Some(Instant::now());
        Ok(View { opened, listing: Arc::clone(&slot.listing), key, report })
    }

    /// Returns what of a pack is not in its index, by path.
    pub(crate) fn not_indexed(&self, pack: &Pack) -> Result<Vec<NotIndexed>, IndexError> {
        let crate::pack::Listing { files, left_out } = pack.listing()?;
        let primary = pack.item().metadata.primary_document.as_deref();
        let unread = files.into_iter().filter_map(|file| {
            let reason = not_indexed_because(&file.path, primary)?;
            Some(NotIndexed { path: file.path, reason })
        });
        let left_out = left_out.into_iter();
        let left_out = left_out.map(|left| NotIndexed { path: left.path, reason: left.reason });
        let opened = self.open(pack, Purpose::Ask)?.opened;
        let problems = opened
            .state
            .problems()
            .map(|(path, why)| NotIndexed { path: path.to_owned(), reason: why.to_owned() });
        let mut all: Vec<NotIndexed> = unread.chain(left_out).chain(problems).collect();
        all.sort();
        Ok(all)
    }

    fn slot(&self, key: &str) -> Arc<Mutex<Slot>> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= MAX_OPEN && !slots.contains_key(key) {
            slots.clear();
        }
        Arc::clone(slots.entry(key.to_owned()).or_default())
    }
}
