//! How rows of contexts stand in PostgreSQL.

use crate::contexts::ledger::{
    ChangeRow, Edit, KeyRow, MessageRow, Row, Stored, StoredAnswer, incarnation, key_name,
};
use crate::postgres::{self, Fault};
use contexture_core::store::contexts::PendingKey;

type Read<T> = Result<T, Fault>;

pub(super) const CONTEXT: &str =
    "select place, name, owner, creation, last_update, version, oldest, last_seq, messages,
    cleared_through from contexture_contexts";

pub(super) fn context(row: &postgres::Row) -> Read<Row> {
    Ok(Row {
        place: row.place(0)?,
        context_id: row.text(1)?,
        owner: row.text(2)?,
        creation_us: row.number(3)?,
        last_update_us: row.number(4)?,
        version: row.number(5)?,
        oldest: row.number(6)?,
        last_seq: row.number(7)?,
        messages: row.number(8)?,
        cleared_through: row.number(9)?,
    })
}

pub(super) fn kept(row: &postgres::Row, sealed: usize, text: usize) -> Read<Stored> {
    let sealed = row.some_text(sealed)?.map(Into::into);
    Ok(Stored { text: row.text(text)?.into(), sealed })
}

pub(super) const MESSAGE: &str =
    "select seq, version, place, instant, time, cause, sealed, text from contexture_messages";

pub(super) fn message(row: &postgres::Row) -> Read<MessageRow> {
    Ok(MessageRow {
        seq: row.number(0)?,
        version: row.number(1)?,
        index: row.number(2)?,
        instant: row.some_place(3)?,
        time_us: row.number(4)?,
        cause: row.some_text(5)?.map(Into::into),
        kept: kept(row, 6, 7)?,
    })
}

const SET: i64 = 1;
const REMOVE: i64 = 2;
const CLEAR: i64 = 3;
const METADATA: i64 = 4;

pub(super) fn change(row: &postgres::Row) -> Read<ChangeRow> {
    let edit = match row.place(2)? {
        SET => Edit::Set { path: row.text(5)?, value: kept(row, 8, 9)? },
        REMOVE => Edit::Remove { path: row.text(5)? },
        METADATA => Edit::Metadata { patch: kept(row, 8, 9)? },
        CLEAR => Edit::Clear {
            before: row.some_text(5)?,
            through: row.number(6)?,
            cleared: row.number(7)?,
        },
        other => return Err(Fault::Rows(format!("{other} is not a kind of change"))),
    };
    Ok(ChangeRow {
        version: row.number(0)?,
        index: row.number(1)?,
        edit,
        time_us: row.number(3)?,
        cause: row.some_text(4)?.map(Into::into),
    })
}

/// The columns of a change that are not those of all.
pub(super) struct Parts<'e> {
    pub(super) kind: i64,
    pub(super) path: Option<&'e String>,
    pub(super) value: Option<&'e Stored>,
    pub(super) through: Option<u64>,
    pub(super) cleared: Option<u64>,
}

impl<'e> Parts<'e> {
    pub(super) const fn of(edit: &'e Edit) -> Self {
        let none = Self { kind: REMOVE, path: None, value: None, through: None, cleared: None };
        match edit {
            Edit::Set { path, value } => {
                Self { kind: SET, path: Some(path), value: Some(value), ..none }
            }
            Edit::Remove { path } => Self { path: Some(path), ..none },
            Edit::Metadata { patch } => Self { kind: METADATA, value: Some(patch), ..none },
            Edit::Clear { before, through, cleared } => Self {
                kind: CLEAR,
                path: before.as_ref(),
                through: Some(*through),
                cleared: Some(*cleared),
                ..none
            },
        }
    }
}

pub(super) const PENDING: i64 = 0;
pub(super) const READY: i64 = 1;
/// The message came inside another one, and stands in the context.
pub(super) const STANDS: i64 = 3;

/// The keys without an answer, each with the place of its context.
pub(super) const WAITING: &str =
    "select keys.owner, scope, message_id, context, time, begun, queued, contexts.place
    from contexture_keys keys left join contexture_contexts contexts
    on contexts.name = keys.context and contexts.owner = keys.owner
    where status = 0 order by time";

/// Reads a key without an answer.
pub(crate) fn waiting(row: &postgres::Row) -> Read<PendingKey> {
    Ok(PendingKey {
        owner: row.text(0)?,
        key: key_name(row.text(1)?, row.text(2)?),
        context_id: row.some_text(3)?,
        incarnation: row.some_place(7)?.map(incarnation),
        time_us: row.number(4)?,
        has_begun: row.is(5)? || !row.is(6)?,
    })
}

pub(super) const KEY: &str = "select owner, scope, message_id, digest, context, status, time,
    sealed, answer, queued from contexture_keys";

/// The same columns, without an answer.
pub(super) const PLAIN_KEY: &str = "select owner, scope, message_id, digest, context, status, time,
    null::text, null::text, queued from contexture_keys";

pub(super) fn key(row: &postgres::Row) -> Read<KeyRow> {
    let answer = match row.place(5)? {
        PENDING if row.is(9)? => StoredAnswer::Queued,
        PENDING => StoredAnswer::Pending,
        READY => StoredAnswer::Ready(kept(row, 7, 8)?),
        STANDS => StoredAnswer::Stands,
        other => return Err(Fault::Rows(format!("{other} is not a status of a message"))),
    };
    let digest = row.bytes(3)?;
    Ok(KeyRow {
        owner: row.text(0)?,
        scope: row.text(1)?,
        message_id: row.text(2)?,
        digest: digest.try_into().map_err(|_| Fault::Rows("a digest has 32 bytes".to_owned()))?,
        context: row.some_text(4)?,
        answer,
        time_us: row.number(6)?,
    })
}
