//! Rows in memory.

use crate::contexts::ledger::{
    ChangeRow, KeyRow, Ledger, MessageRow, Outcome, Row, Span, Stored, StoredAnswer,
};
use contexture_core::store::contexts::{ContextError, NewMessage, PendingKey};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

#[derive(Default)]
pub(super) struct Memory {
    last_place: i64,
    /// By name and owner.
    places: BTreeMap<(String, String), i64>,
    contexts: BTreeMap<i64, Context>,
    keys: BTreeMap<KeyPlace, KeyRow>,
}

/// Owner, scope, messageId.
type KeyPlace = (String, String, String);

struct Context {
    row: Row,
    state: Stored,
    metadata: String,
    messages: BTreeMap<u64, Message>,
    changes: Vec<ChangeRow>,
}

#[derive(Clone)]
struct Message {
    row: MessageRow,
    is_cleared: bool,
}

impl Memory {
    fn context(&mut self, place: i64) -> Outcome<&mut Context> {
        let missing = || ContextError::NotFound(place.to_string());
        self.contexts.get_mut(&place).ok_or_else(missing)
    }
}

fn name(row: &Row) -> (String, String) {
    (row.context_id.clone(), row.owner.clone())
}

fn place(owner: &str, scope: &str, message_id: &str) -> KeyPlace {
    (owner.to_owned(), scope.to_owned(), message_id.to_owned())
}

impl Ledger for Memory {
    fn touch(&mut self) -> Outcome<()> {
        Ok(())
    }

    fn find(&mut self, owner: &str, context: &str) -> Outcome<Option<Row>> {
        let place = self.places.get(&(context.to_owned(), owner.to_owned()));
        Ok(place.and_then(|place| self.contexts.get(place)).map(|context| context.row.clone()))
    }

    fn holders(&mut self, context: &str) -> Outcome<Vec<String>> {
        let all = self.places.range((context.to_owned(), String::new())..);
        let named = all.take_while(|((name, _), _)| name == context);
        Ok(named.map(|((_, owner), _)| owner.clone()).collect())
    }

    fn insert(&mut self, row: &Row, state: &Stored, metadata: &str) -> Outcome<i64> {
        self.last_place += 1;
        let place = self.last_place;
        self.places.insert(name(row), place);
        let context = Context {
            row: Row { place, ..row.clone() },
            state: state.clone(),
            metadata: metadata.to_owned(),
            messages: BTreeMap::new(),
            changes: Vec::new(),
        };
        self.contexts.insert(place, context);
        Ok(place)
    }

    fn update(&mut self, row: &Row) -> Outcome<()> {
        self.context(row.place)?.row = row.clone();
        Ok(())
    }

    fn remove(&mut self, place: i64) -> Outcome<()> {
        if let Some(context) = self.contexts.remove(&place) {
            self.places.remove(&name(&context.row));
        }
        Ok(())
    }

    fn owned(&mut self, owner: &str, after: i64, limit: usize) -> Outcome<Vec<Row>> {
        let later = self.contexts.range((Bound::Excluded(after), Bound::Unbounded));
        let owned = later.map(|(_, context)| &context.row).filter(|row| row.owner == owner);
        Ok(owned.take(limit).cloned().collect())
    }

    fn owners(&mut self) -> Outcome<Vec<String>> {
        let all: BTreeSet<&String> =
            self.contexts.values().map(|context| &context.row.owner).collect();
        Ok(all.into_iter().cloned().collect())
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
        let entry = Message { row: message.clone(), is_cleared: false };
        self.context(place)?.messages.insert(message.seq, entry);
        Ok(())
    }

    fn messages(&mut self, row: &Row, after: u64, limit: usize) -> Outcome<Vec<MessageRow>> {
        let context = self.context(row.place)?;
        let from = (Bound::Excluded(after.max(row.cleared_through)), Bound::Unbounded);
        let live = context.messages.range(from).filter(|(_, message)| !message.is_cleared);
        Ok(live.take(limit).map(|(_, message)| message.row.clone()).collect())
    }

    fn last(&mut self, row: &Row, before: u64, limit: usize) -> Outcome<Vec<MessageRow>> {
        let context = self.context(row.place)?;
        let earlier = context.messages.range(..before).rev();
        let live = earlier.filter(|(_, message)| !message.is_cleared);
        let mut last: Vec<MessageRow> =
            live.take(limit).map(|(_, message)| message.row.clone()).collect();
        last.reverse();
        Ok(last)
    }

