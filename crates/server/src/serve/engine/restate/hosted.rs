//! A run that this server hosts for the engine: its attempts, and what its journal has of it.
//!
//! Decision: the engine may do both of its handlers again at any time, while the run itself goes on
//! here. So an attempt is a task of the run and not of a handler: a handler that is done again attaches
//! to it, and only the death of this process leaves an attempt whose outcome nobody knows.

use super::wire::{Attempt, End};
use contexture::flows::Labels;
use contexture_flow::action::{ActionCall, Actions};
use contexture_flow::check::Plan;
use contexture_flow::journal::{Entry, Event, JournalError, Kept};
use contexture_flow::machine::{Change, Machine, OwnedNotice, Report, uncertain};
use contexture_flow::run::{Options, attempt};
use contexture_protocol::content::Runtime;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::{Notify, oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// A step and the number of its attempt.
pub(super) type AttemptPlace = (u32, u32);

pub(super) struct Hosted {
    pub(super) plan: Arc<Plan>,
    pub(super) actions: Arc<dyn Actions>,
    pub(super) options: Options,
    pub(super) labels: Labels,
    /// The number of this hosting: a later one has a greater one.
    pub(super) host: u64,
    /// The steps that waited for a person when it was interrupted, before any effect.
    waiting: HashSet<String>,
    state: Mutex<State>,
    /// Rings when an event is kept or lost.
    bell: Notify,
}

#[derive(Default)]
struct State {
    attempts: HashMap<AttemptPlace, Running>,
    /// The attempts that the machine awaits.
    awaited: HashSet<AttemptPlace>,
    /// The attempts that are not to begin.
    aborted: HashSet<AttemptPlace>,
    /// The attempts whose start the journal has, from before this hosting.
    begun: HashSet<(String, u32)>,
    /// The attempts whose start was told.
    told: HashSet<(String, u32)>,
    /// The steps whose end the journal has, or gets.
    ended: HashSet<String>,
    /// The number of pauses, resumptions and cancellations that the journal has, or gets.
    changes: usize,
    is_finished: bool,
    /// The number of events that are not durable yet.
    pending: usize,
    fault: Option<JournalError>,
    is_left: bool,
    report: Option<oneshot::Sender<Report>>,
}

/// An attempt in this process, until the machine has its end.
struct Running {
    end: watch::Sender<Option<Arc<End>>>,
    task: Option<AbortHandle>,
}

impl Running {
    fn stop(&self, end: End) {
        if let Some(task) = &self.task {
            task.abort();
        }
        self.end.send_if_modified(|known| {
            let is_new = known.is_none();
            if is_new {
                *known = Some(Arc::new(end));
            }
            is_new
        });
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Reports whether an entry is one of those that are counted, since they have no name.
pub(super) fn is_change(entry: &Entry) -> bool {
    matches!(entry, Entry::Paused | Entry::Resumed | Entry::Cancelled)
}

impl Hosted {
    /// Takes a run, with what its journal has and the steps that waited. Returns it, and where its
    /// report will come.
    pub(super) fn new(
        host: u64,
        (plan, actions, options): (Arc<Plan>, Arc<dyn Actions>, Options),
        labels: Labels,
        (entries, waiting): (&[Entry], Vec<String>),
    ) -> (Arc<Self>, oneshot::Receiver<Report>) {
        let (sender, report) = oneshot::channel();
        let mut state = State { report: Some(sender), ..State::default() };
        state.changes = entries.iter().filter(|entry| is_change(entry)).count();
        for entry in entries {
            match entry {
                Entry::Started { id, attempt, .. } => {
                    state.begun.insert((id.clone(), *attempt));
                }
                Entry::Ended(outcome) => {
                    state.ended.insert(outcome.instruction_id.clone());
                }
                Entry::Finished { .. } => state.is_finished = true,
                _ => {}
            }
        }
        state.told.clone_from(&state.begun);
        let (state, waiting) = (Mutex::new(state), waiting.into_iter().collect());
        let bell = Notify::new();
        let hosted = Self { plan, actions, options, labels, host, waiting, state, bell };
        (Arc::new(hosted), report)
    }

    /// Returns the id of the run.
    pub(super) fn run(&self) -> &str {
        &self.options.run
    }

    /// Returns the end of an attempt, which begins unless it did before.
    pub(super) fn attempt(self: &Arc<Self>, attempt: Attempt) -> watch::Receiver<Option<Arc<End>>> {
        let place = attempt.place();
        let mut state = self.state.lock();
        if let Some(running) = state.attempts.get(&place) {
            return running.end.subscribe();
        }
        let (end, receiver) = watch::channel(None);
        let mut running = Running { end, task: None };
        match self.beginning(&state, attempt) {
            Ok(call) => {
                let work = Arc::clone(self).work(place.0, call, running.end.clone());
                running.task = Some(tokio::spawn(work).abort_handle());
            }
            Err(end) => running.stop(end),
        }
        state.attempts.insert(place, running);
        receiver
    }

    /// Returns the call of an attempt that may begin.
    ///
    /// # Errors
    /// Its end, if it may not: above all if it may have taken effect before this hosting (FL-11).
    fn beginning(&self, state: &State, attempt: Attempt) -> Result<ActionCall, End> {
        let place = attempt.place();
        let call = attempt.into_call(&self.plan).ok_or(End::Aborted)?;
        if state.is_left || state.aborted.contains(&place) || state.ended.contains(&call.id) {
            return Err(End::Aborted);
        }
        let has_begun = state.begun.contains(&(call.id.clone(), call.attempt));
        if has_begun && !self.may_begin_again(place.0, &call) {
            return Err(End::of(Err(Box::new(uncertain())), None));
        }
        Ok(call)
    }

    /// Reports whether an attempt may begin again: one of a client is a promise, like one that waits
    /// for a person (WA-1).
    fn may_begin_again(&self, step: u32, call: &ActionCall) -> bool {
        let plan = &self.plan;
        let planned = plan.set().steps.get(step as usize);
        let is_own = planned.is_some_and(|planned| planned.action == call.name);
        self.waiting.contains(&call.id)
            || (is_own && call.runtime == Some(Runtime::Frontend))
            || plan.may_repeat(&call.name, Some(&call.parameters))
    }

    /// Journals the start of an attempt, and only then runs it.
    async fn work(
        self: Arc<Self>,
        step: u32,
        call: ActionCall,
        end: watch::Sender<Option<Arc<End>>>,
    ) {
        let (sender, kept) = oneshot::channel();
        let event = Event::Started {
            id: &call.id,
            action: &call.name,
            attempt: call.attempt,
            key: &call.key,
        };
        let options = &self.options;
        let done = Kept::call(move |result| drop(sender.send(result)));
        options.journal.record(&options.run, &event, done);
        if let Err(fault) = kept.await.unwrap_or_else(|_| Err(JournalError::new("it is closed"))) {
            self.state.lock().fault.get_or_insert(fault);
            end.send_replace(Some(Arc::new(End::Unkept)));
            return;
        }
        let id = call.id.clone();
        let time = self.plan.set().steps.get(step as usize).and_then(|step| step.timeout);
        let time = time.and_then(|time| Some((time, Instant::now().checked_add(time)?)));
        let result = attempt(Arc::clone(&self.actions), call, options.limits, time).await;
        let ended = End::of(result, self.labels.of(&id));
        end.send_replace(Some(Arc::new(ended)));
    }

    /// Notes that the machine awaits an attempt.
    pub(super) fn awaits(&self, place: AttemptPlace) {
        self.state.lock().awaited.insert(place);
    }

    /// Forgets an attempt whose end the machine has; the engine has it then, too.
    pub(super) fn forget(&self, place: AttemptPlace) {
        let mut state = self.state.lock();
        state.awaited.remove(&place);
        state.attempts.remove(&place);
    }

    /// Lets a lost start of an attempt be tried again.
    pub(super) fn retry(&self, place: AttemptPlace) {
        self.state.lock().attempts.remove(&place);
    }

    /// Ends the attempt of a step, which nobody awaits any more.
    pub(super) fn abort(&self, place: AttemptPlace) {
        let mut state = self.state.lock();
        state.awaited.remove(&place);
        state.aborted.insert(place);
        if let Some(running) = state.attempts.get(&place) {
            running.stop(End::Aborted);
        }
    }

    /// Leaves the run if all that it awaits is so many attempts that wait for a person.
    pub(super) fn park(&self, waiting: usize) -> bool {
        let mut state = self.state.lock();
        let awaited = state.attempts.iter().all(|(place, running)| {
            state.awaited.contains(place) && running.end.borrow().is_none()
        });
        let all = state.attempts.len() == state.awaited.len() && state.awaited.len() == waiting;
        if waiting == 0 || !awaited || !all || state.pending > 0 || state.fault.is_some() {
            return false;
        }
        state.is_left = true;
        state.attempts.values().for_each(|running| running.stop(End::Parked(self.host)));
        true
    }

    /// Tells observers, once, that an attempt started.
    pub(super) fn tell_start(&self, machine: &Machine, step: u32) {
        let Some(notice) = machine.notice(step, true) else { return };
        let is_new = self.state.lock().told.insert((notice.id.to_owned(), notice.attempt));
        if let Some(observer) = self.options.observer.as_ref().filter(|_| is_new) {
            observer(&notice);
        }
    }

    /// Journals a change of the machine, unless the journal has it: the machine may be done again.
    /// `changes` is the number of those without a name before it.
    pub(super) fn record(self: &Arc<Self>, machine: &Machine, change: Change, changes: usize) {
        let mut state = self.state.lock();
        let (is_new, notice) = match change {
            Change::Ended { step, .. } => {
                let notice = machine.notice(step, false);
                let is_new = notice.is_some_and(|one| state.ended.insert(one.id.to_owned()));
                (is_new, notice.filter(|_| is_new).map(|notice| notice.to_owned()))
            }
            Change::Finished { .. } => (!std::mem::replace(&mut state.is_finished, true), None),
            _ if changes < state.changes => (false, None),
            _ => {
                state.changes = changes.saturating_add(1);
                (true, None)
            }
        };
        if !is_new {
            return;
        }
        state.pending += 1;
        drop(state);
        let (hosted, options) = (Arc::clone(self), &self.options);
        let kept = Kept::call(move |result| hosted.kept(result, notice.as_ref()));
        options.journal.record(&options.run, &machine.event(change), kept);
    }

    fn kept(&self, result: Result<(), JournalError>, notice: Option<&OwnedNotice>) {
        let is_kept = result.is_ok();
        let mut state = self.state.lock();
        state.pending = state.pending.saturating_sub(1);
        if let Err(fault) = result {
            state.fault.get_or_insert(fault);
        }
        drop(state);
        if let (Some(observer), Some(notice), true) = (&self.options.observer, notice, is_kept) {
            observer(&notice.get());
        }
        self.bell.notify_waiters();
    }

    /// Returns why the journal failed, if it did.
    pub(super) fn fault(&self) -> Option<JournalError> {
        self.state.lock().fault.clone()
    }

    /// Waits until all events are durable, or one is lost.
    pub(super) async fn settled(&self) -> Option<JournalError> {
        loop {
            let rung = self.bell.notified();
            if let Some(fault) = self.outcome() {
                return fault.err();
            }
            rung.await;
        }
    }

    /// Returns whether all events are durable; `None` while it is not known.
    fn outcome(&self) -> Option<Result<(), JournalError>> {
        let state = self.state.lock();
        match &state.fault {
            Some(fault) => Some(Err(fault.clone())),
            None => (state.pending == 0).then_some(Ok(())),
        }
    }

    /// Hands over the report of the run.
    pub(super) fn report(&self, report: Report) {
        let sender = self.state.lock().report.take();
        if let Some(sender) = sender {
            // Nobody waits when the server ends.
            let _ = sender.send(report);
        }
    }

    /// Ends all attempts: another hosting goes on with the run.
    pub(super) fn leave(&self) {
        let mut state = self.state.lock();
        state.is_left = true;
        state.attempts.clear();
    }
}
