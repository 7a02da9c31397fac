//! The outlines of the runs that are looked at, so that a page does not read a run anew.

use contexture::inspect::Outline;
use contexture::store::runs::{RunError, RunId, RunStore};
use parking_lot::Mutex;
use std::sync::Arc;

/// The outlines that are kept: one of 1,000,000 events takes some 200 MB.
const KEPT: usize = 4;

#[derive(Default)]
pub(super) struct Outlines {
    /// The one that was used last stands last.
    known: Mutex<Vec<(RunId, Arc<Mutex<Outline>>)>>,
}

impl Outlines {
    /// Hands over the outline of a run, read up to its present end.
    pub(super) fn with<T>(
        &self,
        store: &dyn RunStore,
        id: &RunId,
        take: impl FnOnce(&Outline) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let outline = self.of(id);
        let mut outline = outline.lock();
        outline.read_on(store, id)?;
        take(&outline)
    }

    fn of(&self, id: &RunId) -> Arc<Mutex<Outline>> {
        let mut known = self.known.lock();
        let entry = match known.iter().position(|(own, _)| own == id) {
            Some(index) => known.remove(index),
            None => (id.clone(), Arc::default()),
        };
        let outline = Arc::clone(&entry.1);
        known.push(entry);
        if known.len() > KEPT {
            known.remove(0);
        }
        outline
    }
}
