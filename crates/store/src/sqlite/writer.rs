//! The thread that writes an SQLite file by group commit (CP-12, FL-11).
//!
//! Decisions: everything that waits goes into one transaction, so that the sync is paid once. A
//! transaction begins with what somebody waits for; all else waits a moment for company, because
//! something urgent commonly follows at once. What is refused has touched nothing, so it needs no
//! savepoint, which would keep every page as it was before each task. When a task fails after it
//! wrote something, or the transaction itself fails, its tasks are tried again one by one: a large
//! one that no longer fits the disk does not take the small ones along. A panic fails the task in
//! which it happens; the thread continues.

use super::FileError;
use rusqlite::Connection;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

#[cfg(test)]
mod tests;

/// The most tasks of one transaction.
const MOST_TASKS: usize = 1_024;

/// The bytes of tasks after which a transaction takes no further one: the log of SQLite, which is held
/// to 8 MB, grows by all of it (GR-8).
const MOST_BYTES: usize = 2 << 20;

/// The longest time that a task nobody waits for is held back for others.
const COMPANY: Duration = Duration::from_micros(200);

/// A connection that the thread writes with, to a file of this name.
pub(crate) trait Transactions<E>: Send + 'static {
    fn begin(&mut self, file: &str) -> Result<(), E>;
    fn commit(&mut self, file: &str) -> Result<(), E>;
    fn undo(&mut self, file: &str);
    /// Returns a number that rises with each write of the transaction; `None` when that is broken.
    fn written(&self) -> Option<u64>;
    /// Returns the time after which a transaction takes no further task, as others wait for it to end.
    fn longest(&self) -> Duration {
        Duration::MAX
    }
    /// Reports whether a transaction can begin, as far as is known.
    fn is_there(&self) -> bool {
        true
    }
}

impl<E: FileError> Transactions<E> for Connection {
    fn begin(&mut self, file: &str) -> Result<(), E> {
        execute(self, file, "begin immediate")
    }

    fn commit(&mut self, file: &str) -> Result<(), E> {
        execute(self, file, "commit")
    }

    fn undo(&mut self, file: &str) {
        if !self.is_autocommit() {
            drop(execute::<E>(self, file, "rollback"));
        }
    }

    fn written(&self) -> Option<u64> {
        // SQLite itself gives up the whole transaction after some failures.
        (!self.is_autocommit()).then(|| self.total_changes())
    }
}

fn execute<E: FileError>(connection: &Connection, file: &str, sql: &str) -> Result<(), E> {
    let done = connection.prepare_cached(sql).and_then(|mut sql| sql.execute([]));
    done.map(drop).map_err(|error| E::of_sqlite(file, &error))
}

pub(crate) trait Task<E, C = Connection>: Send {
    /// Writes in the transaction under way; is called again when that transaction failed.
    fn run(&mut self, connection: &C) -> Result<(), E>;

    /// Tells a transaction that began, before the first task of it runs, what this one will read.
    fn announce(&self, _connection: &C) {}

    /// Reports the outcome: that of the last run, or the fault that undid it.
    fn finish(self: Box<Self>, fault: Option<E>);

    /// Returns how much it holds in memory while it waits.
    fn bytes(&self) -> usize {
        0
    }

    /// Reports whether somebody waits for it.
    fn is_urgent(&self) -> bool {
        true
    }

    /// Reports whether others in its transaction depend on it: when it fails, they are tried again.
    fn fails_others(&self) -> bool {
        false
    }
}

struct Work<T, A, W, D> {
    announce: A,
    work: W,
    done: D,
    result: Option<T>,
    is_urgent: bool,
    bytes: usize,
}

