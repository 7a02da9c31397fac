//! Runs of flows in memory alone: for tests, and for programs that keep nothing.

use crate::stamp::{self, Ids};
use contexture_core::store::flows::{
    Answered, Ask, Asked, ClaimedRun, Document, Entry, Event, Filter, FlowJournal, FlowStoreError,
    Journal, JournalError, Kept, LONGEST_ID, Line, RunHead, RunState, RunSummary, Wait, WaitFilter,
    WaitId, WaitState, Waits, WaitsDone,
};
use contexture_protocol::content::Status;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Runs that end with the process. Nothing in them is masked or sealed.
#[derive(Clone)]
pub struct InMemoryJournal {
    runs: Arc<Mutex<Vec<Run>>>,
    waits: Arc<Mutex<Vec<Wait>>>,
    ids: Arc<Ids>,
}

struct Run {
    summary: RunSummary,
    document: String,
    lines: Vec<Line>,
    is_held: bool,
    wish: Option<Ask>,
    /// True if the wish was requested, not noted.
    is_asked: bool,
    asked: Option<Asked>,
}

impl InMemoryJournal {
    /// Creates a journal without runs; times come from `ids`.
    #[must_use]
    pub fn new(ids: Arc<Ids>) -> Self {
        Self { runs: Arc::default(), waits: Arc::default(), ids }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Run>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(
        &self,
        run: &str,
        work: impl FnOnce(&mut Run) -> Result<T, FlowStoreError>,
    ) -> Result<T, FlowStoreError> {
        match self.lock().iter_mut().find(|one| one.summary.run == run) {
            Some(found) => work(found),
            None => Err(FlowStoreError::NotFound(run.to_owned())),
        }
    }

    fn hold(&self, run: &str, is_cancelled: bool) -> Box<dyn ClaimedRun> {
        Box::new(Claim { journal: self.clone(), run: run.to_owned(), is_cancelled })
    }
}

impl Default for InMemoryJournal {
    fn default() -> Self {
        Self::new(Arc::new(stamp::system()))
    }
}

impl fmt::Debug for InMemoryJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InMemoryJournal").finish_non_exhaustive()
    }
}

impl Run {
    fn unfinished(&mut self) -> Result<&mut Self, FlowStoreError> {
        match self.summary.state {
            RunState::Ended(status) => {
                Err(FlowStoreError::Ended { run: self.summary.run.clone(), status })
            }
            _ => Ok(self),
        }
    }

    fn summed_up(&self) -> RunSummary {
        let state = match (self.summary.state, self.is_held) {
            (RunState::Ended(status), _) => RunState::Ended(status),
            (_, false) => RunState::Interrupted,
            (_, true) if self.wish == Some(Ask::Pause) => RunState::Paused,
            (_, true) => RunState::Running,
        };
        RunSummary { state, ..self.summary.clone() }
    }

    fn end(&mut self, status: Status, time_us: u64) {
        self.summary.state = RunState::Ended(status);
        self.summary.ended_us = Some(time_us);
        self.is_held = false;
    }

    /// Notes a wish; what was cancelled stays so.
    fn wish(&mut self, ask: Ask) {
        if self.wish != Some(Ask::Cancel) {
            self.wish = Some(ask);
        }
    }
}

impl Journal for InMemoryJournal {
    fn record(&self, run: &str, event: &Event<'_>, kept: Kept) {
        let time_us = self.ids.now_us();
        let entry = Entry::parse(&event.to_json());
        let outcome = self.with(run, |found| {
            if !found.is_held {
                return Ok(Err(JournalError::new(format!(
                    "the run `{run}` is not held: begin it, or claim it"
                ))));
            }
            match event {
                Event::Ended(_) => found.summary.done += 1,
                Event::Finished { status } => found.end(*status, time_us),
                _ => {}
            }
            Ok(entry.map(|entry| found.lines.push(Line { time_us, entry, masked: false })))
        });
        kept.done(outcome.unwrap_or_else(|error| Err(error.into())));
    }

    fn entries(&self, run: &str) -> Result<Vec<Entry>, JournalError> {
        let lines = self.log(run).unwrap_or_default();
        Ok(lines.into_iter().map(|line| line.entry).collect())
    }
}

impl FlowJournal for InMemoryJournal {
    fn begin(&self, head: &RunHead<'_>) -> Result<Box<dyn ClaimedRun>, FlowStoreError> {
        if !(1..=LONGEST_ID).contains(&head.run.len()) {
            return Err(FlowStoreError::Id { found: head.run.len(), limit: LONGEST_ID });
        }
        let now = self.ids.now_us();
        let mut runs = self.lock();
        if runs.iter().any(|run| run.summary.run == head.run) {
            return Err(FlowStoreError::Exists(head.run.to_owned()));
        }
        runs.push(Run {
            summary: RunSummary {
                run: head.run.to_owned(),
                name: head.name.to_owned(),
                owner: head.owner.to_owned(),
                context: head.context.map(str::to_owned),
                started_us: if head.started_us == 0 { now } else { head.started_us },
                ended_us: None,
                state: RunState::Running,
                steps: head.steps,
                done: 0,
            },
            document: head.document.to_owned(),
            lines: Vec::new(),
            is_held: true,
            wish: None,
            is_asked: false,
            asked: None,
        });
        drop(runs);
        Ok(self.hold(head.run, false))
    }

