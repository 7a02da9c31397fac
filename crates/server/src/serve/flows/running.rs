//! A set that runs, waits to be accepted, or ended recently: its listeners and its control.

use crate::serve::app::{App, GRACE, Phase};
use crate::serve::exchange::Reply;
use crate::serve::exchange::draining;
use crate::serve::turn::{TurnKey, TurnLog};
use contexture::store::flows::{Ask, FlowJournal};
use contexture_flow::Set;
use contexture_flow::run::Control;
use contexture_protocol::content::ControlAction;
use contexture_protocol::{ErrorCode, Message, Refusal};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;
use tokio::task::AbortHandle;

/// All sets.
#[derive(Default)]
pub(crate) struct Tables {
    pub(super) by_key: HashMap<TurnKey, Arc<Running>>,
    /// The number of running sets of each owner.
    pub(super) open: HashMap<Arc<str>, usize>,
}

/// One set.
pub(crate) struct Running {
    pub(crate) log: TurnLog,
    digest: [u8; 32],
    whole: OnceLock<Whole>,
    /// Which context of its id keeps its message, once one does.
    kept_in: OnceLock<u64>,
    /// True if another server began it, and told of it.
    is_taken_up: AtomicBool,
    steer: Mutex<Steer>,
    /// Where its run is kept: what steers it is noted there.
    journal: Arc<dyn FlowJournal>,
}

/// The identity of a set and of its steps.
struct Whole {
    context: String,
    /// Its steps by their ids, with their places in it.
    steps: HashMap<String, u32>,
}

#[derive(Default)]
struct Steer {
    run: Option<String>,
    control: Option<Control>,
    /// The control request before the run started.
    wishes: Vec<ControlAction>,
    /// Steps that are wanted no more, from before there was anything to steer.
    unwanted: Vec<u32>,
    work: Option<AbortHandle>,
}

impl Tables {
    pub(super) fn begin(
        &mut self,
        key: &TurnKey,
        digest: [u8; 32],
        journal: Arc<dyn FlowJournal>,
    ) -> Arc<Running> {
        // What ended long ago makes room when something new comes.
        if self.by_key.len() % 64 == 63 {
            let now = Instant::now();
            self.by_key.retain(|_, running| !running.log.is_over(now, GRACE));
        }
        let (whole, kept_in, steer) = (OnceLock::new(), OnceLock::new(), Mutex::default());
        let log = TurnLog::default();
        let is_taken_up = AtomicBool::new(false);
        let running =
            Arc::new(Running { log, digest, whole, kept_in, is_taken_up, steer, journal });
        self.by_key.insert(key.clone(), Arc::clone(&running));
        *self.open.entry(Arc::clone(&key.0)).or_default() += 1;
        running
    }

    /// Forgets a set; another one may have its key by now.
    fn forget(&mut self, key: &TurnKey, running: &Arc<Running>) {
        if self.by_key.get(key).is_some_and(|known| Arc::ptr_eq(known, running)) {
            self.by_key.remove(key);
        }
    }

    fn ended(&mut self, owner: &Arc<str>) {
        let Some(open) = self.open.get_mut(owner) else { return };
        *open = open.saturating_sub(1);
        if *open == 0 {
            self.open.remove(owner);
        }
    }
}

impl Running {
    fn steer(&self) -> MutexGuard<'_, Steer> {
        self.steer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody sent the message again: they hear all of it, if it is the same (CP-7).
    pub(super) fn heard_again(&self, digest: &[u8; 32], reply: Reply) {
        if self.digest == *digest {
            return self.log.attach(reply);
        }
        let text = "a message of this id with another content was sent before";
        reply.refuse(Refusal::new(ErrorCode::MessageIdConflict, text));
    }

    pub(super) fn is_run(&self, id: &str) -> bool {
        self.steer().run.as_deref() == Some(id)
    }

    /// Says what it is, once.
    pub(super) fn is_of(&self, context: &str, set: &Set) {
        self.whole.get_or_init(|| {
            let ids = set.steps.iter().map(|step| step.id.clone());
            Whole { context: context.to_owned(), steps: ids.zip(0..).collect() }
        });
    }

    /// Reports whether it runs in this context.
    pub(super) fn is_in(&self, context: &str) -> bool {
        self.whole.get().is_some_and(|whole| whole.context == context)
    }

    /// Says that another server began it.
    pub(super) fn begins_taken_up(&self) {
        self.is_taken_up.store(true, Ordering::Relaxed);
    }

    /// Reports whether another server began it: what that one told is not known here.
    pub(crate) fn was_taken_up(&self) -> bool {
        self.is_taken_up.load(Ordering::Relaxed)
    }

