//! Reading: heads, states, pages, the change log, the whole.

use super::engine::{Engine, require};
use super::ledger::{ChangeRow, Edit, Ledger, MessageRow, Outcome, Row, Span};
use crate::stamp::iso_time;
use contexture_context::json;
use contexture_core::store::contexts::{
    Change, Changes, ContextError, Head, Heads, Key, Page, State, StoredMessage, What,
};
use serde_json::{Map, Value, json};

pub(super) fn head(ledger: &mut dyn Ledger, key: Key<'_>) -> Outcome<Head> {
    let row = require(ledger, key)?;
    headed(ledger, row)
}

pub(super) fn headed(ledger: &mut dyn Ledger, row: Row) -> Outcome<Head> {
    let metadata = metadata(ledger, &row)?;
    Ok(row.head(metadata))
}

pub(super) fn metadata(ledger: &mut dyn Ledger, row: &Row) -> Outcome<Map<String, Value>> {
    let text = ledger.metadata(row.place)?;
    json::read(text.as_bytes()).map_err(|error| damaged(row, "metadata", &error.to_string()))
}

pub(super) fn damaged(row: &Row, what: &str, reason: &str) -> ContextError {
    let path = format!("{what} of {}", row.context_id);
    ContextError::Damaged { path, reason: reason.to_owned() }
}

pub(super) fn page_limit(engine: &Engine, limit: usize) -> Outcome<usize> {
    if limit == 0 {
        return Err(ContextError::invalid("limit", "a number from 1", "0"));
    }
    let most = engine.limits.page;
    if limit > most {
        let (found, limit) = (limit as u64, most as u64);
        return Err(ContextError::TooLarge { what: "a page", found, unit: "entries", limit });
    }
    Ok(limit)
}

pub(super) fn list(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    owner: &str,
    after: Option<&str>,
    limit: usize,
) -> Outcome<Heads> {
    let limit = page_limit(engine, limit)?;
    let after: i64 = match after {
        None => 0,
        Some(text) => {
            let place = text.parse().ok().filter(|place| *place >= 0);
            place.ok_or_else(|| ContextError::invalid("after", "the `next` of a page", text))?
        }
    };
    let mut rows = ledger.owned(owner, after, limit + 1)?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|row| row.place.to_string());
    let contexts =
        rows.into_iter().map(|row| headed(ledger, row)).collect::<Outcome<Vec<Head>>>()?;
    Ok(Heads { contexts, next })
}

pub(super) fn state(ledger: &mut dyn Ledger, engine: &Engine, key: Key<'_>) -> Outcome<State> {
    let row = require(ledger, key)?;
    let value = engine.vault.open_state(&ledger.state(row.place)?)?;
    Ok(State { version: row.version, value })
}

fn open(engine: &Engine, row: MessageRow) -> Outcome<StoredMessage> {
    let text = engine.vault.open_message(&row.kept)?;
    Ok(StoredMessage { seq: row.seq, version: row.version, time_us: row.time_us, text })
}

fn open_all(engine: &Engine, rows: Vec<MessageRow>) -> Outcome<Vec<StoredMessage>> {
    rows.into_iter().map(|row| open(engine, row)).collect()
}

pub(super) fn messages(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    key: Key<'_>,
    after: u64,
    limit: usize,
) -> Outcome<Page> {
    let limit = page_limit(engine, limit)?;
    let row = require(ledger, key)?;
    page(ledger, engine, &row, after, limit)
}

pub(super) fn page(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    row: &Row,
    after: u64,
    limit: usize,
) -> Outcome<Page> {
    let mut rows = ledger.messages(row, after, limit + 1)?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|message| message.seq);
    Ok(Page { messages: open_all(engine, rows)?, next })
}

pub(super) fn before(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    key: Key<'_>,
    before: u64,
    limit: usize,
) -> Outcome<Page> {
    let limit = page_limit(engine, limit)?;
    let row = require(ledger, key)?;
    let mut rows = ledger.last(&row, before, limit + 1)?;
    let more = rows.len() > limit;
    if more {
        rows.remove(0);
    }
    let next = rows.first().filter(|_| more).map(|message| message.seq);
    Ok(Page { messages: open_all(engine, rows)?, next })
}

