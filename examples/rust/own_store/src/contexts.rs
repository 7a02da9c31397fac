//! A store of contexts outside Contexture: lists of rows, of which a transaction changes a copy.
//!
//! [`Ledger`] reads and writes rows, [`Ledgers`] opens transactions; versions, conflicts, imports,
//! limits and seals come from [`Contexts`]. A database has a table for each list here.

use contexture_core::store::contexts::{ContextError, NewMessage, PendingKey};
use contexture_store::contexts::Contexts;
use contexture_store::contexts::ledger::{
    ChangeRow, KeyRow, Ledger, Ledgers, MessageRow, Outcome, Row, Span, Stored, StoredAnswer,
};
use std::sync::{Mutex, PoisonError};

/// The store: `Contexts::on(Tables::default(), options)`.
pub type TableContexts = Contexts<Tables>;

/// The rows of all contexts.
#[derive(Default)]
pub struct Tables(Mutex<Rows>);

#[derive(Clone, Default)]
struct Rows {
    last_place: i64,
    contexts: Vec<ContextRow>,
    /// Messages by the place of their context, in the order of seq; with whether they are cleared.
    messages: Vec<(i64, MessageRow, bool)>,
    changes: Vec<(i64, ChangeRow)>,
    keys: Vec<KeyRow>,
}

#[derive(Clone)]
struct ContextRow {
    row: Row,
    state: Stored,
    metadata: String,
}

impl Ledgers for Tables {
    fn read<T>(&self, work: impl FnOnce(&mut dyn Ledger) -> Outcome<T>) -> Outcome<T> {
        work(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Ledger) -> Outcome<T> + Send + 'static,
        done: impl FnOnce(Outcome<T>) + Send + 'static,
    ) {
        let outcome = {
            let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // All or nothing: what fails leaves the rows as they were.
            let mut changed = rows.clone();
            let outcome = work(&mut changed);
            if outcome.is_ok() {
                *rows = changed;
            }
            outcome
        };
        // The lock is released: `done` may write more.
        done(outcome);
    }
}

impl Rows {
    fn context(&mut self, place: i64) -> Outcome<&mut ContextRow> {
        let found = self.contexts.iter_mut().find(|context| context.row.place == place);
        found.ok_or_else(|| ContextError::NotFound(place.to_string()))
    }

    /// Returns the messages of a context that are not cleared.
    fn live(&self, place: i64) -> impl DoubleEndedIterator<Item = &MessageRow> {
        let live = self.messages.iter().filter(move |(of, _, cleared)| *of == place && !cleared);
        live.map(|(_, message, _)| message)
    }

    fn key_at(&self, owner: &str, scope: &str, message_id: &str) -> Option<usize> {
        let is_it =
            |key: &KeyRow| key.owner == owner && key.scope == scope && key.message_id == message_id;
        self.keys.iter().position(is_it)
    }
}

impl Ledger for Rows {
    fn find(&mut self, owner: &str, context: &str) -> Outcome<Option<Row>> {
        let mut rows = self.contexts.iter().map(|context| &context.row);
        Ok(rows.find(|row| row.owner == owner && row.context_id == context).cloned())
    }

    fn holders(&mut self, context: &str) -> Outcome<Vec<String>> {
        let rows = self.contexts.iter().map(|context| &context.row);
        let named = rows.filter(|row| row.context_id == context);
        let mut owners: Vec<String> = named.map(|row| row.owner.clone()).collect();
        owners.sort();
        Ok(owners)
    }

    fn insert(&mut self, row: &Row, state: &Stored, metadata: &str) -> Outcome<i64> {
        // Places of removed contexts are never given again.
        self.last_place += 1;
        let row = Row { place: self.last_place, ..row.clone() };
        let (state, metadata) = (state.clone(), metadata.to_owned());
        self.contexts.push(ContextRow { row, state, metadata });
        Ok(self.last_place)
    }

    fn update(&mut self, row: &Row) -> Outcome<()> {
        self.context(row.place)?.row = row.clone();
        Ok(())
    }

    fn remove(&mut self, place: i64) -> Outcome<()> {
        self.contexts.retain(|context| context.row.place != place);
        self.messages.retain(|(of, ..)| *of != place);
        self.changes.retain(|(of, _)| *of != place);
        Ok(())
    }

    fn owned(&mut self, owner: &str, after: i64, limit: usize) -> Outcome<Vec<Row>> {
        let rows = self.contexts.iter().map(|context| &context.row);
        let owned = rows.filter(|row| row.owner == owner && row.place > after);
        Ok(owned.take(limit).cloned().collect())
    }

    fn owners(&mut self) -> Outcome<Vec<String>> {
        let mut owners: Vec<String> =
            self.contexts.iter().map(|context| context.row.owner.clone()).collect();
        owners.sort();
        owners.dedup();
        Ok(owners)
    }

    fn state(&mut self, place: i64) -> Outcome<Stored> {
        Ok(self.context(place)?.state.clone())
    }

    fn put_state(&mut self, place: i64, state: &Stored) -> Outcome<()> {
        self.context(place)?.state = state.clone();
        Ok(())
    }

    fn metadata(&mut self, place: i64) -> Outcome<String> {
        Ok(self.context(place)?.metadata.clone())
    }

    fn put_metadata(&mut self, place: i64, metadata: &str) -> Outcome<()> {
        metadata.clone_into(&mut self.context(place)?.metadata);
        Ok(())
    }