    fn claim(&self, run: &str) -> Result<Box<dyn ClaimedRun>, FlowStoreError> {
        let is_cancelled = self.with(run, |found| {
            let found = found.unfinished()?;
            if found.is_held {
                return Err(FlowStoreError::Held { run: run.to_owned(), by: "this process" });
            }
            (found.is_held, found.is_asked) = (true, false);
            // A pause was for the holder that is gone; what was cancelled stays so.
            found.wish = found.wish.filter(|wish| *wish == Ask::Cancel);
            Ok(found.wish.is_some())
        })?;
        Ok(self.hold(run, is_cancelled))
    }

    fn reopen(&self, run: &str, void: &[usize]) -> Result<Box<dyn ClaimedRun>, FlowStoreError> {
        self.with(run, |found| {
            if found.is_held {
                return Err(FlowStoreError::Held { run: run.to_owned(), by: "this process" });
            }
            (found.is_held, found.is_asked, found.wish) = (true, false, None);
            (found.summary.state, found.summary.ended_us) = (RunState::Running, None);
            found.summary.done = found.summary.done.saturating_sub(void.len() as u64);
            Ok(())
        })?;
        Ok(self.hold(run, false))
    }

    fn finish(&self, run: &str, status: Status) -> Result<(), FlowStoreError> {
        let now = self.ids.now_us();
        self.with(run, |found| {
            found.unfinished()?.end(status, now);
            Ok(())
        })
    }

    fn ask(&self, run: &str, ask: Ask) -> Result<bool, FlowStoreError> {
        let (is_held, asked) = self.with(run, |found| {
            let found = found.unfinished()?;
            found.wish(ask);
            found.is_asked = true;
            Ok((found.is_held, found.asked.clone()))
        })?;
        // Without the lock: the callback may call again.
        if let Some(asked) = asked {
            asked(ask);
        }
        Ok(is_held)
    }

    fn note(&self, run: &str, ask: Ask) {
        // A run that is gone, or has ended, needs no note.
        let _ = self.with(run, |found| {
            found.unfinished()?.wish(ask);
            Ok(())
        });
    }

    fn forget(&self, runs: &[String]) -> Result<Vec<String>, FlowStoreError> {
        let mut kept = self.lock();
        let mut gone = Vec::new();
        for run in runs {
            let is_ended = |one: &Run| matches!(one.summary.state, RunState::Ended(_));
            if kept.iter().any(|one| one.summary.run == *run && is_ended(one)) {
                let within = format!("{run}/");
                let is_part = |id: &str| id == run || id.starts_with(&within);
                kept.retain(|one| !is_part(&one.summary.run));
                gone.push(run.clone());
            }
        }
        Ok(gone)
    }

    fn runs(&self, filter: &Filter) -> Result<Vec<RunSummary>, FlowStoreError> {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.is_none() || wanted.as_deref() == found
        };
        let runs = self.lock();
        let end = match &filter.before {
            Some(before) => runs.iter().position(|run| run.summary.run == *before).unwrap_or(0),
            None => runs.len(),
        };
        let wanted = runs.iter().take(end).rev().map(Run::summed_up).filter(|run| {
            is(&filter.owner, Some(&run.owner))
                && is(&filter.context, run.context.as_deref())
                && is(&filter.name, Some(&run.name))
                && !(filter.unfinished && matches!(run.state, RunState::Ended(_)))
        });
        Ok(wanted.take(filter.limit).collect())
    }

    fn summary(&self, run: &str) -> Result<RunSummary, FlowStoreError> {
        self.with(run, |found| Ok(found.summed_up()))
    }

    fn document(&self, run: &str) -> Result<Document, FlowStoreError> {
        self.with(run, |found| Ok(Document { text: found.document.clone(), masked: false }))
    }

    fn log(&self, run: &str) -> Result<Vec<Line>, FlowStoreError> {
        self.with(run, |found| Ok(found.lines.clone()))
    }
}

impl InMemoryJournal {
    fn waiting(&self) -> MutexGuard<'_, Vec<Wait>> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, is_meant: impl Fn(&Wait) -> bool) {
        for wait in self.waiting().iter_mut().filter(|wait| is_meant(wait)) {
            (wait.state, wait.answer, wait.is_parked) = (WaitState::Ended, None, false);
            wait.request.clear();
        }
    }
}

impl Waits for InMemoryJournal {
    fn open_wait(&self, wait: Wait, done: WaitsDone<Wait>) {
        let mut waits = self.waiting();
        let known = waits.iter().find(|known| known.id == wait.id).cloned();
        let open = match known.filter(|known| known.state != WaitState::Ended) {
            Some(known) => known,
            None => {
                waits.retain(|known| known.id != wait.id);
                let place = waits.last().map_or(0, |last| last.place) + 1;
                waits.push(Wait {
                    place,
                    state: WaitState::Open,
                    is_parked: false,
                    ..wait.clone()
                });
                Wait { place, ..wait }
            }
        };
        drop(waits);
        done(Ok(open));
    }

