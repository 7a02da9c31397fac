//! The driver task.

use super::cell::{Cell, Ended};
use super::inbox::{ControlRequest, DriverMessage, Inbox};
use super::lanes::Lanes;
use super::options::{Notice, Options};
use super::outcomes::Outcomes;
use super::profile::ActionProfile;
use super::report::Report;
use super::timers::{Due, Timers};
use crate::action::{ActionCall, Actions};
use crate::check::Plan;
use crate::journal::{EndedStep, Event, JournalError, Kept, Ticket};
use contexture_protocol::content::Status;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::time::Instant;

/// The number of rounds after which the driver yields to other tasks of its thread.
const TURNS: u32 = 32;

/// The reason why nothing more is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The run was cancelled.
    Cancelled,
    /// Only this step was cancelled.
    StepCancelled,
    /// The timeout of the set passed.
    SetTimeout,
    /// The timeout of one side passed: of the front end, or else of the back end.
    SideTimeout(bool),
    /// A step with the recovery ABORT failed.
    Aborted(u32),
    /// The journal failed.
    Journal,
}

pub(crate) struct Driver {
    pub(super) plan: Arc<Plan>,
    pub(super) actions: Arc<dyn Actions>,
    pub(super) options: Options,
    inbox: Arc<Inbox>,
    pub(super) cells: Vec<Cell>,
    pub(super) lanes: Lanes,
    pub(super) timers: Timers,
    /// The attempts whose start is being journalled.
    pub(super) starting: HashMap<u32, ActionCall>,
    /// The profiles of the set's actions.
    profiles: Vec<ActionProfile>,
    /// The number of events that are not durable yet.
    pending_events: usize,
    pub(super) order: Vec<u32>,
    /// The bytes of all results.
    pub(super) bytes: usize,
    pub(super) done: usize,
    pub(super) is_paused: bool,
    /// Retries that came due in a pause.
    pub(super) held: Vec<(u32, u32)>,
    pub(super) stop: Option<Stop>,
    /// True if the time of a side has passed.
    pub(super) is_side_late: bool,
    /// The final status, if an earlier run ended.
    pub(super) finished: Option<Status>,
    pub(super) fault: Option<JournalError>,
    /// True if the run was cancelled from outside.
    is_cancelled: bool,
    deadline: Option<Instant>,
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.cells.iter().filter_map(|cell| cell.task.as_ref()).for_each(|task| task.abort());
    }
}

impl Driver {
    pub(crate) fn new(plan: Plan, actions: Arc<dyn Actions>, options: Options) -> Self {
        let lanes = Lanes::of(&plan, options.concurrency);
        let steps = plan.len();
        let waits = |step: u32| {
            let inside = plan.dependencies.of(step).iter().filter(|n| (**n as usize) < steps);
            crate::graph::number(inside.count())
        };
        let cells = (0..crate::graph::number(steps)).map(|step| Cell::new(waits(step))).collect();
        let profiles = vec![ActionProfile::default(); plan.actions.len()];
        Self {
            plan: Arc::new(plan),
            actions,
            options,
            inbox: Arc::default(),
            cells,
            lanes,
            timers: Timers::default(),
            starting: HashMap::new(),
            profiles,
            pending_events: 0,
            order: Vec::with_capacity(steps),
            bytes: 0,
            done: 0,
            is_paused: false,
            held: Vec::new(),
            stop: None,
            is_side_late: false,
            finished: None,
            fault: None,
            is_cancelled: false,
            deadline: None,
        }
    }

    pub(crate) fn inbox(&self) -> &Arc<Inbox> {
        &self.inbox
    }

    pub(crate) async fn run(mut self) -> Report {
        let began = Instant::now();
        self.deadline = self.plan.set().timeout.and_then(|timeout| began.checked_add(timeout));
        self.go_on();
        let (mut messages, mut turns) = (Vec::new(), 0);
        // Requests from before the run apply to its first steps too.
        self.inbox.clone().take(&mut messages);
        messages.drain(..).for_each(|letter| self.read(letter));
        self.handle_stops();
        // A timeout of zero passes before anything is started.
        self.check_deadline();
        loop {
            self.start_ready();
            if self.lanes.left() == 0 && self.pending_events == 0 {
                break;
            }
            self.wait().await;
            self.yield_to_ready(&mut turns).await;
            let inbox = self.inbox.clone();
            inbox.take(&mut messages);
            messages.drain(..).for_each(|letter| self.read(letter));
            self.handle_stops();
            self.check_deadline();
        }
        let status = self.whole_status();
        self.record(&Event::Finished { status }, None, false);
        while self.pending_events > 0 && self.fault.is_none() {
            self.inbox.wait().await;
            self.inbox.clone().take(&mut messages);
            messages.drain(..).for_each(|letter| self.read(letter));
        }
        let cells = std::mem::take(&mut self.cells);
        let order = std::mem::take(&mut self.order);
        Report::new(
            self.plan.clone(),
            cells,
            order,
            self.whole_or(status),
            began,
            self.fault.take(),
        )
    }

