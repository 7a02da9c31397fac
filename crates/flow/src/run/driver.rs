//! The driver task: it does what the [machine](crate::machine) says, and tells it what happened.

use super::Run;
use super::inbox::{Inbox, Letter};
use super::options::Options;
use super::profile::ActionProfile;
use super::work::Work;
use crate::action::{ActionCall, Actions};
use crate::journal::{Event, Kept};
use crate::machine::{Input, Machine, Output, Report, Settings};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Waker};
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// The number of rounds after which the driver yields to other tasks of its thread.
const TURNS: u32 = 32;

pub(crate) struct Driver {
    machine: Machine,
    actions: Arc<dyn Actions>,
    options: Options,
    inbox: Arc<Inbox>,
    /// The attempts whose start is being journalled.
    starting: HashMap<u32, Box<ActionCall>>,
    /// The attempts that run in tasks.
    tasks: Tasks,
    /// The profiles of the set's actions.
    profiles: Vec<ActionProfile>,
    /// The outputs of a round, whose allocation is reused.
    outputs: Vec<Output>,
    began: Instant,
}

/// The tasks of attempts, by their steps; dropped, it ends them.
#[derive(Default)]
struct Tasks(HashMap<u32, (u32, AbortHandle)>);

impl Tasks {
    fn has_ended(&mut self, step: u32, attempt: u32) {
        if self.0.get(&step).is_some_and(|(known, _)| *known == attempt) {
            self.0.remove(&step);
        }
    }

    fn abort(&mut self, step: u32) {
        if let Some((_, task)) = self.0.remove(&step) {
            task.abort();
        }
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.0.values().for_each(|(_, task)| task.abort());
    }
}

impl Driver {
    pub(crate) fn new(run: Run) -> Self {
        let Run { plan, actions, mut options, inbox } = run;
        let profiles = vec![ActionProfile::default(); plan.actions.len()];
        let settings = Settings {
            run: options.run.clone(),
            concurrency: options.concurrency,
            limits: options.limits,
            past: options.past.take(),
            elapsed: options.elapsed,
        };
        Self {
            machine: Machine::new(plan, settings),
            actions,
            options,
            inbox,
            starting: HashMap::new(),
            tasks: Tasks::default(),
            profiles,
            outputs: Vec::new(),
            began: Instant::now(),
        }
    }

    pub(crate) async fn run(mut self) -> Report {
        self.began = Instant::now();
        let (mut letters, mut turns) = (Vec::new(), 0);
        loop {
            // Requests from before the run apply to its first steps too.
            self.inbox.take(&mut letters);
            letters.drain(..).for_each(|letter| self.read(letter));
            let inbox = self.inbox.clone();
            self.machine.advance(self.began.elapsed(), &mut || inbox.take_ends());
            self.follow();
            if self.machine.is_done() {
                break;
            }
            let waiting = self.options.waiting.load(Ordering::SeqCst);
            if self.inbox.take_suspension() && self.machine.only_waits(waiting) {
                return self.machine.into_report(self.began.elapsed()).suspended();
            }
            self.wait().await;
            self.yield_to_ready(&mut turns).await;
        }
        self.machine.into_report(self.began.elapsed())
    }

    /// Lets ready attempts run first: the first one to end wakes this task, and many ends at once
    /// are less work than each by itself. If nothing else runs, it yields only now and then.
    async fn yield_to_ready(&self, turns: &mut u32) {
        *turns += 1;
        if self.machine.running() > 1 || turns.is_multiple_of(TURNS) {
            tokio::task::yield_now().await;
        }
    }

    async fn wait(&self) {
        let due = self.machine.next_due().and_then(|due| self.began.checked_add(due));
        match due {
            None => self.inbox.wait().await,
            Some(due) => {
                // Whichever comes first; the times are checked afterwards.
                let _ = tokio::time::timeout_at(due, self.inbox.wait()).await;
            }
        }
    }

    fn read(&mut self, letter: Letter) {
        if let Input::Done { step, attempt, .. } = letter.input {
            self.tasks.has_ended(step, attempt);
            if let (Some(was_prompt), Some(profile)) = (letter.was_prompt, self.profile(step)) {
                profile.in_task(was_prompt);
            }
        }
        self.machine.handle(self.began.elapsed(), letter.input);
        self.follow();
    }

    /// Does what the machine says.
    fn follow(&mut self) {
        let mut outputs = std::mem::take(&mut self.outputs);
        outputs.extend(self.machine.outputs());
        for output in outputs.drain(..) {
            let ticket = output.ticket();
            let kept = ticket.map(|ticket| Kept::new(self.inbox.clone(), ticket));
            match output {
                Output::Begin { step, call } => {
                    let event = Event::Started {
                        id: &call.id,
                        action: &call.name,
                        attempt: call.attempt,
                        key: &call.key,
                    };
                    self.record(&event, kept);
                    self.starting.insert(step, call);
                }
                Output::Record(change) => self.record(&self.machine.event(change), kept),
                Output::Act { step, attempt } => self.act(step, attempt),
                Output::Abort { step } => {
                    self.starting.remove(&step);
                    self.tasks.abort(step);
                }
                Output::Tell { step, is_start } => {
                    if let Some(observer) = &self.options.observer
                        && let Some(notice) = self.machine.notice(step, is_start)
                    {
                        observer(&notice);
                    }
                }
            }
        }
        self.outputs = outputs;
    }

    fn record(&self, event: &Event<'_>, kept: Option<Kept>) {
        if let Some(kept) = kept {
            self.options.journal.record(&self.options.run, event, kept);
        }
    }

    /// Runs an attempt: in this task if its action is known to complete at once, else in its own.
    fn act(&mut self, step: u32, attempt: u32) {
        let Some(call) = self.starting.remove(&step) else { return };
        let plan = self.machine.plan();
        let info = plan.action_named(&call.name).and_then(|action| action.info.as_ref());
        let is_quick = info.is_some_and(|info| info.quick);
        let time = plan.step(step).and_then(|planned| planned.timeout);
        let is_prompt = self.profile(step).is_some_and(|profile| profile.is_prompt());
        let work = Work {
            actions: self.actions.clone(),
            inbox: self.inbox.clone(),
            limits: self.options.limits,
            step,
            time: time.and_then(|time| Some((time, Instant::now().checked_add(time)?))),
        };
        let task = if is_quick || is_prompt {
            let mut work = Box::pin(work.run(*call, false));
            // The first poll needs no waker: a task polls again what is not ready.
            let mut nobody = Context::from_waker(Waker::noop());
            let began = (!is_quick).then(Instant::now);
            let is_done = work.as_mut().poll(&mut nobody).is_ready();
            if let (Some(began), Some(profile)) = (began, self.profile(step)) {
                profile.in_place(is_done, began.elapsed());
            }
            if is_done {
                return;
            }
            tokio::spawn(work)
        } else {
            tokio::spawn(work.run(*call, true))
        };
        self.tasks.0.insert(step, (attempt, task.abort_handle()));
        self.machine.handle(self.began.elapsed(), Input::Acting { step, attempt });
    }

    /// Returns the profile of a step's action, unless another runs in its place.
    fn profile(&mut self, step: u32) -> Option<&mut ActionProfile> {
        if self.machine.is_replaced(step) {
            return None;
        }
        let action = *self.machine.plan().action_of.get(step as usize)?;
        self.profiles.get_mut(action as usize)
    }
}
