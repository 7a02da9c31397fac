//! The rows of a run besides its events: its start, its holder, its end, wishes.

use super::holder::Holders;
use super::holds::Hold;
use super::lost;
use super::schema::Outcome;
use super::schema::{self, ENDED, OTHER};
use super::seal::{Part, Seal};
use super::sqlite::Options;
use crate::marks::Marks;
use crate::masker::Masker;
use crate::sqlite::FileError as _;
use contexture_core::store::flows::{Ask, FlowStoreError, LONGEST_ID, RunHead};
use contexture_protocol::content::Status;
use rusqlite::{Connection, OptionalExtension as _, Params, params};
use std::borrow::Cow;
use std::sync::Arc;

/// A run that is to begin.
#[derive(Debug, Clone)]
pub(super) struct NewRun {
    pub(super) run: String,
    pub(super) name: String,
    pub(super) owner: String,
    pub(super) context: Option<String>,
    pub(super) document: String,
    pub(super) masked: bool,
    pub(super) steps: u64,
    pub(super) started_us: u64,
}

impl NewRun {
    /// Prepares a run: its secrets are masked, and its set is sealed.
    pub(super) fn of(head: &RunHead<'_>, options: &Options, seal: &Seal) -> Outcome<Self> {
        if !(1..=LONGEST_ID).contains(&head.run.len()) {
            return Err(FlowStoreError::Id { found: head.run.len(), limit: LONGEST_ID });
        }
        let document = masked_document(&options.masker, head.document);
        let sealed = seal.close(Part::Document, &document)?;
        Ok(Self {
            run: head.run.to_owned(),
            name: options.masker.text(head.name).into_owned(),
            owner: head.owner.to_owned(),
            context: head.context.map(str::to_owned),
            masked: matches!(document, Cow::Owned(_)),
            document: sealed.unwrap_or_else(|| document.into_owned()),
            steps: head.steps,
            started_us: match head.started_us {
                0 => options.ids.now_us(),
                given => given,
            },
        })
    }
}

/// Returns a document without secrets; borrowed when there are none in it.
pub(super) fn masked_document<'a>(masker: &Masker, text: &'a str) -> Cow<'a, str> {
    let masked = masker.text(text);
    if matches!(masked, Cow::Borrowed(_)) {
        return masked;
    }
    // Value by value, so that it stays JSON.
    match serde_json::from_str(text) {
        Ok(mut value) => {
            masker.value(&mut value);
            Cow::Owned(value.to_string())
        }
        Err(_) => masked,
    }
}

/// The row of a run, as far as its claim needs it.
pub(super) struct RunRow {
    pub(super) place: i64,
    pub(super) holder: Option<String>,
    pub(super) status: Option<Status>,
    pub(super) wish: Option<String>,
}

/// The context of tasks.
#[derive(Debug, Clone)]
pub(super) struct RunTable {
    pub(super) name: Arc<str>,
    pub(super) holders: Holders,
    pub(super) marks: Arc<Marks>,
}

impl RunTable {
    fn sql<T>(&self, outcome: Result<T, rusqlite::Error>) -> Outcome<T> {
        outcome.map_err(|error| FlowStoreError::of_sqlite(&self.name, &error))
    }

    fn execute(&self, connection: &Connection, sql: &str, params: impl Params) -> Outcome<usize> {
        self.sql(connection.prepare_cached(sql).and_then(|mut told| told.execute(params)))
    }

    pub(super) fn find(&self, connection: &Connection, run: &str) -> Outcome<Option<RunRow>> {
        let sql = "select place, holder, ended, status, wish from runs where run = ?1";
        let found = self.sql(connection.prepare_cached(sql).and_then(|mut told| {
            let columns = told.query_row([run], |row| {
                let ended: Option<i64> = row.get(2)?;
                let status: Option<String> = row.get(3)?;
                Ok((row.get(0)?, row.get(1)?, ended, status, row.get(4)?))
            });
            columns.optional()
        }))?;
        let Some((place, holder, ended, status, wish)) = found else { return Ok(None) };
        let status = ended.map(|_| self.status(status.as_deref())).transpose()?;
        Ok(Some(RunRow { place, holder, status, wish }))
    }

