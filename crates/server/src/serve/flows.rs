//! Tool calls and instruction sets of clients (FL-1…FL-12).
//!
//! Decision: a set belongs to the server, not to the connection that sent it, like a turn. In addition,
//! each of its steps is journalled: a server that starts resumes the sets
//! of its predecessor. Nothing of a set is stored, and nothing runs, before all of it was
//! checked.

mod accept;
mod allowed;
mod answer;
mod checked;
mod clients;
mod earlier;
mod faults;
mod intent;
mod job;
mod journal;
mod news;
mod resume;
mod running;

pub(crate) use accept::receive;
pub(crate) use allowed::Allowed;
pub(crate) use intent::IntentSet;
pub(crate) use journal::Journals;
pub(crate) use resume::take_up;
pub(crate) use running::{Place, Running};

use super::turn::TurnKey;
use contexture_flow::action::Registry;
use contexture_protocol::content::ControlAction;
use contexture_protocol::{ErrorCode, Refusal};
use running::Tables;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The sets that run or ended not long ago, and what they run with.
pub(crate) struct Flows {
    tables: Mutex<Tables>,
    /// Sets of one owner that may run at the same time.
    most: NonZeroUsize,
    /// Actions that are functions of this program.
    pub(crate) host: Registry,
    /// The actions that clients may use.
    pub(crate) allowed: Allowed,
    /// Where every change of a set is kept.
    pub(crate) journals: Journals,
}

/// The novelty of a message.
pub(crate) enum Entered {
    /// It has its place now.
    New(Place),
    /// It is here already.
    Known(Arc<Running>),
}

/// The meaning of an id among the sets of an owner.
pub(crate) enum Named {
    /// A set.
    Whole(Arc<Running>),
    /// A step of a set, by its place.
    Step(Arc<Running>, u32),
    /// Steps of several sets.
    Several,
    Nothing,
}

impl Flows {
    pub(crate) fn new(
        host: Registry,
        allowed: Allowed,
        journals: Journals,
        most: NonZeroUsize,
    ) -> Self {
        Self { tables: Mutex::default(), most, host, allowed, journals }
    }

    pub(super) fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The set of a message, while it is known.
    pub(crate) fn find(&self, key: &TurnKey) -> Option<Arc<Running>> {
        self.tables().by_key.get(key).cloned()
    }

    /// The owner's set that the id means: of the message that brought it, or of its run. With a
    /// context, only what runs there is meant.
    pub(crate) fn named(&self, owner: &str, context: Option<&str>, id: &str) -> Named {
        let tables = self.tables();
        let own = tables.by_key.iter().filter(|((of, _, _), _)| **of == *owner);
        let own = own.filter(|(_, running)| context.is_none_or(|context| running.is_in(context)));
        let own: Vec<_> = own.collect();
        let is_whole =
            |(key, running): &&(&TurnKey, &Arc<Running>)| key.2 == id || running.is_run(id);
        if let Some((_, running)) = own.iter().find(is_whole) {
            return Named::Whole(Arc::clone(running));
        }
        let step = |running: &Arc<Running>| Some((Arc::clone(running), running.step(id)?));
        let (open, over): (Vec<_>, Vec<_>) =
            own.iter().partition(|(_, running)| !running.log.has_ended());
        let of = |these: Vec<&(&TurnKey, &Arc<Running>)>| -> Vec<(Arc<Running>, u32)> {
            these.into_iter().filter_map(|(_, running)| step(running)).collect()
        };
        let mut open = of(open);
        match (open.pop(), open.is_empty()) {
            (Some(_), false) => Named::Several,
            (Some((running, step)), true) => Named::Step(running, step),
            // What ended is as it is, in whichever set it was.
            (None, _) => match of(over).pop() {
                Some((running, step)) => Named::Step(running, step),
                None => Named::Nothing,
            },
        }
    }

    /// A context was deleted: what runs in it is cancelled, and what was sent to it may come anew
    /// (CP-9).
    pub(crate) fn deleted(&self, owner: &str, context: &str, incarnation: u64) {
        let mut tables = self.tables();
        let gone = tables.by_key.extract_if(|(of, _, _), running| {
            **of == *owner && running.was_kept_in(context, incarnation)
        });
        let gone: Vec<_> = gone.collect();
        drop(tables);
        for (_, running) in gone {
            running.wish(ControlAction::Cancel);
        }
    }

    /// Returns the number of running sets.
    pub(crate) fn running(&self) -> usize {
        self.tables().open.values().sum()
    }

    /// Leaves all that run as they are: the next server goes on with them (FL-11).
    pub(crate) fn leave_all(&self) {
        let all: Vec<_> = self.tables().by_key.values().cloned().collect();
        all.iter().for_each(|running| running.leave());
    }

    /// A place for the set of a message.
    ///
    /// # Errors
    /// RATE_LIMITED when its owner has as many as may be.
    fn enter(
        app: &Arc<super::app::App>,
        key: TurnKey,
        digest: [u8; 32],
    ) -> Result<Entered, Refusal> {
        let mut tables = app.flows.tables();
        if let Some(known) = tables.by_key.get(&key) {
            return Ok(Entered::Known(Arc::clone(known)));
        }
        let most = app.flows.most.get();
        if tables.open.get(&key.0).is_some_and(|open| *open >= most) {
            let text = format!("{most} sets of this owner run already");
            let refused = Refusal::new(ErrorCode::RateLimited, text).policy("sets_per_owner");
            return Err(refused.detail("limit", most));
        }
        let running = tables.begin(&key, digest, app.flows.journals.journal());
        drop(tables);
        Ok(Entered::New(Place::new(app, key, running)))
    }

    /// As [`Self::enter`], for a set that was accepted before, however many there are.
    fn enter_again(app: &Arc<super::app::App>, key: TurnKey, digest: [u8; 32]) -> Entered {
        let mut tables = app.flows.tables();
        if let Some(known) = tables.by_key.get(&key) {
            return Entered::Known(Arc::clone(known));
        }
        let running = tables.begin(&key, digest, app.flows.journals.journal());
        drop(tables);
        Entered::New(Place::new(app, key, running))
    }
}
