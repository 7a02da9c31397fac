//! The ledger of contexts in SQLite.

use super::chain::{self, Digest};
use super::rows::{
    CONTEXT, Chain, Count, KEY, MESSAGE, MOST_CONTEXTS, Num, PENDING, Parts, READY, SEQ_MASK,
    STANDS, WAITING, change, context, digest_of, digest_of_change, digest_of_message,
    digest_of_state, id, kept, key, last_id, message, number, read_chain, seq, waiting,
};
use crate::contexts::ledger::{
    ChangeRow, KeyRow, Ledger, MessageRow, Outcome, Row, Sealed, Span, Stored, StoredAnswer,
};
use crate::marks::{Mark, Marks};
use crate::sqlite::FileError as _;
use contexture_core::store::contexts::{ContextError, PendingKey};
use rusqlite::{CachedStatement, Connection, OptionalExtension as _, Params, params};

type Sql<T> = Result<T, rusqlite::Error>;

/// Where sealed values may stand: the kind, the column, the table and its order.
const SEALED: [(SealedKind, &str, &str, &str); 2] =
    [(Sealed::State, "state", "details", "place"), (Sealed::Message, "text", "messages", "id")];

type SealedKind = fn(Stored) -> Sealed;

/// The tables, inside a transaction.
pub(super) struct Tables<'c> {
    connection: &'c Connection,
    name: &'c str,
    /// Of the connection that writes.
    marks: Option<&'c Marks>,
    /// The chain of the context that was found or added last.
    chain: Option<Chain>,
}

impl<'c> Tables<'c> {
    pub(super) const fn new(
        connection: &'c Connection,
        name: &'c str,
        marks: Option<&'c Marks>,
    ) -> Self {
        Self { connection, name, marks, chain: None }
    }

    /// Returns the chain of a context.
    fn chain(&mut self, place: i64) -> Outcome<Chain> {
        if let Some(chain) = self.chain.take_if(|chain| chain.place == place) {
            return Ok(chain);
        }
        let sql = "select chained, anchor, chain from contexts where place = ?1";
        let found = self.one(sql, [place], |row| read_chain(row, place, 0))?;
        let missing = || ContextError::Damaged {
            path: self.name.to_owned(),
            reason: "a context has entries and is not there".to_owned(),
        };
        found.ok_or_else(missing)
    }

    /// Puts an entry at the end of the chain of its context.
    fn link(&mut self, place: i64, version: u64, entry: &Digest) -> Outcome<()> {
        let mut chain = self.chain(place)?;
        if version > chain.begins {
            chain.last = chain::link(&chain.last, entry);
        }
        self.chain = Some(chain);
        Ok(())
    }

    /// Notes what is to be vouched for when the transaction is durable.
    fn mark(&self, place: i64, mark: impl FnOnce() -> Mark) {
        if let Some(marks) = self.marks {
            marks.note(place, mark());
        }
    }

    fn mark_kept(&self, place: i64, row: &Row, chain: Digest) {
        self.mark(place, || Mark::Kept {
            owner: row.owner.clone(),
            context: row.context_id.clone(),
            version: row.version,
            chain,
        });
    }

    /// Moves the beginning of a chain behind the entries up to a version, which may be removed then.
    fn begin_after(&self, row: &Row, through: u64, chain: &mut Chain) -> Outcome<()> {
        if through <= chain.begins {
            return Ok(());
        }
        let entries = self.all(
            "select version, place, digest from messages
             where id > ?1 and id <= ?2 and version > ?4 and version <= ?5
             union all select version, place, digest from changes
             where context = ?3 and version > ?4 and version <= ?5 order by 1, 2",
            params![
                id(row.place, 0),
                last_id(row.place),
                row.place,
                Num(chain.begins),
                Num(through)
            ],
            |row| row.get::<_, Digest>(2),
        )?;
        chain.anchor = entries.iter().fold(chain.anchor, |chain, entry| chain::link(&chain, entry));
        chain.begins = through;
        Ok(())
    }

