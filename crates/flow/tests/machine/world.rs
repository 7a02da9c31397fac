//! What surrounds a machine, in random order.

use super::Tally;
use super::plans::{Chance, Plans, answer};
use super::rules;
use contexture_core::store::flows::Ask;
use contexture_flow::action::ActionCall;
use contexture_flow::journal::{Entry, Event, JournalError, Past, Ticket};
use contexture_flow::machine::{Input, Limits, Machine, Output, Report, Settings};
use std::collections::HashMap;
use std::time::Duration;

const CONCURRENCY: usize = 3;

/// More events than any run of such a small set has.
const MOST_EVENTS: u64 = 5_000;

/// An attempt that has begun to act.
pub(crate) struct Attempt {
    pub(crate) step: u32,
    pub(crate) call: Box<ActionCall>,
}

/// An effect, when its attempt began to act.
#[derive(Debug)]
pub(crate) struct Effect {
    pub(crate) step: usize,
    pub(crate) action: String,
    pub(crate) attempt: u32,
}

pub(crate) struct World {
    seed: u64,
    chance: Chance,
    pub(crate) plans: Plans,
    machine: Machine,
    now: Duration,
    /// The lines of the journal, with the tickets that are not acknowledged.
    lines: Vec<String>,
    /// The number of lines that are acknowledged.
    durable: usize,
    tickets: Vec<Ticket>,
    starting: HashMap<u32, Box<ActionCall>>,
    acting: Vec<Attempt>,
    pub(crate) effects: Vec<Effect>,
    /// The number of effects of earlier processes.
    earlier: usize,
    /// Ends that the driver knows and has not told.
    known: Vec<Attempt>,
    is_paused: bool,
    has_fault: bool,
    /// True if somebody asked for a stop.
    pub(crate) is_asked_to_stop: bool,
    /// The same when the journal failed.
    was_asked_to_stop: bool,
    /// True if this process was asked.
    is_steered: bool,
    pub(crate) crashes: u64,
    /// The number of times that the run was resumed as its journal had failed.
    resumed: u64,
    events: u64,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let plans = Plans::random(&mut chance);
        let machine = Machine::new(plans.plan(), settings(None));
        Self {
            seed,
            chance,
            plans,
            machine,
            now: Duration::ZERO,
            lines: Vec::new(),
            durable: 0,
            tickets: Vec::new(),
            starting: HashMap::new(),
            acting: Vec::new(),
            effects: Vec::new(),
            earlier: 0,
            known: Vec::new(),
            is_paused: false,
            has_fault: false,
            is_asked_to_stop: false,
            was_asked_to_stop: false,
            is_steered: false,
            crashes: 0,
            resumed: 0,
            events: 0,
        }
    }

    /// Lets things happen until the run is over, and checks what it reports.
    pub(crate) fn run(mut self) -> Tally {
        let mut report = self.report();
        while report.is_resumable() {
            assert!(report.fault().is_some() && !self.is_steered, "seed {}", self.seed);
            self.assert_journal_has_results_of(&report);
            self.resumed += 1;
            self.has_fault = false;
            self.is_asked_to_stop = self.was_asked_to_stop;
            self.crash();
            report = self.report();
        }
        self.judge(&report);
        Tally {
            worlds: 1,
            events: self.events,
            crashes: self.crashes,
            resumed: self.resumed,
            effects: self.effects.len() as u64,
            uncertain: rules::count(&report, "OUTCOME_UNCERTAIN"),
            stopped: rules::count(&report, "CANCELLED"),
        }
    }

    /// Lets things happen until nothing is left to do.
    fn report(&mut self) -> Report {
        self.advance();
        while !self.machine.is_done() {
            self.events += 1;
            assert!(self.events < MOST_EVENTS, "seed {}: no end\n{:?}", self.seed, self.plans);
            self.happen();
            self.advance();
        }
        let plan = self.plans.plan();
        let machine = std::mem::replace(&mut self.machine, Machine::new(plan, settings(None)));
        machine.into_report(self.now)
    }

    /// A step that must not be run again has its result in the journal, if it has one.
    fn assert_journal_has_results_of(&self, report: &Report) {
        let kept = self.entries(self.durable);
        for (number, outcome) in report.outcomes().enumerate() {
            let step = &self.plans.steps[number];
            let is_end = |entry: &Entry| matches!(entry, Entry::Ended(end) if end.instruction_id == outcome.instruction_id);
            let is_kept = kept.iter().any(is_end);
            let is_known = self.effects[self.earlier..].iter().any(|effect| effect.step == number)
                && rules::code_of(&outcome) != "OUTCOME_UNCERTAIN";
            let may_repeat = step.is_idempotent || step.is_front;
            assert!(is_kept || may_repeat || !is_known, "seed {}: {outcome:?}", self.seed);
        }
    }

    fn judge(&self, report: &Report) {
        let faults = rules::faults(self, report, self.seed);
        assert!(
            faults.is_empty(),
            "seed {}: {faults:#?}\n{:?}\n{:#}\n{}",
            self.seed,
            self.plans,
            report.to_value(),
            self.lines.join("\n")
        );
        if !self.has_fault {
            let kept = Past::of(self.entries(self.lines.len()));
            let again = Machine::new(self.plans.plan(), settings(Some(kept)));
            let again = rules::restored(again);
            let (told, kept) = (report.to_value(), again.to_value());
            assert_eq!(told["results"], kept["results"], "seed {}: journal", self.seed);
            assert_eq!(told["status"], kept["status"], "seed {}: journal", self.seed);
        }
    }

    fn happen(&mut self) {
        match self.chance.below(100) {
            0..40 if !self.tickets.is_empty() => self.acknowledge(Ok(())),
            40..75 if !self.acting.is_empty() => {
                let at = self.any(self.acting.len());
                let attempt = self.acting.swap_remove(at);
                self.tell_end(&attempt);
            }
            75..80 if !self.acting.is_empty() => {
                let at = self.any(self.acting.len());
                let attempt = self.acting.swap_remove(at);
                self.known.push(attempt);
            }
            80..85 if !self.known.is_empty() => {
                let attempt = self.known.swap_remove(0);
                self.tell_end(&attempt);
            }
            85..88 => self.ask(Ask::Pause),
            88 if self.chance.once_in(8) => self.ask(Ask::Cancel),
            89 if self.chance.once_in(4) => {
                self.is_asked_to_stop = true;
                self.is_steered = true;
                let step = u32::try_from(self.any(self.plans.steps.len())).unwrap();
                self.machine.handle(self.now, Input::CancelStep { step });
            }
            90 if !self.tickets.is_empty() && self.chance.once_in(4) => {
                self.has_fault = true;
                self.was_asked_to_stop = self.is_asked_to_stop;
                self.is_asked_to_stop = true;
                // One event is lost, or all that wait are.
                let is_away = self.chance.once_in(2);
                self.acknowledge(Err(JournalError::new("full")));
                while is_away && !self.tickets.is_empty() {
                    self.acknowledge(Err(JournalError::new("full")));
                }
            }
            91..93 => self.crash(),
            93..95 => self.wait(),
            _ => self.go_on(),
        }
    }

    /// Does what nothing else leads on.
    fn go_on(&mut self) {
        if self.is_paused {
            self.ask(Ask::Resume);
        } else if !self.tickets.is_empty() {
            self.acknowledge(Ok(()));
        } else if let Some(attempt) = self.known.pop().or_else(|| self.acting.pop()) {
            self.tell_end(&attempt);
        } else {
            assert!(self.machine.next_due().is_some(), "seed {}: nothing is due", self.seed);
            self.wait();
        }
    }

    fn any(&mut self, length: usize) -> usize {
        usize::try_from(self.chance.below(length as u64)).unwrap()
    }

    fn wait(&mut self) {
        if let Some(due) = self.machine.next_due() {
            self.now = self.now.max(due);
        }
    }

    fn ask(&mut self, ask: Ask) {
        self.is_paused = ask == Ask::Pause;
        self.is_asked_to_stop |= ask == Ask::Cancel;
        self.is_steered |= ask == Ask::Cancel;
        self.machine.handle(self.now, Input::Asked(ask));
    }

    fn acknowledge(&mut self, result: Result<(), JournalError>) {
        let ticket = self.tickets.remove(0);
        match result {
            Ok(()) => self.durable += 1,
            // The lines are in the order of their tickets.
            Err(_) => drop(self.lines.remove(self.durable)),
        }
        self.machine.handle(self.now, Input::Kept { ticket, result });
    }

    fn tell_end(&mut self, attempt: &Attempt) {
        let end = self.end(attempt);
        self.machine.handle(self.now, end);
    }

    fn end(&self, attempt: &Attempt) -> Input {
        let is_other = attempt.call.name == "other";
        let answer = answer(self.seed, attempt.step as usize, attempt.call.attempt, is_other);
        Input::Done {
            step: attempt.step,
            attempt: attempt.call.attempt,
            result: answer.map(|value| (value, 10)).map_err(Box::new),
        }
    }

    /// Ends the process: what was not acknowledged may be kept or not, and acting attempts are lost.
    fn crash(&mut self) {
        if self.has_fault {
            return;
        }
        self.crashes += 1;
        self.earlier = self.effects.len();
        let open = self.lines.len() - self.durable;
        let kept = self.durable + self.any(open + 1);
        self.lines.truncate(kept);
        self.durable = kept;
        self.tickets.clear();
        self.starting.clear();
        self.acting.clear();
        self.known.clear();
        self.is_paused = false;
        self.is_steered = false;
        self.now = Duration::ZERO;
        let past = Past::of(self.entries(kept));
        self.machine = Machine::new(self.plans.plan(), settings(Some(past)));
    }

    fn entries(&self, number: usize) -> Vec<Entry> {
        self.lines[..number].iter().map(|line| Entry::parse(line).unwrap()).collect()
    }

    fn advance(&mut self) {
        let mut known = std::mem::take(&mut self.known);
        let ends: Vec<Input> = known.iter().map(|attempt| self.end(attempt)).collect();
        let mut ends = Some(ends);
        self.machine.advance(self.now, &mut || ends.take().unwrap_or_default());
        if ends.is_none() {
            known.clear();
        }
        self.known = known;
        let outputs: Vec<Output> = self.machine.outputs().collect();
        for output in outputs {
            self.follow(output);
        }
    }

    fn follow(&mut self, output: Output) {
        if let Some(ticket) = output.ticket() {
            self.tickets.push(ticket);
        }
        match output {
            Output::Begin { step, call } => {
                let (id, action, attempt) = (&call.id, &call.name, call.attempt);
                let event = Event::Started { id, action, attempt, key: &call.key };
                self.lines.push(event.to_json());
                assert!(self.starting.insert(step, call).is_none(), "seed {}: begun", self.seed);
            }
            Output::Record(change) => self.lines.push(self.machine.event(change).to_json()),
            Output::Act { step, attempt } => self.act(step, attempt),
            Output::Abort { step } => {
                self.starting.remove(&step);
                self.acting.retain(|attempt| attempt.step != step);
                self.known.retain(|attempt| attempt.step != step);
            }
            Output::Tell { step, is_start } => {
                assert!(self.machine.notice(step, is_start).is_some());
            }
        }
    }

    /// An attempt acts: it has its effect at once.
    fn act(&mut self, step: u32, attempt: u32) {
        let call = self.starting.remove(&step).unwrap();
        assert_eq!(call.attempt, attempt);
        let is_durable = self.lines[..self.durable].iter().any(|line| {
            matches!(Entry::parse(line).unwrap(), Entry::Started { id, attempt: kept, action, .. }
                if id == call.id && kept == attempt && action == call.name)
        });
        assert!(is_durable, "seed {}: {} acts before its start is kept", self.seed, call.id);
        let is_alone = self.acting.iter().chain(&self.known).all(|other| other.step != step);
        assert!(is_alone, "seed {}: {} acts twice at once", self.seed, call.id);
        let effect = Effect { step: step as usize, action: call.name.clone(), attempt };
        self.effects.push(effect);
        self.acting.push(Attempt { step, call });
        let running = self.acting.len();
        let most = match self.plans.mode {
            "SEQUENTIAL" | "FRONTEND_FIRST" | "BACKEND_FIRST" => 1,
            "CLIENT_SERVER_PARALLEL" => 2,
            _ => CONCURRENCY,
        };
        assert!(running <= most, "seed {}: {running} at once in {}", self.seed, self.plans.mode);
        self.machine.handle(self.now, Input::Acting { step, attempt });
    }
}

fn settings(past: Option<Past>) -> Settings {
    let (run, limits) = ("run".to_owned(), Limits::default());
    Settings { run, concurrency: CONCURRENCY, limits, past, ..Settings::default() }
}
