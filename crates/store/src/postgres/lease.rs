//! The lease of a process that writes, and what it works on.
//!
//! Decision: a lease is a row with a time, by the clock of the database, and is renewed eight times in its
//! length. What a process works on (messages without an answer, runs, waits and journals of turns) names
//! its lease, from the transaction on that made it, and always somebody's: that of whoever works on it, or
//! did so last. Another server deletes the row after its time and takes all that names it, in one
//! transaction that no writer is beside; the numbers of the process's writers go with the row, and they
//! write nothing more. So each thing has one process that works on it, and none is left without. After
//! the database itself was away, everybody gets the length of a lease to come back.
//!
//! The connection that renews a lease holds a lock of the database, which goes with the connection. So a
//! process that was killed is known after three renewals that it missed, as its lock is gone. One that
//! sleeps, or whose connection hangs, still has its lock, and all of its time. One that lost its connection
//! takes the lock again with the next renewal.

use super::session::{Fault, Session};
use super::writer::Kind;
use super::{Link, clients, values};
use crate::contexts::postgres::waiting;
use crate::stamp::Ids;
use contexture_core::store::contexts::PendingKey;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The interval of renewals; the length of a lease is eight of it.
const EVERY: Duration = Duration::from_millis(500);
/// The time between two renewals after which this process may have been held up, as others may have been.
const LATE: Duration = Duration::from_secs(2);
const EXPIRES: &str = "clock_timestamp() + interval '4 s'";
/// The condition of a row whose process may be taken for gone: its time is over, or the time of three
/// renewals is, and nobody holds its lock.
const GONE: &str = "(expires < clock_timestamp()
        or expires < clock_timestamp() + interval '2.5 s' and not exists
            (select from pg_locks where locktype = 'advisory' and objsubid = 2
                and database = (select oid from pg_database where datname = current_database())
                and classid::bigint = 1129601100 and objid::bigint = hashtext(token)::bigint & 4294967295))
    and pg_postmaster_start_time() < clock_timestamp() - interval '4 s'";
/// Takes the lock of a lease, "CTXL"; shared, so that a new connection need not wait for the end of the last.
const HOLD: &str = "select pg_advisory_lock_shared(1129601100, hashtext($1))";
/// The condition of a holder that is gone.
const LEFT: &str = "(holder is null or not exists
    (select from contexture_servers as server where server.token = holder))";

/// What servers left that are gone, and this process works on now.
#[derive(Debug, Default)]
pub struct Left {
    /// The number of servers that are gone.
    pub servers: u64,
    /// The messages without an answer, the oldest first.
    pub pending: Vec<PendingKey>,
    /// The runs that have not ended, and of the newest ones those that have.
    pub runs: Vec<String>,
    /// The runs of turns with a journal.
    pub journals: Vec<String>,
}

struct Shared {
    is_lost: AtomicBool,
    is_closed: AtomicBool,
    /// The last two renewals were in time.
    is_regular: AtomicBool,
}

pub(super) struct Lease {
    token: Arc<str>,
    shared: Arc<Shared>,
    link: Weak<Link>,
    thread: Option<JoinHandle<()>>,
}

impl Lease {
    pub(super) fn take(link: &Arc<Link>, ids: &Ids) -> Result<Self, Fault> {
        let token: Arc<str> = ids.next().0.into();
        // The lock comes before the row: nobody finds the row without it.
        let session = holding(link, &token)?;
        let sql = format!(
            "insert into contexture_servers (token, is_server, expires) values ($1, 0, {EXPIRES})
             on conflict do nothing"
        );
        session.change(&sql, values![&token])?;
        let shared = Arc::new(Shared {
            is_lost: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            is_regular: AtomicBool::new(true),
        });
        let (theirs, mine, of) = (Arc::clone(&shared), Arc::clone(&token), Arc::downgrade(link));
        let thread = thread::Builder::new().name("postgres-lease".to_owned());
        let thread = thread.spawn(move || renew_again(&theirs, &mine, &of, session));
        let thread = thread.map_err(|error| Fault::Other(error.to_string()))?;
        Ok(Self { token, shared, link: Arc::downgrade(link), thread: Some(thread) })
    }

    pub(super) fn token(&self) -> &Arc<str> {
        &self.token
    }

    pub(super) fn is_lost(&self) -> bool {
        self.shared.is_lost.load(Ordering::Relaxed)
    }

    /// Makes this one of the servers, and takes what is left.
    pub(super) fn join(&self, link: &Link) -> Result<Left, Fault> {
        self.in_transaction(link, |session| {
            let sql = "update contexture_servers set is_server = 1 where token = $1";
            session.change(sql, values![&self.token])?;
            taken(session, &self.token, &link.channel)
        })
    }

    /// Takes what is left, if a lease ran out.
    pub(super) fn take_over(&self, link: &Link) -> Result<Left, Fault> {
        if !self.shared.is_regular.load(Ordering::Relaxed) {
            return Ok(Left::default());
        }
        let sql = format!("select from contexture_servers where token <> $1 and {GONE} limit 1");
        if link.with(|session| session.row(&sql, values![&self.token]))?.is_none() {
            return Ok(Left::default());
        }
        self.in_transaction(link, |session| taken(session, &self.token, &link.channel))
    }

