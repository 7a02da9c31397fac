//! The sets of a server.

use super::allowed::Allowed;
use super::journal::Journals;
use super::put_off::PutOff;
use super::running::Running;
use crate::serve::phase::GRACE;
use crate::serve::turn::turns::TurnKey;
use contexture::store::flows::FlowJournal;
use contexture_protocol::content::ControlAction;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

/// The sets that run or ended recently, and their settings.
pub(crate) struct Sets {
    pub(super) tables: Mutex<Tables>,
    /// The most concurrent sets of an owner.
    pub(super) most: NonZeroUsize,
    /// The actions that clients may use.
    pub(crate) allowed: Allowed,
    pub(crate) journals: Journals,
    /// The sets that are to be resumed as soon as their places are free.
    pub(super) put_off: PutOff,
}

/// The meaning of an id among the sets of an owner.
pub(crate) enum Target {
    Whole(Arc<Running>),
    Step(Arc<Running>, u32),
    Several,
    None,
}

impl Sets {
    pub(crate) fn new(allowed: Allowed, journals: Journals, most: NonZeroUsize) -> Self {
        let (tables, put_off) = (Mutex::default(), PutOff::default());
        Self { tables, most, allowed, journals, put_off }
    }

    /// Returns the set of a message, while it is known.
    pub(crate) fn find(&self, key: &TurnKey) -> Option<Arc<Running>> {
        self.tables.lock().by_key.get(key).cloned()
    }

    /// Forgets a set that has ended, so that it can be taken up again; false if it is under way.
    pub(super) fn forget_ended(&self, key: &TurnKey) -> bool {
        let mut tables = self.tables.lock();
        let has_ended = tables.by_key.get(key).is_none_or(|running| running.log.has_ended());
        if has_ended {
            tables.by_key.remove(key);
        }
        has_ended
    }

    /// Finds the set or step of an owner with an id: that of the message, of the run, or of the step.
    /// With a context, only sets in it are searched.
    pub(crate) fn named(&self, owner: &str, context: Option<&str>, id: &str) -> Target {
        let tables = self.tables.lock();
        let own = tables.by_key.iter().filter(|((of, _, _), _)| **of == *owner);
        let own = own.filter(|(_, running)| context.is_none_or(|context| running.is_in(context)));
        let own: Vec<_> = own.collect();
        let is_whole =
            |(key, running): &&(&TurnKey, &Arc<Running>)| key.2 == id || running.is_run(id);
        if let Some((_, running)) = own.iter().find(is_whole) {
            return Target::Whole(Arc::clone(running));
        }
        let step = |running: &Arc<Running>| Some((Arc::clone(running), running.step(id)?));
        let (open, over): (Vec<_>, Vec<_>) =
            own.iter().partition(|(_, running)| !running.log.has_ended());
        let of = |these: Vec<&(&TurnKey, &Arc<Running>)>| -> Vec<(Arc<Running>, u32)> {
            these.into_iter().filter_map(|(_, running)| step(running)).collect()
        };
        let mut open = of(open);
        match (open.pop(), open.is_empty()) {
            (Some(_), false) => Target::Several,
            (Some((running, step)), true) => Target::Step(running, step),
            // Ended steps are not steered, so it does not matter which one is found.
            (None, _) => match of(over).pop() {
                Some((running, step)) => Target::Step(running, step),
                None => Target::None,
            },
        }
    }

    /// Returns the owners, contexts and incarnations in which sets run, of some incarnations or of all.
    pub(crate) fn places(&self, among: Option<&HashSet<u64>>) -> HashSet<(String, String, u64)> {
        let tables = self.tables.lock();
        let open = tables.by_key.iter().filter(|(_, running)| !running.log.has_ended());
        let places = open.filter_map(|((owner, _, _), running)| {
            let (context, incarnation) = running.kept_in()?;
            Some((owner.to_string(), context, incarnation))
        });
        places.filter(|(_, _, one)| among.is_none_or(|all| all.contains(one))).collect()
    }

    /// Cancels and forgets the sets of a deleted context (CP-9).
    pub(crate) fn deleted(&self, owner: &str, context: &str, incarnation: u64) {
        let mut tables = self.tables.lock();
        let gone = tables.by_key.extract_if(|(of, _, _), running| {
            **of == *owner && running.was_kept_in(context, incarnation)
        });
        let gone: Vec<_> = gone.collect();
        drop(tables);
        for (_, running) in gone {
            running.steer(ControlAction::Cancel);
        }
    }

    pub(crate) fn running(&self) -> usize {
        self.tables.lock().open.values().sum()
    }

    /// Stops the work on all sets: the next server resumes them (FL-11).
    pub(crate) fn leave_all(&self) {
        let all: Vec<_> = self.tables.lock().by_key.values().cloned().collect();
        all.iter().for_each(|running| running.leave());
    }
}

#[derive(Default)]
pub(super) struct Tables {
    pub(super) by_key: HashMap<TurnKey, Arc<Running>>,
    /// The number of running sets of each owner.
    pub(super) open: HashMap<Arc<str>, usize>,
}

impl Tables {
    pub(super) fn begin(
        &mut self,
        key: &TurnKey,
        digest: [u8; 32],
        journal: Arc<dyn FlowJournal>,
    ) -> Arc<Running> {
        // Sets that ended long ago make room for new ones.
        if self.by_key.len() % 64 == 63 {
            let now = Instant::now();
            self.by_key.retain(|_, running| !running.log.is_over(now, GRACE));
        }
        let running = Arc::new(Running::new(digest, journal));
        self.by_key.insert(key.clone(), Arc::clone(&running));
        *self.open.entry(Arc::clone(&key.0)).or_default() += 1;
        running
    }

    /// Removes a set; another one may have its key by now.
    pub(super) fn forget(&mut self, key: &TurnKey, running: &Arc<Running>) {
        if self.by_key.get(key).is_some_and(|known| Arc::ptr_eq(known, running)) {
            self.by_key.remove(key);
        }
    }

    pub(super) fn ended(&mut self, owner: &Arc<str>) {
        let Some(open) = self.open.get_mut(owner) else { return };
        *open = open.saturating_sub(1);
        if *open == 0 {
            self.open.remove(owner);
        }
    }
}
