//! The rows that the updates of a transaction look at first, read at once.
//!
//! Decision: one thread writes, and each row that it asks for costs a round trip to the database, for which
//! the thread waits. What the updates of a transaction will ask for is known before the first one runs, so
//! two statements read it for all of them. Nobody else writes these rows until the transaction ends; what
//! the transaction itself writes is noted here.

use super::rows::{CONTEXT, PLAIN_KEY, READY, context, key};
use crate::contexts::ledger::{KeyRow, Reads, Row};
use crate::postgres::{Fault, Session, values};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Owner and id of a context.
type ContextName = (String, String);
/// Owner, scope and id of a message.
type KeyName = (String, String, String);

/// Rows of the transaction under way.
#[derive(Default)]
pub(super) struct Ahead {
    /// The number of the transaction.
    batch: u64,
    announced: Vec<Reads>,
    contexts: HashMap<ContextName, Option<Row>>,
    /// Without those that have an answer, which may be long.
    keys: HashMap<KeyName, Option<KeyRow>>,
}

/// The rows of one transaction after the other, for the tasks of the thread that writes.
#[derive(Default)]
pub(super) struct Shared(Mutex<Ahead>);

impl Shared {
    /// Returns the rows of a transaction: none, if it is a new one.
    pub(super) fn of(&self, batch: u64) -> MutexGuard<'_, Ahead> {
        let mut ahead = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ahead.batch != batch {
            *ahead = Ahead { batch, ..Ahead::default() };
        }
        ahead
    }
}

impl Ahead {
    /// Notes what an update will ask for.
    pub(super) fn announce(&mut self, reads: &Reads) {
        self.announced.push(reads.clone());
    }

    /// Returns what is known of a context; `None` where it has to be asked for.
    pub(super) fn context(
        &mut self,
        session: &Session,
        owner: &str,
        name: &str,
    ) -> Result<Option<Option<Row>>, Fault> {
        self.read(session)?;
        Ok(self.contexts.get(&(owner.to_owned(), name.to_owned())).cloned())
    }

    /// Returns what is known of a key; `None` where it has to be asked for.
    pub(super) fn key(
        &mut self,
        session: &Session,
        owner: &str,
        scope: &str,
        message_id: &str,
    ) -> Result<Option<Option<KeyRow>>, Fault> {
        self.read(session)?;
        let name = (owner.to_owned(), scope.to_owned(), message_id.to_owned());
        Ok(self.keys.get(&name).cloned())
    }

    /// Notes that a context is as `row` says.
    pub(super) fn put_context(&mut self, row: Row) {
        self.contexts.insert((row.owner.clone(), row.context_id.clone()), Some(row));
    }

    pub(super) fn forget_context(&mut self, place: i64) {
        self.contexts.retain(|_, row| row.as_ref().is_none_or(|row| row.place != place));
    }

    pub(super) fn forget_key(&mut self, owner: &str, scope: &str, message_id: &str) {
        self.keys.remove(&(owner.to_owned(), scope.to_owned(), message_id.to_owned()));
    }

    pub(super) fn forget_keys(&mut self) {
        self.keys.clear();
    }

    fn read(&mut self, session: &Session) -> Result<(), Fault> {
        let announced = std::mem::take(&mut self.announced);
        let (mut contexts, mut keys) = (HashSet::new(), HashSet::new());
        for Reads { owner, context, keys: asked } in announced {
            keys.extend(asked.into_iter().map(|(scope, id)| (owner.clone(), scope, id)));
            contexts.extend(context.map(|context| (owner, context)));
        }
        self.contexts.extend(read_contexts(session, contexts)?);
        self.keys.extend(read_keys(session, keys)?);
        Ok(())
    }
}

fn read_contexts(
    session: &Session,
    asked: HashSet<ContextName>,
) -> Result<HashMap<ContextName, Option<Row>>, Fault> {
    if asked.is_empty() {
        return Ok(HashMap::new());
    }
    // The limit has each one looked up by the index, however few rows the planner believes in.
    let sql = format!(
        "select found.* from unnest($1::text[], $2::text[]) as asked(owner, name)
         cross join lateral ({CONTEXT} where contexture_contexts.name = asked.name
         and contexture_contexts.owner = asked.owner limit 1) as found"
    );
    let (owners, names): (Vec<String>, Vec<String>) = asked.iter().cloned().unzip();
    let mut known: HashMap<_, _> = asked.into_iter().map(|name| (name, None)).collect();
    for row in session.rows(&sql, values![owners, names])? {
        let row = context(&row)?;
        known.insert((row.owner.clone(), row.context_id.clone()), Some(row));
    }
    Ok(known)
}

fn read_keys(
    session: &Session,
    asked: HashSet<KeyName>,
) -> Result<HashMap<KeyName, Option<KeyRow>>, Fault> {
    if asked.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = format!(
        "select found.* from unnest($1::text[], $2::text[], $3::text[])
         as asked(owner, scope, message_id)
         cross join lateral ({PLAIN_KEY} where contexture_keys.owner = asked.owner
         and contexture_keys.scope = asked.scope
         and contexture_keys.message_id = asked.message_id limit 1) as found"
    );
    let (mut owners, mut scopes, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    for (owner, scope, id) in &asked {
        owners.push(owner.clone());
        scopes.push(scope.clone());
        ids.push(id.clone());
    }
    let mut known: HashMap<_, _> = asked.into_iter().map(|name| (name, None)).collect();
    for row in session.rows(&sql, values![owners, scopes, ids])? {
        let name = (row.text(0)?, row.text(1)?, row.text(2)?);
        if row.place(5)? == READY {
            known.remove(&name);
        } else {
            known.insert(name, Some(key(&row)?));
        }
    }
    Ok(known)
}
