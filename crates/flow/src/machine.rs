//! The state of a run as a machine without clock, tasks or journal (WA-10; FL-2, FL-4, FL-7, FL-10
//! to FL-12, CP-18).
//!
//! Decision: all rules of a run stand here, and nothing is done here. The machine is told what has
//! happened ([`Input`]) and what time it is, and says what is to be done next ([`Output`]). So the
//! same rules are driven by [`run`](crate::run) with tasks, timers and a journal, by the durable
//! engine of somebody else, and by tests that try every order of events.
//!
//! A driver takes the outputs after each call of [`handle`](Machine::handle) and
//! [`advance`](Machine::advance), and does them in their order. It calls `advance` before the first
//! input, after inputs, and when [`next_due`](Machine::next_due) has come, until the machine
//! [is done](Machine::is_done).
//!
//! ```
//! use contexture_flow::action::{ActionInfo, Registry};
//! use contexture_flow::check::{Earlier, check};
//! use contexture_flow::machine::{Input, Machine, Output, Settings};
//! use contexture_flow::Set;
//! use contexture_protocol::{Limits, content::Status};
//! use std::time::Duration;
//!
//! # fn main() -> Result<(), contexture_flow::check::Report> {
//! let set = Set::parse(br#"{"instructions": [{"instructionId": "a", "action": "echo"}]}"#, &Limits::FILE)?;
//! let mut actions = Registry::default();
//! actions.add("echo", ActionInfo::default(), |_| async { Ok(serde_json::json!(1)) });
//! let mut machine = Machine::new(check(set, &actions, &Earlier::default())?, Settings::default());
//!
//! let second = Duration::from_secs;
//! machine.advance(second(0), &mut Vec::new);
//! while !machine.is_done() {
//!     let outputs: Vec<Output> = machine.outputs().collect();
//!     for output in outputs {
//!         // This journal keeps everything at once, and this action answers at once.
//!         if let Some(ticket) = output.ticket() {
//!             machine.handle(second(1), Input::Kept { ticket, result: Ok(()) });
//!         } else if let Output::Act { step, attempt } = output {
//!             let result = Ok((serde_json::json!("said"), 6));
//!             machine.handle(second(2), Input::Done { step, attempt, result });
//!         }
//!     }
//!     machine.advance(second(2), &mut Vec::new);
//! }
//! let report = machine.into_report(second(2));
//! assert_eq!(report.status(), Status::Completed);
//! # Ok(())
//! # }
//! ```

mod cell;
mod ends;
mod lanes;
mod message;
mod notice;
mod outcomes;
mod past;
mod recover;
mod report;
mod settings;
mod start;
mod stop;
mod timers;

pub use message::{Change, Input, Output};
pub use notice::{Notice, OwnedNotice};
pub use report::{Report, call_result};
pub use settings::{Limits, Settings};
pub(crate) use start::{failure, too_late};
pub(crate) use stop::STEP_CANCELLED;
pub use stop::uncertain;

use crate::check::Plan;
use crate::journal::{EndedStep, Event, JournalError, Ticket};
use cell::{Cell, Ended};
use contexture_core::store::flows::Ask;
use contexture_protocol::content::Status;
use lanes::Lanes;
use outcomes::Outcomes;
use std::sync::Arc;
use std::time::Duration;
use timers::{Due, Timers};

/// A function that returns the ends of attempts that a driver knows and has not told yet, as
/// [`Input::Done`]. It is called before a running attempt is stopped, so that completed work is
/// kept.
pub type KnownEnds<'e> = dyn FnMut() -> Vec<Input> + 'e;

/// The reason why nothing more is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
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

