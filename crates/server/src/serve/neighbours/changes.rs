//! Those who wait for a context to change (WA-11).
//!
//! Decision: whoever waits names the context. A change wakes those alone who wait for its context, as each of
//! them reads the database again: if all did at every commit, their reads would fill its connections.

use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};
use tokio::sync::Notify;

/// Those who wait, by the incarnations of their contexts; without one, for any context.
#[derive(Default)]
pub(crate) struct Changes {
    waiting: Mutex<HashMap<Option<u64>, Weak<Notify>>>,
}

impl Changes {
    /// Returns what is notified when a context changes; without one, when any does.
    pub(crate) fn of(&self, context: Option<u64>) -> Arc<Notify> {
        let mut waiting = self.waiting.lock();
        if let Some(known) = waiting.get(&context).and_then(Weak::upgrade) {
            return known;
        }
        // Contexts that nobody waits for make room.
        if waiting.len() == waiting.capacity() {
            waiting.retain(|_, notify| notify.strong_count() > 0);
        }
        let notify = Arc::new(Notify::new());
        waiting.insert(context, Arc::downgrade(&notify));
        notify
    }

    /// Wakes those who wait for some contexts, or all.
    pub(crate) fn tell(&self, changed: Option<&HashSet<u64>>) {
        let woken: Vec<Arc<Notify>> = {
            let waiting = self.waiting.lock();
            let of = |context: Option<u64>| waiting.get(&context).and_then(Weak::upgrade);
            match changed {
                Some(changed) => {
                    changed.iter().copied().map(Some).chain([None]).filter_map(of).collect()
                }
                None => waiting.values().filter_map(Weak::upgrade).collect(),
            }
        };
        woken.iter().for_each(|notify| notify.notify_waiters());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[test]
    fn wa_11_change_of_context_wakes_only_those_who_wait_for_it() {
        let changes = Changes::default();
        let (own, other, any) = (changes.of(Some(1)), changes.of(Some(2)), changes.of(None));
        let mut waiting = [&own, &other, &any].map(|notify| Box::pin(notify.notified()));
        changes.tell(Some(&HashSet::from([1])));
        let woken = waiting.each_mut().map(|one| one.now_or_never().is_some());
        assert_eq!(woken, [true, false, true]);
        let mut waiting = [&own, &other, &any].map(|notify| Box::pin(notify.notified()));
        changes.tell(None);
        assert_eq!(waiting.each_mut().map(|one| one.now_or_never().is_some()), [true; 3]);
    }

    /// Otherwise the second one of a context would be forgotten with the first.
    #[test]
    fn wa_11_those_who_wait_for_one_context_share_its_notice() {
        let changes = Changes::default();
        let (first, second) = (changes.of(Some(1)), changes.of(Some(1)));
        assert!(Arc::ptr_eq(&first, &second));
        drop(first);
        let waiting = second.notified();
        changes.tell(Some(&HashSet::from([1])));
        assert!(waiting.now_or_never().is_some());
        for context in 10..1_000 {
            drop(changes.of(Some(context)));
        }
        assert!(changes.waiting.lock().len() < 20, "contexts that nobody waits for do not stay");
    }
}