    /// Returns a status as it stands in a row.
    pub(super) fn status(&self, word: Option<&str>) -> Outcome<Status> {
        word.and_then(Status::parse).ok_or_else(|| FlowStoreError::Damaged {
            path: self.name.as_ref().to_owned(),
            reason: format!("{word:?} is not a status of a run"),
        })
    }

    /// Adds a run that is held by `token`.
    pub(super) fn begin(
        &self,
        connection: &Connection,
        new: &NewRun,
        token: &str,
    ) -> Outcome<Hold> {
        if self.find(connection, &new.run)?.is_some() {
            return Err(FlowStoreError::Exists(new.run.clone()));
        }
        self.execute(
            connection,
            "insert into runs (run, name, owner, context, steps, started, holder)
                values (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                new.run,
                new.name,
                new.owner,
                new.context,
                new.steps.cast_signed(),
                new.started_us.cast_signed(),
                token
            ],
        )?;
        let place = connection.last_insert_rowid();
        self.execute(
            connection,
            "insert into documents (place, masked, text) values (?1, ?2, ?3)",
            params![place, new.masked, new.document],
        )?;
        self.marks.note(place, lost::mark(&new.run, 0));
        Ok(Hold::new(place, 0, 0))
    }

    /// Gives an interrupted run to `token`.
    pub(super) fn claim(&self, connection: &Connection, run: &str, token: &str) -> Outcome<Hold> {
        let row = self.unfinished(connection, run)?;
        self.give(connection, run, row, token)
    }

    /// Gives a run that is interrupted or has ended to `token`; ends of steps at the places `void` of its
    /// entries do not count any more.
    pub(super) fn reopen(
        &self,
        connection: &Connection,
        run: &str,
        void: &[usize],
        token: &str,
    ) -> Outcome<Hold> {
        let row = self.find(connection, run)?;
        let row = row.ok_or_else(|| FlowStoreError::NotFound(run.to_owned()))?;
        for place in void {
            let sql = "update entries set kind = ?2 where id = ?1";
            self.execute(
                connection,
                sql,
                params![schema::id(row.place, *place as u64 + 1), OTHER],
            )?;
        }
        self.execute(
            connection,
            "update runs set ended = null, status = null, done = null, wish = null where place = ?1",
            [row.place],
        )?;
        self.give(connection, run, RunRow { wish: None, ..row }, token)
    }

    fn give(&self, connection: &Connection, run: &str, row: RunRow, token: &str) -> Outcome<Hold> {
        // What this process itself had held and let go of is free.
        let holder = row.holder.as_deref().filter(|holder| *holder != token);
        self.refuse_living(run, holder)?;
        // A pause was for the process that is gone; what was cancelled stays so.
        self.execute(
            connection,
            "update runs set holder = ?2, wish = case wish when 'CANCEL' then wish end
                where place = ?1",
            params![row.place, token],
        )?;
        let (before, last) = schema::span(row.place);
        let last = self.sql(connection.query_row(
            "select max(id) from entries where id > ?1 and id <= ?2",
            [before, last],
            |row| row.get::<_, Option<i64>>(0),
        ))?;
        let done = self.done(connection, row.place)?;
        let is_cancelled = row.wish.is_some_and(|wish| Ask::parse(&wish) == Some(Ask::Cancel));
        let hold = Hold::new(row.place, last.map_or(0, schema::number), done);
        Ok(hold.cancelled(is_cancelled))
    }

    fn unfinished(&self, connection: &Connection, run: &str) -> Outcome<RunRow> {
        let row = self.find(connection, run)?;
        let row = row.ok_or_else(|| FlowStoreError::NotFound(run.to_owned()))?;
        match row.status {
            Some(status) => Err(FlowStoreError::Ended { run: run.to_owned(), status }),
            None => Ok(row),
        }
    }

