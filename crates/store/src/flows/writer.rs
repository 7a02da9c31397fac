//! The one thread that writes (FL-11).
//!
//! Decision: everything that waits goes into one transaction. What begins a transaction is what
//! somebody waits for: a step that is to start, a run that has ended, a claim. The end of a step
//! waits for company for a moment, because the start of the next one follows it at once. When a
//! transaction fails, what was in it is tried again one by one; of a run that has lost an event
//! nothing is kept any more, lest its journal have a hole.

use super::holds::Hold;
use super::schema::{self, explain};
use super::seal::{Part, Seal};
use super::{FlowStoreError, Options};
use crate::masker::Masker;
use contexture_flow::journal::Kept;
use contexture_protocol::content::Status;
use rusqlite::{Connection, params};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Most jobs of one transaction.
const MOST_JOBS: usize = 4_096;

/// How long an event that nobody waits for waits for one that somebody does.
const COMPANY: Duration = Duration::from_micros(200);

pub(super) type Outcome<T> = Result<T, FlowStoreError>;

/// An event of a run.
#[derive(Debug)]
pub(super) struct EventJob {
    pub(super) hold: Arc<Hold>,
    pub(super) number: u64,
    pub(super) kind: i64,
    pub(super) time_us: u64,
    pub(super) text: String,
    /// With it the run has ended, after so many steps.
    pub(super) end: Option<(Status, u64)>,
    pub(super) kept: Kept,
}

/// Something else to write.
trait Task: Send {
    fn run(&mut self, connection: &Connection) -> Outcome<()>;
    /// Tells what came of it: what the last run gave, or why there was none that counts.
    fn finish(self: Box<Self>, fault: Option<FlowStoreError>);
}

struct Work<T, W, D> {
    work: W,
    done: D,
    result: Option<T>,
}

impl<T, W, D> Task for Work<T, W, D>
where
    T: Send,
    W: Fn(&Connection) -> Outcome<T> + Send,
    D: FnOnce(Outcome<T>) + Send,
{
    fn run(&mut self, connection: &Connection) -> Outcome<()> {
        self.result = Some((self.work)(connection)?);
        Ok(())
    }

    fn finish(self: Box<Self>, fault: Option<FlowStoreError>) {
        let Self { done, result, .. } = *self;
        done(match fault {
            Some(fault) => Err(fault),
            None => result.ok_or(FlowStoreError::Closed),
        });
    }
}

enum Job {
    Event(EventJob),
    Task(Box<dyn Task>),
}

impl Job {
    fn finish(self, fault: Option<FlowStoreError>) {
        match self {
            Self::Task(task) => task.finish(fault),
            Self::Event(event) => {
                if fault.is_some() {
                    event.hold.is_broken.store(true, Ordering::Relaxed);
                } else if event.end.is_some() {
                    event.hold.is_ended.store(true, Ordering::Relaxed);
                }
                event.kept.done(fault.map_or(Ok(()), |fault| Err(fault.into())));
            }
        }
    }
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<(Job, bool)>,
    /// How many of them somebody waits for.
    urgent: usize,
    bytes: usize,
    is_closed: bool,
    /// The thread sleeps and has to be woken.
    is_asleep: bool,
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    filled: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be written together; `None` when nothing is and nothing will be.
    fn take(&self) -> Option<Vec<Job>> {
        let mut waiting = self.lock();
        let mut alone = None;
        loop {
            if waiting.jobs.is_empty() {
                if waiting.is_closed {
                    return None;
                }
                waiting.is_asleep = true;
                waiting = self.filled.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                waiting.is_asleep = false;
                continue;
            }
            if waiting.urgent > 0 || waiting.is_closed || waiting.jobs.len() >= MOST_JOBS {
                break;
            }
            let since = *alone.get_or_insert_with(Instant::now);
            let Some(left) = COMPANY.checked_sub(since.elapsed()).filter(|left| !left.is_zero())
            else {
                break;
            };
            waiting.is_asleep = true;
            let woken = self.filled.wait_timeout(waiting, left);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
            waiting.is_asleep = false;
        }
        let count = waiting.jobs.len().min(MOST_JOBS);
        let taken: Vec<(Job, bool)> = waiting.jobs.drain(..count).collect();
        waiting.urgent -= taken.iter().filter(|(_, is_urgent)| *is_urgent).count();
        waiting.bytes = waiting.bytes.saturating_sub(taken.iter().map(|(job, _)| bytes(job)).sum());
        Some(taken.into_iter().map(|(job, _)| job).collect())
    }

