//! All sessions.

use super::session::Session;
use contexture_protocol::content::ClientCapabilities;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// The sessions of a server.
pub(crate) struct Sessions {
    tables: Mutex<Tables>,
    /// The most sessions of an owner.
    most: NonZeroUsize,
    /// Notified when a client announces its capabilities.
    announced: Notify,
}

#[derive(Default)]
struct Tables {
    by_id: HashMap<String, Arc<Session>>,
    /// The number of sessions of each owner.
    counts: HashMap<Arc<str>, usize>,
    /// The sessions with announced capabilities by owner, in the order of the announcements.
    clients: HashMap<Arc<str>, Vec<Weak<Session>>>,
}

/// A session that a connection took.
pub(crate) struct Taken {
    pub(crate) session: Arc<Session>,
    /// Which connection of the session this is.
    pub(crate) connection: u64,
    /// The number of the last message that was sent in it.
    pub(crate) last_seq: u64,
    /// A session that ended to make room, and must be cleaned up.
    pub(crate) ended: Option<Arc<Session>>,
}

impl Sessions {
    pub(crate) fn new(most: NonZeroUsize) -> Self {
        Self { tables: Mutex::default(), most, announced: Notify::new() }
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes up the session `asked` for, when it is the owner's and what is kept of it reaches back
    /// to `seen`; else a new one named `fresh`.
    pub(crate) fn open(
        &self,
        owner: &Arc<str>,
        asked: Option<(&str, u64)>,
        fresh: impl FnOnce() -> String,
    ) -> Taken {
        let known = asked.and_then(|(id, seen)| {
            let session = self.tables().by_id.get(id).cloned()?;
            if *session.owner() != *owner {
                return None;
            }
            let (connection, last_seq) = session.connect(seen)?;
            Some(Taken { session, connection, last_seq, ended: None })
        });
        known.unwrap_or_else(|| {
            let session = Arc::new(Session::new(fresh(), Arc::clone(owner)));
            let (connection, last_seq) = session.connect(0).unwrap_or_default();
            let ended = self.tables().insert(&session, self.most.get());
            Taken { session, connection, last_seq, ended }
        })
    }

    /// Notes what the client of a session can do.
    pub(crate) fn announce(&self, session: &Arc<Session>, client: ClientCapabilities) {
        session.announce(client);
        let mut tables = self.tables();
        let clients = tables.clients.entry(Arc::clone(session.owner())).or_default();
        clients.retain(|known| is_other(known, session));
        clients.push(Arc::downgrade(session));
        drop(tables);
        self.announced.notify_waiters();
    }

    /// Done when a client says what it can do, from this call on.
    pub(crate) fn announced(&self) -> Notified<'_> {
        self.announced.notified()
    }

    /// The owner's sessions whose clients announced tools, the latest announcement first.
    pub(crate) fn clients(&self, owner: &str) -> Vec<Arc<Session>> {
        let tables = self.tables();
        let clients = tables.clients.get(owner).map(Vec::as_slice).unwrap_or_default();
        clients.iter().rev().filter_map(Weak::upgrade).collect()
    }

    /// Returns the number of sessions.
    pub(crate) fn count(&self) -> usize {
        self.tables().by_id.len()
    }

    /// Ends a session that its client left.
    pub(crate) fn end(&self, session: &Arc<Session>) {
        self.tables().remove(session);
    }

    /// Ends the sessions that nobody has come back to for so long, and gives them.
    pub(crate) fn sweep(&self, now: Instant, grace: Duration) -> Vec<Arc<Session>> {
        let mut tables = self.tables();
        let is_over = |session: &Arc<Session>| session.away(now).is_some_and(|away| away >= grace);
        let over: Vec<_> =
            tables.by_id.values().filter(|session| is_over(session)).cloned().collect();
        for session in &over {
            tables.remove(session);
        }
        over
    }
}

impl Tables {
    /// Keeps a session. When its owner has as many as may be, the one ends that nobody has come
    /// back to for longest, and is given.
    fn insert(&mut self, session: &Arc<Session>, most: usize) -> Option<Arc<Session>> {
        let count = self.counts.entry(Arc::clone(session.owner())).or_default();
        *count += 1;
        let mut ended = None;
        if *count > most {
            let now = Instant::now();
            let own = self.by_id.values().filter(|known| known.owner() == session.owner());
            let away = own.filter_map(|known| Some((known.away(now)?, known)));
            ended = away.max_by_key(|(away, _)| *away).map(|(_, known)| Arc::clone(known));
            if let Some(oldest) = &ended {
                self.remove(oldest);
            }
        }
        self.by_id.insert(session.id().to_owned(), Arc::clone(session));
        ended
    }

    fn remove(&mut self, session: &Arc<Session>) {
        if self.by_id.remove(session.id()).is_none() {
            return;
        }
        if let Some(count) = self.counts.get_mut(session.owner()) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.counts.remove(session.owner());
            }
        }
        self.forget(session);
    }

    fn forget(&mut self, session: &Arc<Session>) {
        let Some(clients) = self.clients.get_mut(session.owner()) else { return };
        clients.retain(|known| is_other(known, session));
        if clients.is_empty() {
            self.clients.remove(session.owner());
        }
    }
}

/// Reports whether it is another session's, and still somebody's.
fn is_other(known: &Weak<Session>, session: &Arc<Session>) -> bool {
    known.strong_count() > 0 && !std::ptr::eq(known.as_ptr(), &**session)
}
