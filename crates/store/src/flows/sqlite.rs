//! The journal in an SQLite file.

use super::events::EventTask;
use super::holder::Holder;
use super::holds::{Hold, Holds};
use super::lost;
use super::read::Reader;
use super::schema::Outcome;
use super::schema::{ENDED, OTHER, TABLES};
use super::seal::Seal;
use super::tasks::{NewRun, RunTable};
use super::watch::Watch;
use crate::contexts::Sealer;
use crate::marks::Marks;
use crate::masker::Masker;
use crate::sqlite::writer::{Beside, Refuse, WriterThread};
use crate::sqlite::{Database, FileError as _, marked};
use crate::stamp::{self, Ids};
use contexture_core::store::flows::{
    Ask, Asked, ClaimedRun, Document, Entry, Event, Filter, FlowJournal, FlowStoreError, Journal,
    JournalError, Kept, Line, RunHead, RunSummary,
};
use contexture_protocol::content::Status;
use rusqlite::Connection;
use std::fmt;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

/// Runs that are taken away in one transaction: what waits to be written does not wait long.
const FORGOTTEN: usize = 50;

/// The options of a journal.
#[derive(Clone)]
pub struct Options {
    /// Takes secrets out of everything that is written.
    pub masker: Arc<Masker>,
    /// Seals what is written of a run, and opens what it sealed (CP-19); `None`: nothing is sealed.
    pub sealer: Option<Arc<dyn Sealer>>,
    /// Time and chance.
    pub ids: Arc<Ids>,
    /// Bytes of events that may wait to be written; a run that hands in more fails.
    pub most_waiting: usize,
}

impl Default for Options {
    fn default() -> Self {
        let ids = Arc::new(stamp::system());
        Self { masker: Arc::default(), sealer: None, ids, most_waiting: 2 << 30 }
    }
}

/// Runs of flows in an SQLite file; several processes may use it at the same time.
pub struct SqliteJournal {
    this: Weak<Self>,
    // Dropped in this order: all is written before the holder is gone.
    pub(super) writer: WriterThread<FlowStoreError>,
    watch: Watch,
    pub(super) reader: Reader,
    holds: Holds,
    holder: Arc<Holder>,
    table: RunTable,
    pub(super) seal: Seal,
    pub(super) options: Options,
}

/// What goes on beside the writing.
struct Upkeep {
    marks: Arc<Marks>,
    name: Arc<str>,
}

impl Beside<FlowStoreError> for Upkeep {
    fn committed(&mut self) -> Outcome<()> {
        self.marks.committed().map_err(|error| FlowStoreError::of_system(&self.name, &error))
    }

    fn undone(&mut self) {
        self.marks.undone();
    }
}

impl fmt::Debug for SqliteJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteJournal").field("file", &self.table.name).finish_non_exhaustive()
    }
}

impl SqliteJournal {
    /// Opens a file of runs; makes it, and its folder, when it is missing. `name` stands for it in
    /// errors.
    ///
    /// # Errors
    /// [`FlowStoreError::Damaged`], [`FlowStoreError::Foreign`] and [`FlowStoreError::Newer`] for a
    /// file that can't be used, which is left as it is; what the system reports.
    pub fn open(path: &Path, name: &str, options: Options) -> Result<Arc<Self>, FlowStoreError> {
        // Before anything is written: what is damaged stays as it is.
        lost::refuse(path, name)?;
        let (file, connection) = Database::open(path, name, &TABLES)?;
        let marks = Arc::new(marked::open(&file, &connection, lost::all)?);
        let name = Arc::clone(&file.name);
        let holder = Arc::new(Holder::new(file.path(), &options.ids));
        let table = RunTable {
            name: Arc::clone(&name),
            holders: holder.holders.clone(),
            marks: Arc::clone(&marks),
        };
        let seal = Seal { sealer: options.sealer.clone(), name: Arc::clone(&name) };
        let (most_waiting, path) = (options.most_waiting, name.as_ref().to_owned());
        let refuse: Refuse<FlowStoreError> = Box::new(move |_, bytes| {
            let reason = || format!("{bytes} bytes wait to be written, more than may");
            let fault = || FlowStoreError::Io { path: path.clone(), reason: reason() };
            (bytes > most_waiting).then(fault)
        });
        let upkeep = Upkeep { marks, name: Arc::clone(&name) };
        let writer = WriterThread::start(connection, ("flows", name), refuse, upkeep)?;
        Ok(Arc::new_cyclic(|this| Self {
            this: Weak::clone(this),
            writer,
            watch: Watch::default(),
            reader: Reader { file, table: table.clone(), seal: seal.clone() },
            holds: Holds::default(),
            holder,
            table,
            seal,
            options,
        }))
    }

    /// Begins a run and holds it. When this comes back, the run is durable.
    ///
    /// # Errors
    /// [`FlowStoreError::Exists`] if there is a run of this id; [`FlowStoreError::Id`]; what goes
    /// wrong in writing.
    pub fn begin(self: &Arc<Self>, head: &RunHead<'_>) -> Result<Claim, FlowStoreError> {
        let new = NewRun::of(head, &self.options, &self.seal)?;
        let table = self.table.clone();
        self.held(head.run, move |connection, token| table.begin(connection, &new, token))
    }

    /// Takes over an interrupted run, and holds it.
    ///
    /// # Errors
    /// [`FlowStoreError::Held`] while it is being done, by this process or by another that lives;
    /// [`FlowStoreError::Ended`], [`FlowStoreError::NotFound`]; what goes wrong in writing.
    pub fn claim(self: &Arc<Self>, run: &str) -> Result<Claim, FlowStoreError> {
        let (table, id) = (self.table.clone(), run.to_owned());
        self.held(run, move |connection, token| table.claim(connection, &id, token))
    }

