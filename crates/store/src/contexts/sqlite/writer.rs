//! The one thread that writes (CP-12).
//!
//! Decision: everything that waits goes into one transaction. What is refused has touched nothing
//! (`apply`), so it needs no savepoint, which would keep every page as it was before each task. When
//! a task fails after all that it wrote something, or the transaction itself fails, its tasks are
//! tried again one by one: a large one that no longer fits the disk does not take the small ones
//! along.

use super::ledger::Tables;
use super::schema;
use crate::contexts::engine::{Engine, applied};
use crate::contexts::ledger::{Ledger, Outcome};
use crate::contexts::{ContextError, Done, Update};
use rusqlite::Connection;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

/// Most tasks of one transaction.
const MOST_TASKS: usize = 1_024;

/// After so many tasks the log is worth a move.
const TASKS_OF_LOG: usize = 1_000;

/// Something to write.
trait Task: Send {
    fn run(&mut self, ledger: &mut dyn Ledger, engine: &Engine) -> Outcome<()>;
    /// Tells what came of it: what the last run gave, or why there was none that counts.
    fn finish(self: Box<Self>, fault: Option<ContextError>);
}

struct Work<T, W, D> {
    work: W,
    done: D,
    result: Option<T>,
}

impl<T, W, D> Task for Work<T, W, D>
where
    T: Send,
    W: Fn(&mut dyn Ledger, &Engine) -> Outcome<T> + Send,
    D: FnOnce(Outcome<T>) + Send,
{
    fn run(&mut self, ledger: &mut dyn Ledger, engine: &Engine) -> Outcome<()> {
        self.result = Some((self.work)(ledger, engine)?);
        Ok(())
    }

    fn finish(self: Box<Self>, fault: Option<ContextError>) {
        let Self { done, result, .. } = *self;
        done(match fault {
            Some(fault) => Err(fault),
            None => result.ok_or(ContextError::Closed),
        });
    }
}

#[derive(Default)]
struct Waiting {
    tasks: VecDeque<Box<dyn Task>>,
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

    /// What waits; `None` when nothing does and nothing will.
    fn take(&self) -> Option<Vec<Box<dyn Task>>> {
        let mut waiting = self.lock();
        while waiting.tasks.is_empty() {
            if waiting.is_closed {
                return None;
            }
            waiting.is_asleep = true;
            waiting = self.filled.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            waiting.is_asleep = false;
        }
        let count = waiting.tasks.len().min(MOST_TASKS);
        Some(waiting.tasks.drain(..count).collect())
    }
}

/// Hands tasks to the thread.
pub(super) struct Writer {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
    most_waiting: usize,
}

impl Writer {
    /// Starts the threads; `spare` is a second connection to the same file.
    pub(super) fn start(
        connection: Connection,
        spare: Connection,
        engine: Engine,
        name: Arc<str>,
    ) -> Outcome<Self> {
        let queue = Arc::new(Queue::default());
        let most_waiting = engine.limits.waiting;
        let fault = |error| ContextError::Io {
            path: name.as_ref().to_owned(),
            reason: crate::reason::reason(&error),
        };
        let mut keeper = Keeper::start(spare).map_err(fault)?;
        let desk = Desk { connection, engine, name: Arc::clone(&name) };
        let theirs = Arc::clone(&queue);
        let thread = thread::Builder::new().name("contexts".to_owned()).spawn(move || {
            while let Some(tasks) = theirs.take() {
                keeper.count(tasks.len());
                desk.serve(tasks);
            }
        });
        Ok(Self { queue, thread: Some(thread.map_err(fault)?), most_waiting })
    }

    fn push(&self, task: Box<dyn Task>) {
        let mut waiting = self.queue.lock();
        let fault = if waiting.is_closed {
            ContextError::Closed
        } else if waiting.tasks.len() >= self.most_waiting {
            ContextError::Overloaded(waiting.tasks.len())
        } else {
            waiting.tasks.push_back(task);
            // To wake it is a call to the system: once is enough for all that come before it is up.
            let wakes = std::mem::take(&mut waiting.is_asleep);
            drop(waiting);
            if wakes {
                self.queue.filled.notify_one();
            }
            return;
        };
        drop(waiting);
        task.finish(Some(fault));
    }

    pub(super) fn hand_in(&self, update: Update, done: Done) {
        let work = move |ledger: &mut dyn Ledger, engine: &Engine| applied(ledger, engine, &update);
        self.push(Box::new(Work { work, done, result: None }));
    }

