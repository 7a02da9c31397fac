//! The connection of a thread that writes by group commit.

use super::session::{Fault, Session};
use super::{Link, Postgres, values};
use crate::sqlite::FileError;
use crate::sqlite::writer::Transactions;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// The time in which a database that was lost at a commit is asked what came of it.
const LEARN: Duration = Duration::from_secs(5);
const AGAIN: Duration = Duration::from_millis(250);
/// The time after which a transaction takes no further task: the writers of other servers wait.
const LONGEST: Duration = Duration::from_millis(100);

/// What a writer writes; each kind has a lock of its own.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Contexts.
    Contexts,
    /// Runs of flows, and waits.
    Flows,
}

impl Kind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Contexts => "contexts",
            Self::Flows => "flows",
        }
    }

    pub(super) const fn lock(self) -> i32 {
        match self {
            Self::Contexts => 0x4354_5843,
            Self::Flows => 0x4354_5846,
        }
    }
}

/// A connection that writes; it is opened anew after it broke.
pub(crate) struct Writer {
    link: Arc<Link>,
    token: Arc<str>,
    kind: Kind,
    session: Option<Session>,
    /// The number of the last transaction.
    batch: u64,
}

impl Writer {
    pub(crate) fn open(postgres: &Postgres, kind: Kind) -> Result<Self, Fault> {
        let (link, token) = (Arc::clone(&postgres.link), Arc::clone(postgres.token()));
        let session = link.connect()?;
        let sql = "insert into contexture_writers (token, kind, batch) values ($1, $2, 0)
            on conflict (token, kind) do update set batch = 0";
        session.change(sql, values![&token, kind.as_str()])?;
        Ok(Self { link, token, kind, session: Some(session), batch: 0 })
    }

    /// Returns the number of the transaction under way.
    pub(crate) const fn batch(&self) -> u64 {
        self.batch
    }

    /// Calls `work` with the connection.
    pub(crate) fn with<T, E: FileError>(
        &self,
        work: impl FnOnce(&Session) -> Result<T, E>,
    ) -> Result<T, E> {
        let lost = || Fault::Lost("there is no connection".to_owned()).told(&self.link.name);
        work(self.session.as_ref().ok_or_else(lost)?)
    }

    fn locked(&self) -> String {
        let lock = self.kind.lock();
        format!("begin; select pg_advisory_xact_lock({lock}, hashtext(current_schema()));")
    }

    /// Begins a transaction, on a new connection when the last one broke.
    fn try_begin(&mut self) -> Result<(), Fault> {
        self.batch += 1;
        let sql = format!(
            "{} update contexture_writers set batch = {} where token = '{}' and kind = '{}'",
            self.locked(),
            self.batch,
            self.token,
            self.kind.as_str()
        );
        let begun = match self.session.take().filter(Session::is_there) {
            Some(session) => match session.batch(&sql) {
                Err(Fault::Lost(_)) => None,
                begun => Some((session, begun)),
            },
            None => None,
        };
        let (session, begun) = match begun {
            Some(begun) => begun,
            None => {
                let session = self.link.connect()?;
                let begun = session.batch(&sql);
                (session, begun)
            }
        };
        let begun = begun.and_then(|count| if count == 1 { Ok(()) } else { Err(Fault::Fenced) });
        if begun.is_err() {
            drop(session.batch("rollback"));
        }
        // What one before changed was undone with it.
        drop(session.take_changed());
        self.session = Some(session);
        begun
    }

    fn try_commit(&mut self) -> Result<(), Fault> {
        let Some(session) = &self.session else {
            return Err(Fault::Lost("there is no connection".to_owned()));
        };
        session.answered()?;
        let told = session.take_changed().told(&self.link.channel, &self.token);
        match session.batch(&format!("{told}commit")) {
            Err(Fault::Lost(reason)) => {
                self.session = None;
                match self.learn() {
                    Some(true) => Ok(()),
                    Some(false) => Err(Fault::Lost(reason)),
                    None => Err(Fault::Uncertain),
                }
            }
            outcome => outcome.map(drop),
        }
    }

    /// Asks for a while whether the last transaction was kept.
    fn learn(&mut self) -> Option<bool> {
        let until = Instant::now() + LEARN;
        loop {
            let learnt = self.was_kept();
            if learnt.is_some() || Instant::now() >= until {
                return learnt;
            }
            thread::sleep(AGAIN);
        }
    }

    /// Reports whether the last transaction was kept: whoever gets the lock sees what came of it.
    fn was_kept(&mut self) -> Option<bool> {
        let session = self.link.connect().ok()?;
        session.batch(&self.locked()).ok()?;
        let sql = "select batch from contexture_writers where token = $1 and kind = $2";
        let row = session.row(sql, values![&self.token, self.kind.as_str()]).ok()?;
        session.batch("rollback").ok()?;
        self.session = Some(session);
        // Without a row it can't be told: whoever took over deleted it.
        Some(row?.number(0).ok()? == self.batch)
    }
}

impl<E: FileError> Transactions<E> for Writer {
    fn begin(&mut self, file: &str) -> Result<(), E> {
        self.try_begin().map_err(|fault| fault.told(file))
    }

    fn commit(&mut self, file: &str) -> Result<(), E> {
        self.try_commit().map_err(|fault| fault.told(file))
    }

    fn undo(&mut self, _: &str) {
        let Some(session) = self.session.take().filter(Session::is_there) else { return };
        session.give_up();
        if session.batch("rollback").is_ok() {
            self.session = Some(session);
        }
    }

    fn written(&self) -> Option<u64> {
        self.session.as_ref().and_then(Session::written)
    }

    fn longest(&self) -> Duration {
        LONGEST
    }

    fn is_there(&self) -> bool {
        self.session.is_some()
    }
}
