//! The journal in a PostgreSQL database (WA-11).
//!
//! Decision: whoever does a run is known by the lease of its process, not by a lock of the system; a run
//! whose process lost its lease is taken over with all that the process had, which writes nothing more then.

mod event;
mod journals;
mod runs;
mod waits;

use super::holds::{Hold, Holds};
use super::read::entry;
use super::schema::{ENDED, OTHER, Outcome};
use super::seal::{Part, Seal};
use super::sqlite::Options;
use super::tasks::NewRun;
use super::watch::Watch;
use crate::postgres::{Fault, Kind, Postgres, Session, Writer, values};
use crate::sqlite::writer::{Beside, Refuse, WriterThread};
use contexture_core::store::flows::{
    Ask, Asked, ClaimedRun, Document, Entry, Event, Filter, FlowJournal, FlowStoreError, Journal,
    JournalError, Kept, Line, RunHead, RunState, RunSummary,
};
use contexture_protocol::content::Status;
use event::EventTask;
use std::fmt;
use std::sync::{Arc, Weak};

/// Runs of flows in a PostgreSQL database.
pub struct PostgresJournal {
    this: Weak<Self>,
    // Dropped in this order: all is written before the lease ends.
    writer: WriterThread<FlowStoreError, Writer>,
    watch: Watch,
    holds: Holds,
    seal: Seal,
    options: Options,
    postgres: Arc<Postgres>,
}

struct Nothing;

impl Beside<FlowStoreError> for Nothing {}

impl fmt::Debug for PostgresJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresJournal").field("database", &self.seal.name).finish_non_exhaustive()
    }
}

impl PostgresJournal {
    /// Makes a journal of the runs in a database.
    ///
    /// # Errors
    /// What the database reports.
    pub fn open_in(
        postgres: &Arc<Postgres>,
        options: Options,
    ) -> Result<Arc<Self>, FlowStoreError> {
        let name = Arc::clone(&postgres.link.name);
        let writer = Writer::open(postgres, Kind::Flows);
        let writer = writer.map_err(|fault| fault.told::<FlowStoreError>(&name))?;
        let (most_waiting, path) = (options.most_waiting, name.to_string());
        let refuse: Refuse<FlowStoreError> = Box::new(move |_, bytes| {
            let reason = || format!("{bytes} bytes wait to be written, more than may");
            let fault = || FlowStoreError::Io { path: path.clone(), reason: reason() };
            (bytes > most_waiting).then(fault)
        });
        let writer = WriterThread::start(writer, ("flows", Arc::clone(&name)), refuse, Nothing)?;
        let seal = Seal { sealer: options.sealer.clone(), name };
        Ok(Arc::new_cyclic(|this| Self {
            this: Weak::clone(this),
            writer,
            watch: Watch::default(),
            holds: Holds::default(),
            seal,
            options,
            postgres: Arc::clone(postgres),
        }))
    }