impl<E, C, T, A, W, D> Task<E, C> for Work<T, A, W, D>
where
    E: FileError,
    T: Send,
    A: Fn(&C) + Send,
    W: Fn(&C) -> Result<T, E> + Send,
    D: FnOnce(Result<T, E>) + Send,
{
    fn run(&mut self, connection: &C) -> Result<(), E> {
        self.result = Some((self.work)(connection)?);
        Ok(())
    }

    fn announce(&self, connection: &C) {
        (self.announce)(connection);
    }

    fn finish(self: Box<Self>, fault: Option<E>) {
        let Self { done, result, .. } = *self;
        done(fault.map_or_else(|| result.ok_or_else(E::closed), Err));
    }

    fn is_urgent(&self) -> bool {
        self.is_urgent
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

type Tasks<E, C> = Vec<Box<dyn Task<E, C>>>;

struct Waiting<E, C> {
    tasks: VecDeque<Box<dyn Task<E, C>>>,
    /// The number of those that somebody waits for.
    urgent: usize,
    bytes: usize,
    is_closed: bool,
    /// The thread sleeps and has to be woken.
    is_asleep: bool,
}

struct Queue<E, C> {
    waiting: Mutex<Waiting<E, C>>,
    filled: Condvar,
}

impl<E: FileError, C> Queue<E, C> {
    fn new() -> Self {
        let tasks = VecDeque::new();
        let waiting = Waiting { tasks, urgent: 0, bytes: 0, is_closed: false, is_asleep: false };
        Self { waiting: Mutex::new(waiting), filled: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting<E, C>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is to be written together; `None` when nothing is and nothing will be.
    fn take(&self) -> Option<Tasks<E, C>> {
        let mut waiting = self.lock();
        let mut until = None;
        while waiting.urgent == 0 && waiting.tasks.len() < MOST_TASKS && !waiting.is_closed {
            waiting.is_asleep = true;
            if waiting.tasks.is_empty() {
                waiting = self.filled.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let until = *until.get_or_insert_with(|| Instant::now() + COMPANY);
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let woken = self.filled.wait_timeout(waiting, left);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        waiting.is_asleep = false;
        let mut bytes = 0;
        let fits = |size: &usize| {
            let before = bytes;
            bytes += size;
            before == 0 || bytes <= MOST_BYTES
        };
        let sizes = waiting.tasks.iter().take(MOST_TASKS).map(|task| task.bytes());
        let count = sizes.take_while(fits).count();
        let taken: Tasks<E, C> = waiting.tasks.drain(..count).collect();
        waiting.urgent -= taken.iter().filter(|task| task.is_urgent()).count();
        waiting.bytes -= taken.iter().map(|task| task.bytes()).sum::<usize>();
        (!taken.is_empty()).then_some(taken)
    }
}

/// A queue that closes when the thread ends, however it ends: all who wait get an error.
struct Closes<E: FileError, C>(Arc<Queue<E, C>>);

impl<E: FileError, C> Drop for Closes<E, C> {
    fn drop(&mut self) {
        let mut waiting = self.0.lock();
        waiting.is_closed = true;
        let tasks: Tasks<E, C> = std::mem::take(&mut waiting.tasks).into();
        drop(waiting);
        finish(tasks, || Some(E::closed()));
    }
}

/// The work beside the transactions of the thread.
pub(crate) trait Beside<E>: Send + 'static {
    /// Follows a transaction that is durable, before it is acknowledged. A fault is returned to all who
    /// wait: what they wait for is not vouched for.
    fn committed(&mut self) -> Result<(), E> {
        Ok(())
    }

    /// Follows a transaction that was undone.
    fn undone(&mut self) {}

    /// Follows the answers to all who waited.
    fn answered(&mut self) {}
}

/// Refuses a task when so many tasks, of so many bytes, wait already.
pub(crate) type Refuse<E> = Box<dyn Fn(usize, usize) -> Option<E> + Send + Sync>;

/// The thread that writes; dropped, it writes what was submitted and ends.
pub(crate) struct WriterThread<E: FileError, C = Connection> {
    queue: Arc<Queue<E, C>>,
    thread: Option<JoinHandle<()>>,
    refuse: Refuse<E>,
}

impl<E: FileError, C: Transactions<E>> WriterThread<E, C> {
    /// Starts the thread, of this name, for the file of this name; `beside` is called there.
    pub(crate) fn start(
        connection: C,
        (thread, file): (&str, Arc<str>),
        refuse: Refuse<E>,
        beside: impl Beside<E>,
    ) -> Result<Self, E> {
        let queue = Arc::new(Queue::new());
        let theirs = Closes(Arc::clone(&queue));
        let mut commits = Commits { connection, file: Arc::clone(&file), beside };
        let thread = thread::Builder::new().name(thread.to_owned()).spawn(move || {
            while let Some(tasks) = theirs.0.take() {
                commits.serve(tasks);
                Beside::<E>::answered(&mut commits.beside);
            }
        });
        let thread = thread.map_err(|error| E::of_system(&file, &error))?;
        Ok(Self { queue, thread: Some(thread), refuse })
    }

    /// Hands a task in. Tasks are written and finished in the order in which they come.
    pub(crate) fn submit(&self, task: Box<dyn Task<E, C>>) {
        let mut waiting = self.queue.lock();
        let closed = waiting.is_closed.then(E::closed);
        let fault = closed.or_else(|| (self.refuse)(waiting.tasks.len(), waiting.bytes));
        if fault.is_some() {
            drop(waiting);
            return task.finish(fault);
        }
        let is_urgent = task.is_urgent();
        // To wake it is a call to the system. It sleeps before the first, and the first urgent one.
        let is_first = waiting.tasks.is_empty() || (is_urgent && waiting.urgent == 0);
        let wakes = is_first && waiting.is_asleep;
        waiting.urgent += usize::from(is_urgent);
        waiting.bytes += task.bytes();
        waiting.tasks.push_back(task);
        drop(waiting);
        if wakes {
            self.queue.filled.notify_one();
        }
    }

    /// Hands in work; `done` is called once on the thread, after it is durable or when it failed.
    pub(crate) fn post<T: Send + 'static>(
        &self,
        is_urgent: bool,
        work: impl Fn(&C) -> Result<T, E> + Send + 'static,
        done: impl FnOnce(Result<T, E>) + Send + 'static,
    ) {
        let announce = |_: &C| {};
        self.submit(Box::new(Work { announce, work, done, result: None, is_urgent, bytes: 0 }));
    }

    /// Hands in work that somebody waits for, and that writes so many bytes.
    pub(crate) fn post_sized<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl Fn(&C) -> Result<T, E> + Send + 'static,
        done: impl FnOnce(Result<T, E>) + Send + 'static,
    ) {
        let (announce, is_urgent) = (|_: &C| {}, true);
        self.submit(Box::new(Work { announce, work, done, result: None, is_urgent, bytes }));
    }

    /// Hands in work that somebody waits for, and that [announces](Task::announce) what it reads.
    #[cfg(feature = "postgres")]
    pub(crate) fn post_announced<T: Send + 'static>(
        &self,
        announce: impl Fn(&C) + Send + 'static,
        work: impl Fn(&C) -> Result<T, E> + Send + 'static,
        done: impl FnOnce(Result<T, E>) + Send + 'static,
    ) {
        let (is_urgent, bytes) = (true, 0);
        self.submit(Box::new(Work { announce, work, done, result: None, is_urgent, bytes }));
    }

    /// Hands in work and waits for it.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&C) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let (send, receive) = mpsc::sync_channel(1);
        self.post(true, work, move |outcome| drop(send.send(outcome)));
        receive.recv().unwrap_or_else(|_| Err(E::closed()))
    }
}

impl<E: FileError, C> Drop for WriterThread<E, C> {
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

/// The transactions of the thread.
struct Commits<B, C> {
    connection: C,
    file: Arc<str>,
    beside: B,
}

impl<B, C> Commits<B, C> {
    fn serve<E: FileError>(&mut self, mut tasks: Tasks<E, C>)
    where
        B: Beside<E>,
        C: Transactions<E>,
    {
        while !tasks.is_empty() {
            match self.together(&mut tasks) {
                Ok(faults) => {
                    let rest = tasks.split_off(faults.len().min(tasks.len()));
                    let mut faults = faults.into_iter();
                    finish(tasks, || faults.next().flatten());
                    tasks = rest;
                }
                // For a file that is busy, waiting as long again for each would take forever.
                Err(fault)
                    if tasks.len() == 1 || fault.is_busy() || !self.connection.is_there() =>
                {
                    return finish(tasks, || Some(fault.clone()));
                }
                Err(_) => return tasks.into_iter().for_each(|task| self.serve(vec![task])),
            }
        }
    }

    /// Runs tasks in one transaction, the first ones where all take too long; returns the fault of each, or
    /// why there was no transaction.
    fn together<E: FileError>(&mut self, tasks: &mut Tasks<E, C>) -> Result<Vec<Option<E>>, E>
    where
        B: Beside<E>,
        C: Transactions<E>,
    {
        self.connection.begin(&self.file)?;
        let (began, longest) = (Instant::now(), self.connection.longest());
        tasks.iter().for_each(|task| task.announce(&self.connection));
        let in_time = tasks.iter_mut().enumerate().take_while(|(number, _)| {
            // The first one is run, however long it took to begin.
            *number == 0 || began.elapsed() < longest
        });
        let faults: Result<Vec<_>, E> = in_time.map(|(_, task)| self.apart(task)).collect();
        let outcome = faults.and_then(|faults| self.connection.commit(&self.file).map(|()| faults));
        match outcome {
            Ok(faults) => Ok(match self.beside.committed() {
                Ok(()) => faults,
                Err(fault) => {
                    faults.into_iter().map(|own| own.or_else(|| Some(fault.clone()))).collect()
                }
            }),
            Err(fault) => {
                Transactions::<E>::undo(&mut self.connection, &self.file);
                self.beside.undone();
                Err(fault)
            }
        }
    }

    /// Runs a task. A fault that left something behind breaks the transaction.
    fn apart<E: FileError>(&self, task: &mut Box<dyn Task<E, C>>) -> Result<Option<E>, E>
    where
        C: Transactions<E>,
    {
        let before = self.connection.written();
        let run = AssertUnwindSafe(|| task.run(&self.connection));
        let outcome = catch_unwind(run).unwrap_or_else(|_| Err(E::panicked()));
        let Err(fault) = outcome else { return Ok(None) };
        let after = self.connection.written();
        let is_broken = after.is_none() || after != before;
        if is_broken || task.fails_others() { Err(fault) } else { Ok(Some(fault)) }
    }
}

/// Finishes tasks, each with its fault. A panic of a caller's function must not end the thread that
/// serves all others.
fn finish<E, C>(tasks: Tasks<E, C>, mut fault: impl FnMut() -> Option<E>) {
    for task in tasks {
        let fault = fault();
        drop(catch_unwind(AssertUnwindSafe(|| task.finish(fault))));
    }
}