/// A run of a plan. Times are counted from its beginning in this process.
#[derive(Debug)]
pub struct Machine {
    plan: Arc<Plan>,
    settings: Settings,
    now: Duration,
    cells: Vec<Cell>,
    lanes: Lanes,
    timers: Timers,
    outputs: Vec<Output>,
    /// The number of events that are not durable yet.
    pending_events: usize,
    order: Vec<u32>,
    /// The bytes of all results.
    bytes: usize,
    done: usize,
    is_paused: bool,
    /// Retries that came due in a pause.
    held: Vec<(u32, u32)>,
    stop: Option<Stop>,
    /// True if the time of a side has passed.
    is_side_late: bool,
    /// The final status, if an earlier run ended.
    finished: Option<Status>,
    /// The status whose event is the last one.
    last: Option<Status>,
    fault: Option<JournalError>,
    /// True if the journal kept an event after one that it lost.
    has_gap: bool,
    /// True if somebody asked to cancel the run.
    is_cancelled: bool,
    /// Steps that are to be cancelled.
    cancelled: Vec<u32>,
    /// True if somebody asked to cancel a step.
    is_step_cancelled: bool,
    deadline: Option<Duration>,
}

impl Machine {
    /// Creates a run that has not begun, or takes up an interrupted one.
    #[must_use]
    pub fn new(plan: impl Into<Arc<Plan>>, settings: Settings) -> Self {
        let plan = plan.into();
        let lanes = Lanes::of(&plan, settings.concurrency);
        let steps = plan.len();
        let cells = (0..steps).map(|_| Cell::new()).collect();
        let left = |timeout: Duration| timeout.saturating_sub(settings.elapsed);
        let deadline = plan.set().timeout.map(left);
        let mut machine = Self {
            plan,
            settings,
            now: Duration::ZERO,
            cells,
            lanes,
            timers: Timers::default(),
            outputs: Vec::new(),
            pending_events: 0,
            order: Vec::with_capacity(steps),
            bytes: 0,
            done: 0,
            is_paused: false,
            held: Vec::new(),
            stop: None,
            is_side_late: false,
            finished: None,
            last: None,
            fault: None,
            has_gap: false,
            is_cancelled: false,
            cancelled: Vec::new(),
            is_step_cancelled: false,
            deadline,
        };
        machine.go_on();
        machine
    }

