//! The table of waits: calls of front-end tools and questions, until their answers are used (WA-1).
//!
//! Decision: they stand in the file of the runs, whose writer commits many of them at once. What has
//! ended keeps its identity for a while, so that a second answer is told apart from a wrong one.

use super::schema::Outcome;
use super::seal::{Part, Seal};
use super::sqlite::SqliteJournal;
use super::tasks::masked_document;
use crate::sqlite::FileError as _;
use contexture_core::store::flows::{
    Answered, FlowStoreError, Wait, WaitFilter, WaitId, WaitKind, WaitState, Waits, WaitsDone,
};
use rusqlite::{Connection, OptionalExtension as _, Params, Row, ToSql, params};
use std::sync::Arc;

/// The migration that creates the table.
pub(super) const TABLE: &str = "
    create table waits (
        place integer primary key autoincrement,
        owner text not null,
        context text not null,
        message text not null,
        call text not null,
        kind text not null,
        run text not null,
        step text not null,
        client text not null,
        since integer not null,
        expires integer not null,
        state integer not null,
        parked integer not null,
        request text not null,
        answer text
    ) strict;
    create unique index waits_by_call on waits (owner, call, context, message);
    create index waits_by_client on waits (owner, client) where state = 0;
    create index waits_by_run on waits (run) where state < 2;
    create index waits_by_expiry on waits (expires) where state = 0 and parked = 1;
    create index waits_by_answer on waits (place) where state = 1;
    create index waits_by_end on waits (expires) where state = 2;
";

const COLUMNS: &str = "owner, context, message, call, kind, run, step, client, since, expires,
    request, answer, state, parked, place";
const IS_ONE: &str = "owner = ?1 and call = ?2 and context = ?3 and message = ?4";

/// The rows of waits.
#[derive(Clone)]
struct Table {
    name: Arc<str>,
    seal: Seal,
}

impl Table {
    fn sql<T>(&self, outcome: Result<T, rusqlite::Error>) -> Outcome<T> {
        outcome.map_err(|error| FlowStoreError::of_sqlite(&self.name, &error))
    }

    fn execute(&self, connection: &Connection, sql: &str, params: impl Params) -> Outcome<usize> {
        self.sql(connection.prepare_cached(sql).and_then(|mut sql| sql.execute(params)))
    }

    fn find(&self, connection: &Connection, id: &WaitId) -> Outcome<Option<Wait>> {
        let sql = format!("select {COLUMNS} from waits where {IS_ONE}");
        let found = connection.prepare_cached(&sql).and_then(|mut sql| {
            sql.query_row(params![id.owner, id.call, id.context, id.message], read).optional()
        });
        self.sql(found)?.map(|wait| self.opened(wait)).transpose()
    }

    /// Returns a wait as it was before it was written.
    fn opened(&self, wait: Wait) -> Outcome<Wait> {
        let answer = wait.answer.map(|text| self.seal.open(Part::Wait, text)).transpose()?;
        Ok(Wait { request: self.seal.open(Part::Wait, wait.request)?, answer, ..wait })
    }

    fn open(&self, connection: &Connection, wait: &Wait, request: &str) -> Outcome<Wait> {
        let known = self.find(connection, &wait.id)?;
        if let Some(known) = known.filter(|known| known.state != WaitState::Ended) {
            return Ok(known);
        }
        let WaitId { owner, context, message, call } = &wait.id;
        self.execute(
            connection,
            &format!("delete from waits where {IS_ONE}"),
            params![owner, call, context, message],
        )?;
        self.execute(
            connection,
            "insert into waits (owner, context, message, call, kind, run, step, client, since,
                expires, state, parked, request)
                values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0, 0, ?11)",
            params![
                owner,
                context,
                message,
                call,
                wait.kind.as_str(),
                wait.run,
                wait.step,
                wait.client,
                wait.since_ms.cast_signed(),
                wait.expires_ms.cast_signed(),
                request
            ],
        )?;
        let place = connection.last_insert_rowid().cast_unsigned();
        Ok(Wait { place, state: WaitState::Open, is_parked: false, ..wait.clone() })
    }

    fn answer(&self, connection: &Connection, id: &WaitId, answer: &str) -> Outcome<Answered> {
        let Some(found) = self.find(connection, id)? else { return Ok(Answered::Unknown) };
        if found.state != WaitState::Open {
            return Ok(Answered::Before);
        }
        let sealed = self.seal.close(Part::Wait, answer)?;
        let sql = "update waits set state = 1, answer = ?2 where place = ?1";
        let text = sealed.as_deref().unwrap_or(answer);
        self.execute(connection, sql, params![found.place.cast_signed(), text])?;
        let answer = Some(answer.to_owned());
        Ok(Answered::Taken(Box::new(Wait { answer, state: WaitState::Answered, ..found })))
    }
}

/// Ends the rows of a condition.
const END: &str = "update waits set state = 2, parked = 0, request = '', answer = null where";

impl SqliteJournal {
    fn wait_table(&self) -> Table {
        Table { name: Arc::clone(&self.seal.name), seal: self.seal.clone() }
    }
}

impl Waits for SqliteJournal {
    fn open_wait(&self, wait: Wait, done: WaitsDone<Wait>) {
        let table = self.wait_table();
        let masked = masked_document(&self.options.masker, &wait.request).into_owned();
        let request = match table.seal.close(Part::Wait, &masked) {
            Ok(sealed) => sealed.unwrap_or(masked),
            Err(error) => return done(Err(error)),
        };
        self.writer.post(true, move |connection| table.open(connection, &wait, &request), done);
    }