    pub(super) fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Ledger, &Engine) -> Outcome<T> + Send + 'static,
    ) -> Outcome<T> {
        let (send, receive) = mpsc::sync_channel(1);
        let done = move |outcome| drop(send.send(outcome));
        self.push(Box::new(Work { work, done, result: None }));
        receive.recv().unwrap_or(Err(ContextError::Closed))
    }
}

impl Drop for Writer {
    /// Whatever was handed in is still written and answered.
    fn drop(&mut self) {
        self.queue.lock().is_closed = true;
        self.queue.filled.notify_one();
        let Some(thread) = self.thread.take() else { return };
        // The last handle may go in a callback, which runs on the thread itself.
        if thread.thread().id() != thread::current().id() {
            drop(thread.join());
        }
    }
}

/// Moves what was written from the log to its place, beside the thread that writes: that thread
/// would stand still for as long as it takes. What is left when the log is long it does itself.
struct Keeper {
    due: Option<mpsc::SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
    written: usize,
}

impl Keeper {
    fn start(connection: Connection) -> std::io::Result<Self> {
        let (due, told) = mpsc::sync_channel(1);
        let thread = thread::Builder::new().name("contexts-log".to_owned()).spawn(move || {
            while told.recv().is_ok() {
                // Another process may be at it, or the disk full: there is a next time.
                let sql = "pragma wal_checkpoint(passive)";
                drop(connection.query_row(sql, [], |_| Ok(())));
            }
        })?;
        Ok(Self { due: Some(due), thread: Some(thread), written: 0 })
    }

    fn count(&mut self, tasks: usize) {
        self.written += tasks;
        if self.written >= TASKS_OF_LOG
            && self.due.as_ref().is_some_and(|due| due.try_send(()).is_ok())
        {
            self.written = 0;
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.due = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// Where the thread works.
struct Desk {
    connection: Connection,
    engine: Engine,
    name: Arc<str>,
}

/// Why a transaction did not come about.
struct Broken(ContextError);

impl Desk {
    fn serve(&self, mut tasks: Vec<Box<dyn Task>>) {
        match self.together(&mut tasks) {
            Ok(faults) => finish(tasks, faults),
            Err(Broken(fault)) if tasks.len() == 1 => finish(tasks, vec![Some(fault)]),
            Err(Broken(ContextError::Busy(name))) => {
                // Waiting as long again for each would take forever.
                let faults = tasks.iter().map(|_| Some(ContextError::Busy(name.clone()))).collect();
                finish(tasks, faults);
            }
            Err(_) => tasks.into_iter().for_each(|task| self.serve(vec![task])),
        }
    }

    /// Runs tasks in one transaction; gives the fault of each.
    fn together(&self, tasks: &mut [Box<dyn Task>]) -> Result<Vec<Option<ContextError>>, Broken> {
        self.tell("begin immediate")?;
        let faults: Result<Vec<_>, Broken> =
            tasks.iter_mut().map(|task| self.apart(task)).collect();
        let outcome = faults.and_then(|faults| self.tell("commit").map(|()| faults));
        if outcome.is_err() && !self.connection.is_autocommit() {
            drop(self.tell("rollback"));
        }
        outcome
    }

    /// Runs a task. A fault that left something behind breaks the transaction.
    fn apart(&self, task: &mut Box<dyn Task>) -> Result<Option<ContextError>, Broken> {
        let before = self.connection.total_changes();
        let mut tables = Tables::new(&self.connection, &self.name);
        let run = AssertUnwindSafe(|| task.run(&mut tables, &self.engine));
        let fault = match catch_unwind(run) {
            Ok(Ok(())) => return Ok(None),
            Ok(Err(fault)) => fault,
            Err(_) => ContextError::Closed,
        };
        // SQLite itself gives up the whole transaction after some failures.
        if self.connection.is_autocommit() || self.connection.total_changes() != before {
            return Err(Broken(fault));
        }
        Ok(Some(fault))
    }

    fn tell(&self, sql: &str) -> Result<(), Broken> {
        let told = self.connection.prepare_cached(sql).and_then(|mut told| told.execute([]));
        told.map(drop).map_err(|error| Broken(schema::explain(&self.name, &error)))
    }
}

fn finish(tasks: Vec<Box<dyn Task>>, faults: Vec<Option<ContextError>>) {
    for (task, fault) in tasks.into_iter().zip(faults) {
        // A panic of a caller's function must not end the thread that serves all others.
        drop(catch_unwind(AssertUnwindSafe(|| task.finish(fault))));
    }
}
