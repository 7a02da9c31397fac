//! The rules of an update (CP-7, CP-9 to CP-11).
//!
//! Decision: first everything is looked at and worked out, then all is written: a refusal has
//! touched nothing, whatever the store.

use super::conflict::{self, Step};
use super::engine::Engine;
use super::ledger::{
    ChangeRow, Edit, KeyRow, Ledger, MessageRow, Outcome, Reads, Row, Stored, StoredAnswer,
};
use super::{limit, metadata};
use contexture_core::store::contexts::{
    Answer, Applied, Change, ContextError, KeyName, Operation, Repeated, Settlement, Update, What,
};
use contexture_protocol::Timestamp;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// Nanoseconds since 1970; times beyond what fits are the first or the last of all.
pub(super) fn instant(text: &str) -> Option<i64> {
    let moment = text.parse::<Timestamp>().ok()?.moment();
    let whole = moment.seconds.saturating_mul(1_000_000_000);
    Some(whole.saturating_add(i64::from(moment.nanos)))
}

pub(super) fn apply(ledger: &mut dyn Ledger, engine: &Engine, update: &Update) -> Outcome<Applied> {
    let scope = update.context_id.as_deref().unwrap_or_default();
    ids(engine, update)?;
    if let Some(key) = &update.key
        && let Some(row) = same(ledger, &update.owner, scope, &key.message_id, &key.digest)?
    {
        return again(ledger, engine, row);
    }
    let found = context(ledger, update)?;
    let settles = settling(ledger, update)?;
    let mut applied = start(engine, update, found.as_ref());
    if update.only_pending && settles.is_none() {
        return Ok(applied);
    }
    let mut row = None;
    if !update.operations.is_empty() {
        row = Some(operate(ledger, engine, update, found, &mut applied)?);
    }
    if let Some((key, settled)) = settles {
        match answer(engine, settled, &applied)? {
            StoredAnswer::Ready(kept) => ledger.settle(&key, Some(&kept))?,
            _ => ledger.settle(&key, None)?,
        }
    }
    if let Some(key) = &update.key {
        let named = row.is_some() || !scope.is_empty();
        let context = named.then(|| applied.context_id.clone());
        let answer = answer(engine, &key.answer, &applied)?;
        ledger.put_key(&KeyRow {
            owner: update.owner.clone(),
            scope: scope.to_owned(),
            message_id: key.message_id.clone(),
            digest: key.digest,
            context,
            answer,
            time_us: applied.time_us,
        })?;
    }
    Ok(applied)
}

/// The most keys of an update that are named before it.
const MOST_KEYS: usize = 16;

/// Returns the bytes of messages that [`apply`] writes.
pub(super) fn bytes(update: &Update) -> usize {
    let messages = update.operations.iter().map(|operation| match operation {
        Operation::AddMessage(message) => message.text().len(),
        _ => 0,
    });
    messages.sum()
}

/// Returns the rows that [`apply`] looks at first.
pub(super) fn reads(update: &Update) -> Reads {
    let scope = update.context_id.as_deref().unwrap_or_default();
    let own = update.key.iter().map(|key| (scope, &*key.message_id));
    let settled = update.settles.iter().map(|settled| {
        (settled.key.context_id.as_deref().unwrap_or_default(), &*settled.key.message_id)
    });
    let added = update.operations.iter().filter_map(|operation| match operation {
        Operation::AddMessage(message) => Some((scope, message.id())),
        _ => None,
    });
    let added = added.filter(|(_, id)| update.context_id.is_some() && !is_own(update, id));
    let keys = own.chain(settled).chain(added).take(MOST_KEYS);
    Reads {
        owner: update.owner.clone(),
        context: update.context_id.clone(),
        keys: keys.map(|(scope, id)| (scope.to_owned(), id.to_owned())).collect(),
    }
}

fn ids(engine: &Engine, update: &Update) -> Outcome<()> {
    limit::within("the owner", update.owner.len(), "bytes", engine.limits.id_bytes)?;
    if let Some(context) = &update.context_id {
        limit::id(engine, "contextId", context)?;
    }
    if let Some(key) = &update.key {
        limit::id(engine, "messageId", &key.message_id)?;
    }
    let most = engine.limits.operations;
    limit::within("an update", update.operations.len(), "operations", most)
}

/// Returns the key, if the message was here; one with another content is refused.
fn same(
    ledger: &mut dyn Ledger,
    owner: &str,
    scope: &str,
    message_id: &str,
    digest: &[u8; 32],
) -> Outcome<Option<KeyRow>> {
    match ledger.key(owner, scope, message_id)? {
        Some(row) if row.digest != *digest => {
            Err(ContextError::MessageIdConflict(message_id.to_owned()))
        }
        found => Ok(found),
    }
}

