//! Contexts in a PostgreSQL database (WA-11).
//!
//! Decision: the same rules over other rows. What SQLite needs beside its file, chains of digests and
//! marks, is left to the database, which keeps its log by checksums.

mod ahead;
mod ledger;
mod rows;

use super::engine::Options;
use super::ledger::{Ledger, Ledgers, Outcome, Reads};
use super::store::Contexts;
use crate::postgres::{Kind, Postgres, Writer};
use crate::sqlite::writer::{Beside, Refuse, WriterThread};
use ahead::Shared;
use contexture_core::store::contexts::ContextError;
use ledger::Tables;
pub(crate) use rows::waiting;
use std::sync::Arc;

/// Contexts in a PostgreSQL database; see [`Options`] for limits and seals.
pub type PostgresContexts = Contexts<PostgresLedgers>;

/// The rows of contexts in a PostgreSQL database.
pub struct PostgresLedgers {
    // Dropped in this order: all is written before the lease ends.
    writer: WriterThread<ContextError, Writer>,
    postgres: Arc<Postgres>,
    ahead: Arc<Shared>,
}

struct Nothing;

impl Beside<ContextError> for Nothing {}

impl PostgresContexts {
    /// Makes a store of the contexts in a database.
    ///
    /// # Errors
    /// [`ContextError::Sealed`] when something is declared sensitive and no sealer is given; what the
    /// database reports.
    pub fn open_in(postgres: &Arc<Postgres>, options: Options) -> Result<Self, ContextError> {
        let name = &postgres.link.name;
        let most_waiting = options.limits.waiting;
        let writer = Writer::open(postgres, Kind::Contexts)
            .map_err(|fault| fault.told::<ContextError>(name))?;
        let refuse: Refuse<ContextError> = Box::new(move |tasks, _| {
            (tasks >= most_waiting).then_some(ContextError::Overloaded(tasks))
        });
        let writer = WriterThread::start(writer, ("contexts", Arc::clone(name)), refuse, Nothing)?;
        let (postgres, ahead) = (Arc::clone(postgres), Arc::default());
        Self::on(PostgresLedgers { writer, postgres, ahead }, options)
    }
}

impl Ledgers for PostgresLedgers {
    const IS_SHARED: bool = true;

    fn read<T>(&self, work: impl FnOnce(&mut dyn Ledger) -> Outcome<T>) -> Outcome<T> {
        let (name, token) = (&self.postgres.link.name, self.postgres.token());
        self.postgres.read(|session| work(&mut Tables::new(session, name, token)))
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Ledger) -> Outcome<T> + Send + 'static,
        done: impl FnOnce(Outcome<T>) + Send + 'static,
    ) {
        self.write_after(0, Reads::default, work, done);
    }

    fn write_after<T: Send + 'static>(
        &self,
        _bytes: usize,
        reads: impl FnOnce() -> Reads,
        work: impl Fn(&mut dyn Ledger) -> Outcome<T> + Send + 'static,
        done: impl FnOnce(Outcome<T>) + Send + 'static,
    ) {
        let name = Arc::clone(&self.postgres.link.name);
        let token = Arc::clone(self.postgres.token());
        let (ahead, theirs, reads) = (Arc::clone(&self.ahead), Arc::clone(&self.ahead), reads());
        let announce = move |writer: &Writer| theirs.of(writer.batch()).announce(&reads);
        let work = move |writer: &Writer| {
            writer.with(|session| {
                let tables = Tables::new(session, &name, &token);
                work(&mut tables.with(&ahead, writer.batch()))
            })
        };
        self.writer.post_announced(announce, work, done);
    }
}
