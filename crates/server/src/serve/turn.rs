//! Turns: a user says something, an agent answers (CP-5, CP-8).
//!
//! Decision: a turn belongs to the server, not to the connection that began it. Whoever sends the
//! same message again hears the same turn from its start; a connection that breaks off ends
//! nothing. The message, and with the answer everything that goes with it, are durable before they
//! are told.

mod ended;
mod history;
mod lanes;
mod log;
mod thread;
mod tools;
mod work;

pub(crate) use ended::Ended;
pub(crate) use log::TurnLog;
pub(crate) use thread::{Wanted, start};
pub(crate) use work::Begun;

use super::app::{App, GRACE};
use contexture::llm::CancelToken;
use contexture_protocol::{ErrorCode, Refusal};
use lanes::Lanes;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// All turns that run, wait, or ended not long ago.
pub(crate) struct Turns {
    by_key: Mutex<HashMap<TurnKey, Arc<Turn>>>,
    lanes: Lanes,
    permits: Arc<Semaphore>,
    running: AtomicUsize,
}

/// Owner, the contextId as it stood in the message, messageId (CP-7).
pub(crate) type TurnKey = (Arc<str>, Option<String>, String);

/// One turn.
pub(crate) struct Turn {
    /// The context that it runs in, and which one of this id; none for a turn that is not kept.
    place: Option<(String, u64)>,
    pub(crate) log: TurnLog,
    pub(crate) cancel: CancelToken,
}

/// A turn of which nothing is kept.
pub(crate) struct Unkept {
    app: Arc<App>,
    key: TurnKey,
    pub(crate) cancel: CancelToken,
}

impl Unkept {
    /// The id that it is known by.
    pub(crate) fn id(&self) -> &str {
        &self.key.2
    }
}

impl Drop for Unkept {
    fn drop(&mut self) {
        self.app.turns.by_key().remove(&self.key);
        self.app.turns.ended();
    }
}

impl Turns {
    pub(crate) fn new(at_once: NonZeroUsize) -> Self {
        Self {
            by_key: Mutex::default(),
            lanes: Lanes::default(),
            permits: Arc::new(Semaphore::new(at_once.get())),
            running: AtomicUsize::new(0),
        }
    }

    fn by_key(&self) -> MutexGuard<'_, HashMap<TurnKey, Arc<Turn>>> {
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a turn that begins.
    fn begin(&self, key: TurnKey, place: Option<(String, u64)>) -> Arc<Turn> {
        let turn = Arc::new(Turn { place, log: TurnLog::default(), cancel: CancelToken::new() });
        let mut turns = self.by_key();
        // What ended long ago makes room when something new comes.
        if turns.len() % 64 == 63 {
            let now = Instant::now();
            turns.retain(|_, turn| !turn.log.is_over(now, GRACE));
        }
        turns.insert(key, Arc::clone(&turn));
        self.running.fetch_add(1, Ordering::Relaxed);
        turn
    }

    /// Notes a turn of which nothing is kept; it is forgotten with what this gives.
    pub(crate) fn begin_unkept(app: &Arc<App>, owner: Arc<str>, id: String) -> Unkept {
        let key = (owner, None, id);
        let turn = app.turns.begin(key.clone(), None);
        Unkept { app: Arc::clone(app), key, cancel: turn.cancel.clone() }
    }

    /// A permit to run.
    ///
    /// # Errors
    /// CANCELLED when the turn was, while it waited.
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

    /// The turn of a message, while it is known.
    pub(crate) fn find(&self, key: &TurnKey) -> Option<Arc<Turn>> {
        self.by_key().get(key).cloned()
    }

    /// The owner's turn that this messageId began, in whatever context.
    pub(crate) fn of_message(&self, owner: &str, message: &str) -> Option<Arc<Turn>> {
        self.meant(owner, None, message)
    }

    /// The owner's turn that this messageId began: in this context, or in whatever one.
    pub(crate) fn meant(
        &self,
        owner: &str,
        context: Option<&str>,
        message: &str,
    ) -> Option<Arc<Turn>> {
        let turns = self.by_key();
        let is_there = |turn: &Turn| {
            context.is_none_or(|context| turn.place.as_ref().is_some_and(|(id, _)| id == context))
        };
        let mut meant = turns
            .iter()
            .filter(|((of, _, id), turn)| **of == *owner && id == message && is_there(turn));
        meant.next().map(|(_, turn)| Arc::clone(turn))
    }

    /// How many run or wait.
    pub(crate) fn running(&self) -> usize {
        self.running.load(Ordering::Relaxed)
    }

    fn ended(&self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
    }

    /// Cancels what runs in a context of an owner.
    pub(crate) fn cancel_in(&self, owner: &str, context: &str, incarnation: u64) {
        let is_there = |turn: &Turn| {
            let place = turn.place.as_ref();
            place.is_some_and(|(id, which)| id == context && *which == incarnation)
        };
        for ((of, _, _), turn) in self.by_key().iter() {
            if **of == *owner && is_there(turn) {
                turn.cancel.cancel();
            }
        }
    }

    /// Cancels all that run.
    pub(crate) fn cancel_all(&self) {
        for turn in self.by_key().values() {
            turn.cancel.cancel();
        }
    }
}