    /// Writes and waits.
    fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&Session) -> Outcome<T> + Send + 'static,
    ) -> Outcome<T> {
        self.writer.write(move |writer: &Writer| writer.with(&work))
    }

    /// Writes without waiting; `done` is called when it is durable.
    fn post<T: Send + 'static>(
        &self,
        is_urgent: bool,
        work: impl Fn(&Session) -> Outcome<T> + Send + 'static,
        done: impl FnOnce(Outcome<T>) + Send + 'static,
    ) {
        self.writer.post(is_urgent, move |writer: &Writer| writer.with(&work), done);
    }

    fn read<T>(&self, work: impl FnOnce(&Session) -> Result<T, Fault>) -> Outcome<T> {
        self.postgres.read(|session| self.told(work(session)))
    }

    fn told<T>(&self, outcome: Result<T, Fault>) -> Outcome<T> {
        outcome.map_err(|fault| fault.told(&self.seal.name))
    }

    fn held(
        &self,
        run: &str,
        work: impl Fn(&Session, &str) -> Outcome<Hold> + Send + 'static,
    ) -> Result<Box<dyn ClaimedRun>, FlowStoreError> {
        let journal = self.this.upgrade().ok_or(FlowStoreError::Closed)?;
        let token = Arc::clone(self.postgres.token());
        let hold = self.holds.hold(run, || self.write(move |session| work(session, &token)))?;
        Ok(Box::new(Claim { journal, run: run.to_owned(), hold }))
    }

    /// Returns a run as it is: nobody does one of this process that it does not hold.
    fn known(&self, (summary, holder): runs::Found) -> RunSummary {
        let is_left = holder.as_deref() == Some(self.postgres.token())
            && matches!(summary.state, RunState::Running | RunState::Paused)
            && self.holds.get(&summary.run).is_none();
        let state = if is_left { RunState::Interrupted } else { summary.state };
        RunSummary { state, ..summary }
    }

    fn let_go(&self, run: &str, hold: &Hold) {
        // It stays this process's: only so does somebody go on with it.
        self.watch.end(hold.place);
        self.holds.let_go(run);
    }

    fn watch(&self, place: i64, asked: Asked) -> Result<(), FlowStoreError> {
        let (link, token) = (Arc::clone(&self.postgres.link), Arc::clone(self.postgres.token()));
        self.watch.begin(place, asked, || {
            Ok(Box::new(move || link.with(|session| runs::wishes(session, &token)).ok()))
        })
    }
}

impl FlowJournal for PostgresJournal {
    fn begin(&self, head: &RunHead<'_>) -> Result<Box<dyn ClaimedRun>, FlowStoreError> {
        let new = NewRun::of(head, &self.options, &self.seal)?;
        let name = Arc::clone(&self.seal.name);
        self.held(head.run, move |session, token| {
            let begun = runs::begin(session, &new, token).map_err(|fault| fault.told(&name));
            begun.and_then(|hold| hold.ok_or_else(|| FlowStoreError::Exists(new.run.clone())))
        })
    }

    fn claim(&self, run: &str) -> Result<Box<dyn ClaimedRun>, FlowStoreError> {
        let (name, id) = (Arc::clone(&self.seal.name), run.to_owned());
        self.held(run, move |session, token| runs::claim(session, &name, &id, token))
    }

    fn reopen(&self, run: &str, void: &[usize]) -> Result<Box<dyn ClaimedRun>, FlowStoreError> {
        let (name, id) = (Arc::clone(&self.seal.name), run.to_owned());
        let void = void.to_vec();
        self.held(run, move |session, token| runs::reopen(session, &name, (&id, &void), token))
    }

    fn finish(&self, run: &str, status: Status) -> Result<(), FlowStoreError> {
        let (name, run) = (Arc::clone(&self.seal.name), run.to_owned());
        let (now, token) = (self.options.ids.now_us(), Arc::clone(self.postgres.token()));
        self.write(move |session| runs::finish(session, &name, &run, (status, now), &token))
    }

    fn ask(&self, run: &str, ask: Ask) -> Result<bool, FlowStoreError> {
        let (name, id) = (Arc::clone(&self.seal.name), run.to_owned());
        let has_holder = self.write(move |session| runs::ask(session, &name, &id, ask))?;
        Ok(has_holder && self.summary(run)?.state != RunState::Interrupted)
    }

    fn note(&self, run: &str, ask: Ask) {
        let (name, run) = (Arc::clone(&self.seal.name), run.to_owned());
        let note = move |session: &Session| {
            let sql = "update contexture_runs set wish = $2
                where run = $1 and ended is null and wish is distinct from 'CANCEL'";
            session.write(sql, values![&run, ask.as_str()]).map_err(|fault| fault.told(&name))
        };
        self.post(false, note, drop);
    }