/// Returns the fate of a message; `None` when it never arrived.
pub(super) fn repeated(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    owner: &str,
    key: &KeyName,
    digest: &[u8; 32],
) -> Outcome<Option<Repeated>> {
    let scope = key.context_id.as_deref().unwrap_or_default();
    let row = same(ledger, owner, scope, &key.message_id, digest)?;
    row.map(|row| known(engine, &row)).transpose()
}

fn known(engine: &Engine, row: &KeyRow) -> Outcome<Repeated> {
    match &row.answer {
        StoredAnswer::Pending | StoredAnswer::Queued => Ok(Repeated::Pending),
        StoredAnswer::Ready(kept) => Ok(Repeated::Done(engine.vault.open_answer(kept)?)),
        // Its digest is that of no message.
        StoredAnswer::Stands => Err(ContextError::MessageIdConflict(row.message_id.clone())),
    }
}

/// Returns the outcome of a message that was here: nothing is done.
fn again(ledger: &mut dyn Ledger, engine: &Engine, row: KeyRow) -> Outcome<Applied> {
    let repeated = known(engine, &row)?;
    let context_id = row.context.unwrap_or_default();
    let context = ledger.find(&row.owner, &context_id)?;
    let version = context.as_ref().map_or(0, |context| context.version);
    Ok(Applied {
        context_id,
        version,
        seqs: Vec::new(),
        changes: Vec::new(),
        repeated: Some(repeated),
        merged: false,
        created: false,
        time_us: row.time_us,
        incarnation: context.map_or(0, |context| context.incarnation()),
    })
}

/// Returns the key that gets its answer, or gives it back; one that has an answer gets no other.
fn settling<'u>(
    ledger: &mut dyn Ledger,
    update: &'u Update,
) -> Outcome<Option<(KeyRow, &'u Answer)>> {
    let Some(Settlement { key, answer }) = &update.settles else { return Ok(None) };
    let scope = key.context_id.as_deref().unwrap_or_default();
    let Some(row) = ledger.key(&update.owner, scope, &key.message_id)? else {
        return Err(ContextError::KeyNotFound(key.message_id.clone()));
    };
    let is_meant = match answer {
        Answer::Pending => matches!(row.answer, StoredAnswer::Ready(_)),
        Answer::Queued => false,
        _ => is_open(&row),
    };
    Ok(is_meant.then_some((row, answer)))
}

const fn is_open(row: &KeyRow) -> bool {
    matches!(row.answer, StoredAnswer::Pending | StoredAnswer::Queued)
}

/// Notes that the work on a message begins, if it is its turn. One that has its answer may begin: what
/// it settles is not kept.
pub(super) fn begin(ledger: &mut dyn Ledger, owner: &str, key: &KeyName) -> Outcome<bool> {
    let scope = key.context_id.as_deref().unwrap_or_default();
    match ledger.key(owner, scope, &key.message_id)? {
        Some(row) if is_open(&row) => ledger.begin(&row),
        _ => Ok(true),
    }
}

/// Returns the update's context, if it is there; a missing one is refused unless it may be created.
fn context(ledger: &mut dyn Ledger, update: &Update) -> Outcome<Option<Row>> {
    let Some(context) = &update.context_id else { return Ok(None) };
    let is_meant = |row: &Row| update.incarnation.is_none_or(|only| only == row.incarnation());
    let may_create = update.create && update.incarnation.is_none();
    match ledger.find(&update.owner, context)? {
        Some(row) if is_meant(&row) => Ok(Some(row)),
        // A message to another owner's context is answered like one to a missing context that is
        // not created by it (CP-9).
        None if may_create && ledger.holders(context)?.is_empty() => Ok(None),
        _ => Err(ContextError::NotFound(context.clone())),
    }
}

fn start(engine: &Engine, update: &Update, row: Option<&Row>) -> Applied {
    // The server's clock may go back; a context's time does not.
    let time_us = engine.now_us().max(row.map_or(0, |row| row.last_update_us));
    let version = row.map_or(0, |row| row.version);
    let context_id = match &update.context_id {
        Some(context) => context.clone(),
        None if update.operations.is_empty() => String::new(),
        None => engine.context_id(),
    };
    Applied {
        context_id,
        version,
        seqs: Vec::new(),
        changes: Vec::new(),
        repeated: None,
        merged: false,
        created: false,
        time_us,
        incarnation: row.map_or(0, Row::incarnation),
    }
}

