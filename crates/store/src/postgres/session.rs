//! A connection that its caller waits for, on whichever thread.
//!
//! Decision: statements that only write are sent at once and their answers are looked at with the next
//! one that reads, or before the commit. So an update of many statements waits for few answers.

use super::notice::Changed;
use super::values::{Row, Value};
use super::{CONNECT, tls::Tls};
use crate::sqlite::FileError;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::error::Error as _;
use std::pin::{Pin, pin};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, SimpleQueryMessage, Statement};

/// The longest time to wait for an answer; the database itself gives a statement up before.
const REPLY: Duration = Duration::from_secs(15);
/// The most answers that are outstanding.
const MOST_SENT: usize = 512;

/// What holds for every connection. What was answered for is on the disk (CP-12, FL-11), and who falls
/// asleep inside a transaction loses it.
const SETTINGS: &str = "
    set statement_timeout = '10s';
    set lock_timeout = '5s';
    set idle_in_transaction_session_timeout = '3s';
    select set_config('synchronous_commit', 'on', false)
        where current_setting('synchronous_commit') = 'off'";

/// The reason why a statement failed.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Fault {
    /// The connection is gone, or was never there.
    #[error("the database can't be reached: {0}")]
    Lost(String),
    /// The database did not answer in time, or somebody held a lock for too long.
    #[error("the database is too slow now")]
    Slow,
    /// The disk of the database is full.
    #[error("the disk of the database is full")]
    Full,
    /// The database takes no writes.
    #[error("the database takes no writes now: {0}")]
    ReadOnly(String),
    /// Another process took over.
    #[error("this server was away for longer than its lease, and another one may have taken over")]
    Fenced,
    /// Nobody knows whether a transaction was kept.
    #[error("the database was lost at a commit; whether that was kept is not known")]
    Uncertain,
    /// Rows or tables are not as they were made.
    #[error("{0}")]
    Rows(String),
    /// Anything else that the database reports.
    #[error("{0}")]
    Other(String),
}

impl Fault {
    /// Returns the error of a store for it.
    pub(crate) fn told<E: FileError>(&self, name: &str) -> E {
        let path = name.to_owned();
        match self {
            Self::Slow => E::busy(path),
            Self::Full => E::full(path),
            Self::Rows(reason) => E::damaged(path, reason.clone()),
            _ => E::io(path, self.to_string()),
        }
    }

    fn of(error: &tokio_postgres::Error) -> Self {
        let Some(told) = error.as_db_error() else {
            let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
            return Self::Lost(format!("{error}{cause}"));
        };
        let (state, message) = (told.code(), told.message().to_owned());
        let is = |states: &[SqlState]| states.contains(state);
        if is(&[SqlState::QUERY_CANCELED, SqlState::LOCK_NOT_AVAILABLE]) {
            Self::Slow
        } else if is(&[SqlState::DISK_FULL]) {
            Self::Full
        } else if is(&[SqlState::READ_ONLY_SQL_TRANSACTION]) {
            Self::ReadOnly(message)
        } else if is(&[SqlState::UNDEFINED_TABLE, SqlState::UNDEFINED_COLUMN]) {
            Self::Rows(message)
        } else if matches!(state.code().get(..2), Some("57" | "08")) || told.severity() == "FATAL" {
            Self::Lost(message)
        } else {
            Self::Other(message)
        }
    }
}

type Sent = Pin<Box<dyn Future<Output = Result<u64, tokio_postgres::Error>> + Send>>;

/// A connection.
pub(crate) struct Session {
    client: Arc<Client>,
    statements: RefCell<HashMap<String, Statement>>,
    sent: RefCell<Vec<Sent>>,
    /// The number of statements that wrote.
    written: Cell<u64>,
    /// A statement failed, so the transaction under way can't be kept.
    has_failed: Cell<bool>,
    is_broken: Cell<bool>,
    /// What the transaction under way changes, for other processes.
    changed: RefCell<Changed>,
}

impl Session {
    pub(super) fn connect(runtime: &Handle, config: Config, tls: Tls) -> Result<Self, Fault> {
        let (send, receive) = mpsc::sync_channel(1);
        runtime.spawn(async move {
            match tokio::time::timeout(CONNECT, config.connect(tls)).await {
                Ok(Ok((client, connection))) => {
                    drop(send.send(Ok(client)));
                    // Its end is told to the client.
                    drop(connection.await);
                }
                Ok(Err(error)) => drop(send.send(Err(Fault::of(&error)))),
                Err(_) => drop(send.send(Err(Fault::Lost("it does not answer".to_owned())))),
            }
        });
        let ended = || Fault::Lost("it is closed".to_owned());
        let client = receive.recv().map_err(|_| ended())??;
        let session = Self {
            client: Arc::new(client),
            statements: RefCell::default(),
            sent: RefCell::default(),
            written: Cell::default(),
            has_failed: Cell::default(),
            is_broken: Cell::default(),
            changed: RefCell::default(),
        };
        session.batch(SETTINGS)?;
        Ok(session)
    }

    /// Reports whether the connection is usable, as far as is known.
    pub(crate) fn is_there(&self) -> bool {
        !self.is_broken.get() && !self.client.is_closed()
    }