    /// Gives the lease back: another server takes over at once what is left.
    pub(super) fn give_back(&self, link: &Link) -> Result<(), Fault> {
        if self.is_lost() || self.shared.is_closed.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        link.with(|session| {
            // A server takes over what this one left when it finds the row.
            let sql = "update contexture_servers set expires = '-infinity'
                where token = $1 and is_server = 1";
            session.change(sql, values![&self.token])?;
            let sql = "delete from contexture_servers where token = $1 and is_server = 0";
            session.change(sql, values![&self.token])
        })?;
        Ok(())
    }

    /// Calls `work` in a transaction that no writer is beside.
    fn in_transaction<T>(
        &self,
        link: &Link,
        work: impl Fn(&Session) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        link.with(|session| {
            session.batch("begin")?;
            let outcome = self.locked(session).and_then(|()| work(session));
            session.batch(if outcome.is_ok() { "commit" } else { "rollback" })?;
            outcome
        })
    }

    fn locked(&self, session: &Session) -> Result<(), Fault> {
        for kind in [Kind::Contexts, Kind::Flows] {
            let lock = kind.lock();
            session.batch(&format!(
                "select pg_advisory_xact_lock({lock}, hashtext(current_schema()))"
            ))?;
        }
        // One that lost its lease takes nothing.
        match renew(session, &self.token)? {
            1 => Ok(()),
            _ => Err(Fault::Fenced),
        }
    }
}

/// Takes what is left for `token`.
fn taken(session: &Session, token: &Arc<str>, channel: &str) -> Result<Left, Fault> {
    let sql = format!("delete from contexture_servers where token <> $1 and {GONE}");
    let servers = session.change(&sql, values![token])?;
    if servers > 0 {
        clients::left(session)?;
        session.batch(&format!("select pg_notify('{channel}', '{token} clients')"))?;
    }
    // What a turn without a journal waited for goes on nowhere.
    let sql = format!(
        "update contexture_waits set state = 2, parked = 0, request = '', answer = null
         where state < 2 and run = '' and {LEFT}"
    );
    session.change(&sql, Vec::new())?;
    let sql = format!("update contexture_waits set holder = $1 where state < 2 and {LEFT}");
    session.change(&sql, values![token])?;
    let names = |table: &str, condition: &str| {
        let sql =
            format!("update {table} set holder = $1 where {condition} and {LEFT} returning run");
        let rows = session.rows(&sql, values![token])?;
        rows.iter().map(|row| row.text(0)).collect::<Result<Vec<String>, Fault>>()
    };
    // The end of one that has ended may not have been told; that of an older one was.
    let open_or_late = "(ended is null or place in (select place from contexture_runs
        where ended is not null order by place desc limit 100))";
    let runs = names("contexture_runs", open_or_late)?;
    let journals = names("contexture_journals", "true")?;
    let sql = format!(
        "with taken as (update contexture_keys set holder = $1 where status = 0 and {LEFT} returning *)
         select taken.owner, scope, message_id, context, time, begun, queued, contexts.place
         from taken left join contexture_contexts contexts
         on contexts.name = taken.context and contexts.owner = taken.owner
         order by taken.place"
    );
    let pending = session.rows(&sql, values![token])?;
    let pending = pending.iter().map(waiting).collect::<Result<_, Fault>>()?;
    Ok(Left { servers, pending, runs, journals })
}

impl Drop for Lease {
    fn drop(&mut self) {
        // One that can't be given back now expires.
        if let Some(link) = self.link.upgrade() {
            drop(self.give_back(&link));
        }
        self.shared.is_closed.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
        }
    }
}

fn renew_again(shared: &Shared, token: &Arc<str>, of: &Weak<Link>, session: Session) {
    let mut last = Instant::now();
    // A connection of its own, so that it does not wait for others.
    let mut session = Some(session);
    while !shared.is_closed.load(Ordering::Relaxed) {
        let Some(link) = of.upgrade() else { return };
        if shared.is_closed.load(Ordering::Relaxed) {
            return;
        }
        // `None` when the database can't be asked now.
        let renewed = renewed(&link, &mut session, token).ok();
        if renewed == Some(0) {
            return shared.is_lost.store(true, Ordering::Relaxed);
        }
        let is_regular = renewed.is_some() && last.elapsed() < LATE;
        shared.is_regular.store(is_regular, Ordering::Relaxed);
        if renewed.is_some() {
            last = Instant::now();
        }
        drop(link);
        thread::park_timeout(EVERY);
    }
}

fn renewed(link: &Link, kept: &mut Option<Session>, token: &Arc<str>) -> Result<u64, Fault> {
    if let Some(session) = kept.take().filter(Session::is_there) {
        let renewed = renew(&session, token);
        if session.is_there() {
            *kept = Some(session);
            return renewed;
        }
    }
    // A connection that broke is replaced now: without it, others soon take this process for gone.
    let session = holding(link, token)?;
    let renewed = renew(&session, token);
    *kept = Some(session).filter(Session::is_there);
    renewed
}

/// Opens the connection that holds the lock of a lease.
fn holding(link: &Link, token: &Arc<str>) -> Result<Session, Fault> {
    let session = link.connect()?;
    session.row(HOLD, values![token])?;
    Ok(session)
}

/// Renews a lease; 0 when it is gone.
fn renew(session: &Session, token: &Arc<str>) -> Result<u64, Fault> {
    // One that was given back stays so.
    let sql = format!(
        "update contexture_servers set expires = {EXPIRES} where token = $1 and expires > '-infinity'"
    );
    session.change(&sql, values![token])
}
