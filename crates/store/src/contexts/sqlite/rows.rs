//! How rows of contexts stand in SQLite: their columns, ids and digests.

use super::chain::{self, Digest};
use crate::contexts::ledger::{
    ChangeRow, Edit, KeyRow, MessageRow, Row, Stored, StoredAnswer, incarnation, key_name,
};
use contexture_core::store::contexts::PendingKey;
use rusqlite::types::{ToSqlOutput, Type};
use rusqlite::{Connection, ToSql};

type Sql<T> = Result<T, rusqlite::Error>;

/// The chain of a context.
#[derive(Clone)]
pub(super) struct Chain {
    pub(super) place: i64,
    /// Entries up to this version are not in it.
    pub(super) begins: u64,
    pub(super) anchor: Digest,
    pub(super) last: Digest,
}

/// The bits of a message's id that are its place in its context: enough for 68 thousand million
/// messages in each of 134 million contexts.
const SEQ_BITS: u32 = 36;
pub(super) const SEQ_MASK: i64 = (1 << SEQ_BITS) - 1;
pub(super) const MOST_CONTEXTS: i64 = (1 << (63 - SEQ_BITS)) - 1;

/// Returns the id of a message; one beyond all counts as the last.
pub(super) fn id(context: i64, seq: u64) -> i64 {
    let seq = i64::try_from(seq).unwrap_or(SEQ_MASK).min(SEQ_MASK);
    context.min(MOST_CONTEXTS) << SEQ_BITS | seq
}

pub(super) fn last_id(context: i64) -> i64 {
    id(context, u64::MAX)
}

/// Returns a message's place in its context.
pub(super) fn seq(row: &rusqlite::Row<'_>, column: usize) -> Sql<u64> {
    let id: i64 = row.get(column)?;
    Ok(u64::try_from(id & SEQ_MASK).unwrap_or_default())
}

/// A number as SQLite keeps it: none of ours comes near its limit.
pub(super) struct Num(pub(super) u64);

impl ToSql for Num {
    fn to_sql(&self) -> Sql<ToSqlOutput<'_>> {
        Ok(i64::try_from(self.0).unwrap_or(i64::MAX).into())
    }
}

pub(super) struct Count(pub(super) usize);

impl ToSql for Count {
    fn to_sql(&self) -> Sql<ToSqlOutput<'_>> {
        Ok(i64::try_from(self.0).unwrap_or(i64::MAX).into())
    }
}

pub(super) fn number(row: &rusqlite::Row<'_>, column: usize) -> Sql<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

pub(super) fn kept(row: &rusqlite::Row<'_>, sealed: usize, text: usize) -> Sql<Stored> {
    Ok(Stored { sealed: row.get(sealed)?, text: row.get(text)? })
}

fn wrong(column: usize, what: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Integer, what.into())
}

pub(super) const CONTEXT: &str =
    "select place, name, owner, creation, last_update, version, oldest, last_seq,
    messages, cleared_through, chained, anchor, chain, digest from contexts";

pub(super) fn read_chain(row: &rusqlite::Row<'_>, place: i64, column: usize) -> Sql<Chain> {
    // An empty blob stands for the digest of no entry.
    let digest = |column: usize| match row.get_ref(column)?.as_blob() {
        Ok([]) => Ok(Digest::default()),
        _ => row.get::<_, Digest>(column),
    };
    Ok(Chain {
        place,
        begins: number(row, column)?,
        anchor: digest(column + 1)?,
        last: digest(column + 2)?,
    })
}

/// Returns the digest of the row of a context.
pub(super) fn digest_of(row: &Row, chain: &Chain) -> Digest {
    let number = |number: u64| i64::try_from(number).ok();
    chain::row(
        &[
            number(row.creation_us),
            number(row.last_update_us),
            number(row.version),
            number(row.oldest),
            number(row.last_seq),
            number(row.messages),
            number(row.cleared_through),
            number(chain.begins),
        ],
        &[
            Some(row.context_id.as_bytes()),
            Some(row.owner.as_bytes()),
            Some(&chain.anchor),
            Some(&chain.last),
        ],
    )
}

pub(super) fn digest_of_state(state: &Stored) -> Digest {
    chain::row(&[], &[state.sealed.as_deref().map(str::as_bytes), Some(state.text.as_bytes())])
}

