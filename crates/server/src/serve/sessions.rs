//! All sessions.

use super::session::Session;
use contexture::database::Announced;
use contexture::store::flows::WaitId;
use contexture_protocol::content::ClientCapabilities;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

pub(crate) struct Sessions {
    tables: Mutex<Tables>,
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
    /// Those of other servers, by their ids, in the order of the announcements.
    elsewhere: Vec<(Announced, Arc<Session>)>,
}

/// A session that a connection took.
pub(crate) struct Taken {
    pub(crate) session: Arc<Session>,
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

    /// Resumes the session `asked` for, when it is the owner's and its stored messages reach back
    /// to `seen`; else opens one named `fresh`.
    pub(crate) fn open(
        &self,
        owner: &Arc<str>,
        asked: Option<(&str, u64)>,
        fresh: impl FnOnce() -> String,
    ) -> Taken {
        let known = asked.and_then(|(id, seen)| {
            let session = self.tables.lock().by_id.get(id).cloned()?;
            if *session.owner() != *owner {
                return None;
            }
            let (connection, last_seq) = session.connect(seen)?;
            Some(Taken { session, connection, last_seq, ended: None })
        });
        known.unwrap_or_else(|| {
            let session = Arc::new(Session::new(fresh(), Arc::clone(owner)));
            let (connection, last_seq) = session.connect(0).unwrap_or_default();
            let ended = self.tables.lock().insert(&session, self.most.get());
            Taken { session, connection, last_seq, ended }
        })
    }

    /// Stores the capabilities of the client of a session.
    pub(crate) fn announce(&self, session: &Arc<Session>, client: ClientCapabilities) {
        session.announce(client, false);
        self.tables.lock().enter(session);
        self.announced.notify_waiters();
    }

    /// Stores the tools of a service, unless another client has one of the names; returns the places of
    /// those otherwise. `is_gone` reports whether a session no longer keeps its names.
    pub(crate) fn register(
        &self,
        session: &Arc<Session>,
        service: ClientCapabilities,
        is_gone: impl Fn(&Session) -> bool,
    ) -> Result<(), Vec<usize>> {
        let mut tables = self.tables.lock();
        let others = tables.clients.get(session.owner()).into_iter().flatten();
        let others = others.filter_map(Weak::upgrade).filter(|other| !is_gone(other));
        let others = others.filter_map(|other| other.client());
        let others: Vec<_> = others.filter(|other| other.client_id != service.client_id).collect();
        let names: HashSet<&str> = others
            .iter()
            .flat_map(|other| other.supported_tools.iter().flatten())
            .map(|tool| tool.tool_id.as_str())
            .collect();
        let tools = service.supported_tools.iter().flatten().enumerate();
        let taken = tools.filter(|(_, tool)| names.contains(tool.tool_id.as_str()));
        let taken: Vec<usize> = taken.map(|(place, _)| place).collect();
        if !taken.is_empty() {
            return Err(taken);
        }
        session.announce(service, true);
        tables.enter(session);
        drop(tables);
        self.announced.notify_waiters();
        Ok(())
    }

