//! The drive of a run's machine by the workflow `Set`.
//!
//! Decision: the engine does the workflow again from its beginning whenever it has to, and answers
//! again what it answered before. So all that the machine is told comes from the engine, the time
//! too, which is that of the last answer; and what the machine says is done once, since
//! [`Hosted`] knows what the journal has.

use super::hosted::{AttemptPlace, Hosted, is_change};
use super::wire::{Attempt, Begin, Content, End, Letter};
use contexture::store::flows::Ask;
use contexture_flow::action::{ActionCall, ActionFailure};
use contexture_flow::journal::{Entry, Past, Ticket};
use contexture_flow::machine::{Change, Input, Machine, Output, Settings};
use restate_sdk::context::{DurableFuture, RequestTarget};
use restate_sdk::prelude::*;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// What the engine may answer.
enum Happened {
    Ended(AttemptPlace, End),
    Due(Duration),
    Told(Letter),
    /// Somebody cancelled the workflow at the engine.
    Cancelled,
}

type Awaited<'c> =
    Pin<Box<dyn DurableFuture<Output = Result<Happened, TerminalError>> + Send + 'c>>;

/// The names of the promises of letters, in their order. They live as long as the handler.
pub(super) struct LetterName {
    name: String,
    number: usize,
    next: OnceLock<Box<LetterName>>,
}

impl LetterName {
    pub(super) fn first() -> Self {
        Self::of(0)
    }

    fn of(number: usize) -> Self {
        Self { name: format!("letter-{number}"), number, next: OnceLock::new() }
    }

    pub(super) fn get(&self) -> &str {
        &self.name
    }

    pub(super) fn next(&self) -> &Self {
        self.next.get_or_init(|| Box::new(Self::of(self.number.saturating_add(1))))
    }
}

struct Drive<'c> {
    ctx: &'c WorkflowContext<'c>,
    hosted: Arc<Hosted>,
    machine: Machine,
    begin: Begin,
    now: Duration,
    awaited: DurableFuturesUnordered<Awaited<'c>>,
    letter: &'c LetterName,
    /// The letters so far.
    letters: HashSet<String>,
    /// The timers that are set.
    timers: BTreeSet<Duration>,
    /// The calls under way, by their steps.
    calls: HashMap<u32, ActionCall>,
    /// The changes without a name so far.
    changes: usize,
    /// The hostings so far, the present one last.
    hosts: Vec<u64>,
    /// The attempts that wait for a person; meanwhile nothing else happens.
    parked: Vec<AttemptPlace>,
}

/// Drives the machine of a run to its end, which the host gets.
pub(super) async fn drive<'c>(
    ctx: &'c WorkflowContext<'c>,
    name: &'c LetterName,
    hosted: Arc<Hosted>,
    begin: Begin,
) -> Result<(), HandlerError> {
    let earlier = earlier(&hosted, begin.entries).await?;
    let changes = earlier.iter().filter(|entry| is_change(entry)).count();
    let options = &hosted.options;
    let waiting = begin.waiting.iter().cloned();
    let settings = Settings {
        run: options.run.clone(),
        concurrency: options.concurrency,
        limits: options.limits,
        past: (begin.entries > 0).then(|| Past::of(earlier).waiting(waiting)),
        elapsed: Duration::from_micros(begin.elapsed_us),
    };
    let mut drive = Drive {
        ctx,
        machine: Machine::new(Arc::clone(&hosted.plan), settings),
        hosted,
        now: Duration::ZERO,
        awaited: DurableFuturesUnordered::new(),
        letter: name,
        letters: HashSet::new(),
        timers: BTreeSet::new(),
        calls: HashMap::new(),
        changes,
        hosts: vec![begin.host],
        begin,
        parked: Vec::new(),
    };
    drive.await_letter();
    drive.run().await
}

/// Returns the entries of the run's journal that were there before the engine drove it.
async fn earlier(hosted: &Arc<Hosted>, most: usize) -> Result<Vec<Entry>, HandlerError> {
    if most == 0 {
        return Ok(Vec::new());
    }
    let hosted = Arc::clone(hosted);
    let read = move || hosted.options.journal.entries(hosted.run());
    let mut entries = tokio::task::spawn_blocking(read).await??;
    entries.truncate(most);
    Ok(entries)
}