    fn refuse_living(&self, run: &str, holder: Option<&str>) -> Outcome<()> {
        match holder {
            Some(holder) if self.holders.is_alive(holder, true)? => {
                Err(FlowStoreError::Held { run: run.to_owned(), by: "another process" })
            }
            _ => Ok(()),
        }
    }

    /// Counts the steps of a run that have ended.
    pub(super) fn done(&self, connection: &Connection, place: i64) -> Outcome<u64> {
        let (before, last) = schema::span(place);
        let sql = "select count(*) from entries where id > ?1 and id <= ?2 and kind = ?3";
        let count = connection
            .prepare_cached(sql)
            .and_then(|mut told| told.query_row([before, last, ENDED], |row| row.get::<_, i64>(0)));
        self.sql(count).map(i64::cast_unsigned)
    }

    /// Releases a run.
    pub(super) fn release(&self, connection: &Connection, place: i64, token: &str) -> Outcome<()> {
        let sql = "update runs set holder = null where place = ?1 and holder = ?2";
        self.execute(connection, sql, params![place, token]).map(drop)
    }

    /// Closes a run as ended with `status`; `token` asks for it.
    pub(super) fn finish(
        &self,
        connection: &Connection,
        run: &str,
        (status, now): (Status, u64),
        token: &str,
    ) -> Outcome<()> {
        let row = self.unfinished(connection, run)?;
        self.refuse_living(run, row.holder.as_deref().filter(|holder| *holder != token))?;
        let done = self.done(connection, row.place)?;
        self.execute(
            connection,
            "update runs set ended = ?2, status = ?3, done = ?4, holder = null, wish = null
                where place = ?1",
            params![row.place, now.cast_signed(), status.as_str(), done.cast_signed()],
        )?;
        Ok(())
    }

    /// Stores a request to a run; returns its holder.
    pub(super) fn ask(
        &self,
        connection: &Connection,
        run: &str,
        ask: Ask,
    ) -> Outcome<Option<String>> {
        let row = self.unfinished(connection, run)?;
        // What was cancelled stays so, whatever is asked after that.
        self.execute(
            connection,
            "update runs set wish = case wish when 'CANCEL' then wish else ?2 end,
                wishes = wishes + 1 where place = ?1",
            params![row.place, ask.as_str()],
        )?;
        Ok(row.holder)
    }

    /// Notes the request of the process that executes the run.
    pub(super) fn note(&self, connection: &Connection, run: &str, ask: Ask) -> Outcome<()> {
        self.execute(
            connection,
            "update runs set wish = ?2
                where run = ?1 and ended is null and wish is not 'CANCEL'",
            params![run, ask.as_str()],
        )
        .map(drop)
    }

    /// Deletes ended runs, with those of sets within their steps; returns the ids of those that
    /// existed.
    pub(super) fn forget(&self, connection: &Connection, runs: &[String]) -> Outcome<Vec<String>> {
        let mut gone = Vec::new();
        for run in runs {
            let found = self.find(connection, run)?;
            if found.is_none_or(|row| row.status.is_none()) {
                continue;
            }
            // The sign behind `/` is `0`.
            let sql = "select place from runs
                where run = ?1 or (run > ?1 || '/' and run < ?1 || '0')";
            let places = connection.prepare_cached(sql).and_then(|mut told| {
                told.query_map([run], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()
            });
            for place in self.sql(places)? {
                let removed = self.marks.removes(place);
                removed.map_err(|error| FlowStoreError::of_system(&self.name, &error))?;
                let (before, last) = schema::span(place);
                let entries = "delete from entries where id > ?1 and id <= ?2";
                self.execute(connection, entries, [before, last])?;
                self.execute(connection, "delete from documents where place = ?1", [place])?;
                self.execute(connection, "delete from runs where place = ?1", [place])?;
            }
            gone.push(run.clone());
        }
        Ok(gone)
    }
}