    fn answer_wait(&self, id: &WaitId, answer: &str, done: WaitsDone<Answered>) {
        let (table, id) = (self.wait_table(), id.clone());
        let answer = masked_document(&self.options.masker, answer).into_owned();
        self.writer.post(true, move |connection| table.answer(connection, &id, &answer), done);
    }

    fn end_wait(&self, id: &WaitId, done: WaitsDone<()>) {
        let (table, id) = (self.wait_table(), id.clone());
        let end = move |connection: &Connection| {
            let one = params![id.owner, id.call, id.context, id.message];
            table.execute(connection, &format!("{END} {IS_ONE}"), one).map(drop)
        };
        self.writer.post(true, end, done);
    }

    fn end_waits(&self, run: &str, done: WaitsDone<()>) {
        let (table, run) = (self.wait_table(), run.to_owned());
        let end = move |connection: &Connection| {
            table.execute(connection, &format!("{END} run = ?1 and state < 2"), [&run]).map(drop)
        };
        self.writer.post(false, end, done);
    }

    fn park_waits(&self, run: &str, is_parked: bool) {
        let (table, run) = (self.wait_table(), run.to_owned());
        let park = move |connection: &Connection| {
            let sql = "update waits set parked = ?2 where run = ?1 and state < 2";
            table.execute(connection, sql, params![run, is_parked]).map(drop)
        };
        self.writer.post(false, park, drop);
    }

    fn take_parked(&self, run: &str, done: WaitsDone<bool>) {
        let (table, run) = (self.wait_table(), run.to_owned());
        let take = move |connection: &Connection| {
            let sql = "update waits set parked = 0 where run = ?1 and state < 2 and parked = 1";
            table.execute(connection, sql, [&run]).map(|taken| taken > 0)
        };
        self.writer.post(true, take, done);
    }

    fn forget_waits(&self, before_ms: u64) {
        let table = self.wait_table();
        let forget = move |connection: &Connection| {
            let sql = "delete from waits where state = 2 and expires < ?1";
            table.execute(connection, sql, [before_ms.cast_signed()]).map(drop)
        };
        self.writer.post(false, forget, drop);
    }

    fn waits(&self, filter: &WaitFilter) -> Result<Vec<Wait>, FlowStoreError> {
        let mut wanted: Vec<String> = Vec::new();
        let mut params: Vec<(&str, &dyn ToSql)> = Vec::new();
        let texts = [
            ("owner", ":owner", &filter.owner),
            ("context", ":context", &filter.context),
            ("message", ":message", &filter.message),
            ("call", ":call", &filter.call),
            ("client", ":client", &filter.client),
            ("run", ":run", &filter.run),
        ];
        for (column, name, text) in texts {
            if let Some(text) = text {
                wanted.push(format!("{column} = {name}"));
                params.push((name, text));
            }
        }
        if filter.run.is_some() {
            wanted.push("state < 2".to_owned());
        }
        // Written out, so that the indexes of one state serve.
        wanted.extend(filter.state.map(|state| format!("state = {}", state.number())));
        if filter.parked {
            wanted.push("parked = 1".to_owned());
        }
        let expired = filter.expired_ms.map(u64::cast_signed);
        if let Some(expired) = &expired {
            wanted.push("expires <= :expired".to_owned());
            params.push((":expired", expired));
        }
        let after = filter.after.cast_signed();
        if after > 0 {
            wanted.push("place > :after".to_owned());
            params.push((":after", &after));
        }
        if wanted.is_empty() {
            wanted.push("true".to_owned());
        }
        let limit = match filter.limit {
            0 => i64::MAX,
            limit => i64::try_from(limit).unwrap_or(i64::MAX),
        };
        params.push((":limit", &limit));
        let sql = format!(
            "select {COLUMNS} from waits where {} order by place limit :limit",
            wanted.join(" and ")
        );
        let found = self.reader.file.read(|moment| self.reader.all(moment, &sql, &params, read))?;
        let table = self.wait_table();
        found.into_iter().map(|wait| table.opened(wait)).collect()
    }

    fn parked_runs(&self) -> Result<Vec<(String, String, String, String)>, FlowStoreError> {
        let sql = "select distinct owner, context, message, run from waits
            where state = 0 and parked = 1
            and run not in (select run from waits where state = 1)";
        self.reader.file.read(|moment| {
            self.reader.all(moment, sql, &[], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
        })
    }

    fn open_waits(&self) -> Result<Vec<(String, u64)>, FlowStoreError> {
        let sql = "select owner, count(*) from waits where state = 0 group by owner";
        self.reader.file.read(|moment| {
            self.reader.all(moment, sql, &[], |row| {
                Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned()))
            })
        })
    }
}

fn read(row: &Row<'_>) -> Result<Wait, rusqlite::Error> {
    let number = |column: usize| row.get::<_, i64>(column).map(i64::cast_unsigned);
    let kind: String = row.get(4)?;
    Ok(Wait {
        id: WaitId {
            owner: row.get(0)?,
            context: row.get(1)?,
            message: row.get(2)?,
            call: row.get(3)?,
        },
        kind: WaitKind::parse(&kind).unwrap_or(WaitKind::Call),
        run: row.get(5)?,
        step: row.get(6)?,
        client: row.get(7)?,
        since_ms: number(8)?,
        expires_ms: number(9)?,
        request: row.get(10)?,
        answer: row.get(11)?,
        state: WaitState::of(row.get(12)?),
        is_parked: row.get(13)?,
        place: number(14)?,
    })
}