    fn forget(&self, runs: &[String]) -> Result<Vec<String>, FlowStoreError> {
        let mut gone = Vec::new();
        for run in runs {
            let (name, id) = (Arc::clone(&self.seal.name), run.clone());
            let is_gone = self.write(move |session| {
                runs::forget(session, &id).map_err(|fault| fault.told(&name))
            })?;
            gone.extend(is_gone.then(|| run.clone()));
        }
        Ok(gone)
    }

    fn runs(&self, filter: &Filter) -> Result<Vec<RunSummary>, FlowStoreError> {
        let found = self.read(|session| runs::runs(session, filter))?;
        Ok(found.into_iter().map(|one| self.known(one)).collect())
    }

    fn summary(&self, run: &str) -> Result<RunSummary, FlowStoreError> {
        let found = self.read(|session| runs::summary(session, run))?;
        let found = found.ok_or_else(|| FlowStoreError::NotFound(run.to_owned()))?;
        Ok(self.known(found))
    }

    fn document(&self, run: &str) -> Result<Document, FlowStoreError> {
        let sql = "select document, masked from contexture_runs where run = $1";
        let found = self.read(|session| {
            let row = session.row(sql, values![run])?;
            row.map(|row| Ok((row.text(0)?, row.is(1)?))).transpose()
        })?;
        let (text, masked) = found.ok_or_else(|| FlowStoreError::NotFound(run.to_owned()))?;
        Ok(Document { text: self.seal.open(Part::Document, text)?, masked })
    }

    fn log(&self, run: &str) -> Result<Vec<Line>, FlowStoreError> {
        let found = self.read(|session| runs::lines(session, run))?;
        let lines = found.ok_or_else(|| FlowStoreError::NotFound(run.to_owned()))?;
        lines
            .into_iter()
            .map(|(time_us, masked, text)| {
                Ok(Line { time_us, entry: entry(&self.seal, run, text)?, masked })
            })
            .collect()
    }
}

impl Journal for PostgresJournal {
    fn record(&self, run: &str, event: &Event<'_>, kept: Kept) {
        let Some(hold) = self.holds.get(run) else {
            let message = format!("the run `{run}` is not held: begin it, or claim it");
            return kept.done(Err(JournalError::new(message)));
        };
        let is_end = matches!(event, Event::Ended(_));
        if is_end {
            hold.count();
        }
        let end = match event {
            Event::Finished { status } => Some((*status, hold.done())),
            _ => None,
        };
        let task = EventTask {
            number: hold.next(),
            hold,
            kind: if is_end { ENDED } else { OTHER },
            time_us: self.options.ids.now_us(),
            text: event.to_json(),
            // A step waits for its start, the run for its end; for all else nobody waits.
            is_urgent: end.is_some() || matches!(event, Event::Started { .. }),
            end,
            kept,
            masker: Arc::clone(&self.options.masker),
            seal: self.seal.clone(),
        };
        self.writer.submit(Box::new(task));
    }

    fn entries(&self, run: &str) -> Result<Vec<Entry>, JournalError> {
        match self.log(run) {
            Ok(lines) => Ok(lines.into_iter().map(|line| line.entry).collect()),
            Err(FlowStoreError::NotFound(_)) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }
}

/// The right to do a run, as long as it lives and its process keeps its lease.
struct Claim {
    journal: Arc<PostgresJournal>,
    run: String,
    hold: Arc<Hold>,
}

impl ClaimedRun for Claim {
    fn run(&self) -> &str {
        &self.run
    }

    fn is_cancelled(&self) -> bool {
        self.hold.is_cancelled
    }

    fn entries(&self) -> Result<Vec<Entry>, JournalError> {
        self.journal.entries(&self.run)
    }

    fn watch(&self, asked: Asked) -> Result<(), FlowStoreError> {
        if self.hold.is_cancelled {
            asked(Ask::Cancel);
        }
        self.journal.watch(self.hold.place, asked)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.journal.let_go(&self.run, &self.hold);
    }
}