    fn added(&mut self, row: &Row, span: Span, limit: usize) -> Outcome<Vec<MessageRow>> {
        let context = self.context(row.place)?;
        let rows = context.messages.values().map(|message| &message.row);
        let within = rows.filter(|row| span.holds(row.version));
        Ok(within.take(limit).cloned().collect())
    }

    fn clear(&mut self, row: &mut Row, before: Option<i64>) -> Outcome<u64> {
        let context = self.context(row.place)?;
        let mut cleared = 0;
        for message in context.messages.values_mut().filter(|message| !message.is_cleared) {
            let is_meant = before
                .is_none_or(|before| message.row.instant.is_some_and(|instant| instant < before));
            if is_meant {
                message.is_cleared = true;
                cleared += 1;
            }
        }
        let first = context.messages.iter().find(|(_, message)| !message.is_cleared);
        row.cleared_through = first.map_or(row.last_seq, |(seq, _)| seq - 1);
        row.messages -= cleared;
        Ok(cleared)
    }

    fn copy_messages(&mut self, from: &Row, to: i64) -> Outcome<()> {
        let all = self.context(from.place)?.messages.iter();
        let live = all.filter(|(_, message)| !message.is_cleared);
        let live: BTreeMap<u64, Message> =
            live.map(|(seq, message)| (*seq, message.clone())).collect();
        self.context(to)?.messages = live;
        Ok(())
    }

    fn add_change(&mut self, place: i64, change: &ChangeRow) -> Outcome<()> {
        self.context(place)?.changes.push(change.clone());
        Ok(())
    }

    fn changes(&mut self, place: i64, span: Span, limit: usize) -> Outcome<Vec<ChangeRow>> {
        let changes = self.context(place)?.changes.iter();
        Ok(changes.filter(|change| span.holds(change.version)).take(limit).cloned().collect())
    }

    fn compact(&mut self, row: &Row, through: u64) -> Outcome<()> {
        let context = self.context(row.place)?;
        context.changes.retain(|change| change.version > through);
        context
            .messages
            .retain(|_, message| !(message.is_cleared && message.row.version <= through));
        Ok(())
    }

    fn key(&mut self, owner: &str, scope: &str, message_id: &str) -> Outcome<Option<KeyRow>> {
        Ok(self.keys.get(&place(owner, scope, message_id)).cloned())
    }

    fn put_key(&mut self, key: &KeyRow) -> Outcome<()> {
        let place = place(&key.owner, &key.scope, &key.message_id);
        self.keys.insert(place, key.clone());
        Ok(())
    }

    fn settle(&mut self, key: &KeyRow, answer: Option<&Stored>) -> Outcome<()> {
        let place = place(&key.owner, &key.scope, &key.message_id);
        if let Some(row) = self.keys.get_mut(&place) {
            row.answer = answer.cloned().map_or(StoredAnswer::Pending, StoredAnswer::Ready);
        }
        Ok(())
    }

    fn take_id(&mut self, row: &Row, message_id: &str) -> Outcome<()> {
        let place = place(&row.owner, &row.context_id, message_id);
        self.keys.entry(place).or_insert_with(|| KeyRow {
            owner: row.owner.clone(),
            scope: row.context_id.clone(),
            message_id: message_id.to_owned(),
            digest: [0; 32],
            context: Some(row.context_id.clone()),
            answer: StoredAnswer::Stands,
            time_us: row.last_update_us,
        });
        Ok(())
    }

    fn take_ids(&mut self, row: &Row) -> Outcome<()> {
        let messages = self.context(row.place)?.messages.values();
        let live = messages.filter(|message| !message.is_cleared);
        let texts: Vec<_> = live.map(|message| message.row.kept.text.clone()).collect();
        for text in texts {
            let message = NewMessage::parse(&text)?;
            self.take_id(row, message.id())?;
        }
        Ok(())
    }

    fn forget_keys(&mut self, owner: &str, context: &str) -> Outcome<()> {
        self.keys.retain(|(of, scope, _), key| {
            let is_of_it = scope == context || key.context.as_deref() == Some(context);
            of != owner || !is_of_it
        });
        Ok(())
    }

    fn pending(&mut self) -> Outcome<Vec<PendingKey>> {
        let is_open =
            |key: &&KeyRow| matches!(key.answer, StoredAnswer::Pending | StoredAnswer::Queued);
        let keys = self.keys.values().filter(is_open);
        let place_of =
            |key: &KeyRow| self.places.get(&(key.context.clone()?, key.owner.clone())).copied();
        let mut pending: Vec<PendingKey> = keys.map(|key| key.pending(place_of(key))).collect();
        pending.sort_by_key(|key| key.time_us);
        Ok(pending)
    }
}
