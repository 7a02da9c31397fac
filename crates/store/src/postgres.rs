//! A PostgreSQL database of ours: how it is reached, what its errors mean, and the lease of each process
//! that writes (WA-11).
//!
//! Decisions: the callers of a store wait, on any thread, so a connection is driven by a runtime of its
//! own and waited for without one (`session`). Updates take effect one transaction after another, by a
//! lock that every writer takes, on whichever server: the rules stand on that, and a transaction of many
//! updates pays for it once. Each process has a row with a lease; a writer's transaction begins by writing
//! its number there. So a process whose lease another took over writes nothing more, however long it slept,
//! and one whose connection broke at a commit learns whether that was kept. What a process works on
//! names its lease; whoever takes a lease over takes all of that in one transaction (`lease`). Other
//! processes hear what a transaction changed (`notice`).

mod address;
mod clients;
mod lease;
mod notice;
mod session;
mod tables;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod texts;
mod tls;
pub mod transfer;
mod values;
mod writer;

pub use address::Address;
pub use clients::Announced;
pub use lease::Left;
pub use notice::{Notice, Told};
pub(crate) use session::{Fault, Session};
pub(crate) use values::{Row, Value, values};
pub(crate) use writer::{Kind, Writer};

use crate::contexts::ledger::key_name;
use crate::sqlite::FileError;
use crate::stamp::Ids;
use contexture_core::store::contexts::KeyName;
use lease::Lease;
use notice::Listener;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio_rustls::rustls::ClientConfig;

/// The most connections that read at a time, and that stay open. To open one takes longer than most reads.
const READERS: usize = 8;
/// The longest wait for one of them.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest time in which a connection has to be there.
const CONNECT: Duration = Duration::from_secs(5);

/// The reason why a database can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PostgresError {
    /// It is not the address of a database.
    #[error("it is not the address of a PostgreSQL database: {0}")]
    Address(&'static str),
    /// The database can't be reached, or refuses.
    #[error("{name}: {reason}")]
    Failed {
        /// The database.
        name: String,
        /// The reason that it or the system reports.
        reason: String,
    },
    /// The database is not one that can hold what is kept.
    #[error("{name} can't be used: {reason}")]
    Foreign {
        /// The database.
        name: String,
        /// The reason.
        reason: &'static str,
    },
    /// The tables were made by a newer version.
    #[error("the tables in {name} have format {found}, this program knows up to {known}")]
    Newer {
        /// The database.
        name: String,
        /// Their version.
        found: i64,
        /// The newest that is known.
        known: i64,
    },
}

impl PostgresError {
    /// Returns how to fix it.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Address(_) => "write `postgres://user@host:5432/database`",
            Self::Failed { .. } => "see what the database reports",
            Self::Foreign { .. } => "create a database with the encoding UTF8",
            Self::Newer { .. } => "a newer version of contexture made them: use that one",
        }
    }
}

/// The way to a database.
pub(crate) struct Link {
    /// The name of the database in errors, without a password.
    pub(crate) name: Arc<str>,
    /// The name under which its processes tell each other what they changed.
    channel: String,
    address: Address,
    tls: tls::Tls,
    runtime: Mutex<Option<Runtime>>,
    idle: Mutex<Vec<Session>>,
    /// The number of connections that read.
    reading: Mutex<usize>,
    /// Notified when one of them is free.
    free: Condvar,
}

/// A database, used by this process under its lease.
pub struct Postgres {
    // Dropped in this order: the lease is given back over the link.
    listener: Listener,
    lease: Lease,
    pub(crate) link: Arc<Link>,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").field("name", &self.link.name).finish_non_exhaustive()
    }
}

