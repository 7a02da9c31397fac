//! The runs that this process does.

use contexture_core::store::flows::FlowStoreError;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A run that is held.
#[derive(Debug, Default)]
pub(super) struct Hold {
    /// Its row.
    pub(super) place: i64,
    /// It was to be cancelled before it was held.
    pub(super) is_cancelled: bool,
    /// The number of its last event.
    last: AtomicU64,
    /// Steps that have ended.
    done: AtomicU64,
    /// Its end is kept.
    pub(super) is_ended: AtomicBool,
    /// An event of it was lost: what came after would leave a hole.
    pub(super) is_broken: AtomicBool,
}

impl Hold {
    pub(super) fn new(place: i64, last: u64, done: u64) -> Self {
        Self { place, last: last.into(), done: done.into(), ..Self::default() }
    }

    pub(super) fn cancelled(self, is_cancelled: bool) -> Self {
        Self { is_cancelled, ..self }
    }

    /// Returns the number of the next event.
    pub(super) fn next(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Counts a step that has ended.
    pub(super) fn count(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }
}

/// All runs that are held, by their ids; `None` while one is being claimed.
#[derive(Debug, Default)]
pub(super) struct Holds {
    runs: Mutex<HashMap<String, Option<Arc<Hold>>>>,
}

impl Holds {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Option<Arc<Hold>>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, run: &str) -> Option<Arc<Hold>> {
        self.lock().get(run).cloned().flatten()
    }

    /// Holds a run as in `claim`, unless it is held already.
    pub(super) fn hold(
        &self,
        run: &str,
        claim: impl FnOnce() -> Result<Hold, FlowStoreError>,
    ) -> Result<Arc<Hold>, FlowStoreError> {
        match self.lock().entry(run.to_owned()) {
            Entry::Vacant(free) => free.insert(None),
            Entry::Occupied(_) => {
                return Err(FlowStoreError::Held { run: run.to_owned(), by: "this process" });
            }
        };
        let claimed = claim().map(Arc::new);
        let mut runs = self.lock();
        match &claimed {
            Ok(hold) => runs.insert(run.to_owned(), Some(Arc::clone(hold))),
            Err(_) => runs.remove(run),
        };
        claimed
    }

    pub(super) fn let_go(&self, run: &str) {
        self.lock().remove(run);
    }
}
