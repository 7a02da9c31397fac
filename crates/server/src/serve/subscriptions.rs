//! Subscriptions to the changes of contexts (CP-11).
//!
//! Decision: changes are published where the store reports them as durable, which happens
//! one after another in the order of versions. A subscription records the last version that it has
//! received, so that the changes before its start and those during it join without a gap
//! or a repetition.

use super::message::{Maker, answering};
use super::session::Session;
use contexture::store::contexts::{Applied, Change, ContextError, ContextStore, Key};
use contexture_protocol::Body;
use contexture_protocol::content::{Subscribe, SystemAction, SystemData, SystemMessage};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The most changes of a CONTEXT_DELTA.
const PAGE: usize = 500;

/// The code of the SYSTEM_MESSAGE that ends a subscription whose context was deleted.
const DELETED: &str = "CONTEXT_DELETED";

/// All subscriptions, by context.
#[derive(Default)]
pub(crate) struct Subscriptions {
    by_context: Mutex<HashMap<String, Vec<Arc<Subscription>>>>,
}

struct Subscription {
    session: Weak<Session>,
    context: String,
    /// Which context of this id: one that is made after it was deleted is another.
    incarnation: u64,
    /// The SUBSCRIBE, which all deltas answer.
    message: String,
    /// The last version that was told; [`NOTHING_YET`] until the SUBSCRIBE is answered.
    heard: Mutex<u64>,
}

/// All versions count as told: what changes before a SUBSCRIBE is answered is caught up on.
const NOTHING_YET: u64 = u64::MAX;

impl Subscriptions {
    /// Tells of an update.
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
            let contexts = self.by_context.lock().unwrap_or_else(PoisonError::into_inner);
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
            let mut heard = listener.heard.lock().unwrap_or_else(PoisonError::into_inner);
            // What another process wrote, or what a subscription that begins has yet to be told,
            // comes first.
            let joins = applied.version <= heard.saturating_add(1);
            if joins || listener.catch_up(store, maker, &session, &mut heard).is_err() {
                listener.tell(maker, &session, &applied.changes, &mut heard);
            }
        }
    }

    /// Ends what follows a context that was deleted, and says so.
    pub(crate) fn deleted(&self, maker: &Maker, owner: &str, context: &str, incarnation: u64) {
        let is_over = |known: &Subscription| {
            let session = known.session.upgrade();
            let is_owners = session.is_some_and(|session| **session.owner() == *owner);
            is_owners && known.incarnation == incarnation
        };
        let mut over = Vec::new();
        {
            let mut contexts = self.by_context.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(listeners) = contexts.get_mut(context) else { return };
            over.extend(listeners.extract_if(.., |known| is_over(known)));
            if listeners.is_empty() {
                contexts.remove(context);
            }
        }
        for subscription in over {
            let Some(session) = subscription.session.upgrade() else { continue };
            session.unsubscribe(context);
            let notice = maker.message(Some(context), gone(context).into());
            session.send(answering(notice, &subscription.message));
        }
    }

    /// Begins the subscription that the message `message` asks for: what came after `since` is told
    /// first. Gives the version now.
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
        // A `since` that can't be served is refused before anything is noted.
        store.changes(key, since, 1)?;
        let subscription = Arc::new(Subscription {
            session: Arc::downgrade(session),
            context: context.to_owned(),
            incarnation: head.incarnation,
            message: message.to_owned(),
            heard: Mutex::new(NOTHING_YET),
        });
        self.insert(context, session, &subscription);
        Ok(Begun { subscription, maker: maker.clone(), since, version: head.version })
    }

    fn insert(&self, context: &str, session: &Arc<Session>, subscription: &Arc<Subscription>) {
        let mut contexts = self.by_context.lock().unwrap_or_else(PoisonError::into_inner);
        let listeners = contexts.entry(context.to_owned()).or_default();
        listeners.retain(|known| known.is_other(session));
        listeners.push(Arc::clone(subscription));
        session.subscribe(context);
    }

    /// Ends a subscription; whether there was one.
    pub(crate) fn end(&self, session: &Arc<Session>, context: &str) -> bool {
        let mut contexts = self.by_context.lock().unwrap_or_else(PoisonError::into_inner);
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

/// A subscription that was noted, and has to be told yet what came before.
pub(crate) struct Begun {
    subscription: Arc<Subscription>,
    maker: Maker,
    since: u64,
    /// The context's version when it began.
    pub(crate) version: u64,
}

impl Begun {
    /// Tells what came between `since` and now; from here on what changes is told.
    ///
    /// # Errors
    /// Creates the refusal for an error of reading.
    pub(crate) fn catch_up(self, store: &dyn ContextStore) -> Result<(), ContextError> {
        let Some(session) = self.subscription.session.upgrade() else { return Ok(()) };
        // Whoever publishes meanwhile waits here, so that the order holds.
        let mut heard = self.subscription.heard.lock().unwrap_or_else(PoisonError::into_inner);
        *heard = self.since;
        self.subscription.catch_up(store, &self.maker, &session, &mut heard)
    }
}

impl Subscription {
    /// Reports whether it is another session's, and still somebody's.
    fn is_other(&self, session: &Arc<Session>) -> bool {
        self.session.strong_count() > 0 && !std::ptr::eq(self.session.as_ptr(), &**session)
    }

    /// Sends all that was not heard of yet.
    fn catch_up(
        &self,
        store: &dyn ContextStore,
        maker: &Maker,
        session: &Session,
        heard: &mut u64,
    ) -> Result<(), ContextError> {
        let key = Key { owner: session.owner(), context: &self.context };
        let mut since = Some(*heard);
        while let Some(from) = since {
            let page = store.changes(key, from, PAGE)?;
            self.tell(maker, session, &page.changes, heard);
            since = page.next;
        }
        Ok(())
    }

    /// Sends the changes that were not heard of yet.
    fn tell(&self, maker: &Maker, session: &Session, changes: &[Change], heard: &mut u64) {
        let fresh: Vec<_> = changes.iter().filter(|change| change.version > *heard).collect();
        let Some(last) = fresh.last() else { return };
        *heard = last.version;
        let context = self.context.as_str();
        let changes: Vec<Value> = fresh.iter().map(|change| change.to_value(context)).collect();
        // As the store writes them: reading them into types would only be for writing them again.
        let content = json!({ "version": last.version, "changes": changes });
        let body = Body::Other { kind: "CONTEXT_DELTA".to_owned(), content };
        session.send(answering(maker.message(Some(context), body), &self.message));
    }
}

/// Creates the message about a deleted context (CP-11).
fn gone(context: &str) -> SystemMessage {
    SystemMessage {
        action: SystemAction::Notification,
        text: format!("the context `{context}` was deleted, and is followed no more"),
        data: Some(SystemData { code: Some(DELETED.to_owned()), ..SystemData::default() }),
        extra: Map::new(),
    }
}