impl Postgres {
    /// Connects to a database, makes its tables when they are missing, and takes a lease.
    ///
    /// # Errors
    /// [`PostgresError`]; nothing was changed in a database of a newer version.
    pub fn open(
        address: Address,
        tls: ClientConfig,
        ids: &Ids,
    ) -> Result<Arc<Self>, PostgresError> {
        let mut link = Link::to(address, tls)?;
        let name = Arc::clone(&link.name);
        let failed = |reason: String| PostgresError::Failed { name: name.to_string(), reason };
        let session = link.connect().map_err(|fault| failed(fault.to_string()))?;
        tables::ready(&session, &name)?;
        link.channel = notice::channel(&session).map_err(|fault| failed(fault.to_string()))?;
        let link = Arc::new(link);
        link.put_back(session);
        let lease = Lease::take(&link, ids).map_err(|fault| failed(fault.to_string()))?;
        Ok(Arc::new(Self { listener: Listener::default(), link, lease }))
    }

    /// Makes this process one of the servers of the database, and takes what no living one works on.
    ///
    /// # Errors
    /// What the database reports.
    pub fn join(&self) -> Result<Left, PostgresError> {
        self.told(self.lease.join(&self.link))
    }

    /// Takes what servers left whose leases ran out, if there is such a one. Nothing is taken while this
    /// process itself was late to renew its lease: the others may have been held up as well.
    ///
    /// # Errors
    /// What the database reports; nothing was taken then.
    pub fn take_over(&self) -> Result<Left, PostgresError> {
        self.told(self.lease.take_over(&self.link))
    }

    /// Gives the lease back, when all is written: another server takes over at once what is left.
    ///
    /// # Errors
    /// What the database reports; the lease ends by its time then.
    pub fn leave(&self) -> Result<(), PostgresError> {
        self.told(self.lease.give_back(&self.link))
    }

    /// Hears from now on what other processes change.
    pub fn listen(&self, told: Told) {
        self.listener.begin(&self.link, self.token(), told);
    }

    /// Asks whoever works on a queued message of an owner to cancel it; false if it is not worked on.
    ///
    /// # Errors
    /// What the database reports.
    pub fn cancel(
        &self,
        owner: &str,
        context: Option<&str>,
        message: &str,
    ) -> Result<bool, PostgresError> {
        self.told(self.link.with(|session| {
            let sql =
                "update contexture_keys set cancelled = 1 where owner = $1 and message_id = $2
                and status = 0 and queued = 1 and context = coalesce($3, context)";
            let asked = session.change(sql, values![owner, message, context])?;
            let (channel, token) = (&self.link.channel, self.token());
            session.batch(&format!("select pg_notify('{channel}', '{token} cancelled')"))?;
            Ok(asked > 0)
        }))
    }

    /// Returns the messages of this process that are to be cancelled, with their owners.
    ///
    /// # Errors
    /// What the database reports.
    pub fn cancelled(&self) -> Result<Vec<(String, KeyName)>, PostgresError> {
        self.told(self.link.with(|session| {
            let sql = "select owner, scope, message_id from contexture_keys
                where status = 0 and cancelled = 1 and holder = $1";
            let rows = session.rows(sql, values![self.token()])?;
            let read = |row: &Row| Ok((row.text(0)?, key_name(row.text(1)?, row.text(2)?)));
            rows.iter().map(read).collect()
        }))
    }

    /// Tells other processes of clients that came or changed, and of sessions that ended.
    ///
    /// # Errors
    /// What the database reports.
    pub fn announce(&self, changed: &[Announced], ended: &[String]) -> Result<(), PostgresError> {
        self.told(clients::put(&self.link, self.token(), changed, ended))
    }

    /// Returns the clients of other processes, in the order in which they came.
    ///
    /// # Errors
    /// What the database reports.
    pub fn clients(&self) -> Result<Vec<Announced>, PostgresError> {
        self.told(self.link.with(|session| clients::of_others(session, self.token())))
    }