/// Checks that no messageId is in a context twice: neither one that is there, was there, or came
/// earlier in this update (CP-7).
fn free(
    ledger: &mut dyn Ledger,
    update: &Update,
    context: &str,
    steps: &[Step<'_>],
) -> Outcome<()> {
    let mut seen = HashSet::new();
    for step in steps {
        let Step::Add { message, .. } = step else { continue };
        let id = message.id();
        // That the update's own message is new has been looked at.
        let is_taken = !is_own(update, id) && ledger.key(&update.owner, context, id)?.is_some();
        if is_taken || !seen.insert(id) {
            return Err(ContextError::MessageIdConflict(id.to_owned()));
        }
    }
    Ok(())
}

fn is_own(update: &Update, id: &str) -> bool {
    update.context_id.is_some() && update.key.as_ref().is_some_and(|key| key.message_id == id)
}

/// The rows to write for a step.
enum Entry<'u> {
    Message(Box<MessageRow>, &'u str, Arc<str>),
    Change(ChangeRow, Value),
    Clear { before: Option<String>, instant: Option<i64>, index: u64 },
}

fn operate(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    update: &Update,
    found: Option<Row>,
    applied: &mut Applied,
) -> Outcome<Row> {
    let steps = update
        .operations
        .iter()
        .map(|one| step(engine, one))
        .collect::<Outcome<Vec<Step<'_>>>>()?;
    free(ledger, update, &applied.context_id, &steps)?;
    let current = found.as_ref().map_or(0, |row| row.version);
    if let Some(base) = update.base_version {
        if base > current {
            return Err(ContextError::Ahead { asked: base, current });
        }
        applied.merged = base < current;
    }
    if let (Some(row), Some(base), true) = (&found, update.base_version, applied.merged) {
        conflict::check(ledger, engine, row, base, &steps)?;
    }
    let is_new = found.is_none();
    let mut row = found.unwrap_or_else(|| new_row(update, applied));
    row.version += 1;
    row.last_update_us = applied.time_us;
    applied.version = row.version;
    applied.created = is_new;
    let first = is_new.then_some(&update.metadata);
    let metadata = metadata::after(ledger, engine, &row, first, &steps)?;
    let state = state(ledger, engine, &row, is_new, &steps)?;
    let entries = prepare(engine, update, &row, &steps)?;
    // From here on nothing is refused.
    if is_new {
        let first = match &state {
            Some(kept) => kept.clone(),
            None => engine.vault.state(&json!({}))?,
        };
        row.place = ledger.insert(&row, &first, metadata.as_deref().unwrap_or("{}"))?;
        applied.incarnation = row.incarnation();
    } else {
        if let Some(kept) = &state {
            ledger.put_state(row.place, kept)?;
        }
        if let Some(metadata) = &metadata {
            ledger.put_metadata(row.place, metadata)?;
        }
    }
    for entry in entries {
        write(ledger, update, &mut row, entry, applied)?;
    }
    ledger.update(&row)?;
    Ok(row)
}

fn new_row(update: &Update, applied: &Applied) -> Row {
    Row {
        place: 0,
        context_id: applied.context_id.clone(),
        owner: update.owner.clone(),
        creation_us: applied.time_us,
        last_update_us: applied.time_us,
        version: 0,
        oldest: 0,
        last_seq: 0,
        messages: 0,
        cleared_through: 0,
    }
}

fn step<'u>(engine: &Engine, operation: &'u Operation) -> Outcome<Step<'u>> {
    match operation {
        Operation::AddMessage(message) => {
            let text = message.text();
            limit::within("a message", text.len(), "bytes", engine.limits.message_bytes)?;
            limit::id(engine, "messageId", message.id())?;
            limit::text_depth(engine, "a message", text)?;
            let instant = message.timestamp().and_then(instant);
            Ok(Step::Add { message, instant })
        }
        Operation::UpdateState { path, value } => Ok(Step::Set { path, value }),
        Operation::RemoveState { path } => Ok(Step::Remove { path }),
        Operation::UpdateMetadata { patch } => {
            limit::metadata(engine, patch)?;
            Ok(Step::Patch { patch })
        }
        Operation::ClearHistory { before: None } => Ok(Step::Clear { before: None, instant: None }),
        Operation::ClearHistory { before: Some(before) } => {
            let Some(at) = instant(before) else {
                let expected = "a time such as 2025-12-01T09:00:00Z";
                return Err(ContextError::invalid("filter/beforeTimestamp", expected, before));
            };
            Ok(Step::Clear { before: Some(before), instant: Some(at) })
        }
    }
}