    /// Returns the status, or that of an incomplete run if the journal failed at the very end.
    fn whole_or(&self, status: Status) -> Status {
        if self.fault.is_some() { Status::Failed } else { status }
    }

    /// Lets ready attempts run first: the first one to end wakes this task, and many ends at once
    /// are less work than each by itself. If nothing else runs, it yields only now and then.
    async fn yield_to_ready(&self, turns: &mut u32) {
        *turns += 1;
        if self.lanes.running() > 1 || turns.is_multiple_of(TURNS) {
            tokio::task::yield_now().await;
        }
    }

    async fn wait(&self) {
        let lanes = [&self.lanes.front, &self.lanes.back];
        let of_lanes = lanes.into_iter().filter(|lane| lane.left > 0).filter_map(|l| l.deadline);
        // Without steps nothing can be late: only the journal is awaited.
        let is_open = self.lanes.left() > 0;
        let others = [self.deadline, self.timers.next()].into_iter().flatten().filter(|_| is_open);
        match of_lanes.chain(others).min() {
            None => self.inbox.wait().await,
            Some(due) => {
                // Whichever comes first; the timeout is checked afterwards.
                let _ = tokio::time::timeout_at(due, self.inbox.wait()).await;
            }
        }
    }

    fn read(&mut self, letter: DriverMessage) {
        match letter {
            DriverMessage::Kept { step, is_start, result } => self.kept(step, is_start, result),
            DriverMessage::Done { step, attempt, result, was_prompt } => {
                if let (Some(was_prompt), Some(profile)) = (was_prompt, self.profile(step)) {
                    profile.in_task(was_prompt);
                }
                self.tried(step, attempt, result);
            }
            DriverMessage::ControlRequest(ControlRequest::Cancel) => self.is_cancelled = true,
            DriverMessage::CancelStep { step } => self.stop_one(step),
            DriverMessage::ControlRequest(request) => {
                let is_paused = request == ControlRequest::Pause;
                if self.is_paused != is_paused && self.lanes.left() > 0 {
                    self.is_paused = is_paused;
                    let event = if is_paused { Event::Paused } else { Event::Resumed };
                    self.record(&event, None, false);
                    for (step, attempt) in std::mem::take(&mut self.held) {
                        self.due(step, attempt, Due::Again);
                    }
                }
            }
        }
    }

    /// Handles the messages that were read: only then is it known which attempts have already
    /// ended.
    fn handle_stops(&mut self) {
        if self.fault.is_some() && self.stop != Some(Stop::Journal) {
            self.is_stopped_by(Stop::Journal);
            self.stop_all(Stop::Journal);
        }
        let is_cancelled = std::mem::take(&mut self.is_cancelled);
        if is_cancelled && self.stop != Some(Stop::Cancelled) && self.is_stopped_by(Stop::Cancelled)
        {
            self.record(&Event::Cancelled, None, false);
            self.stop_all(Stop::Cancelled);
        }
    }

    /// Reads the ends of attempts in the inbox, so that completed work is kept.
    pub(super) fn read_ends(&mut self) {
        let ends = self.inbox.take_ends();
        ends.into_iter().for_each(|letter| self.read(letter));
    }

    /// Returns the profile of a step's action, unless another runs in its place.
    pub(super) fn profile(&mut self, step: u32) -> Option<&mut ActionProfile> {
        let is_replaced = self.cells.get(step as usize)?.is_replaced;
        let action = *self.plan.action_of.get(step as usize).filter(|_| !is_replaced)?;
        self.profiles.get_mut(action as usize)
    }

    fn kept(&mut self, step: Option<(u32, u32)>, is_start: bool, result: Result<(), JournalError>) {
        self.pending_events = self.pending_events.saturating_sub(1);
        if let Err(fault) = result {
            self.fault.get_or_insert(fault);
            return;
        }
        let Some((step, attempt)) = step else { return };
        // A step that is about to be stopped need not begin.
        if is_start && self.fault.is_none() && !self.is_cancelled {
            self.act(step, attempt);
        }
        self.tell(step, is_start);
    }

