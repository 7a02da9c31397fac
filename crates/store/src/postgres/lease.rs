//! The lease of a process that writes.
//!
//! Decision: a lease is a row with a time, by the clock of the database, and is renewed four times in its
//! length. Whoever needs what the process holds deletes the row after its time; the numbers of the
//! process's writers go with it, and they write nothing more. After the database itself was away, everybody
//! gets the length of a lease to come back.

use super::session::Fault;
use super::{Link, values};
use crate::stamp::Ids;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The interval of renewals; the length of a lease is four of it.
const EVERY: Duration = Duration::from_secs(1);
const EXPIRES: &str = "clock_timestamp() + interval '4 s'";
/// The condition of a row whose process may be taken for gone.
pub(crate) const GONE: &str = "expires < clock_timestamp()
    and pg_postmaster_start_time() < clock_timestamp() - interval '4 s'";

struct Shared {
    is_lost: AtomicBool,
    is_closed: AtomicBool,
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
        link.with(|session| {
            let sql = format!(
                "insert into contexture_servers (token, is_server, expires) values ($1, 0, {EXPIRES})
                 on conflict do nothing"
            );
            session.change(&sql, values![&token])
        })?;
        let shared = Shared { is_lost: AtomicBool::new(false), is_closed: AtomicBool::new(false) };
        let shared = Arc::new(shared);
        let (theirs, mine, of) = (Arc::clone(&shared), Arc::clone(&token), Arc::downgrade(link));
        let renews = move || {
            while !theirs.is_closed.load(Ordering::Relaxed) {
                thread::park_timeout(EVERY);
                let Some(link) = of.upgrade() else { return };
                if !theirs.is_closed.load(Ordering::Relaxed) && renew(&link, &mine) == Some(false) {
                    return theirs.is_lost.store(true, Ordering::Relaxed);
                }
            }
        };
        let thread = thread::Builder::new().name("postgres-lease".to_owned()).spawn(renews);
        let thread = thread.map_err(|error| Fault::Other(error.to_string()))?;
        Ok(Self { token, shared, link: Arc::downgrade(link), thread: Some(thread) })
    }

    pub(super) fn token(&self) -> &Arc<str> {
        &self.token
    }

    pub(super) fn is_lost(&self) -> bool {
        self.shared.is_lost.load(Ordering::Relaxed)
    }

    /// Makes this the one server; true if another one lives.
    pub(super) fn serve_alone(&self, link: &Link) -> Result<bool, Fault> {
        link.with(|session| {
            session.batch("begin; lock table contexture_servers in share row exclusive mode")?;
            let taken = self.alone(session);
            let end = if matches!(taken, Ok(false)) { "commit" } else { "rollback" };
            session.batch(end)?;
            taken
        })
    }

    fn alone(&self, session: &super::Session) -> Result<bool, Fault> {
        session.change(&format!("delete from contexture_servers where {GONE}"), Vec::new())?;
        let sql = "select token from contexture_servers where is_server = 1 and token <> $1";
        if session.row(sql, values![&self.token])?.is_some() {
            return Ok(true);
        }
        let sql = "update contexture_servers set is_server = 1 where token = $1";
        if session.change(sql, values![&self.token])? == 0 {
            return Err(Fault::Fenced);
        }
        Ok(false)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.shared.is_closed.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
        }
        // One that can't be given back now expires.
        if let Some(link) = self.link.upgrade().filter(|_| !self.is_lost()) {
            let give_back = |session: &super::Session| {
                session
                    .change("delete from contexture_servers where token = $1", values![&self.token])
            };
            drop(link.with(give_back));
        }
    }
}

/// Renews a lease; `None` when the database can't be asked now, false when it is gone.
fn renew(link: &Link, token: &Arc<str>) -> Option<bool> {
    let sql = format!("update contexture_servers set expires = {EXPIRES} where token = $1");
    let renewed = link.with(|session| session.change(&sql, values![token]));
    renewed.ok().map(|count| count == 1)
}