    /// Returns the plan of the run.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Takes what is to be done next, in order.
    pub fn outputs(&mut self) -> impl Iterator<Item = Output> + '_ {
        self.outputs.drain(..)
    }

    /// Reports whether nothing is left to do: all steps have ended, and their events are kept or
    /// lost.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.last.is_some() && (self.pending_events == 0 || self.fault.is_some())
    }

    /// Returns the number of attempts under way.
    #[must_use]
    pub fn running(&self) -> usize {
        self.lanes.running()
    }

    /// Reports whether every attempt under way is one of so many that wait for a person, and nothing
    /// else is: then the run may be left, and resumed from its journal.
    #[must_use]
    pub fn only_waits(&self, waiting: usize) -> bool {
        waiting > 0
            && waiting == self.lanes.running()
            && self.pending_events == 0
            && self.stop.is_none()
            && self.fault.is_none()
            && !self.is_cancelled
            && self.cancelled.is_empty()
    }

    /// Returns the time at which [`advance`](Self::advance) has something to do, whatever happens.
    #[must_use]
    pub fn next_due(&self) -> Option<Duration> {
        // Without steps nothing can be late: only the journal is awaited.
        if self.lanes.left() == 0 {
            return None;
        }
        let lanes = [&self.lanes.front, &self.lanes.back];
        let of_lanes = lanes.into_iter().filter(|lane| lane.left > 0).filter_map(|l| l.deadline);
        let others = [self.deadline, self.timers.next()].into_iter().flatten();
        of_lanes.chain(others).min()
    }

    /// Takes what has happened. Stops take effect in [`advance`](Self::advance): only after all that
    /// has happened is known, it is clear what has ended.
    pub fn handle(&mut self, now: Duration, input: Input) {
        self.now = self.now.max(now);
        match input {
            Input::Kept { ticket, result } => self.kept(ticket, result),
            Input::Acting { step, attempt } => self.acts(step, attempt),
            Input::Done { step, attempt, result } => self.tried(step, attempt, result),
            Input::Asked(Ask::Cancel) => self.is_cancelled = true,
            Input::Asked(ask) => self.pause(ask == Ask::Pause),
            Input::CancelStep { step } => {
                self.cancelled.push(step);
                self.is_step_cancelled = true;
            }
        }
    }

    /// Decides what is next: what is stopped, what is late, what is tried again, what can start,
    /// and whether the run is over.
    pub fn advance(&mut self, now: Duration, ends: &mut KnownEnds<'_>) {
        self.now = self.now.max(now);
        self.handle_stops(ends);
        self.check_deadlines(ends);
        self.start_ready(ends);
        if self.last.is_none() && self.lanes.left() == 0 && self.pending_events == 0 {
            let status = self.whole_status();
            self.last = Some(status);
            self.record(Change::Finished { status });
        }
    }

    /// Returns the report of a run that is done. `took` is its duration.
    #[must_use]
    pub fn into_report(self, took: Duration) -> Report {
        // A run whose journal failed at the very end is incomplete, too.
        let failed = self.fault.is_some().then_some(Status::Failed);
        let status = failed.or(self.last).unwrap_or(Status::Failed);
        let is_resumable = self.is_resumable();
        let report = Report::new(self.plan, self.cells, self.order, status, took, self.fault);
        if is_resumable { report.resumable() } else { report }
    }

    /// Reports whether the journal failed, and this process knows nothing that it lost: no end of a step that
    /// must not be run again, and no stop. What was kept after a lost event may follow from that.
    fn is_resumable(&self) -> bool {
        let is_known_here = self.has_gap
            || self.is_cancelled
            || self.is_step_cancelled
            || self.is_side_late
            || matches!(self.stop, Some(Stop::Cancelled | Stop::SetTimeout));
        let is_lost = |(step, cell): (u32, &Cell)| cell.has_unkept_end && !self.may_repeat(step);
        self.fault.is_some() && !is_known_here && !(0..).zip(&self.cells).any(is_lost)
    }

    /// Returns a change as the event of a journal.
    #[must_use]
    pub fn event(&self, change: Change) -> Event<'_> {
        match change {
            Change::Paused => Event::Paused,
            Change::Resumed => Event::Resumed,
            Change::Cancelled => Event::Cancelled,
            Change::Finished { status } => Event::Finished { status },
            Change::Ended { step, .. } => {
                let cell = self.cells.get(step as usize);
                let ended = cell.and_then(|cell| cell.ended.as_deref());
                Event::Ended(EndedStep {
                    id: self.plan.step(step).map_or("", |step| &step.id),
                    status: cell.map_or(Status::Failed, |cell| cell.status),
                    result: ended.and_then(|ended| ended.result.as_ref()),
                    error: ended.and_then(|ended| ended.error.as_deref()),
                    reason: ended.and_then(|ended| ended.reason.as_deref()),
                    execution_time: ended.map(Ended::millis).unwrap_or_default(),
                })
            }
        }
    }

    /// Reports whether an alternative runs in the place of a step.
    pub(crate) fn is_replaced(&self, step: u32) -> bool {
        self.cells.get(step as usize).is_some_and(|cell| cell.is_replaced)
    }

    fn pause(&mut self, is_paused: bool) {
        if self.is_paused == is_paused || self.lanes.left() == 0 {
            return;
        }
        self.is_paused = is_paused;
        self.record(if is_paused { Change::Paused } else { Change::Resumed });
        for (step, attempt) in std::mem::take(&mut self.held) {
            self.due(step, attempt, Due::Again);
        }
    }

    fn kept(&mut self, ticket: Ticket, result: Result<(), JournalError>) {
        self.pending_events = self.pending_events.saturating_sub(1);
        if let Err(fault) = result {
            self.fault.get_or_insert(fault);
            return;
        }
        self.has_gap |= self.fault.is_some();
        let Some((step, attempt)) = ticket.step else { return };
        if let Some(cell) = self.cells.get_mut(step as usize) {
            cell.has_unkept_end = false;
        }
        // A step that is about to be stopped need not begin.
        if ticket.is_start && self.fault.is_none() && !self.is_cancelled {
            self.act(step, attempt);
        }
        self.outputs.push(Output::Tell { step, is_start: ticket.is_start });
    }

    fn record(&mut self, change: Change) {
        if self.fault.is_none() {
            self.pending_events += 1;
            self.outputs.push(Output::Record(change));
        }
    }

    fn outcomes(&self) -> Outcomes<'_> {
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