    /// Reports whether what other processes change is heard now.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.listener.is_heard()
    }

    fn told<T>(&self, outcome: Result<T, Fault>) -> Result<T, PostgresError> {
        let name = || self.link.name.to_string();
        outcome.map_err(|fault| PostgresError::Failed { name: name(), reason: fault.to_string() })
    }

    /// Reports whether another process took this one's lease over: nothing is written any more.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.lease.is_lost()
    }

    /// Returns the name of the database, without a password.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.link.name
    }

    /// Returns the token of this process's lease.
    pub(crate) fn token(&self) -> &Arc<str> {
        self.lease.token()
    }

    /// Reads at one moment.
    pub(crate) fn read<T, E: FileError>(
        &self,
        work: impl FnOnce(&Session) -> Result<T, E>,
    ) -> Result<T, E> {
        let told = |fault: Fault| fault.told(&self.link.name);
        let _turn = self.link.turn().map_err(told)?;
        let session = self.link.moment().map_err(told)?;
        let outcome = work(&session);
        if session.end().is_ok() {
            self.link.put_back(session);
        }
        outcome
    }
}

impl Link {
    /// Returns the way to a database, over which nothing was sent yet.
    fn to(address: Address, tls: ClientConfig) -> Result<Self, PostgresError> {
        let name: Arc<str> = address.name().into();
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("postgres")
            .enable_all()
            .build()
            .map_err(|error| PostgresError::Failed {
                name: name.to_string(),
                reason: error.to_string(),
            })?;
        Ok(Self {
            name,
            channel: String::new(),
            address,
            tls: tls::Tls::new(tls),
            runtime: Mutex::new(Some(runtime)),
            idle: Mutex::default(),
            reading: Mutex::default(),
            free: Condvar::new(),
        })
    }

    /// Opens a connection.
    pub(crate) fn connect(&self) -> Result<Session, Fault> {
        let runtime = {
            let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
            runtime.as_ref().map(|runtime| runtime.handle().clone())
        };
        let runtime = runtime.ok_or_else(|| Fault::Lost("it is closed".to_owned()))?;
        Session::connect(&runtime, self.address.config(), self.tls.clone())
    }

    /// Waits until there is a connection to read with, while others do.
    fn turn(&self) -> Result<ReadingTurn<'_>, Fault> {
        let reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let is_busy = |reading: &mut usize| *reading >= READERS;
        let waited = self.free.wait_timeout_while(reading, PATIENCE, is_busy);
        let (mut reading, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *reading >= READERS {
            return Err(Fault::Slow);
        }
        *reading += 1;
        Ok(ReadingTurn(self))
    }

    /// Runs a task beside the connections; `None` when it is closed.
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> Option<JoinHandle<()>> {
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        runtime.as_ref().map(|runtime| runtime.spawn(task))
    }

    /// Returns a connection at the begin of a transaction that only reads. One that lay idle may be
    /// dead.
    fn moment(&self) -> Result<Session, Fault> {
        while let Some(session) = self.take() {
            match session.begin_reading() {
                Ok(()) => return Ok(session),
                Err(Fault::Lost(_)) => {}
                Err(fault) => return Err(fault),
            }
        }
        let session = self.connect()?;
        session.begin_reading()?;
        Ok(session)
    }

    /// Calls `work` with a connection outside of transactions.
    pub(crate) fn with<T>(&self, work: impl Fn(&Session) -> Result<T, Fault>) -> Result<T, Fault> {
        if let Some(session) = self.take() {
            match work(&session) {
                Err(Fault::Lost(_)) => {}
                outcome => {
                    self.put_back(session);
                    return outcome;
                }
            }
        }
        let session = self.connect()?;
        let outcome = work(&session);
        self.put_back(session);
        outcome
    }

    fn take(&self) -> Option<Session> {
        self.idle().pop()
    }

    fn put_back(&self, session: Session) {
        let mut idle = self.idle();
        if idle.len() < READERS && session.is_there() {
            idle.push(session);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Session>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The use of one of the connections that read.
struct ReadingTurn<'l>(&'l Link);

impl Drop for ReadingTurn<'_> {
    fn drop(&mut self) {
        let mut reading = self.0.reading.lock().unwrap_or_else(PoisonError::into_inner);
        *reading = reading.saturating_sub(1);
        self.0.free.notify_one();
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // It may go inside of another runtime, which forbids to wait for this one.
        let runtime = self.runtime.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}