/// Returns the parts of a context beside its entries, each with whether it is as it was written.
pub(super) fn details(connection: &Connection, place: i64) -> [(&'static str, Sql<bool>); 2] {
    let sql = "select metadata, metadata_digest from details where place = ?1";
    let metadata = connection.prepare_cached(sql).and_then(|mut sql| {
        sql.query_row([place], |row| {
            let (metadata, digest): (String, Option<Digest>) = (row.get(0)?, row.get(1)?);
            Ok(digest.is_none_or(|digest| digest == chain::of(&[metadata.as_bytes()])))
        })
    });
    let sql = "select sealed, state, state_digest from details where place = ?1";
    let state = connection.prepare_cached(sql).and_then(|mut sql| {
        sql.query_row([place], |row| {
            let (state, digest): (_, Option<Digest>) = (kept(row, 0, 1)?, row.get(2)?);
            Ok(digest.is_none_or(|digest| digest == digest_of_state(&state)))
        })
    });
    [("the metadata", metadata), ("the state", state)]
}

pub(super) fn context(row: &rusqlite::Row<'_>) -> Sql<Row> {
    Ok(Row {
        place: row.get(0)?,
        context_id: row.get(1)?,
        owner: row.get(2)?,
        creation_us: number(row, 3)?,
        last_update_us: number(row, 4)?,
        version: number(row, 5)?,
        oldest: number(row, 6)?,
        last_seq: number(row, 7)?,
        messages: number(row, 8)?,
        cleared_through: number(row, 9)?,
    })
}

/// Returns a context with its chain and its digest.
pub(super) fn chained(row: &rusqlite::Row<'_>) -> Sql<(Row, Chain, Option<Digest>)> {
    let found = context(row)?;
    let chain = read_chain(row, found.place, 10)?;
    Ok((found, chain, row.get(13)?))
}

pub(super) const MESSAGE: &str =
    "select id, version, place, instant, time, cause, sealed, text from messages";

pub(super) fn message(row: &rusqlite::Row<'_>) -> Sql<MessageRow> {
    Ok(MessageRow {
        seq: seq(row, 0)?,
        version: number(row, 1)?,
        index: number(row, 2)?,
        instant: row.get(3)?,
        time_us: number(row, 4)?,
        cause: row.get(5)?,
        kept: kept(row, 6, 7)?,
    })
}

const SET: i64 = 1;
const REMOVE: i64 = 2;
const CLEAR: i64 = 3;
const METADATA: i64 = 4;

pub(super) fn change(row: &rusqlite::Row<'_>) -> Sql<ChangeRow> {
    let edit = match row.get(2)? {
        SET => Edit::Set { path: row.get(5)?, value: kept(row, 8, 9)? },
        REMOVE => Edit::Remove { path: row.get(5)? },
        METADATA => Edit::Metadata { patch: kept(row, 8, 9)? },
        CLEAR => {
            Edit::Clear { before: row.get(5)?, through: number(row, 6)?, cleared: number(row, 7)? }
        }
        _ => return Err(wrong(2, "a kind of change that is not known")),
    };
    Ok(ChangeRow {
        version: number(row, 0)?,
        index: number(row, 1)?,
        edit,
        time_us: number(row, 3)?,
        cause: row.get(4)?,
    })
}

/// The columns of a change that are not those of all.
pub(super) struct Parts<'e> {
    pub(super) kind: i64,
    pub(super) path: Option<&'e String>,
    pub(super) value: Option<&'e Stored>,
    pub(super) counts: Option<(u64, u64)>,
}

impl<'e> Parts<'e> {
    pub(super) const fn of(edit: &'e Edit) -> Self {
        let (kind, path, value, counts) = match edit {
            Edit::Set { path, value } => (SET, Some(path), Some(value), None),
            Edit::Remove { path } => (REMOVE, Some(path), None, None),
            Edit::Metadata { patch } => (METADATA, None, Some(patch), None),
            Edit::Clear { before, through, cleared } => {
                (CLEAR, before.as_ref(), None, Some((*through, *cleared)))
            }
        };
        Self { kind, path, value, counts }
    }
}

/// Returns the digest of a message as an entry of its context.
pub(super) fn digest_of_message(message: &MessageRow) -> Digest {
    let number = |number: u64| i64::try_from(number).ok();
    chain::row(
        &[
            number(message.seq),
            number(message.version),
            number(message.index),
            message.instant,
            number(message.time_us),
        ],
        &[
            message.cause.as_deref().map(str::as_bytes),
            message.kept.sealed.as_deref().map(str::as_bytes),
            Some(message.kept.text.as_bytes()),
        ],
    )
}

/// Returns the digest of a change as an entry of its context.
pub(super) fn digest_of_change(change: &ChangeRow) -> Digest {
    let number = |number: u64| i64::try_from(number).ok();
    let parts = Parts::of(&change.edit);
    chain::row(
        &[
            number(change.version),
            number(change.index),
            Some(parts.kind),
            number(change.time_us),
            parts.counts.and_then(|(through, _)| number(through)),
            parts.counts.and_then(|(_, cleared)| number(cleared)),
        ],
        &[
            change.cause.as_deref().map(str::as_bytes),
            parts.path.map(String::as_bytes),
            parts.value.and_then(|kept| kept.sealed.as_deref().map(str::as_bytes)),
            parts.value.map(|kept| kept.text.as_bytes()),
        ],
    )
}

pub(super) const PENDING: i64 = 0;
pub(super) const READY: i64 = 1;
/// The message came inside another one, and stands in the context.
pub(super) const STANDS: i64 = 3;

/// The keys without an answer, each with the place of its context.
pub(super) const WAITING: &str =
    "select keys.owner, keys.scope, keys.message_id, keys.context, keys.time, contexts.place
    from keys left join contexts on contexts.name = keys.context and contexts.owner = keys.owner
    where keys.status = 0 order by keys.time";

pub(super) fn waiting(row: &rusqlite::Row<'_>) -> Sql<PendingKey> {
    Ok(PendingKey {
        owner: row.get(0)?,
        key: key_name(row.get(1)?, row.get(2)?),
        context_id: row.get(3)?,
        incarnation: row.get::<_, Option<i64>>(5)?.map(incarnation),
        time_us: number(row, 4)?,
        has_begun: true,
    })
}

pub(super) const KEY: &str =
    "select owner, scope, message_id, digest, context, status, time, sealed, answer
    from keys";

pub(super) fn key(row: &rusqlite::Row<'_>) -> Sql<KeyRow> {
    let answer = match row.get(5)? {
        PENDING => StoredAnswer::Pending,
        READY => StoredAnswer::Ready(kept(row, 7, 8)?),
        STANDS => StoredAnswer::Stands,
        _ => return Err(wrong(5, "a status of a message that is not known")),
    };
    Ok(KeyRow {
        owner: row.get(0)?,
        scope: row.get(1)?,
        message_id: row.get(2)?,
        digest: row.get(3)?,
        context: row.get(4)?,
        answer,
        time_us: number(row, 6)?,
    })
}