    /// Says which context of its id keeps its message, once.
    pub(super) fn is_kept_in(&self, incarnation: u64) {
        self.kept_in.get_or_init(|| incarnation);
    }

    /// Reports whether this context, of all that had its id, keeps its message.
    pub(super) fn was_kept_in(&self, context: &str, incarnation: u64) -> bool {
        self.kept_in.get() == Some(&incarnation) && self.is_in(context)
    }

    /// The place of a step in it.
    pub(super) fn step(&self, id: &str) -> Option<u32> {
        self.whole.get()?.steps.get(id).copied()
    }

    /// Cancels one step (FL-11); what ended stays as it is.
    pub(crate) fn cancel_step(&self, step: u32) {
        let mut steer = self.steer();
        match &steer.control {
            Some(control) => control.cancel_step(step),
            None => steer.unwanted.push(step),
        }
    }

    /// Steers it (FL-12); what ended stays as it is.
    pub(crate) fn wish(&self, action: ControlAction) {
        let mut steer = self.steer();
        match (&steer.control, &steer.run) {
            (Some(control), Some(run)) => self.obey(run, control, action),
            _ => steer.wishes.push(action),
        }
    }

    /// It was paused when an earlier server left it, and stays so until it is resumed.
    pub(super) fn begins_paused(&self) {
        self.steer().wishes.insert(0, ControlAction::Pause);
    }

    fn obey(&self, run: &str, control: &Control, action: ControlAction) {
        let ask = match action {
            ControlAction::Cancel => Ask::Cancel,
            ControlAction::Pause => Ask::Pause,
            ControlAction::Resume => Ask::Resume,
        };
        match ask {
            Ask::Cancel => control.cancel(),
            Ask::Pause => control.pause(),
            Ask::Resume => control.resume(),
        }
        self.journal.note(run, ask);
    }

    /// The run has begun: what was wished before holds.
    pub(super) fn steered_by(&self, run: &str, control: Control) {
        let mut steer = self.steer();
        steer.run = Some(run.to_owned());
        steer.wishes.drain(..).for_each(|action| self.obey(run, &control, action));
        steer.unwanted.drain(..).for_each(|step| control.cancel_step(step));
        steer.control = Some(control);
    }

    /// The task that works on it.
    pub(super) fn worked_on_by(&self, task: AbortHandle) {
        self.steer().work = Some(task);
    }

    /// Ends the work; the journal has what was done.
    pub(super) fn leave(&self) {
        if let Some(task) = self.steer().work.take() {
            task.abort();
        }
    }
}

/// The place of a set among those that run. When it is dropped before its end, those who wait are
/// told that the work broke off.
pub(crate) struct Place {
    app: Arc<App>,
    key: TurnKey,
    running: Arc<Running>,
    is_over: bool,
}

impl Place {
    pub(super) fn new(app: &Arc<App>, key: TurnKey, running: Arc<Running>) -> Self {
        Self { app: Arc::clone(app), key, running, is_over: false }
    }

    pub(super) const fn running(&self) -> &Arc<Running> {
        &self.running
    }

    /// Tells all who wait for it.
    pub(super) fn tell(&self) -> Arc<dyn Fn(&Message) + Send + Sync> {
        let running = Arc::clone(&self.running);
        Arc::new(move |message| running.log.pass(message))
    }

    pub(super) const fn key(&self) -> &TurnKey {
        &self.key
    }

    /// It ended with this.
    pub(super) fn finish(mut self, answer: Message) {
        self.is_over = true;
        self.running.log.finish(answer);
    }

    /// Its answer is told by somebody else.
    pub(super) fn leave(mut self) {
        self.is_over = true;
        self.app.flows.tables().forget(&self.key, &self.running);
    }

    /// Nothing runs for it: sent again, it is judged anew.
    pub(super) fn refuse(mut self, answer: Message) {
        self.is_over = true;
        self.app.flows.tables().forget(&self.key, &self.running);
        self.running.log.finish(answer);
    }

    fn broken_off(&self) -> Message {
        let (_, context, message) = &self.key;
        let refused = match draining(&self.app) {
            Some(refused) if *self.app.phase.borrow() != Phase::Open => refused,
            _ => Refusal::new(ErrorCode::Internal, "the work on the set broke off"),
        };
        let refused =
            Refusal { message_id: Some(message.clone()), context_id: context.clone(), ..refused };
        self.app.maker.refusal(refused)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.is_over {
            let told = self.broken_off();
            self.app.flows.tables().forget(&self.key, &self.running);
            self.running.log.finish(told);
        }
        self.app.flows.tables().ended(&self.key.0);
    }
}
