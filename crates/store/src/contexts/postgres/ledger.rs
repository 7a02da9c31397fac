//! The ledger of contexts in PostgreSQL.

use super::ahead::{Ahead, Shared};
use super::rows::{
    CONTEXT, KEY, MESSAGE, PENDING, Parts, READY, STANDS, WAITING, change, context, kept, key,
    message, waiting,
};
use crate::contexts::ledger::{
    ChangeRow, KeyRow, Ledger, MessageRow, Outcome, Row, Sealed, Span, Stored, StoredAnswer,
};
use crate::postgres::{self, Fault, Session, Value, values};
use contexture_core::store::contexts::{NewMessage, PendingKey};
use std::sync::MutexGuard;

/// Messages that are read at once where all of a context are.
const PAGE: usize = 500;

type SealedKind = fn(Stored) -> Sealed;

/// Where sealed values may stand: the kind, the column, the table and its order.
const SEALED: [(SealedKind, &str, &str, [&str; 2]); 2] = [
    (Sealed::State, "state", "contexture_details", ["place desc", "place"]),
    (Sealed::Message, "text", "contexture_messages", ["context desc, seq desc", "context, seq"]),
];

/// The tables, inside a transaction.
pub(super) struct Tables<'s> {
    session: &'s Session,
    name: &'s str,
    /// The process that works on messages without an answer.
    token: &'s str,
    /// What was read ahead for a transaction that writes, and its number.
    ahead: Option<(&'s Shared, u64)>,
}

impl<'s> Tables<'s> {
    pub(super) const fn new(session: &'s Session, name: &'s str, token: &'s str) -> Self {
        Self { session, name, token, ahead: None }
    }

    /// Gives a transaction that writes, of this number, what is read ahead for it.
    pub(super) const fn with(self, ahead: &'s Shared, batch: u64) -> Self {
        Self { ahead: Some((ahead, batch)), ..self }
    }

    fn ahead(&self) -> Option<MutexGuard<'s, Ahead>> {
        self.ahead.map(|(shared, batch)| shared.of(batch))
    }

    fn note(&self, change: impl FnOnce(&mut Ahead)) {
        if let Some(mut ahead) = self.ahead() {
            change(&mut ahead);
        }
    }

    fn told<T>(&self, outcome: Result<T, Fault>) -> Outcome<T> {
        outcome.map_err(|fault| fault.told(self.name))
    }

    fn write(&self, sql: &str, values: Vec<Value>) -> Outcome<()> {
        self.told(self.session.write(sql, values))
    }

    fn one<T>(
        &self,
        sql: &str,
        values: Vec<Value>,
        read: impl FnOnce(&postgres::Row) -> Result<T, Fault>,
    ) -> Outcome<Option<T>> {
        let row = self.session.row(sql, values);
        self.told(row.and_then(|row| row.as_ref().map(read).transpose()))
    }

    fn all<T>(
        &self,
        sql: &str,
        values: Vec<Value>,
        read: impl FnMut(&postgres::Row) -> Result<T, Fault>,
    ) -> Outcome<Vec<T>> {
        let rows = self.session.rows(sql, values);
        self.told(rows.and_then(|rows| rows.iter().map(read).collect()))
    }
}