    /// Completes when a client announces its capabilities after this call.
    pub(crate) fn announced(&self) -> Notified<'_> {
        self.announced.notified()
    }

    /// Returns the sessions of an owner whose clients announced tools, the latest first.
    pub(crate) fn clients(&self, owner: &str) -> Vec<Arc<Session>> {
        let tables = self.tables.lock();
        let clients = tables.clients.get(owner).map(Vec::as_slice).unwrap_or_default();
        let own = clients.iter().rev().filter_map(Weak::upgrade);
        let elsewhere = tables.elsewhere.iter().rev().filter(|(one, _)| one.owner == owner);
        own.chain(elsewhere.map(|(_, session)| Arc::clone(session))).collect()
    }

    /// Returns what other servers have to know of the sessions with announced capabilities.
    pub(crate) fn announcements(&self) -> Vec<Announced> {
        let tables = self.tables.lock();
        let clients = tables.clients.values().flatten().filter_map(Weak::upgrade);
        let announced = clients.filter_map(|session| {
            Some(Announced {
                session: session.id().to_owned(),
                owner: session.owner().to_string(),
                capabilities: serde_json::to_string(&*session.client()?).ok()?,
                is_service: session.is_service(),
                is_here: session.is_connected(),
            })
        });
        announced.collect()
    }

    /// Replaces what is known of the clients of other servers.
    pub(crate) fn set_elsewhere(&self, all: Vec<Announced>) {
        let mut tables = self.tables.lock();
        let mut known: HashMap<String, (Announced, Arc<Session>)> =
            std::mem::take(&mut tables.elsewhere)
                .into_iter()
                .map(|one| (one.0.session.clone(), one))
                .collect();
        for one in all {
            let (before, session) = match known.remove(&one.session) {
                Some((before, session)) => (Some(before), session),
                None => {
                    let (id, owner) = (one.session.clone(), one.owner.as_str().into());
                    (None, Arc::new(Session::elsewhere(id, owner)))
                }
            };
            if before.is_none_or(|before| before.capabilities != one.capabilities) {
                let Ok(client) = serde_json::from_str(&one.capabilities) else { continue };
                session.announce(client, one.is_service);
            }
            session.set_here(one.is_here);
            tables.elsewhere.push((one, session));
        }
        tables.pass_calls();
        drop(tables);
        known.into_values().for_each(|(_, session)| session.set_here(false));
        self.announced.notify_waiters();
    }

    /// Wakes those who wait for a client.
    pub(crate) fn notify(&self) {
        self.announced.notify_waiters();
    }

    /// Returns the session that has a call, here or on another server: a connected one before others.
    pub(crate) fn holder(&self, id: &WaitId) -> Option<Arc<Session>> {
        let tables = self.tables.lock();
        let elsewhere = tables.elsewhere.iter().map(|(_, session)| session);
        holder(tables.by_id.values().chain(elsewhere), id)
    }

    /// Returns the session of this server that has a call.
    pub(crate) fn holder_here(&self, id: &WaitId) -> Option<Arc<Session>> {
        holder(self.tables.lock().by_id.values(), id)
    }

    /// Returns the connected sessions with calls.
    pub(crate) fn with_calls(&self) -> Vec<Arc<Session>> {
        let tables = self.tables.lock();
        let meant = |session: &&Arc<Session>| session.is_connected() && session.has_calls();
        tables.by_id.values().filter(meant).cloned().collect()
    }

    /// Returns a connected session in which a client announced itself.
    pub(crate) fn connected(&self, owner: &str, client: &str) -> Option<Arc<Session>> {
        let tables = self.tables.lock();
        let mut own = tables.by_id.values().filter(|session| {
            **session.owner() == *owner
                && session.is_connected()
                && session.client().is_some_and(|known| known.client_id == client)
        });
        own.next().cloned()
    }

    /// Returns a connected session of a model service.
    pub(crate) fn model(&self, owner: &str, name: &str) -> Option<Arc<Session>> {
        let tables = self.tables.lock();
        let mut own = tables.by_id.values().filter(|session| **session.owner() == *owner);
        own.find(|session| session.is_model_of(name)).cloned()
    }

    pub(crate) fn count(&self) -> usize {
        self.tables.lock().by_id.len()
    }

    /// Ends a session that its client left.
    pub(crate) fn end(&self, session: &Arc<Session>) {
        self.tables.lock().remove(session);
    }

    /// Ends and returns the sessions that have been abandoned for longer than `grace`.
    pub(crate) fn sweep(&self, now: Instant, grace: Duration) -> Vec<Arc<Session>> {
        let mut tables = self.tables.lock();
        let is_over = |session: &Arc<Session>| session.away(now).is_some_and(|away| away >= grace);
        let over: Vec<_> =
            tables.by_id.values().filter(|session| is_over(session)).cloned().collect();
        for session in &over {
            tables.remove(session);
        }
        over
    }
}

fn holder<'s>(
    sessions: impl Iterator<Item = &'s Arc<Session>>,
    id: &WaitId,
) -> Option<Arc<Session>> {
    let mut found = None;
    for session in sessions {
        if **session.owner() != *id.owner || session.call_seq(id).is_none() {
            continue;
        }
        if session.is_connected() {
            return Some(Arc::clone(session));
        }
        found = Some(session);
    }
    found.cloned()
}

impl Tables {
    /// Passes the calls of clients on that are connected to another server now: that one sent them again.
    fn pass_calls(&self) {
        let here = self.elsewhere.iter().filter(|(one, _)| one.is_here);
        for (one, session) in here {
            let Some(name) = session.client_name() else { continue };
            let others = self.elsewhere.iter().map(|(_, other)| other).chain(self.by_id.values());
            let left = others.filter(|other| {
                !other.is_connected() && other.has_calls() && **other.owner() == *one.owner
            });
            for other in left.filter(|other| other.client_name().as_ref() == Some(&name)) {
                session.take_calls(other);
            }
        }
    }

    /// Notes that the client of a session announced its tools.
    fn enter(&mut self, session: &Arc<Session>) {
        let clients = self.clients.entry(Arc::clone(session.owner())).or_default();
        clients.retain(|known| is_other(known, session));
        clients.push(Arc::downgrade(session));
    }

    /// Adds a session. Beyond the limit of its owner, the session that has been abandoned longest is
    /// ended and returned.
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

/// Reports whether a reference is to another session that still exists.
fn is_other(known: &Weak<Session>, session: &Arc<Session>) -> bool {
    known.strong_count() > 0 && !std::ptr::eq(known.as_ptr(), &**session)
}