pub(super) fn changes(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    key: Key<'_>,
    since: u64,
    limit: usize,
) -> Outcome<Changes> {
    let limit = page_limit(engine, limit)?;
    let row = require(ledger, key)?;
    let (current, oldest) = (row.version, row.oldest);
    if since > current {
        return Err(ContextError::Ahead { asked: since, current });
    }
    if since < oldest {
        return Err(ContextError::Compacted { asked: since, oldest, current });
    }
    let span = Span { after: since, through: current };
    let mut entries = entries(ledger, &row, span, limit + 1)?;
    let mut next = None;
    if entries.len() > limit {
        let cut = entries.get(limit).map_or(current, Entry::version);
        entries.truncate(limit);
        entries.retain(|entry| entry.version() < cut);
        if entries.is_empty() {
            // One version alone has more than a page.
            let whole = Span { after: cut - 1, through: cut };
            entries = self::entries(ledger, &row, whole, usize::MAX)?;
        }
        next = entries.last().map(Entry::version).filter(|version| *version < current);
    }
    let changes = entries.into_iter().map(|entry| change(engine, entry)).collect::<Outcome<_>>()?;
    Ok(Changes { version: current, changes, next })
}

enum Entry {
    Message(MessageRow),
    Change(ChangeRow),
}

impl Entry {
    const fn version(&self) -> u64 {
        self.order().0
    }

    const fn order(&self) -> (u64, u64) {
        match self {
            Self::Message(row) => (row.version, row.index),
            Self::Change(row) => (row.version, row.index),
        }
    }
}

/// Reads the log, which is in two tables, since messages are stored once.
fn entries(ledger: &mut dyn Ledger, row: &Row, span: Span, limit: usize) -> Outcome<Vec<Entry>> {
    let messages = ledger.added(row, span, limit)?;
    let changes = ledger.changes(row.place, span, limit)?;
    let mut all: Vec<Entry> = messages.into_iter().map(Entry::Message).collect();
    all.extend(changes.into_iter().map(Entry::Change));
    all.sort_by_key(Entry::order);
    all.truncate(limit);
    Ok(all)
}

fn change(engine: &Engine, entry: Entry) -> Outcome<Change> {
    match entry {
        Entry::Message(row) => added(engine, row),
        Entry::Change(row) => edited(engine, row),
    }
}

pub(super) fn added(engine: &Engine, row: MessageRow) -> Outcome<Change> {
    let text = engine.vault.open_message(&row.kept)?;
    let what = What::AddMessage { seq: row.seq, text };
    let cause = row.cause.as_deref().map(str::to_owned);
    Ok(Change { version: row.version, what, cause, time_us: row.time_us })
}

pub(super) fn edited(engine: &Engine, row: ChangeRow) -> Outcome<Change> {
    let value = match &row.edit {
        Edit::Set { value, .. } | Edit::Metadata { patch: value } => {
            engine.vault.open_value(value)?
        }
        _ => Value::Null,
    };
    let (what, cause) = (row.edit.what(value), row.cause.as_deref().map(str::to_owned));
    Ok(Change { version: row.version, what, cause, time_us: row.time_us })
}

pub(super) fn whole(ledger: &mut dyn Ledger, engine: &Engine, key: Key<'_>) -> Outcome<Value> {
    let row = require(ledger, key)?;
    if row.messages > engine.limits.whole {
        let (found, limit) = (row.messages, engine.limits.whole);
        let what = "a context that is read whole";
        return Err(ContextError::TooLarge { what, found, unit: "messages", limit });
    }
    let mut messages = Vec::new();
    let mut after = 0;
    loop {
        let page = page(ledger, engine, &row, after, engine.limits.page)?;
        messages.extend(page.messages.iter().map(|message| message.to_value(&row.context_id)));
        let Some(next) = page.next else { break };
        after = next;
    }
    let mut whole = described(ledger, engine, &row)?;
    whole.insert("messages".to_owned(), Value::Array(messages));
    Ok(Value::Object(whole))
}

/// Returns a context as in 8.1, without its messages.
pub(super) fn described(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    row: &Row,
) -> Outcome<Map<String, Value>> {
    let state = engine.vault.open_state(&ledger.state(row.place)?)?;
    let described = json!({
        "contextId": row.context_id,
        "creationTime": iso_time(row.creation_us),
        "lastUpdateTime": iso_time(row.last_update_us),
        "version": row.version,
        "state": state,
        "metadata": metadata(ledger, row)?,
    });
    match described {
        Value::Object(fields) => Ok(fields),
        _ => Ok(Map::new()),
    }
}