impl Drive<'_> {
    async fn run(mut self) -> Result<(), HandlerError> {
        loop {
            self.advance();
            if self.machine.is_done() {
                return self.finish().await;
            }
            self.set_timer();
            let happened = match self.awaited.next().await {
                Ok(Some((_, happened))) => happened?,
                Ok(None) => return Err("the run has nothing to wait for".into()),
                Err(_) => Happened::Cancelled,
            };
            self.take(happened);
        }
    }

    /// Lets the machine decide, unless the run is left to people.
    fn advance(&mut self) {
        if let Some(fault) = self.hosted.fault() {
            let input = Input::Kept { ticket: Ticket::default(), result: Err(fault) };
            self.machine.handle(self.now, input);
        }
        // What is kept at once may let it decide more.
        while self.parked.is_empty() {
            self.machine.advance(self.now, &mut Vec::new);
            let outputs: Vec<Output> = self.machine.outputs().collect();
            if outputs.is_empty() {
                return;
            }
            outputs.into_iter().for_each(|output| self.follow(output));
        }
    }

    /// Does what the machine says.
    fn follow(&mut self, output: Output) {
        // What the engine has is durable, and the journal follows: the answer waits for it.
        let kept = output.ticket().map(|ticket| Input::Kept { ticket, result: Ok(()) });
        match output {
            Output::Begin { step, call } => {
                self.calls.insert(step, *call);
            }
            Output::Record(change) => {
                self.hosted.record(&self.machine, change, self.changes);
                if matches!(change, Change::Paused | Change::Resumed | Change::Cancelled) {
                    self.changes = self.changes.saturating_add(1);
                }
            }
            Output::Act { step, attempt } => {
                self.call(step);
                self.machine.handle(self.now, Input::Acting { step, attempt });
            }
            Output::Abort { step } => {
                if let Some(call) = self.calls.remove(&step) {
                    self.hosted.abort((step, call.attempt));
                }
            }
            // The end is told when the journal has it.
            Output::Tell { step, is_start: true } => self.hosted.tell_start(&self.machine, step),
            Output::Tell { .. } => {}
        }
        if let Some(kept) = kept {
            self.machine.handle(self.now, kept);
        }
    }

    /// Has the engine call an attempt of a step.
    fn call(&mut self, step: u32) {
        let Some(call) = self.calls.get(&step) else { return };
        let place = (step, call.attempt);
        let attempt = match Attempt::new(self.hosted.run(), step, call).to_bytes() {
            Ok(attempt) => attempt,
            Err(failure) => return self.fail(place, failure),
        };
        self.hosted.awaits(place);
        let target = RequestTarget::service(super::service::STEP, "attempt");
        let call = self.ctx.request::<_, Json<End>>(target, attempt).call();
        let ended = call.map_ok(move |Json(end)| Happened::Ended(place, end));
        self.awaited.push(Box::pin(ended));
    }

    /// Ends an attempt that the engine does not take.
    fn fail(&mut self, (step, attempt): AttemptPlace, failure: ActionFailure) {
        self.calls.remove(&step);
        let result = Err(Box::new(failure));
        self.machine.handle(self.now, Input::Done { step, attempt, result });
    }

    fn await_letter(&mut self) {
        let told = self.ctx.promise::<Json<Letter>>(self.letter.get());
        self.awaited.push(Box::pin(told.map_ok(|Json(letter)| Happened::Told(letter))));
        self.letter = self.letter.next();
    }

    /// Sets a timer for when the machine has something to do, unless an earlier one is set.
    fn set_timer(&mut self) {
        // What is left to people has no time of its own: a timer that is due would only be set again.
        if !self.parked.is_empty() {
            return;
        }
        let Some(due) = self.machine.next_due() else { return };
        if self.timers.first().is_some_and(|first| *first <= due) {
            return;
        }
        self.timers.insert(due);
        let slept = self.ctx.sleep(due.saturating_sub(self.now));
        self.awaited.push(Box::pin(slept.map_ok(move |()| Happened::Due(due))));
    }

    fn take(&mut self, happened: Happened) {
        match happened {
            Happened::Due(due) => {
                self.timers.remove(&due);
                self.now = self.now.max(due);
            }
            Happened::Told(letter) => {
                self.await_letter();
                self.at(letter.at_us);
                if self.letters.insert(letter.id) {
                    self.told(letter.content);
                }
            }
            Happened::Cancelled => self.told(Content::Cancel),
            Happened::Ended(place, end) => self.ended(place, end),
        }
    }

    fn at(&mut self, at_us: u64) {
        let since = Duration::from_micros(at_us.saturating_sub(self.begin.at_us));
        self.now = self.now.max(since);
    }

    fn told(&mut self, content: Content) {
        let input = match content {
            Content::Pause => Input::Asked(Ask::Pause),
            Content::Resume => Input::Asked(Ask::Resume),
            Content::Cancel => Input::Asked(Ask::Cancel),
            Content::CancelStep(step) => Input::CancelStep { step },
            Content::Hosted(host) => return self.hosted_again(host),
        };
        self.machine.handle(self.now, input);
    }

    /// Goes on with what waited: who hosts the run has an answer, or asks again.
    fn hosted_again(&mut self, host: u64) {
        self.hosts.push(host);
        for (step, _) in std::mem::take(&mut self.parked) {
            self.call(step);
        }
    }

    fn ended(&mut self, place: AttemptPlace, end: End) {
        let (step, attempt) = place;
        let is_awaited = self.calls.get(&step).is_some_and(|call| call.attempt == attempt);
        let result = match end {
            End::Completed { value, size, label, at_us } => {
                self.at(at_us);
                if let (Some(label), Some(call)) = (label, self.calls.get(&step)) {
                    self.hosted.labels.restore(call.id.clone(), label);
                }
                Ok((value, size))
            }
            End::Failed { failure, at_us } => {
                self.at(at_us);
                Err(Box::new(failure.into()))
            }
            End::Parked(host) if is_awaited => return self.park(place, host),
            End::Unkept if is_awaited => {
                self.hosted.retry(place);
                return self.call(step);
            }
            End::Parked(_) | End::Unkept | End::Aborted => return,
        };
        if is_awaited {
            self.calls.remove(&step);
            self.hosted.forget(place);
            self.machine.handle(self.now, Input::Done { step, attempt, result });
        }
    }

    fn park(&mut self, place: AttemptPlace, host: u64) {
        // Whoever left it may have been followed by the time that this is known.
        let was_followed = self.hosts.last() != Some(&host) && self.hosts.contains(&host);
        if was_followed {
            self.call(place.0);
        } else {
            self.parked.push(place);
        }
    }

    /// Hands over the report when the journal has everything.
    async fn finish(mut self) -> Result<(), HandlerError> {
        let fault = self.hosted.settled().await;
        let is_lost = fault.is_some();
        if let Some(fault) = fault {
            let input = Input::Kept { ticket: Ticket::default(), result: Err(fault) };
            self.machine.handle(self.now, input);
        }
        self.hosted.report(self.machine.into_report(self.now));
        if is_lost {
            // A later server goes on from what the journal has.
            return Err("the journal of the run failed".into());
        }
        Ok(())
    }
}
