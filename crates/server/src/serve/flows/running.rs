//! A set that runs, waits to be accepted, or ended recently: its listeners and its control.

use crate::serve::exchange::control::ask;
use crate::serve::exchange::reply::Reply;
use crate::serve::turn::log::TurnLog;
use contexture::store::flows::FlowJournal;
use contexture_flow::Set;
use contexture_flow::run::Control;
use contexture_protocol::content::ControlAction;
use contexture_protocol::{ErrorCode, Refusal};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::task::AbortHandle;

/// A set that runs, waits to be accepted, or ended recently.
pub(crate) struct Running {
    pub(crate) log: TurnLog,
    digest: [u8; 32],
    identity: OnceLock<Identity>,
    /// The incarnation of the context that stores its message, once one does.
    kept_in: OnceLock<u64>,
    /// True if another server began it, and sent messages about it.
    is_resumed: AtomicBool,
    /// True if it waits for clients alone, and nothing works on it.
    is_parked: AtomicBool,
    control: Mutex<ControlState>,
    /// The journal of its run, which records control requests.
    journal: Arc<dyn FlowJournal>,
}

/// The context of a set, and its steps.
struct Identity {
    context: String,
    /// The positions of the steps, by id.
    steps: HashMap<String, u32>,
}

#[derive(Default)]
struct ControlState {
    run: Option<String>,
    control: Option<Control>,
    /// The control requests before the run started.
    requests: Vec<ControlAction>,
    /// The steps that were cancelled before the run started.
    cancelled: Vec<u32>,
    work: Option<AbortHandle>,
}

impl Running {
    pub(super) fn new(digest: [u8; 32], journal: Arc<dyn FlowJournal>) -> Self {
        Self {
            log: TurnLog::default(),
            digest,
            identity: OnceLock::new(),
            kept_in: OnceLock::new(),
            is_resumed: AtomicBool::new(false),
            is_parked: AtomicBool::new(false),
            control: Mutex::default(),
            journal,
        }
    }

    /// Handles a repeated message: the client gets all messages, if it is the same (CP-7).
    pub(super) fn attach_again(&self, digest: &[u8; 32], reply: Reply) {
        if self.digest == *digest {
            return self.log.attach(reply);
        }
        let text = "a message of this id with another content was sent before";
        reply.refuse(Refusal::new(ErrorCode::MessageIdConflict, text));
    }

    pub(super) fn is_run(&self, id: &str) -> bool {
        self.control.lock().run.as_deref() == Some(id)
    }

    /// Sets the context and the steps, once.
    pub(super) fn identify(&self, context: &str, set: &Set) {
        self.identity.get_or_init(|| {
            let ids = set.steps.iter().map(|step| step.id.clone());
            Identity { context: context.to_owned(), steps: ids.zip(0..).collect() }
        });
    }

    /// Reports whether it runs in this context.
    pub(super) fn is_in(&self, context: &str) -> bool {
        self.identity.get().is_some_and(|identity| identity.context == context)
    }

    /// Marks a set that another server began.
    pub(super) fn mark_resumed(&self) {
        self.is_resumed.store(true, Ordering::Relaxed);
    }

    /// Reports whether another server began it, whose messages are not known here.
    pub(crate) fn was_resumed(&self) -> bool {
        self.is_resumed.load(Ordering::Relaxed)
    }

    /// Marks a set that nothing works on until it is answered; control requests wait for that.
    pub(super) fn park(&self) {
        let mut state = self.control.lock();
        (state.control, state.work) = (None, None);
        self.is_parked.store(true, Ordering::SeqCst);
    }

    /// Takes up a set that nothing works on; false if something does.
    pub(super) fn unpark(&self) -> bool {
        self.is_parked.swap(false, Ordering::SeqCst)
    }

    /// Returns its run while nothing works on it.
    pub(crate) fn parked_run(&self) -> Option<String> {
        let is_parked = self.is_parked.load(Ordering::SeqCst);
        self.control.lock().run.clone().filter(|_| is_parked)
    }

    /// Sets the incarnation of the context that stores its message, once.
    pub(super) fn set_kept_in(&self, incarnation: u64) {
        self.kept_in.get_or_init(|| incarnation);
    }

    /// Reports whether this incarnation of a context stores its message.
    pub(super) fn was_kept_in(&self, context: &str, incarnation: u64) -> bool {
        self.kept_in.get() == Some(&incarnation) && self.is_in(context)
    }

    /// Returns the context that stores its message, with its incarnation, once one does.
    pub(super) fn kept_in(&self) -> Option<(String, u64)> {
        Some((self.identity.get()?.context.clone(), *self.kept_in.get()?))
    }

    /// Returns the position of a step.
    pub(super) fn step(&self, id: &str) -> Option<u32> {
        self.identity.get()?.steps.get(id).copied()
    }

    /// Cancels one step (FL-11), unless it has ended.
    pub(crate) fn cancel_step(&self, step: u32) {
        let mut state = self.control.lock();
        match &state.control {
            Some(control) => control.cancel_step(step),
            None => state.cancelled.push(step),
        }
    }

    /// Applies a control request (FL-12), unless the set has ended.
    pub(crate) fn steer(&self, action: ControlAction) {
        let mut state = self.control.lock();
        match (&state.control, &state.run) {
            (Some(control), Some(run)) => self.apply(run, control, action),
            _ => state.requests.push(action),
        }
    }

    /// Pauses the set at its start, as an earlier server left it paused.
    pub(super) fn start_paused(&self) {
        self.control.lock().requests.insert(0, ControlAction::Pause);
    }

    fn apply(&self, run: &str, control: &Control, action: ControlAction) {
        match action {
            ControlAction::Cancel => control.cancel(),
            ControlAction::Pause => control.pause(),
            ControlAction::Resume => control.resume(),
        }
        self.journal.note(run, ask(action));
    }

    /// Connects the started run; earlier control requests are applied.
    pub(super) fn started(&self, run: &str, control: Control) {
        let mut state = self.control.lock();
        state.run = Some(run.to_owned());
        state.requests.drain(..).for_each(|action| self.apply(run, &control, action));
        state.cancelled.drain(..).for_each(|step| control.cancel_step(step));
        state.control = Some(control);
    }

    /// Sets the task that works on it.
    pub(super) fn set_task(&self, task: AbortHandle) {
        self.control.lock().work = Some(task);
    }

    /// Stops the work; the journal has the completed steps.
    pub(super) fn leave(&self) {
        if let Some(task) = self.control.lock().work.take() {
            task.abort();
        }
    }
}