    fn answer_wait(&self, id: &WaitId, answer: &str, done: WaitsDone<Answered>) {
        let mut waits = self.waiting();
        let answered = match waits.iter_mut().find(|wait| wait.id == *id) {
            None => Answered::Unknown,
            Some(wait) if wait.state != WaitState::Open => Answered::Before,
            Some(wait) => {
                (wait.state, wait.answer) = (WaitState::Answered, Some(answer.to_owned()));
                Answered::Taken(Box::new(wait.clone()))
            }
        };
        drop(waits);
        done(Ok(answered));
    }

    fn end_wait(&self, id: &WaitId, done: WaitsDone<()>) {
        self.end(|wait| wait.id == *id);
        done(Ok(()));
    }

    fn end_waits(&self, run: &str, done: WaitsDone<()>) {
        self.end(|wait| wait.run == run);
        done(Ok(()));
    }

    fn park_waits(&self, run: &str, is_parked: bool) {
        for wait in self.waiting().iter_mut().filter(|wait| wait.run == run) {
            wait.is_parked = is_parked && wait.state != WaitState::Ended;
        }
    }

    fn take_parked(&self, run: &str, done: WaitsDone<bool>) {
        let mut waits = self.waiting();
        let of_run = |wait: &&mut Wait| wait.run == run && wait.state != WaitState::Ended;
        let parked = waits.iter_mut().filter(of_run).filter(|wait| wait.is_parked);
        let taken = parked.map(|wait| wait.is_parked = false).count();
        drop(waits);
        done(Ok(taken > 0));
    }

    fn forget_waits(&self, before_ms: u64) {
        let is_old = |wait: &Wait| wait.state == WaitState::Ended && wait.expires_ms < before_ms;
        self.waiting().retain(|wait| !is_old(wait));
    }

    fn waits(&self, filter: &WaitFilter) -> Result<Vec<Wait>, FlowStoreError> {
        let is = |wanted: &Option<String>, found: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted == found)
        };
        let is_meant = |wait: &&Wait| {
            is(&filter.owner, &wait.id.owner)
                && is(&filter.context, &wait.id.context)
                && is(&filter.message, &wait.id.message)
                && is(&filter.call, &wait.id.call)
                && is(&filter.client, &wait.client)
                && is(&filter.run, &wait.run)
                && (filter.run.is_none() || wait.state != WaitState::Ended)
                && filter.state.is_none_or(|state| state == wait.state)
                && (!filter.parked || wait.is_parked)
                && filter.expired_ms.is_none_or(|until| wait.expires_ms <= until)
                && wait.place > filter.after
        };
        let limit = if filter.limit == 0 { usize::MAX } else { filter.limit };
        Ok(self.waiting().iter().filter(is_meant).take(limit).cloned().collect())
    }

    fn parked_runs(&self) -> Result<Vec<(String, String, String, String)>, FlowStoreError> {
        let waits = self.waiting();
        let is = |state, run: &str| waits.iter().any(|wait| wait.state == state && wait.run == run);
        let parked = waits.iter().filter(|wait| wait.is_parked && wait.state == WaitState::Open);
        let free = parked.filter(|wait| !is(WaitState::Answered, &wait.run));
        let runs: std::collections::BTreeSet<_> = free
            .map(|wait| {
                let WaitId { owner, context, message, .. } = wait.id.clone();
                (owner, context, message, wait.run.clone())
            })
            .collect();
        Ok(runs.into_iter().collect())
    }

    fn open_waits(&self) -> Result<Vec<(String, u64)>, FlowStoreError> {
        let mut counts = std::collections::BTreeMap::<String, u64>::new();
        for wait in self.waiting().iter().filter(|wait| wait.state == WaitState::Open) {
            *counts.entry(wait.id.owner.clone()).or_default() += 1;
        }
        Ok(counts.into_iter().collect())
    }
}

struct Claim {
    journal: InMemoryJournal,
    run: String,
    is_cancelled: bool,
}

impl ClaimedRun for Claim {
    fn run(&self) -> &str {
        &self.run
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled
    }

    fn entries(&self) -> Result<Vec<Entry>, JournalError> {
        self.journal.entries(&self.run)
    }

    fn watch(&self, asked: Asked) -> Result<(), FlowStoreError> {
        if self.is_cancelled {
            asked(Ask::Cancel);
        }
        let wish = self.journal.with(&self.run, |found| {
            found.asked = Some(Arc::clone(&asked));
            Ok(found.wish.filter(|_| found.is_asked))
        })?;
        // What was asked between the beginning and now counts too.
        if let Some(wish) = wish {
            asked(wish);
        }
        Ok(())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // A run that was taken away meanwhile is held by nobody.
        let _ = self.journal.with(&self.run, |found| {
            found.is_held = false;
            found.asked = None;
            Ok(())
        });
    }
}
