//! Reading runs. Readers have connections of their own and do not wait for writes.

use super::schema;
use super::schema::Outcome;
use super::seal::{Part, Seal};
use super::tasks::RunTable;
use super::watch::Wishes;
use crate::sqlite::Database;
use contexture_core::store::flows::Entry;
use contexture_core::store::flows::{
    Ask, Document, Filter, FlowStoreError, Line, RunState, RunSummary,
};
use rusqlite::{Connection, Row, ToSql, named_params};
use std::collections::HashMap;
use std::sync::Arc;

const RUN: &str = "select place, run, name, owner, context, steps, started, ended, status, done,
    holder, wish from runs";

pub(super) struct Reader {
    pub(super) file: Database<FlowStoreError>,
    pub(super) table: RunTable,
    pub(super) seal: Seal,
}

/// A row of a run.
struct Found {
    place: i64,
    summary: RunSummary,
    is_ended: bool,
    status: Option<String>,
    done: Option<u64>,
    holder: Option<String>,
    is_paused: bool,
}

impl Reader {
    pub(super) fn all<T>(
        &self,
        connection: &Connection,
        sql: &str,
        params: &[(&str, &dyn ToSql)],
        read: impl FnMut(&Row<'_>) -> Result<T, rusqlite::Error>,
    ) -> Outcome<Vec<T>> {
        let rows = connection
            .prepare_cached(sql)
            .and_then(|mut told| told.query_map(params, read)?.collect());
        self.file.explain(rows)
    }

    pub(super) fn runs(&self, filter: &Filter) -> Outcome<Vec<RunSummary>> {
        let owner = filter.owner.as_ref().map(|_| "owner = :owner");
        let context = filter.context.as_ref().map(|_| "context = :context");
        let name = filter.name.as_ref().map(|_| "name = :name");
        let unfinished = filter.unfinished.then_some("ended is null");
        let before = filter.before.as_ref();
        let before = before.map(|_| "place < (select place from runs where run = :before)");
        let wanted = [owner, context, name, unfinished, before];
        let wanted: Vec<&str> = wanted.into_iter().flatten().collect();
        let wanted = if wanted.is_empty() { "true".to_owned() } else { wanted.join(" and ") };
        let sql = format!("{RUN} where {wanted} order by place desc limit :limit");
        let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
        let mut params: Vec<(&str, &dyn ToSql)> = vec![(":limit", &limit)];
        params.extend(filter.owner.as_ref().map(|owner| (":owner", owner as &dyn ToSql)));
        params.extend(filter.context.as_ref().map(|context| (":context", context as &dyn ToSql)));
        params.extend(filter.name.as_ref().map(|name| (":name", name as &dyn ToSql)));
        params.extend(filter.before.as_ref().map(|before| (":before", before as &dyn ToSql)));
        self.file.read(|moment| {
            let mut alive = HashMap::new();
            let rows = self.all(moment, &sql, &params, found)?;
            rows.into_iter().map(|row| self.summed_up(moment, row, &mut alive)).collect()
        })
    }

    pub(super) fn summary(&self, run: &str) -> Outcome<RunSummary> {
        self.file.read(|moment| {
            let row = self.find(moment, run)?;
            self.summed_up(moment, row, &mut HashMap::new())
        })
    }

    fn find(&self, moment: &Connection, run: &str) -> Outcome<Found> {
        let sql = format!("{RUN} where run = :run");
        let rows = self.all(moment, &sql, named_params! {":run": run}, found)?;
        rows.into_iter().next().ok_or_else(|| FlowStoreError::NotFound(run.to_owned()))
    }

    /// Completes a row with what it does not hold; `alive` has what is known of holders.
    fn summed_up(
        &self,
        moment: &Connection,
        row: Found,
        alive: &mut HashMap<String, bool>,
    ) -> Outcome<RunSummary> {
        let mut summary = row.summary;
        summary.done = match row.done {
            Some(done) => done,
            None => self.table.done(moment, row.place)?,
        };
        if row.is_ended {
            summary.state = RunState::Ended(self.table.status(row.status.as_deref())?);
        } else if let Some(holder) = row.holder {
            let lives = match alive.get(&holder) {
                Some(lives) => *lives,
                None => self.table.holders.is_alive(&holder, false)?,
            };
            alive.insert(holder, lives);
            if lives {
                let (paused, running) = (RunState::Paused, RunState::Running);
                summary.state = if row.is_paused { paused } else { running };
            }
        }
        Ok(summary)
    }

    pub(super) fn document(&self, run: &str) -> Outcome<Document> {
        let document = self.file.read(|moment| {
            let place = self.find(moment, run)?.place;
            let sql = "select text, masked from documents where place = :place";
            let rows = self.all(moment, sql, named_params! {":place": place}, |row| {
                Ok(Document { text: row.get(0)?, masked: row.get(1)? })
            })?;
            rows.into_iter().next().ok_or_else(|| self.damaged("a run has no document".to_owned()))
        })?;
        let text = self.seal.open(Part::Document, document.text)?;
        Ok(Document { text, ..document })
    }

    pub(super) fn log(&self, run: &str) -> Outcome<Vec<Line>> {
        let lines = self.file.read(|moment| {
            let (before, last) = schema::span(self.find(moment, run)?.place);
            let sql = "select time, masked, text from entries where id > :before and id <= :last
                order by id";
            let span = named_params! {":before": before, ":last": last};
            self.all(moment, sql, span, |row| {
                Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?, row.get(2)?))
            })
        })?;
        lines
            .into_iter()
            .map(|(time_us, masked, text)| {
                Ok(Line { time_us, entry: entry(&self.seal, run, text)?, masked })
            })
            .collect()
    }

    fn damaged(&self, reason: String) -> FlowStoreError {
        FlowStoreError::Damaged { path: self.table.name.as_ref().to_owned(), reason }
    }

    /// Returns the lookup of wishes for the runs of a holder.
    pub(super) fn wishes(&self, token: Arc<str>) -> Outcome<Wishes> {
        let connection = self.file.reader()?;
        Ok(Box::new(move || {
            let sql = "select place, wish, wishes from runs where holder = ?1 and wish is not null";
            let mut told = connection.prepare_cached(sql).ok()?;
            let rows = told.query_map([&*token], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
            rows.and_then(Iterator::collect).ok()
        }))
    }
}