    /// Returns the number of statements that wrote; `None` when the transaction can't be kept.
    pub(crate) fn written(&self) -> Option<u64> {
        (self.is_there() && !self.has_failed.get()).then(|| self.written.get())
    }

    pub(super) fn begin_reading(&self) -> Result<(), Fault> {
        self.batch("begin isolation level repeatable read read only").map(drop)
    }

    /// Ends a transaction that only read.
    pub(super) fn end(&self) -> Result<(), Fault> {
        self.batch("rollback").map(drop)
    }

    /// Executes statements without parameters; returns how many rows the last one touched.
    pub(crate) fn batch(&self, sql: &str) -> Result<u64, Fault> {
        self.answered()?;
        self.has_failed.set(false);
        let messages = self.wait(self.client.simple_query(sql))?;
        let counts = messages.iter().filter_map(|message| match message {
            SimpleQueryMessage::CommandComplete(count) => Some(*count),
            _ => None,
        });
        Ok(counts.last().unwrap_or_default())
    }

    /// Returns the rows of a statement.
    pub(crate) fn rows(&self, sql: &str, values: Vec<Value>) -> Result<Vec<Row>, Fault> {
        self.answered()?;
        let statement = self.statement(sql)?;
        let params = values.iter().map(|value| value as &(dyn tokio_postgres::types::ToSql + Sync));
        let params: Vec<_> = params.collect();
        let rows = self.wait(self.client.query(&statement, &params))?;
        Ok(rows.into_iter().map(Row::new).collect())
    }

    /// Returns the row of a statement that gives at most one.
    pub(crate) fn row(&self, sql: &str, values: Vec<Value>) -> Result<Option<Row>, Fault> {
        Ok(self.rows(sql, values)?.into_iter().next())
    }

    /// Executes a statement that writes; returns the row that it gives.
    pub(crate) fn write_row(&self, sql: &str, values: Vec<Value>) -> Result<Option<Row>, Fault> {
        self.written.set(self.written.get() + 1);
        self.row(sql, values)
    }

    /// Executes a statement that writes, without waiting for its answer.
    pub(crate) fn write(&self, sql: &str, values: Vec<Value>) -> Result<(), Fault> {
        self.written.set(self.written.get() + 1);
        if self.sent.borrow().len() >= MOST_SENT {
            self.answered()?;
        }
        let (statement, client) = (self.statement(sql)?, Arc::clone(&self.client));
        let mut sent: Sent = Box::pin(async move { client.execute_raw(&statement, values).await });
        // The first look sends it.
        match sent.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => self.sent.borrow_mut().push(sent),
            Poll::Ready(done) => drop(done.map_err(|error| self.explained(&error))?),
        }
        Ok(())
    }

    /// Executes a statement that writes; returns how many rows it touched.
    pub(crate) fn change(&self, sql: &str, values: Vec<Value>) -> Result<u64, Fault> {
        self.answered()?;
        self.written.set(self.written.get() + 1);
        let statement = self.statement(sql)?;
        self.wait(self.client.execute_raw(&statement, values))
    }

    /// Notes that the transaction under way changes a context.
    pub(crate) fn changed(&self, place: i64) {
        self.changed.borrow_mut().contexts.insert(place);
    }

    /// Notes that the transaction under way changes what waits.
    pub(crate) fn changed_waits(&self) {
        self.changed.borrow_mut().waits = true;
    }

    /// Takes what the transaction under way changes.
    pub(super) fn take_changed(&self) -> Changed {
        self.changed.take()
    }

    /// Waits for all that was sent.
    pub(crate) fn answered(&self) -> Result<(), Fault> {
        let sent = std::mem::take(&mut *self.sent.borrow_mut());
        for one in sent {
            self.wait(one)?;
        }
        Ok(())
    }

    /// Forgets what was sent: its transaction is given up.
    pub(crate) fn give_up(&self) {
        self.sent.borrow_mut().clear();
    }

    fn statement(&self, sql: &str) -> Result<Statement, Fault> {
        if let Some(known) = self.statements.borrow().get(sql) {
            return Ok(known.clone());
        }
        let statement = self.wait(self.client.prepare(sql))?;
        self.statements.borrow_mut().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn wait<T>(
        &self,
        future: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Fault> {
        match wait(future, REPLY) {
            Some(outcome) => outcome.map_err(|error| self.explained(&error)),
            None => {
                // Its end, when it comes, is for nobody.
                self.is_broken.set(true);
                Err(Fault::Lost("it does not answer".to_owned()))
            }
        }
    }

    fn explained(&self, error: &tokio_postgres::Error) -> Fault {
        let fault = Fault::of(error);
        self.has_failed.set(true);
        if matches!(fault, Fault::Lost(_)) {
            self.is_broken.set(true);
        }
        fault
    }
}

/// Wakes a thread.
struct Unparks(Thread);

impl Wake for Unparks {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future that needs no runtime; `None` when it takes too long.
fn wait<F: Future>(future: F, longest: Duration) -> Option<F::Output> {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unparks(thread::current())));
    let mut context = Context::from_waker(&waker);
    let until = Instant::now() + longest;
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        thread::park_timeout(left);
    }
}