    fn with<T>(
        &self,
        sql: &str,
        work: impl FnOnce(&mut CachedStatement<'_>) -> Sql<T>,
    ) -> Outcome<T> {
        let worked =
            self.connection.prepare_cached(sql).and_then(|mut statement| work(&mut statement));
        worked.map_err(|error| ContextError::of_sqlite(self.name, &error))
    }

    fn execute(&self, sql: &str, params: impl Params) -> Outcome<usize> {
        self.with(sql, |statement| statement.execute(params))
    }

    fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&rusqlite::Row<'_>) -> Sql<T>,
    ) -> Outcome<Option<T>> {
        self.with(sql, |statement| statement.query_row(params, read).optional())
    }

    fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&rusqlite::Row<'_>) -> Sql<T>,
    ) -> Outcome<Vec<T>> {
        self.with(sql, |statement| statement.query_map(params, read)?.collect())
    }

    fn number(&self, sql: &str, params: impl Params) -> Outcome<u64> {
        Ok(self.one(sql, params, |row| number(row, 0))?.unwrap_or_default())
    }

    /// Returns the last place before the messages of the versions after `version`: versions rise
    /// with the places, so it is found by halving.
    fn place_after(&self, row: &Row, version: u64) -> Outcome<u64> {
        let (mut low, mut high) = (0, row.last_seq);
        while low < high {
            let middle = low + (high - low) / 2;
            let found = self.one(
                "select id, version from messages where id > ?1 and id <= ?2 order by id limit 1",
                params![id(row.place, middle), last_id(row.place)],
                |row| Ok((seq(row, 0)?, number(row, 1)?)),
            )?;
            match found {
                Some((seq, of)) if of <= version => low = seq,
                _ => high = middle,
            }
        }
        Ok(low)
    }
}

fn room(what: &'static str, unit: &'static str, found: i64, limit: i64) -> Outcome<()> {
    if found < limit {
        return Ok(());
    }
    let number = |number: i64| u64::try_from(number).unwrap_or_default();
    Err(ContextError::TooLarge { what, found: number(found), unit, limit: number(limit) })
}