/// Reads an entry of a run as it stands in its row.
pub(super) fn entry(seal: &Seal, run: &str, text: String) -> Outcome<Entry> {
    let text = seal.open(Part::Entry, text)?;
    let path = || seal.name.as_ref().to_owned();
    Entry::parse(&text).map_err(|error| match Entry::unknown_event(&text) {
        Some(event) => FlowStoreError::UnknownEvent { path: path(), run: run.to_owned(), event },
        None => FlowStoreError::Damaged { path: path(), reason: error.message },
    })
}

fn found(row: &Row<'_>) -> Result<Found, rusqlite::Error> {
    let number = |column: usize| row.get::<_, i64>(column).map(i64::cast_unsigned);
    let ended: Option<i64> = row.get(7)?;
    let done: Option<i64> = row.get(9)?;
    let wish: Option<String> = row.get(11)?;
    Ok(Found {
        place: row.get(0)?,
        summary: RunSummary {
            run: row.get(1)?,
            name: row.get(2)?,
            owner: row.get(3)?,
            context: row.get(4)?,
            steps: number(5)?,
            started_us: number(6)?,
            ended_us: ended.map(i64::cast_unsigned),
            state: RunState::Interrupted,
            done: 0,
        },
        is_ended: ended.is_some(),
        status: row.get(8)?,
        done: done.map(i64::cast_unsigned),
        holder: row.get(10)?,
        is_paused: wish.is_some_and(|wish| Ask::parse(&wish) == Some(Ask::Pause)),
    })
}