    fn tell(&self, step: u32, is_start: bool) {
        let Some(observer) = &self.options.observer else { return };
        let Some(cell) = self.cells.get(step as usize) else { return };
        // A step that has ended meanwhile reports its end when that is stored.
        let status = if is_start { Status::Running } else { cell.status };
        observer(&Notice {
            id: self.plan.step(step).map_or("", |step| &step.id),
            status,
            attempt: cell.attempt,
            done: self.done,
            total: self.cells.len(),
            ended: cell.ended.as_deref().filter(|_| !is_start),
        });
    }

    pub(super) fn record(&mut self, event: &Event<'_>, step: Option<(u32, u32)>, is_start: bool) {
        if self.fault.is_some() {
            return;
        }
        self.pending_events += 1;
        let kept = Kept::new(self.inbox.clone(), Ticket { step, is_start });
        self.options.journal.record(&self.options.run, event, kept);
    }

    fn start_ready(&mut self) {
        loop {
            if self.lanes.open(Instant::now) {
                self.check_deadline();
            }
            if self.is_paused || self.stop.is_some() {
                return;
            }
            let Some(step) = self.lanes.pop() else { return };
            self.begin(step);
        }
    }

    fn check_deadline(&mut self) {
        let has_times = self.deadline.is_some()
            || self.lanes.front.deadline.is_some()
            || self.lanes.back.deadline.is_some()
            || self.timers.next().is_some();
        if !has_times || self.lanes.left() == 0 {
            return;
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.deadline = None;
            if self.is_stopped_by(Stop::SetTimeout) {
                self.stop_all(Stop::SetTimeout);
            }
        }
        for is_front in [true, false] {
            let lane = if is_front { &mut self.lanes.front } else { &mut self.lanes.back };
            if lane.deadline.is_some_and(|deadline| deadline <= now) {
                lane.deadline = None;
                self.stop_side(is_front);
            }
        }
        if self.timers.next().is_some_and(|next| next <= now) {
            self.read_ends();
        }
        while let Some((step, attempt, due)) = self.timers.pop(now) {
            self.due(step, attempt, due);
        }
    }

    /// Ends a step and releases its dependents.
    pub(super) fn end(&mut self, step: u32, status: Status, mut ended: Ended) {
        let Some(cell) = self.cells.get_mut(step as usize) else { return };
        if cell.status.is_final() {
            return;
        }
        let was_running = cell.status == Status::Running;
        if let Some(started) = cell.started {
            ended.took = started.elapsed();
        }
        cell.status = status;
        cell.task = None;
        let attempt = cell.attempt;
        self.done += 1;
        let lane = self.lanes.lane(step);
        lane.left -= 1;
        lane.running -= usize::from(was_running);
        let plan = self.plan.clone();
        let event = Event::Ended(EndedStep {
            id: plan.step(step).map_or("", |step| &step.id),
            status,
            result: ended.result.as_ref(),
            error: ended.error.as_deref(),
            reason: ended.reason.as_deref(),
            execution_time: ended.millis(),
        });
        self.record(&event, Some((step, attempt)), false);
        if let Some(cell) = self.cells.get_mut(step as usize) {
            cell.ended = Some(Box::new(ended));
        }
        self.release(step);
    }

    fn release(&mut self, step: u32) {
        let plan = self.plan.clone();
        for next in plan.dependents.of(step) {
            let Some(cell) = self.cells.get_mut(*next as usize) else { continue };
            cell.waiting = cell.waiting.saturating_sub(1);
            if cell.waiting == 0 && cell.status == Status::Pending {
                self.lanes.push(*next);
            }
        }
    }

    pub(super) fn find_ready(&mut self) {
        let plan = self.plan.clone();
        for number in 0..crate::graph::number(self.cells.len()) {
            let is_open = |node: &&u32| {
                self.cells.get(**node as usize).is_some_and(|cell| !cell.status.is_final())
            };
            let waiting = plan.dependencies.of(number).iter().filter(is_open).count();
            let Some(cell) = self.cells.get_mut(number as usize) else { continue };
            cell.waiting = crate::graph::number(waiting);
            if waiting == 0 && cell.status == Status::Pending {
                self.lanes.push(number);
            }
        }
    }

    pub(super) fn outcomes(&self) -> Outcomes<'_> {
        Outcomes { plan: &self.plan, cells: &self.cells }
    }

    /// Returns the final status; a set that was stopped is not COMPLETED, nor one with a late side.
    fn whole_status(&self) -> Status {
        let is_bad = |cell: &Cell| matches!(cell.status, Status::Failed | Status::Timeout);
        match self.stop {
            Some(Stop::SetTimeout) => Status::Timeout,
            Some(_) => Status::Failed,
            None if self.finished.is_some() => self.finished.unwrap_or(Status::Failed),
            None if self.is_side_late || self.cells.iter().any(is_bad) => Status::Failed,
            None => Status::Completed,
        }
    }
}
