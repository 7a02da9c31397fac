//! The turns of a server.

use super::log::TurnLog;
use super::parked::Parked;
use super::queues::TurnQueues;
use crate::serve::phase::GRACE;
use contexture::llm::CancelToken;
use contexture_protocol::{ErrorCode, Refusal};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The turns that run, wait, or ended recently.
pub(crate) struct Turns {
    by_key: Mutex<HashMap<TurnKey, Arc<Turn>>>,
    /// What cancels the runs of programs that are under way, by their ids.
    runs: Mutex<HashMap<String, CancelToken>>,
    pub(super) queues: TurnQueues,
    permits: Arc<Semaphore>,
    running: AtomicUsize,
    /// Those that only wait, by their runs. Nothing else is kept of them, neither a task nor a timer.
    parked: Mutex<HashMap<Arc<str>, Box<Parked>>>,
}

/// Owner, the contextId as written in the message, messageId (CP-7).
pub(crate) type TurnKey = (Arc<str>, Option<String>, String);

pub(crate) struct Turn {
    /// The context and its incarnation; none for a turn that is not stored.
    pub(super) place: Option<(String, u64)>,
    pub(crate) log: TurnLog,
    pub(crate) cancel: CancelToken,
    /// The run that is left while it only waits.
    parked: Mutex<Option<Arc<str>>>,
    /// The number of its reports that were passed on.
    pub(super) reports: AtomicUsize,
}

impl Turn {
    /// Returns the run that is left while the turn only waits.
    pub(super) fn parked_run(&self) -> Option<Arc<str>> {
        self.parked.lock().clone()
    }
}

/// A turn that is not stored. It is forgotten when this is dropped.
pub(crate) struct UnstoredTurn {
    turns: Arc<Turns>,
    key: TurnKey,
    pub(crate) cancel: CancelToken,
}

impl UnstoredTurn {
    pub(crate) fn id(&self) -> &str {
        &self.key.2
    }
}

impl Drop for UnstoredTurn {
    fn drop(&mut self) {
        self.turns.by_key.lock().remove(&self.key);
        self.turns.ended();
    }
}

impl Turns {
    pub(crate) fn new(at_once: NonZeroUsize) -> Self {
        Self {
            by_key: Mutex::default(),
            runs: Mutex::default(),
            queues: TurnQueues::default(),
            permits: Arc::new(Semaphore::new(at_once.get())),
            running: AtomicUsize::new(0),
            parked: Mutex::default(),
        }
    }

    /// Registers a turn that begins.
    pub(crate) fn begin(&self, key: TurnKey, place: Option<(String, u64)>) -> Arc<Turn> {
        self.insert(&mut self.by_key.lock(), key, place)
    }

    /// Registers a turn that a person asks to go on with; none if it is not over.
    pub(super) fn begin_again(&self, key: &TurnKey, place: (String, u64)) -> Option<Arc<Turn>> {
        let mut turns = self.by_key.lock();
        let is_over = turns.get(key).is_none_or(|turn| turn.log.has_ended());
        is_over.then(|| self.insert(&mut turns, key.clone(), Some(place)))
    }

    fn insert(
        &self,
        turns: &mut HashMap<TurnKey, Arc<Turn>>,
        key: TurnKey,
        place: Option<(String, u64)>,
    ) -> Arc<Turn> {
        let (log, cancel, parked) = (TurnLog::default(), CancelToken::new(), Mutex::default());
        let reports = AtomicUsize::new(0);
        let turn = Arc::new(Turn { place, log, cancel, parked, reports });
        // Turns that ended long ago make room for new ones.
        if turns.len() == turns.capacity() {
            let now = Instant::now();
            turns.retain(|_, turn| !turn.log.is_over(now, GRACE));
        }
        turns.insert(key, Arc::clone(&turn));
        self.running.fetch_add(1, Ordering::Relaxed);
        turn
    }

    /// Registers a turn that is not stored.
    pub(crate) fn begin_unstored(self: &Arc<Self>, owner: Arc<str>, id: String) -> UnstoredTurn {
        let key = (owner, None, id);
        let turn = self.begin(key.clone(), None);
        UnstoredTurn { turns: Arc::clone(self), key, cancel: turn.cancel.clone() }
    }

    /// Waits for a permit to run.
    ///
    /// # Errors
    /// CANCELLED when the turn is cancelled meanwhile.
    pub(crate) async fn permit(
        &self,
        cancel: &CancelToken,
    ) -> Result<OwnedSemaphorePermit, Refusal> {
        let cancelled = || Refusal::new(ErrorCode::Cancelled, "the turn was cancelled");
        tokio::select! {
            permit = Arc::clone(&self.permits).acquire_owned() => permit.map_err(|_| cancelled()),
            () = cancel.cancelled() => Err(cancelled()),
        }
    }

