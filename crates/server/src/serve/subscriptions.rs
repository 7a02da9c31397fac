//! Subscriptions to the changes of contexts (CP-11).
//!
//! Decision: changes are published where the store reports them as durable, which happens
//! one after another in the order of versions. A subscription records the last version that it has
//! received, so that the changes before its start and those during it join without a gap
//! or a repetition.

use super::message::{Maker, answering, notice};
use super::session::Session;
use contexture::store::contexts::{Applied, Change, ContextError, ContextStore, Key};
use contexture_protocol::Body;
use contexture_protocol::content::{Subscribe, SystemAction};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};

/// The most changes of a CONTEXT_DELTA.
const PAGE: usize = 500;

/// The code of the SYSTEM_MESSAGE that ends a subscription whose context was deleted.
const DELETED: &str = "CONTEXT_DELETED";

#[derive(Default)]
pub(crate) struct Subscriptions {
    by_context: Mutex<HashMap<String, Vec<Arc<Subscription>>>>,
}

struct Subscription {
    session: Weak<Session>,
    context: String,
    /// The incarnation of the context: one that is created after a deletion differs.
    incarnation: u64,
    /// The id of the SUBSCRIBE, which all deltas answer.
    message: String,
    /// The last version that was sent; [`NOTHING_YET`] until the SUBSCRIBE is answered.
    sent: Mutex<u64>,
}

/// All versions count as sent: changes before the answer to SUBSCRIBE are sent later.
const NOTHING_YET: u64 = u64::MAX;

impl Subscriptions {
    /// Sends an update to the subscribers of its context.
    pub(crate) fn publish(
        &self,
        store: &dyn ContextStore,
        maker: &Maker,
        owner: &str,
        applied: &Applied,
    ) {
        if applied.changes.is_empty() {
            return;
        }
        let listeners = {
            let contexts = self.by_context.lock();
            match contexts.get(&applied.context_id) {
                Some(listeners) => listeners.clone(),
                None => return,
            }
        };
        for listener in listeners {
            let Some(session) = listener.session.upgrade() else { continue };
            // Another owner may have a context of the same id, and another one may have had it.
            if **session.owner() != *owner || listener.incarnation != applied.incarnation {
                continue;
            }
            let mut sent = listener.sent.lock();
            // Changes of another process, or from before the subscription, are sent first.
            let joins = applied.version <= sent.saturating_add(1);
            if joins || listener.catch_up(store, maker, &session, &mut sent).is_err() {
                listener.send(maker, &session, &applied.changes, &mut sent);
            }
        }
    }

    /// Sends what other servers changed in contexts of these incarnations, or in all.
    pub(crate) fn follow(
        &self,
        store: &dyn ContextStore,
        maker: &Maker,
        changed: Option<&HashSet<u64>>,
    ) {
        let is_meant =
            |one: &Subscription| changed.is_none_or(|all| all.contains(&one.incarnation));
        let listeners: Vec<Arc<Subscription>> = {
            let contexts = self.by_context.lock();
            contexts.values().flatten().filter(|one| is_meant(one)).cloned().collect()
        };
        for listener in listeners {
            let Some(session) = listener.session.upgrade() else { continue };
            let key = Key { owner: session.owner(), context: &listener.context };
            let is_gone = match store.head(key) {
                Ok(head) => head.incarnation != listener.incarnation,
                Err(error) => matches!(error, ContextError::NotFound(_)),
            };
            if is_gone {
                let (context, incarnation) = (&listener.context, listener.incarnation);
                self.deleted(maker, session.owner(), context, incarnation);
                continue;
            }
            let mut sent = listener.sent.lock();
            if *sent != NOTHING_YET {
                // What can't be read now is sent with the next change.
                let _ = listener.catch_up(store, maker, &session, &mut sent);
            }
        }
    }

    /// Ends and notifies the subscriptions of a deleted context.
    pub(crate) fn deleted(&self, maker: &Maker, owner: &str, context: &str, incarnation: u64) {
        let is_over = |known: &Subscription| {
            let session = known.session.upgrade();
            let is_owners = session.is_some_and(|session| **session.owner() == *owner);
            is_owners && known.incarnation == incarnation
        };
        let mut over = Vec::new();
        {
            let mut contexts = self.by_context.lock();
            let Some(listeners) = contexts.get_mut(context) else { return };
            over.extend(listeners.extract_if(.., |known| is_over(known)));
            if listeners.is_empty() {
                contexts.remove(context);
            }
        }
        for subscription in over {
            let Some(session) = subscription.session.upgrade() else { continue };
            session.unsubscribe(context);
            let text = format!("the context `{context}` was deleted, and is followed no more");
            let notice = notice(SystemAction::Notification, DELETED, text);
            let message = maker.message(Some(context), notice.into());
            session.send(answering(message, &subscription.message));
        }
    }