/// Returns the state after the steps, if they change it.
fn state(
    ledger: &mut dyn Ledger,
    engine: &Engine,
    row: &Row,
    is_new: bool,
    steps: &[Step<'_>],
) -> Outcome<Option<Stored>> {
    if !steps.iter().any(|step| matches!(step, Step::Set { .. } | Step::Remove { .. })) {
        return Ok(None);
    }
    let mut state =
        if is_new { json!({}) } else { engine.vault.open_state(&ledger.state(row.place)?)? };
    for (operation, step) in steps.iter().enumerate() {
        let fault = |error| ContextError::Path { operation, error };
        match step {
            Step::Set { path, value } => {
                path.set(&mut state, (*value).clone()).map_err(fault)?;
            }
            Step::Remove { path } => {
                path.remove(&mut state).map_err(fault)?;
            }
            Step::Add { .. } | Step::Patch { .. } | Step::Clear { .. } => {}
        }
    }
    let text = state.to_string();
    limit::within("the state", text.len(), "bytes", engine.limits.state_bytes)?;
    limit::text_depth(engine, "the state", &text)?;
    engine.vault.state(&state).map(Some)
}

fn prepare<'u>(
    engine: &Engine,
    update: &Update,
    row: &Row,
    steps: &[Step<'u>],
) -> Outcome<Vec<Entry<'u>>> {
    let cause: Option<Arc<str>> = update.cause.as_deref().map(Arc::from);
    let (version, time_us) = (row.version, row.last_update_us);
    let mut seq = row.last_seq;
    let mut entries = Vec::with_capacity(steps.len());
    for (index, step) in (0_u64..).zip(steps) {
        let change = |edit| ChangeRow { version, index, edit, cause: cause.clone(), time_us };
        entries.push(match step {
            Step::Add { message, instant } => {
                seq += 1;
                let (kept, cause) = (engine.vault.message(message.text())?, cause.clone());
                let instant = *instant;
                let row = MessageRow { seq, version, index, instant, cause, time_us, kept };
                Entry::Message(Box::new(row), message.id(), Arc::clone(message.text()))
            }
            Step::Set { path, value } => {
                let kept = engine.vault.value(path, value)?;
                let path = path.as_str().to_owned();
                Entry::Change(change(Edit::Set { path, value: kept }), (*value).clone())
            }
            Step::Remove { path } => {
                let path = path.as_str().to_owned();
                Entry::Change(change(Edit::Remove { path }), Value::Null)
            }
            Step::Patch { patch } => {
                let value = Value::Object((*patch).clone());
                let patch = Stored::plain(value.to_string());
                Entry::Change(change(Edit::Metadata { patch }), value)
            }
            Step::Clear { before, instant } => {
                let before = before.map(str::to_owned);
                Entry::Clear { before, instant: *instant, index }
            }
        });
    }
    Ok(entries)
}

fn write(
    ledger: &mut dyn Ledger,
    update: &Update,
    row: &mut Row,
    entry: Entry<'_>,
    applied: &mut Applied,
) -> Outcome<()> {
    let (version, time_us) = (row.version, row.last_update_us);
    let what = match entry {
        Entry::Message(message, id, text) => {
            ledger.add_message(row.place, &message)?;
            if !is_own(update, id) {
                ledger.take_id(row, id)?;
            }
            row.last_seq = message.seq;
            row.messages += 1;
            applied.seqs.push(message.seq);
            What::AddMessage { seq: message.seq, text }
        }
        Entry::Change(change, value) => {
            ledger.add_change(row.place, &change)?;
            change.edit.what(value)
        }
        Entry::Clear { before, instant, index } => {
            let cleared = ledger.clear(row, instant)?;
            let edit = Edit::Clear { before, through: row.last_seq, cleared };
            let cause = update.cause.as_deref().map(Arc::from);
            let change = ChangeRow { version, index, edit, cause, time_us };
            ledger.add_change(row.place, &change)?;
            change.edit.what(Value::Null)
        }
    };
    applied.changes.push(Change { version, what, cause: update.cause.clone(), time_us });
    Ok(())
}

/// Returns the answer that is kept with a key.
fn answer(engine: &Engine, answer: &Answer, applied: &Applied) -> Outcome<StoredAnswer> {
    let text = match answer {
        Answer::Pending => return Ok(StoredAnswer::Pending),
        Answer::Queued => return Ok(StoredAnswer::Queued),
        Answer::Ready(text) => text.clone(),
        Answer::Made(make) => make(applied),
    };
    Ok(StoredAnswer::Ready(engine.vault.answer(&text)?))
}