impl Ledger for Tables<'_> {
    fn sealed(&mut self) -> Outcome<Vec<Sealed>> {
        // So few rows are looked at that it takes no time where nothing is sealed.
        let mut sealed = Vec::new();
        for (kind, column, table, orders) in SEALED {
            for order in orders {
                let sql = format!(
                    "select sealed, {column} from (select sealed, {column} from {table}
                     order by {order} limit 100) as looked_at where sealed is not null limit 1"
                );
                sealed.extend(self.one(&sql, Vec::new(), |row| kept(row, 0, 1))?.map(kind));
            }
        }
        Ok(sealed)
    }

    fn touch(&mut self) -> Outcome<()> {
        // Every transaction writes its number as it begins.
        self.told(self.session.answered())
    }

    fn find(&mut self, owner: &str, name: &str) -> Outcome<Option<Row>> {
        if let Some(mut ahead) = self.ahead()
            && let Some(known) = self.told(ahead.context(self.session, owner, name))?
        {
            return Ok(known);
        }
        let sql = format!("{CONTEXT} where name = $1 and owner = $2");
        self.one(&sql, values![name, owner], context)
    }

    fn holders(&mut self, name: &str) -> Outcome<Vec<String>> {
        let sql = "select owner from contexture_contexts where name = $1 order by owner";
        self.all(sql, values![name], |row| row.text(0))
    }

    fn insert(&mut self, row: &Row, state: &Stored, metadata: &str) -> Outcome<i64> {
        let added = self.session.write_row(
            "insert into contexture_contexts (name, owner, creation, last_update, version, oldest,
             last_seq, messages, cleared_through) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             returning place",
            values![
                &row.context_id,
                &row.owner,
                row.creation_us,
                row.last_update_us,
                row.version,
                row.oldest,
                row.last_seq,
                row.messages,
                row.cleared_through
            ],
        );
        let nothing = || Fault::Rows("a row that was added has no place".to_owned());
        let place = added.and_then(|row| row.ok_or_else(nothing)?.place(0));
        let place = self.told(place)?;
        self.session.changed(place);
        self.note(|ahead| ahead.put_context(Row { place, ..row.clone() }));
        self.write(
            "insert into contexture_details (place, metadata, sealed, state)
             values ($1, $2, $3, $4)",
            values![place, metadata, state.sealed.as_ref(), &state.text],
        )?;
        Ok(place)
    }

    fn update(&mut self, row: &Row) -> Outcome<()> {
        self.session.changed(row.place);
        self.note(|ahead| ahead.put_context(row.clone()));
        self.write(
            "update contexture_contexts set last_update = $2, version = $3, oldest = $4,
             last_seq = $5, messages = $6, cleared_through = $7 where place = $1",
            values![
                row.place,
                row.last_update_us,
                row.version,
                row.oldest,
                row.last_seq,
                row.messages,
                row.cleared_through
            ],
        )
    }

    fn remove(&mut self, place: i64) -> Outcome<()> {
        self.session.changed(place);
        self.note(|ahead| ahead.forget_context(place));
        for sql in [
            "delete from contexture_messages where context = $1",
            "delete from contexture_changes where context = $1",
            "delete from contexture_details where place = $1",
            "delete from contexture_contexts where place = $1",
        ] {
            self.write(sql, values![place])?;
        }
        Ok(())
    }

    fn owned(&mut self, owner: &str, after: i64, limit: usize) -> Outcome<Vec<Row>> {
        let sql = format!("{CONTEXT} where owner = $1 and place > $2 order by place limit $3");
        self.all(&sql, values![owner, after, limit], context)
    }

    fn owners(&mut self) -> Outcome<Vec<String>> {
        let sql = "select distinct owner from contexture_contexts order by owner";
        self.all(sql, Vec::new(), |row| row.text(0))
    }

    fn state(&mut self, place: i64) -> Outcome<Stored> {
        let sql = "select sealed, state from contexture_details where place = $1";
        let state = self.one(sql, values![place], |row| kept(row, 0, 1))?;
        Ok(state.unwrap_or_else(|| Stored::plain("{}")))
    }

    fn put_state(&mut self, place: i64, state: &Stored) -> Outcome<()> {
        let sql = "update contexture_details set sealed = $2, state = $3 where place = $1";
        self.write(sql, values![place, state.sealed.as_ref(), &state.text])
    }

    fn metadata(&mut self, place: i64) -> Outcome<String> {
        let sql = "select metadata from contexture_details where place = $1";
        let metadata = self.one(sql, values![place], |row| row.text(0))?;
        Ok(metadata.unwrap_or_else(|| "{}".to_owned()))
    }

    fn put_metadata(&mut self, place: i64, metadata: &str) -> Outcome<()> {
        let sql = "update contexture_details set metadata = $2 where place = $1";
        self.write(sql, values![place, metadata])
    }

    fn add_message(&mut self, place: i64, message: &MessageRow) -> Outcome<()> {
        self.write(
            "insert into contexture_messages (context, seq, version, place, cleared, instant, time,
             cause, sealed, text) values ($1, $2, $3, $4, 0, $5, $6, $7, $8, $9)",
            values![
                place,
                message.seq,
                message.version,
                message.index,
                message.instant,
                message.time_us,
                message.cause.as_ref(),
                message.kept.sealed.as_ref(),
                &message.kept.text
            ],
        )
    }

    fn messages(&mut self, row: &Row, after: u64, limit: usize) -> Outcome<Vec<MessageRow>> {
        let sql = format!(
            "{MESSAGE} where context = $1 and seq > $2 and cleared = 0 order by seq limit $3"
        );
        let after = after.max(row.cleared_through);
        self.all(&sql, values![row.place, after, limit], message)
    }

    fn last(&mut self, row: &Row, before: u64, limit: usize) -> Outcome<Vec<MessageRow>> {
        let sql = format!(
            "{MESSAGE} where context = $1 and seq > $2 and seq < $3 and cleared = 0
             order by seq desc limit $4"
        );
        let before = before.min(i64::MAX.unsigned_abs());
        let values = values![row.place, row.cleared_through, before, limit];
        let mut last = self.all(&sql, values, message)?;
        last.reverse();
        Ok(last)
    }

    fn added(&mut self, row: &Row, span: Span, limit: usize) -> Outcome<Vec<MessageRow>> {
        // Versions rise with the places.
        let sql = format!(
            "{MESSAGE} where context = $1 and version > $2 and version <= $3
             order by version, seq limit $4"
        );
        self.all(&sql, values![row.place, span.after, span.through, limit], message)
    }

    fn clear(&mut self, row: &mut Row, before: Option<i64>) -> Outcome<u64> {
        let Some(before) = before else {
            row.cleared_through = row.last_seq;
            return Ok(std::mem::take(&mut row.messages));
        };
        let sql = "update contexture_messages set cleared = 1 where context = $1 and seq > $2
            and cleared = 0 and instant < $3";
        let cleared = self.session.change(sql, values![row.place, row.cleared_through, before]);
        let cleared = self.told(cleared)?;
        let first = self.one(
            "select min(seq) from contexture_messages
             where context = $1 and seq > $2 and cleared = 0",
            values![row.place, row.cleared_through],
            |row| row.some_number(0),
        )?;
        row.cleared_through = first.flatten().map_or(row.last_seq, |first| first - 1);
        row.messages = row.messages.saturating_sub(cleared);
        Ok(cleared)
    }

    fn copy_messages(&mut self, from: &Row, to: i64) -> Outcome<()> {
        self.write(
            "insert into contexture_messages (context, seq, version, place, cleared, instant, time,
             cause, sealed, text) select $3, seq, version, place, 0, instant, time, cause, sealed,
             text from contexture_messages where context = $1 and seq > $2 and cleared = 0",
            values![from.place, from.cleared_through, to],
        )
    }

    fn add_change(&mut self, place: i64, change: &ChangeRow) -> Outcome<()> {
        let parts = Parts::of(&change.edit);
        self.write(
            "insert into contexture_changes (context, version, place, kind, time, cause, path,
             through, cleared, sealed, value)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            values![
                place,
                change.version,
                change.index,
                parts.kind,
                change.time_us,
                change.cause.as_ref(),
                parts.path,
                parts.through,
                parts.cleared,
                parts.value.and_then(|kept| kept.sealed.as_ref()),
                parts.value.map(|kept| &kept.text)
            ],
        )
    }

    fn changes(&mut self, place: i64, span: Span, limit: usize) -> Outcome<Vec<ChangeRow>> {
        self.all(
            "select version, place, kind, time, cause, path, through, cleared, sealed, value
             from contexture_changes where context = $1 and version > $2 and version <= $3
             order by version, place limit $4",
            values![place, span.after, span.through, limit],
            change,
        )
    }

    fn compact(&mut self, row: &Row, through: u64) -> Outcome<()> {
        let sql = "delete from contexture_changes where context = $1 and version <= $2";
        self.write(sql, values![row.place, through])?;
        self.write(
            "delete from contexture_messages where context = $1 and version <= $2
             and (cleared = 1 or seq <= $3)",
            values![row.place, through, row.cleared_through],
        )
    }

    fn key(&mut self, owner: &str, scope: &str, message_id: &str) -> Outcome<Option<KeyRow>> {
        if let Some(mut ahead) = self.ahead()
            && let Some(known) = self.told(ahead.key(self.session, owner, scope, message_id))?
        {
            return Ok(known);
        }
        let sql = format!("{KEY} where owner = $1 and scope = $2 and message_id = $3");
        self.one(&sql, values![owner, scope, message_id], key)
    }

    fn put_key(&mut self, key: &KeyRow) -> Outcome<()> {
        let (status, answer) = match &key.answer {
            StoredAnswer::Pending | StoredAnswer::Queued => (PENDING, None),
            StoredAnswer::Ready(kept) => (READY, Some(kept)),
            StoredAnswer::Stands => (STANDS, None),
        };
        self.note(|ahead| ahead.forget_key(&key.owner, &key.scope, &key.message_id));
        self.write(
            "insert into contexture_keys (owner, scope, message_id, digest, context, status, time,
             sealed, answer, holder, queued) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            values![
                &key.owner,
                &key.scope,
                &key.message_id,
                &key.digest,
                key.context.as_ref(),
                status,
                key.time_us,
                answer.and_then(|kept| kept.sealed.as_ref()),
                answer.map(|kept| &kept.text),
                (status == PENDING).then_some(self.token),
                key.answer == StoredAnswer::Queued
            ],
        )
    }

    fn begin(&mut self, key: &KeyRow) -> Outcome<bool> {
        let sql = "update contexture_keys as own set begun = 1
            where own.owner = $1 and own.scope = $2 and own.message_id = $3 and not exists (
                select from contexture_keys as other where other.owner = own.owner
                and other.context = own.context and other.status = 0 and other.queued = 1
                and other.place < own.place)";
        let begun = self.session.change(sql, values![&key.owner, &key.scope, &key.message_id]);
        Ok(self.told(begun)? == 1)
    }

    fn settle(&mut self, key: &KeyRow, answer: Option<&Stored>) -> Outcome<()> {
        let status = if answer.is_some() { READY } else { PENDING };
        self.note(|ahead| ahead.forget_key(&key.owner, &key.scope, &key.message_id));
        self.write(
            "update contexture_keys set status = $4, sealed = $5, answer = $6,
             holder = coalesce($7, holder), begun = greatest(begun, $8)
             where owner = $1 and scope = $2 and message_id = $3",
            values![
                &key.owner,
                &key.scope,
                &key.message_id,
                status,
                answer.and_then(|kept| kept.sealed.as_ref()),
                answer.map(|kept| &kept.text),
                answer.is_none().then_some(self.token),
                answer.is_none()
            ],
        )
    }

    fn take_id(&mut self, row: &Row, message_id: &str) -> Outcome<()> {
        self.note(|ahead| ahead.forget_key(&row.owner, &row.context_id, message_id));
        self.write(
            "insert into contexture_keys (owner, scope, message_id, digest, context, status, time)
             values ($1, $2, $3, $4, $2, $5, $6) on conflict do nothing",
            values![&row.owner, &row.context_id, message_id, &[0; 32], STANDS, row.last_update_us],
        )
    }

    fn take_ids(&mut self, row: &Row) -> Outcome<()> {
        // Not by the database: it reads no JSON with the character U+0000.
        let mut after = 0;
        loop {
            let page = self.messages(row, after, PAGE)?;
            for message in &page {
                let id = NewMessage::parse(&message.kept.text)?;
                self.take_id(row, id.id())?;
            }
            match page.last() {
                Some(last) if page.len() == PAGE => after = last.seq,
                _ => return Ok(()),
            }
        }
    }

    fn forget_keys(&mut self, owner: &str, name: &str) -> Outcome<()> {
        self.note(Ahead::forget_keys);
        // Messages that named no context stand under the empty scope.
        let sql = "delete from contexture_keys where owner = $1 and scope = $2";
        self.write(sql, values![owner, name])?;
        let sql = "delete from contexture_keys where owner = $1 and scope = '' and context = $2";
        self.write(sql, values![owner, name])
    }

    fn pending(&mut self) -> Outcome<Vec<PendingKey>> {
        self.all(WAITING, Vec::new(), waiting)
    }
}