    fn add_message(&mut self, place: i64, message: &MessageRow) -> Outcome<()> {
        self.messages.push((place, message.clone(), false));
        Ok(())
    }

    fn messages(&mut self, row: &Row, after: u64, limit: usize) -> Outcome<Vec<MessageRow>> {
        let behind = self.live(row.place).filter(|message| message.seq > after);
        Ok(behind.take(limit).cloned().collect())
    }

    fn last(&mut self, row: &Row, before: u64, limit: usize) -> Outcome<Vec<MessageRow>> {
        let earlier = self.live(row.place).rev().filter(|message| message.seq < before);
        let mut last: Vec<MessageRow> = earlier.take(limit).cloned().collect();
        last.reverse();
        Ok(last)
    }

    fn added(&mut self, row: &Row, span: Span, limit: usize) -> Outcome<Vec<MessageRow>> {
        let own = self.messages.iter().filter(|(of, ..)| *of == row.place);
        let within = own.map(|(_, message, _)| message).filter(|one| span.holds(one.version));
        Ok(within.take(limit).cloned().collect())
    }

    fn clear(&mut self, row: &mut Row, before: Option<i64>) -> Outcome<u64> {
        let mut count = 0;
        for (of, message, cleared) in &mut self.messages {
            let is_before = |before| message.instant.is_some_and(|instant| instant < before);
            if *of == row.place && !*cleared && before.is_none_or(is_before) {
                *cleared = true;
                count += 1;
            }
        }
        let first = self.live(row.place).next();
        row.cleared_through = first.map_or(row.last_seq, |message| message.seq - 1);
        row.messages -= count;
        Ok(count)
    }

    fn copy_messages(&mut self, from: &Row, to: i64) -> Outcome<()> {
        let copies: Vec<_> =
            self.live(from.place).map(|message| (to, message.clone(), false)).collect();
        self.messages.extend(copies);
        Ok(())
    }

    fn add_change(&mut self, place: i64, change: &ChangeRow) -> Outcome<()> {
        self.changes.push((place, change.clone()));
        Ok(())
    }

    fn changes(&mut self, place: i64, span: Span, limit: usize) -> Outcome<Vec<ChangeRow>> {
        let own = self.changes.iter().filter(|(of, _)| *of == place);
        let within = own.map(|(_, change)| change).filter(|change| span.holds(change.version));
        Ok(within.take(limit).cloned().collect())
    }

    fn compact(&mut self, row: &Row, through: u64) -> Outcome<()> {
        let place = row.place;
        self.changes.retain(|(of, change)| *of != place || change.version > through);
        self.messages.retain(|(of, message, cleared)| {
            *of != place || !*cleared || message.version > through
        });
        Ok(())
    }

    fn key(&mut self, owner: &str, scope: &str, message_id: &str) -> Outcome<Option<KeyRow>> {
        Ok(self.key_at(owner, scope, message_id).and_then(|at| self.keys.get(at)).cloned())
    }

    fn put_key(&mut self, key: &KeyRow) -> Outcome<()> {
        if let Some(at) = self.key_at(&key.owner, &key.scope, &key.message_id) {
            self.keys.remove(at);
        }
        self.keys.push(key.clone());
        Ok(())
    }

    fn settle(&mut self, key: &KeyRow, answer: Option<&Stored>) -> Outcome<()> {
        let at = self.key_at(&key.owner, &key.scope, &key.message_id);
        if let Some(kept) = at.and_then(|at| self.keys.get_mut(at)) {
            kept.answer = answer.cloned().map_or(StoredAnswer::Pending, StoredAnswer::Ready);
        }
        Ok(())
    }

    fn take_id(&mut self, row: &Row, message_id: &str) -> Outcome<()> {
        if self.key_at(&row.owner, &row.context_id, message_id).is_none() {
            self.keys.push(KeyRow {
                owner: row.owner.clone(),
                scope: row.context_id.clone(),
                message_id: message_id.to_owned(),
                digest: [0; 32],
                context: Some(row.context_id.clone()),
                answer: StoredAnswer::Stands,
                time_us: row.last_update_us,
            });
        }
        Ok(())
    }

    fn take_ids(&mut self, row: &Row) -> Outcome<()> {
        let texts: Vec<_> = self.live(row.place).map(|one| one.kept.text.clone()).collect();
        for text in texts {
            let message = NewMessage::parse(&text)?;
            self.take_id(row, message.id())?;
        }
        Ok(())
    }

    fn forget_keys(&mut self, owner: &str, context: &str) -> Outcome<()> {
        self.keys.retain(|key| {
            let is_of_it = key.scope == context || key.context.as_deref() == Some(context);
            key.owner != owner || !is_of_it
        });
        Ok(())
    }

    fn pending(&mut self) -> Outcome<Vec<PendingKey>> {
        let is_open =
            |key: &&KeyRow| matches!(key.answer, StoredAnswer::Pending | StoredAnswer::Queued);
        let place_of = |key: &KeyRow| {
            let (owner, context) = (&key.owner, key.context.as_ref()?);
            let mut rows = self.contexts.iter().map(|context| &context.row);
            let found = rows.find(|row| row.owner == *owner && row.context_id == *context);
            found.map(|row| row.place)
        };
        let open = self.keys.iter().filter(is_open);
        let mut pending: Vec<PendingKey> = open.map(|key| key.pending(place_of(key))).collect();
        pending.sort_by_key(|key| key.time_us);
        Ok(pending)
    }

    fn touch(&mut self) -> Outcome<()> {
        Ok(())
    }
}