    /// Begins the subscription of a message, which sends the changes after `since` first.
    ///
    /// # Errors
    /// [`ContextError`] when the context is not there or the log does not reach back so far.
    pub(crate) fn begin(
        &self,
        store: &dyn ContextStore,
        maker: &Maker,
        session: &Arc<Session>,
        message: &str,
        asked: &Subscribe,
    ) -> Result<Begun, ContextError> {
        let context = asked.context_id.as_str();
        let key = Key { owner: session.owner(), context };
        let head = store.head(key)?;
        let since = asked.since.as_ref().map_or(head.version, |since| since.get());
        // An invalid `since` is refused before the subscription is registered.
        store.changes(key, since, 1)?;
        let subscription = Arc::new(Subscription {
            session: Arc::downgrade(session),
            context: context.to_owned(),
            incarnation: head.incarnation,
            message: message.to_owned(),
            sent: Mutex::new(NOTHING_YET),
        });
        self.insert(context, session, &subscription);
        Ok(Begun { subscription, maker: maker.clone(), since, version: head.version })
    }

    fn insert(&self, context: &str, session: &Arc<Session>, subscription: &Arc<Subscription>) {
        let mut contexts = self.by_context.lock();
        let listeners = contexts.entry(context.to_owned()).or_default();
        listeners.retain(|known| known.is_other(session));
        listeners.push(Arc::clone(subscription));
        session.subscribe(context);
    }

    /// Ends a subscription; reports whether there was one.
    pub(crate) fn end(&self, session: &Arc<Session>, context: &str) -> bool {
        let mut contexts = self.by_context.lock();
        if let Some(listeners) = contexts.get_mut(context) {
            listeners.retain(|known| known.is_other(session));
            if listeners.is_empty() {
                contexts.remove(context);
            }
        }
        session.unsubscribe(context)
    }

    /// Ends all of a session's.
    pub(crate) fn end_all(&self, session: &Arc<Session>) {
        for context in session.subscribed() {
            self.end(session, &context);
        }
    }
}

/// A registered subscription, before the earlier changes are sent.
pub(crate) struct Begun {
    subscription: Arc<Subscription>,
    maker: Maker,
    since: u64,
    /// The context's version when it began.
    pub(crate) version: u64,
}

impl Begun {
    /// Sends the changes since `since`; later changes follow.
    ///
    /// # Errors
    /// An error of the store.
    pub(crate) fn catch_up(self, store: &dyn ContextStore) -> Result<(), ContextError> {
        let Some(session) = self.subscription.session.upgrade() else { return Ok(()) };
        // Later changes wait for this lock, so that the order holds.
        let mut sent = self.subscription.sent.lock();
        *sent = self.since;
        self.subscription.catch_up(store, &self.maker, &session, &mut sent)
    }
}

impl Subscription {
    /// Reports whether the subscriber is another session that still exists.
    fn is_other(&self, session: &Arc<Session>) -> bool {
        self.session.strong_count() > 0 && !std::ptr::eq(self.session.as_ptr(), &**session)
    }

    /// Sends all changes of the store that were not sent yet.
    fn catch_up(
        &self,
        store: &dyn ContextStore,
        maker: &Maker,
        session: &Session,
        sent: &mut u64,
    ) -> Result<(), ContextError> {
        let key = Key { owner: session.owner(), context: &self.context };
        let mut since = Some(*sent);
        while let Some(from) = since {
            let page = store.changes(key, from, PAGE)?;
            self.send(maker, session, &page.changes, sent);
            since = page.next;
        }
        Ok(())
    }

    /// Sends those changes that were not sent yet.
    fn send(&self, maker: &Maker, session: &Session, changes: &[Change], sent: &mut u64) {
        let fresh: Vec<_> = changes.iter().filter(|change| change.version > *sent).collect();
        let Some(last) = fresh.last() else { return };
        *sent = last.version;
        let context = self.context.as_str();
        let changes: Vec<Value> = fresh.iter().map(|change| change.to_value(context)).collect();
        // In the form of the store: parsing them would only serve to write them again.
        let content = json!({ "version": last.version, "changes": changes });
        let body = Body::Other { kind: "CONTEXT_DELTA".to_owned(), content };
        session.send(answering(maker.message(Some(context), body), &self.message));
    }
}