    /// Nothing is taken any more; what waits is told so.
    fn close(&self) {
        let mut waiting = self.lock();
        waiting.is_closed = true;
        let jobs = std::mem::take(&mut waiting.jobs);
        drop(waiting);
        jobs.into_iter().for_each(|(job, _)| job.finish(Some(FlowStoreError::Closed)));
    }
}

fn bytes(job: &Job) -> usize {
    match job {
        Job::Event(event) => event.text.len(),
        Job::Task(_) => 0,
    }
}

/// Closes the queue when the thread ends, however it ends.
struct Closes(Arc<Queue>);

impl Drop for Closes {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Hands jobs to the thread.
pub(super) struct Writer {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
    most_waiting: usize,
    name: Arc<str>,
}

impl Writer {
    pub(super) fn start(connection: Connection, options: &Options, seal: Seal) -> Outcome<Self> {
        let name = Arc::clone(&seal.name);
        let queue = Arc::new(Queue::default());
        let masker = Arc::clone(&options.masker);
        let desk = Desk { connection, masker, seal, name: Arc::clone(&name) };
        let theirs = Closes(Arc::clone(&queue));
        let thread = thread::Builder::new().name("flows".to_owned()).spawn(move || {
            while let Some(jobs) = theirs.0.take() {
                desk.serve(jobs);
            }
        });
        let thread = thread.map_err(|error| {
            let reason = crate::reason::reason(&error);
            FlowStoreError::Io { path: name.as_ref().to_owned(), reason }
        })?;
        Ok(Self { queue, thread: Some(thread), most_waiting: options.most_waiting, name })
    }

    fn push(&self, job: Job, is_urgent: bool) {
        let mut waiting = self.queue.lock();
        if waiting.is_closed {
            drop(waiting);
            job.finish(Some(FlowStoreError::Closed));
            return;
        }
        if waiting.bytes > self.most_waiting {
            let reason = format!("{} bytes wait to be written, more than may", waiting.bytes);
            drop(waiting);
            let path = self.name.as_ref().to_owned();
            job.finish(Some(FlowStoreError::Io { path, reason }));
            return;
        }
        // It sleeps before the first one, and before the first urgent one.
        let is_first = waiting.jobs.is_empty() || (is_urgent && waiting.urgent == 0);
        let wakes = is_first && waiting.is_asleep;
        waiting.urgent += usize::from(is_urgent);
        waiting.bytes = waiting.bytes.saturating_add(bytes(&job));
        waiting.jobs.push_back((job, is_urgent));
        drop(waiting);
        if wakes {
            self.queue.filled.notify_one();
        }
    }

    /// Hands an event in; its `kept` is told when it is durable, or lost.
    pub(super) fn record(&self, event: EventJob, is_urgent: bool) {
        self.push(Job::Event(event), is_urgent);
    }

    /// Does something in a transaction, and waits for it.
    pub(super) fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection) -> Outcome<T> + Send + 'static,
    ) -> Outcome<T> {
        let (send, receive) = mpsc::sync_channel(1);
        let done = move |outcome| drop(send.send(outcome));
        self.push(Job::Task(Box::new(Work { work, done, result: None })), true);
        receive.recv().unwrap_or(Err(FlowStoreError::Closed))
    }

    /// Does something in a transaction, and does not wait.
    pub(super) fn post(&self, work: impl Fn(&Connection) -> Outcome<()> + Send + 'static) {
        let work = Work { work, done: drop::<Outcome<()>>, result: None };
        self.push(Job::Task(Box::new(work)), false);
    }
}

impl Drop for Writer {
    /// Whatever was handed in is still written.
    fn drop(&mut self) {
        self.queue.lock().is_closed = true;
        self.queue.filled.notify_one();
        let Some(thread) = self.thread.take() else { return };
        if thread.thread().id() != thread::current().id() {
            drop(thread.join());
        }
    }
}

/// Where the thread works.
struct Desk {
    connection: Connection,
    masker: Arc<Masker>,
    seal: Seal,
    name: Arc<str>,
}