impl Ledger for Tables<'_> {
    fn sealed(&mut self) -> Outcome<Vec<Sealed>> {
        let read = |row: &rusqlite::Row<'_>| {
            let (text, sealed): (String, Option<String>) = (row.get(0)?, row.get(1)?);
            Ok(Stored { text: text.into(), sealed: sealed.map(Into::into) })
        };
        // So few rows are looked at that it takes no time where nothing is sealed.
        let mut sealed = Vec::new();
        for (kind, column, table, key) in SEALED {
            for order in ["desc", "asc"] {
                let sql = format!(
                    "select {column}, sealed from (select {column}, sealed from {table}
                     order by {key} {order} limit 100) where sealed is not null limit 1"
                );
                sealed.extend(self.one(&sql, [], read)?.map(kind));
            }
        }
        Ok(sealed)
    }

    fn touch(&mut self) -> Outcome<()> {
        // The page with the version is written, whether or not the number is another one.
        let version: Option<i64> = self.one("pragma user_version", [], |row| row.get(0))?;
        let set = self.connection.pragma_update(None, "user_version", version);
        set.map_err(|error| ContextError::of_sqlite(self.name, &error))
    }

    fn find(&mut self, owner: &str, name: &str) -> Outcome<Option<Row>> {
        let sql = format!("{CONTEXT} where name = ?1 and owner = ?2");
        let found = self.one(&sql, [name, owner], |row| {
            let found = context(row)?;
            Ok((read_chain(row, found.place, 10)?, found))
        })?;
        Ok(found.map(|(chain, row)| {
            self.chain = Some(chain);
            row
        }))
    }

    fn holders(&mut self, name: &str) -> Outcome<Vec<String>> {
        let sql = "select owner from contexts where name = ?1 order by owner";
        self.all(sql, [name], |row| row.get(0))
    }

    fn insert(&mut self, row: &Row, state: &Stored, metadata: &str) -> Outcome<i64> {
        // What it begins with is in no change, and so not in the chain.
        let (anchor, last) = (Digest::default(), Digest::default());
        let mut chain = Chain { place: 0, begins: row.oldest, anchor, last };
        self.execute(
            "insert into contexts (name, owner, creation, last_update, version, oldest, last_seq,
             messages, cleared_through, chained, digest)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                row.context_id,
                row.owner,
                Num(row.creation_us),
                Num(row.last_update_us),
                Num(row.version),
                Num(row.oldest),
                Num(row.last_seq),
                Num(row.messages),
                Num(row.cleared_through),
                Num(chain.begins),
                digest_of(row, &chain)
            ],
        )?;
        let place = self.connection.last_insert_rowid();
        room("a file", "contexts", place, MOST_CONTEXTS)?;
        self.execute(
            "insert into details (place, metadata, sealed, state, metadata_digest, state_digest)
             values (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                place,
                metadata,
                state.sealed,
                state.text,
                chain::of(&[metadata.as_bytes()]),
                digest_of_state(state)
            ],
        )?;
        chain.place = place;
        self.mark_kept(place, row, chain.last);
        self.chain = Some(chain);
        Ok(place)
    }

    fn update(&mut self, row: &Row) -> Outcome<()> {
        let chain = self.chain(row.place)?;
        self.execute(
            "update contexts set last_update = ?2, version = ?3, oldest = ?4, last_seq = ?5,
             messages = ?6, cleared_through = ?7, chained = ?8, anchor = ?9, chain = ?10,
             digest = ?11 where place = ?1",
            params![
                row.place,
                Num(row.last_update_us),
                Num(row.version),
                Num(row.oldest),
                Num(row.last_seq),
                Num(row.messages),
                Num(row.cleared_through),
                Num(chain.begins),
                chain.anchor,
                chain.last,
                digest_of(row, &chain)
            ],
        )?;
        self.mark_kept(row.place, row, chain.last);
        self.chain = Some(chain);
        Ok(())
    }

    fn remove(&mut self, place: i64) -> Outcome<()> {
        let sql = "delete from messages where id > ?1 and id <= ?2";
        self.execute(sql, [id(place, 0), last_id(place)])?;
        for sql in [
            "delete from changes where context = ?1",
            "delete from details where place = ?1",
            "delete from contexts where place = ?1",
            "insert into removed (place) values (?1)",
        ] {
            self.execute(sql, [place])?;
        }
        self.mark(place, || Mark::Removed);
        Ok(())
    }

    fn owned(&mut self, owner: &str, after: i64, limit: usize) -> Outcome<Vec<Row>> {
        let sql = format!("{CONTEXT} where owner = ?1 and place > ?2 order by place limit ?3");
        self.all(&sql, params![owner, after, Count(limit)], context)
    }

    fn owners(&mut self) -> Outcome<Vec<String>> {
        self.all("select distinct owner from contexts order by owner", [], |row| row.get(0))
    }

    fn state(&mut self, place: i64) -> Outcome<Stored> {
        let sql = "select sealed, state from details where place = ?1";
        let state = self.one(sql, [place], |row| kept(row, 0, 1))?;
        Ok(state.unwrap_or_else(|| Stored::plain("{}")))
    }

    fn put_state(&mut self, place: i64, state: &Stored) -> Outcome<()> {
        let sql = "update details set sealed = ?2, state = ?3, state_digest = ?4 where place = ?1";
        let params = params![place, state.sealed, state.text, digest_of_state(state)];
        self.execute(sql, params).map(drop)
    }

    fn metadata(&mut self, place: i64) -> Outcome<String> {
        let sql = "select metadata from details where place = ?1";
        Ok(self.one(sql, [place], |row| row.get(0))?.unwrap_or_else(|| "{}".to_owned()))
    }

    fn put_metadata(&mut self, place: i64, metadata: &str) -> Outcome<()> {
        let sql = "update details set metadata = ?2, metadata_digest = ?3 where place = ?1";
        let params = params![place, metadata, chain::of(&[metadata.as_bytes()])];
        self.execute(sql, params).map(drop)
    }

    fn add_message(&mut self, place: i64, message: &MessageRow) -> Outcome<()> {
        let seq = i64::try_from(message.seq).unwrap_or(i64::MAX);
        room("a context", "messages", seq, SEQ_MASK)?;
        let digest = digest_of_message(message);
        self.execute(
            "insert into messages (id, version, place, cleared, instant, time, cause, sealed, text,
             digest) values (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                id(place, message.seq),
                Num(message.version),
                Num(message.index),
                message.instant,
                Num(message.time_us),
                message.cause,
                message.kept.sealed,
                message.kept.text,
                digest
            ],
        )?;
        self.link(place, message.version, &digest)
    }

    fn messages(&mut self, row: &Row, after: u64, limit: usize) -> Outcome<Vec<MessageRow>> {
        let sql =
            format!("{MESSAGE} where id > ?1 and id <= ?2 and cleared = 0 order by id limit ?3");
        let after = id(row.place, after.max(row.cleared_through));
        self.all(&sql, params![after, last_id(row.place), Count(limit)], message)
    }

    fn last(&mut self, row: &Row, before: u64, limit: usize) -> Outcome<Vec<MessageRow>> {
        let sql = format!(
            "{MESSAGE} where id > ?1 and id <= ?2 and cleared = 0 order by id desc limit ?3"
        );
        let after = id(row.place, row.cleared_through);
        let through = id(row.place, before.saturating_sub(1).min(row.last_seq));
        let mut last = self.all(&sql, params![after, through, Count(limit)], message)?;
        last.reverse();
        Ok(last)
    }

    fn added(&mut self, row: &Row, span: Span, limit: usize) -> Outcome<Vec<MessageRow>> {
        let after = self.place_after(row, span.after)?;
        let through = if span.through >= row.version {
            row.last_seq
        } else {
            self.place_after(row, span.through)?
        };
        let sql = format!("{MESSAGE} where id > ?1 and id <= ?2 order by id limit ?3");
        let (after, through) = (id(row.place, after), id(row.place, through));
        self.all(&sql, params![after, through, Count(limit)], message)
    }

    fn clear(&mut self, row: &mut Row, before: Option<i64>) -> Outcome<u64> {
        let Some(before) = before else {
            row.cleared_through = row.last_seq;
            return Ok(std::mem::take(&mut row.messages));
        };
        let (from, last) = (id(row.place, row.cleared_through), last_id(row.place));
        let first = self.one(
            "select id from messages where id > ?1 and id <= ?2 and cleared = 0
             and (instant is null or instant >= ?3) order by id limit 1",
            params![from, last, before],
            |row| seq(row, 0),
        )?;
        let through = first.map_or(row.last_seq, |first| first - 1);
        // Those at the front need no mark of their own.
        let front = self.number(
            "select count(*) from messages where id > ?1 and id <= ?2 and cleared = 0",
            params![from, id(row.place, through)],
        )?;
        let behind = self.execute(
            "update messages set cleared = 1 where id > ?1 and id <= ?2 and cleared = 0
             and instant < ?3",
            params![id(row.place, through), last, before],
        )?;
        row.cleared_through = through;
        let cleared = front + behind as u64;
        row.messages = row.messages.saturating_sub(cleared);
        Ok(cleared)
    }

    fn copy_messages(&mut self, from: &Row, to: i64) -> Outcome<()> {
        self.execute(
            "insert into messages (id, version, place, cleared, instant, time, cause, sealed, text,
             digest) select ?3 + (id - ?4), version, place, 0, instant, time, cause, sealed, text,
             digest from messages where id > ?1 and id <= ?2 and cleared = 0 order by id",
            params![
                id(from.place, from.cleared_through),
                last_id(from.place),
                id(to, 0),
                id(from.place, 0)
            ],
        )?;
        Ok(())
    }

    fn add_change(&mut self, place: i64, change: &ChangeRow) -> Outcome<()> {
        let parts = Parts::of(&change.edit);
        let digest = digest_of_change(change);
        self.execute(
            "insert into changes (context, version, place, kind, time, cause, path, through,
             cleared, sealed, value, digest)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            params![
                place,
                Num(change.version),
                Num(change.index),
                parts.kind,
                Num(change.time_us),
                change.cause,
                parts.path,
                parts.counts.map(|(through, _)| Num(through)),
                parts.counts.map(|(_, cleared)| Num(cleared)),
                parts.value.and_then(|kept| kept.sealed.as_ref()),
                parts.value.map(|kept| &kept.text),
                digest
            ],
        )?;
        self.link(place, change.version, &digest)
    }

    fn changes(&mut self, place: i64, span: Span, limit: usize) -> Outcome<Vec<ChangeRow>> {
        self.all(
            "select version, place, kind, time, cause, path, through, cleared, sealed, value
             from changes where context = ?1 and version > ?2 and version <= ?3
             order by version, place limit ?4",
            params![place, Num(span.after), Num(span.through), Count(limit)],
            change,
        )
    }

    fn compact(&mut self, row: &Row, through: u64) -> Outcome<()> {
        let mut chain = self.chain(row.place)?;
        self.begin_after(row, through, &mut chain)?;
        self.chain = Some(chain);
        let sql = "delete from changes where context = ?1 and version <= ?2";
        self.execute(sql, params![row.place, Num(through)])?;
        // Versions rise with the places: what is behind the last one of them is not looked at.
        let last = self.place_after(row, through)?;
        self.execute(
            "delete from messages where id > ?1 and id <= ?2 and (cleared = 1 or id <= ?3)",
            params![id(row.place, 0), id(row.place, last), id(row.place, row.cleared_through)],
        )?;
        Ok(())
    }

    fn key(&mut self, owner: &str, scope: &str, message_id: &str) -> Outcome<Option<KeyRow>> {
        let sql = format!("{KEY} where owner = ?1 and scope = ?2 and message_id = ?3");
        self.one(&sql, [owner, scope, message_id], key)
    }

    fn put_key(&mut self, key: &KeyRow) -> Outcome<()> {
        let (status, answer) = match &key.answer {
            StoredAnswer::Pending | StoredAnswer::Queued => (PENDING, None),
            StoredAnswer::Ready(kept) => (READY, Some(kept)),
            StoredAnswer::Stands => (STANDS, None),
        };
        self.execute(
            "insert into keys (owner, scope, message_id, digest, context, status, time, sealed,
             answer) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                key.owner,
                key.scope,
                key.message_id,
                key.digest,
                key.context,
                status,
                Num(key.time_us),
                answer.and_then(|kept| kept.sealed.as_ref()),
                answer.map(|kept| &kept.text)
            ],
        )?;
        Ok(())
    }

    fn settle(&mut self, key: &KeyRow, answer: Option<&Stored>) -> Outcome<()> {
        let status = if answer.is_some() { READY } else { PENDING };
        self.execute(
            "update keys set status = ?4, sealed = ?5, answer = ?6
             where owner = ?1 and scope = ?2 and message_id = ?3",
            params![
                key.owner,
                key.scope,
                key.message_id,
                status,
                answer.and_then(|kept| kept.sealed.as_ref()),
                answer.map(|kept| &kept.text)
            ],
        )?;
        Ok(())
    }

    fn take_id(&mut self, row: &Row, message_id: &str) -> Outcome<()> {
        self.execute(
            "insert into keys (owner, scope, message_id, digest, context, status, time)
             values (?1, ?2, ?3, zeroblob(32), ?2, ?4, ?5) on conflict do nothing",
            params![row.owner, row.context_id, message_id, STANDS, Num(row.last_update_us)],
        )
        .map(drop)
    }

    fn take_ids(&mut self, row: &Row) -> Outcome<()> {
        self.execute(
            "insert into keys (owner, scope, message_id, digest, context, status, time)
             select ?1, ?2, json_extract(text, '$.messageId'), zeroblob(32), ?2, ?3, ?4
             from messages where id > ?5 and id <= ?6 and cleared = 0 on conflict do nothing",
            params![
                row.owner,
                row.context_id,
                STANDS,
                Num(row.last_update_us),
                id(row.place, row.cleared_through),
                last_id(row.place)
            ],
        )
        .map(drop)
    }

    fn forget_keys(&mut self, owner: &str, name: &str) -> Outcome<()> {
        // Messages that named no context stand under the empty scope.
        self.execute("delete from keys where owner = ?1 and scope = ?2", [owner, name])?;
        let sql = "delete from keys where owner = ?1 and scope = '' and context = ?2";
        self.execute(sql, [owner, name]).map(drop)
    }

    fn pending(&mut self) -> Outcome<Vec<PendingKey>> {
        self.all(WAITING, [], waiting)
    }
}