    /// Returns the turn of a message, while it is known.
    pub(crate) fn find(&self, key: &TurnKey) -> Option<Arc<Turn>> {
        self.by_key.lock().get(key).cloned()
    }

    /// Returns the turn of an owner that a messageId began, in any context.
    pub(crate) fn of_message(&self, owner: &str, message: &str) -> Option<Arc<Turn>> {
        self.find_in(owner, None, message)
    }

    /// Returns the turn of an owner that a messageId began, in a context or in any.
    pub(crate) fn find_in(
        &self,
        owner: &str,
        context: Option<&str>,
        message: &str,
    ) -> Option<Arc<Turn>> {
        let turns = self.by_key.lock();
        let is_there = |turn: &Turn| {
            context.is_none_or(|context| turn.place.as_ref().is_some_and(|(id, _)| id == context))
        };
        let mut found = turns
            .iter()
            .filter(|((of, _, id), turn)| **of == *owner && id == message && is_there(turn));
        found.next().map(|(_, turn)| Arc::clone(turn))
    }

    /// Leaves a turn until what it waits for is answered; it counts as no work.
    pub(super) fn park(&self, parked: Box<Parked>) {
        let run = Arc::clone(&parked.run);
        *parked.turn.parked.lock() = Some(Arc::clone(&run));
        parked.turn.log.pack();
        self.parked.lock().insert(run, parked);
        self.ended();
    }

    /// Takes the turn of a run that only waits, which counts as work again.
    pub(super) fn unpark(&self, run: &str) -> Option<Box<Parked>> {
        let parked = self.parked.lock().remove(run)?;
        *parked.turn.parked.lock() = None;
        self.running.fetch_add(1, Ordering::Relaxed);
        Some(parked)
    }

    /// Reports whether a turn of a context only waits.
    pub(super) fn is_parked(&self, owner: &str, context: &str) -> bool {
        self.parked.lock().values().any(|parked| parked.is_in(owner, context))
    }

    /// Calls a function with each turn that only waits.
    pub(super) fn each_parked(&self, work: impl FnMut(&Parked)) {
        self.parked.lock().values().map(|parked| &**parked).for_each(work);
    }

    /// Returns the number of turns that run or wait.
    pub(crate) fn running(&self) -> usize {
        self.running.load(Ordering::Relaxed)
    }

    pub(super) fn ended(&self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
    }

    /// Returns the owners, contexts and incarnations in which turns run, of some incarnations or of all.
    pub(crate) fn places(&self, among: Option<&HashSet<u64>>) -> HashSet<(String, String, u64)> {
        let turns = self.by_key.lock();
        let open = turns.iter().filter(|(_, turn)| !turn.log.has_ended());
        let places = open.filter_map(|((owner, _, _), turn)| {
            let (context, incarnation) = turn.place.as_ref()?;
            Some((owner.to_string(), context.clone(), *incarnation))
        });
        places.filter(|(_, _, one)| among.is_none_or(|all| all.contains(one))).collect()
    }

    /// Returns the turns in a context of an owner.
    pub(super) fn all_in(&self, owner: &str, context: &str, incarnation: u64) -> Vec<Arc<Turn>> {
        let is_there = |turn: &Turn| {
            let place = turn.place.as_ref();
            place.is_some_and(|(id, which)| id == context && *which == incarnation)
        };
        let turns = self.by_key.lock();
        let own = turns.iter().filter(|((of, _, _), turn)| **of == *owner && is_there(turn));
        own.map(|(_, turn)| Arc::clone(turn)).collect()
    }

    /// Notes that the run of a turn begins.
    pub(super) fn run_began(&self, run: &str, cancel: &CancelToken) {
        self.runs.lock().insert(run.to_owned(), cancel.clone());
    }

    pub(super) fn run_ended(&self, run: &str) {
        self.runs.lock().remove(run);
    }

    /// Reports whether the run of a turn is under way.
    pub(crate) fn has_run(&self, run: &str) -> bool {
        self.runs.lock().contains_key(run)
    }

    /// Cancels the turn of a run; false if it is not under way, or was cancelled before.
    pub(crate) fn cancel_run(&self, run: &str) -> bool {
        let found = self.runs.lock().get(run).cloned();
        let Some(cancel) = found.filter(|cancel| !cancel.is_cancelled()) else { return false };
        cancel.cancel();
        true
    }

    pub(crate) fn cancel_all(&self) {
        for turn in self.by_key.lock().values() {
            turn.cancel.cancel();
        }
    }
}