impl Desk {
    fn serve(&self, mut jobs: Vec<Job>) {
        match self.together(&mut jobs) {
            Ok(faults) => finish(jobs, faults),
            Err(fault) if jobs.len() == 1 => finish(jobs, vec![Some(fault)]),
            Err(fault @ FlowStoreError::Busy(_)) => {
                // Waiting as long again for each would take forever.
                jobs.into_iter().for_each(|job| job.finish(Some(fault.clone())));
            }
            Err(_) => jobs.into_iter().for_each(|job| self.serve(vec![job])),
        }
    }

    /// Does jobs in one transaction; gives the fault of each, or why there was no transaction.
    fn together(&self, jobs: &mut [Job]) -> Outcome<Vec<Option<FlowStoreError>>> {
        self.tell("begin immediate")?;
        let faults: Outcome<Vec<_>> = jobs.iter_mut().map(|job| self.apart(job)).collect();
        let outcome = faults.and_then(|faults| self.tell("commit").map(|()| faults));
        if outcome.is_err() && !self.connection.is_autocommit() {
            drop(self.tell("rollback"));
        }
        outcome
    }

    /// Does a job. A fault that left something behind breaks the transaction.
    fn apart(&self, job: &mut Job) -> Outcome<Option<FlowStoreError>> {
        let before = self.connection.total_changes();
        let fault = match job {
            Job::Task(task) => task.run(&self.connection),
            Job::Event(event) => self.write(event),
        };
        let Err(fault) = fault else { return Ok(None) };
        // SQLite itself gives up the whole transaction after some failures. An event that is lost
        // takes along what comes after it, so it must be the only one in its transaction.
        let is_event =
            matches!(job, Job::Event(event) if !event.hold.is_broken.load(Ordering::Relaxed));
        if is_event || self.connection.is_autocommit() || self.connection.total_changes() != before
        {
            return Err(fault);
        }
        Ok(Some(fault))
    }

    fn write(&self, event: &EventJob) -> Outcome<()> {
        if event.hold.is_broken.load(Ordering::Relaxed) {
            let reason = "an event of the run was lost before".to_owned();
            return Err(FlowStoreError::Io { path: self.name.as_ref().to_owned(), reason });
        }
        let id = schema::id(event.hold.place, event.number).ok_or_else(|| FlowStoreError::Io {
            path: self.name.as_ref().to_owned(),
            reason: "the file can't hold more runs, or the run more events".to_owned(),
        })?;
        let text = masked(&self.masker, &event.text);
        let is_masked = matches!(text, Cow::Owned(_));
        let text = self.seal.close(Part::Entry, &text)?.map_or(text, Cow::Owned);
        let time = event.time_us.cast_signed();
        self.execute(
            "insert into entries (id, kind, time, masked, text) values (?1, ?2, ?3, ?4, ?5)",
            params![id, event.kind, time, is_masked, text],
        )?;
        let Some((status, done)) = event.end else { return Ok(()) };
        self.execute(
            "update runs set ended = ?2, status = ?3, done = ?4, holder = null, wish = null
                where place = ?1",
            params![event.hold.place, time, status.as_str(), done.cast_signed()],
        )
    }

    fn execute(&self, sql: &str, params: impl rusqlite::Params) -> Outcome<()> {
        let told = self.connection.prepare_cached(sql).and_then(|mut told| told.execute(params));
        told.map(drop).map_err(|error| explain(&self.name, &error))
    }

    fn tell(&self, sql: &str) -> Outcome<()> {
        self.execute(sql, [])
    }
}

fn finish(jobs: Vec<Job>, faults: Vec<Option<FlowStoreError>>) {
    jobs.into_iter().zip(faults).for_each(|(job, fault)| job.finish(fault));
}

/// An event without secrets in what it says; what names its step stays, for it must be found.
fn masked<'a>(masker: &Masker, text: &'a str) -> Cow<'a, str> {
    if !masker.may_be_in(text) {
        return Cow::Borrowed(text);
    }
    let Ok(Value::Object(mut event)) = serde_json::from_str(text) else { return masker.text(text) };
    let mut is_changed = false;
    for name in ["result", "error", "reason", "key"] {
        let Some(field) = event.get_mut(name) else { continue };
        let before = field.clone();
        masker.value(field);
        is_changed |= *field != before;
    }
    if is_changed { Cow::Owned(Value::Object(event).to_string()) } else { Cow::Borrowed(text) }
}