    /// Takes over a run that is interrupted or has ended, and holds it; see
    /// [`FlowJournal::reopen`].
    ///
    /// # Errors
    /// [`FlowStoreError::Held`] while it is being done; [`FlowStoreError::NotFound`]; what goes wrong
    /// in writing.
    pub fn reopen(self: &Arc<Self>, run: &str, void: &[usize]) -> Result<Claim, FlowStoreError> {
        let (table, id, void) = (self.table.clone(), run.to_owned(), void.to_vec());
        self.held(run, move |connection, token| table.reopen(connection, &id, &void, token))
    }

    fn held(
        self: &Arc<Self>,
        run: &str,
        work: impl Fn(&Connection, &str) -> Outcome<Hold> + Send + 'static,
    ) -> Result<Claim, FlowStoreError> {
        let hold = self.holds.hold(run, || {
            let token = self.holder.token()?;
            self.writer.write(move |connection| work(connection, &token))
        })?;
        Ok(Claim { journal: Arc::clone(self), run: run.to_owned(), hold })
    }

    /// Returns the journal as its claims hold it.
    fn shared(&self) -> Outcome<Arc<Self>> {
        self.this.upgrade().ok_or(FlowStoreError::Closed)
    }

    pub(super) fn let_go(&self, run: &str, place: i64, is_ended: bool) {
        self.watch.end(place);
        if !is_ended && let Ok(token) = self.holder.token() {
            let table = self.table.clone();
            let release = move |connection: &Connection| table.release(connection, place, &token);
            self.writer.post(false, release, drop);
        }
        self.holds.let_go(run);
    }

    pub(super) fn watch(&self, place: i64, asked: Asked) -> Result<(), FlowStoreError> {
        let token = self.holder.token()?;
        self.watch.begin(place, asked, || self.reader.wishes(token))
    }

    #[cfg(test)]
    pub(super) fn write_for_test(
        &self,
        work: impl Fn(&Connection) -> Outcome<()> + Send + 'static,
    ) -> Outcome<()> {
        self.writer.write(work)
    }
}

impl FlowJournal for SqliteJournal {
    fn begin(&self, head: &RunHead<'_>) -> Result<Box<dyn ClaimedRun>, FlowStoreError> {
        Ok(Box::new(self.shared()?.begin(head)?))
    }

    fn claim(&self, run: &str) -> Result<Box<dyn ClaimedRun>, FlowStoreError> {
        Ok(Box::new(self.shared()?.claim(run)?))
    }

    fn reopen(&self, run: &str, void: &[usize]) -> Result<Box<dyn ClaimedRun>, FlowStoreError> {
        Ok(Box::new(self.shared()?.reopen(run, void)?))
    }

    fn finish(&self, run: &str, status: Status) -> Result<(), FlowStoreError> {
        let token = self.holder.token()?;
        let (table, run, end) =
            (self.table.clone(), run.to_owned(), (status, self.options.ids.now_us()));
        self.writer.write(move |connection| table.finish(connection, &run, end, &token))
    }

    fn ask(&self, run: &str, ask: Ask) -> Result<bool, FlowStoreError> {
        let (table, run) = (self.table.clone(), run.to_owned());
        let holder = self.writer.write(move |connection| table.ask(connection, &run, ask))?;
        match holder {
            Some(token) if self.holder.is(&token) => Ok(true),
            Some(token) => self.table.holders.is_alive(&token, false),
            None => Ok(false),
        }
    }

    fn note(&self, run: &str, ask: Ask) {
        let (table, run) = (self.table.clone(), run.to_owned());
        self.writer.post(false, move |connection| table.note(connection, &run, ask), drop);
    }

    fn forget(&self, runs: &[String]) -> Result<Vec<String>, FlowStoreError> {
        let mut gone = Vec::new();
        for some in runs.chunks(FORGOTTEN) {
            let (table, some) = (self.table.clone(), some.to_vec());
            gone.extend(self.writer.write(move |connection| table.forget(connection, &some))?);
        }
        Ok(gone)
    }

    fn runs(&self, filter: &Filter) -> Result<Vec<RunSummary>, FlowStoreError> {
        self.reader.runs(filter)
    }

    fn summary(&self, run: &str) -> Result<RunSummary, FlowStoreError> {
        self.reader.summary(run)
    }

    fn document(&self, run: &str) -> Result<Document, FlowStoreError> {
        self.reader.document(run)
    }

    fn log(&self, run: &str) -> Result<Vec<Line>, FlowStoreError> {
        self.reader.log(run)
    }
}

impl Journal for SqliteJournal {
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
        // A step waits for its start, the run for its end; for all else nobody waits.
        let is_urgent = end.is_some() || matches!(event, Event::Started { .. });
        let task = EventTask {
            run: run.to_owned(),
            marks: Arc::clone(&self.table.marks),
            number: hold.next(),
            hold,
            kind: if is_end { ENDED } else { OTHER },
            time_us: self.options.ids.now_us(),
            text: event.to_json(),
            end,
            kept,
            is_urgent,
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

/// The right to do a run, which no one else has as long as it lives. Its events are kept only so
/// long. Dropped before the run has ended, it leaves the run to whoever claims it next.
#[must_use = "dropped, it gives the run up at once"]
pub struct Claim {
    pub(super) journal: Arc<SqliteJournal>,
    pub(super) run: String,
    pub(super) hold: Arc<Hold>,
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim").field("run", &self.run).finish_non_exhaustive()
    }
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
        self.journal.let_go(&self.run, self.hold.place, self.hold.is_ended.load(Ordering::Relaxed));
    }
}
