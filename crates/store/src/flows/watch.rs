//! Hands on what is asked of runs from elsewhere (FL-12).
//!
//! Decision: the file itself carries the wish, and one thread of each process that does runs looks
//! for wishes five times a second, as long as there is a run to watch. So pausing and cancelling
//! need no channel between processes, and cost a run nothing.

use super::schema::Outcome;
use contexture_core::store::flows::{Ask, Asked, FlowStoreError};
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The interval of the checks.
const EVERY: Duration = Duration::from_millis(200);

/// Looks up the wishes: the place of a run, the wish, and how many there were. `None` if that was
/// not possible right now.
pub(super) type Wishes = Box<dyn FnMut() -> Option<Vec<(i64, String, i64)>> + Send>;

/// A run that is watched.
struct Watched {
    asked: Asked,
    /// The number of wishes that were forwarded, or existed before.
    seen: i64,
}

#[derive(Default)]
struct Runs {
    watched: HashMap<i64, Watched>,
    is_closed: bool,
}

#[derive(Default)]
struct Shared {
    runs: Mutex<Runs>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next look; false when there will be none.
    fn wait(&self) -> bool {
        let mut runs = self.lock();
        if !runs.is_closed && !runs.watched.is_empty() {
            let woken = self.changed.wait_timeout(runs, EVERY);
            runs = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        while !runs.is_closed && runs.watched.is_empty() {
            runs = self.changed.wait(runs).unwrap_or_else(PoisonError::into_inner);
        }
        !runs.is_closed
    }

    fn hand_on(&self, wishes: Vec<(i64, String, i64)>) {
        let mut asks = Vec::new();
        let mut runs = self.lock();
        for (place, wish, count) in wishes {
            let Some(watched) = runs.watched.get_mut(&place) else { continue };
            if count <= watched.seen {
                continue;
            }
            watched.seen = count;
            if let Some(ask) = Ask::parse(&wish) {
                asks.push((Arc::clone(&watched.asked), ask));
            }
        }
        drop(runs);
        // Without the lock: the callback may release the run.
        asks.into_iter().for_each(|(asked, ask)| asked(ask));
    }
}

/// The runs that are watched, and the thread that does it once there is one.
#[derive(Default)]
pub(super) struct Watch {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Watch {
    pub(super) fn begin(
        &self,
        place: i64,
        asked: Asked,
        wishes: impl FnOnce() -> Outcome<Wishes>,
    ) -> Outcome<()> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            *thread = Some(self.start(wishes()?)?);
        }
        self.shared.lock().watched.insert(place, Watched { asked, seen: 0 });
        self.shared.changed.notify_one();
        Ok(())
    }

    fn start(&self, mut wishes: Wishes) -> Outcome<JoinHandle<()>> {
        let shared = Arc::clone(&self.shared);
        let thread = thread::Builder::new().name("flows-wishes".to_owned()).spawn(move || {
            while shared.wait() {
                shared.hand_on(wishes().unwrap_or_default());
            }
        });
        thread.map_err(|error| {
            let reason = contexture_core::store::reason(&error);
            FlowStoreError::Io { path: "the thread that watches runs".to_owned(), reason }
        })
    }

    pub(super) fn end(&self, place: i64) {
        self.shared.lock().watched.remove(&place);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_one();
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            drop(thread.join());
        }
    }
}
