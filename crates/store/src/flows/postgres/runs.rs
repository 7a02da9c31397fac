//! The rows of runs: their start, their holder, their end, wishes.

use crate::flows::holds::Hold;
use crate::flows::schema::Outcome;
use crate::flows::tasks::NewRun;
use crate::postgres::{self, Fault, Session, values};
use contexture_core::store::flows::{Ask, Filter, FlowStoreError, RunState, RunSummary};
use contexture_protocol::content::Status;

type Read<T> = Result<T, Fault>;

/// A run as a list shows it; the last column tells whether its holder lives.
const RUN: &str = "select run, name, owner, context, steps, started, ended, status, wish,
    coalesce(done, (select count(*) from contexture_entries as entry
        where entry.run = contexture_runs.place and entry.kind = 1)),
    (select count(*) from contexture_servers where token = holder), holder
    from contexture_runs where ";

/// The row of a run, as far as its claim needs it.
struct RunRow {
    place: i64,
    holder: Option<String>,
    wish: Option<String>,
}

fn status(word: Option<&str>) -> Read<Status> {
    let unknown = || Fault::Rows(format!("{word:?} is not a status of a run"));
    word.and_then(Status::parse).ok_or_else(unknown)
}

/// Returns a run, with its status if it has ended.
fn find(session: &Session, name: &str, run: &str) -> Outcome<(RunRow, Option<Status>)> {
    let told = |fault: Fault| fault.told::<FlowStoreError>(name);
    let sql = "select place, holder, wish, ended, status from contexture_runs where run = $1";
    let row = session.row(sql, values![run]).map_err(told)?;
    let row = row.ok_or_else(|| FlowStoreError::NotFound(run.to_owned()))?;
    let read = || {
        let found =
            RunRow { place: row.place(0)?, holder: row.some_text(1)?, wish: row.some_text(2)? };
        let ended = match row.some_place(3)? {
            Some(_) => Some(status(row.some_text(4)?.as_deref())?),
            None => None,
        };
        Ok((found, ended))
    };
    read().map_err(told)
}

/// Returns a run that has not ended.
fn unfinished(session: &Session, name: &str, run: &str) -> Outcome<RunRow> {
    match find(session, name, run)? {
        (row, None) => Ok(row),
        (_, Some(status)) => Err(FlowStoreError::Ended { run: run.to_owned(), status }),
    }
}

/// Reports whether a holder lives: it has its lease until another server takes that over.
fn lives(session: &Session, holder: &str) -> Read<bool> {
    let sql = "select token from contexture_servers where token = $1";
    Ok(session.row(sql, values![holder])?.is_some())
}

/// Reports whether a run only waits, and its holder does not work on it.
fn is_parked(session: &Session, run: &str) -> Read<bool> {
    let sql = "select from contexture_waits where run = $1 and state < 2 and parked = 1 limit 1";
    Ok(session.row(sql, values![run])?.is_some())
}

fn refuse_living(
    session: &Session,
    name: &str,
    run: &str,
    (row, token): (&RunRow, &str),
) -> Outcome<()> {
    // What this process itself had held and let go of is free.
    let Some(holder) = row.holder.as_deref().filter(|holder| *holder != token) else {
        return Ok(());
    };
    match lives(session, holder).map_err(|fault| fault.told::<FlowStoreError>(name))? {
        true => Err(FlowStoreError::Held { run: run.to_owned(), by: "another process" }),
        false => Ok(()),
    }
}

/// Adds a run that is held by `token`; `None` if there is one of its id.
pub(super) fn begin(session: &Session, new: &NewRun, token: &str) -> Read<Option<Hold>> {
    let row = session.write_row(
        "insert into contexture_runs (run, name, owner, context, steps, started, holder, masked,
         document) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing
         returning place",
        values![
            &new.run,
            &new.name,
            &new.owner,
            new.context.as_ref(),
            new.steps,
            new.started_us,
            token,
            new.masked,
            &new.document
        ],
    )?;
    row.map(|row| Ok(Hold::new(row.place(0)?, 0, 0))).transpose()
}

/// Gives an interrupted run to `token`.
pub(super) fn claim(session: &Session, name: &str, run: &str, token: &str) -> Outcome<Hold> {
    let row = unfinished(session, name, run)?;
    give(session, name, run, (row, token))
}

/// Gives a run that is interrupted or has ended to `token`; ends of steps at the places `void` of its
/// entries do not count any more.
pub(super) fn reopen(
    session: &Session,
    name: &str,
    (run, void): (&str, &[usize]),
    token: &str,
) -> Outcome<Hold> {
    let (row, _) = find(session, name, run)?;
    let reopened = || {
        for place in void {
            let sql = "update contexture_entries set kind = 0 where run = $1 and number = $2";
            session.write(sql, values![row.place, *place as u64 + 1])?;
        }
        let sql = "update contexture_runs set ended = null, status = null, done = null, wish = null
            where place = $1";
        session.write(sql, values![row.place])
    };
    refuse_living(session, name, run, (&row, token))?;
    reopened().map_err(|fault: Fault| fault.told::<FlowStoreError>(name))?;
    give(session, name, run, (RunRow { wish: None, ..row }, token))
}

fn give(session: &Session, name: &str, run: &str, (row, token): (RunRow, &str)) -> Outcome<Hold> {
    refuse_living(session, name, run, (&row, token))?;
    let claimed = || {
        // A pause was for the process that is gone; what was cancelled stays so.
        let sql = "update contexture_runs set holder = $2,
            wish = case wish when 'CANCEL' then wish end where place = $1";
        session.write(sql, values![row.place, token])?;
        let sql = "select coalesce(max(number), 0), count(*) filter (where kind = 1)
            from contexture_entries where run = $1";
        let counts = session.row(sql, values![row.place])?;
        let (last, done) =
            counts.map_or(Ok((0, 0)), |counts| Ok((counts.number(0)?, counts.number(1)?)))?;
        let is_cancelled = row.wish.as_deref().and_then(Ask::parse) == Some(Ask::Cancel);
        Ok(Hold::new(row.place, last, done).cancelled(is_cancelled))
    };
    claimed().map_err(|fault: Fault| fault.told(name))
}

/// Closes a run as ended with a status; `token` asks for it.
pub(super) fn finish(
    session: &Session,
    name: &str,
    run: &str,
    (status, now): (Status, u64),
    token: &str,
) -> Outcome<()> {
    let row = unfinished(session, name, run)?;
    if !is_parked(session, run).map_err(|fault| fault.told::<FlowStoreError>(name))? {
        refuse_living(session, name, run, (&row, token))?;
    }
    let sql = "update contexture_runs set ended = $2, status = $3, holder = null, wish = null,
        done = (select count(*) from contexture_entries as entry
            where entry.run = $1 and entry.kind = 1) where place = $1";
    let finished = session.write(sql, values![row.place, now, status.as_str()]);
    finished.map_err(|fault| fault.told(name))
}

/// Stores a request to a run; returns whether a process does it.
pub(super) fn ask(session: &Session, name: &str, run: &str, ask: Ask) -> Outcome<bool> {
    let row = unfinished(session, name, run)?;
    let asked = || {
        // What was cancelled stays so, whatever is asked after that.
        let sql = "update contexture_runs set wishes = wishes + 1,
            wish = case wish when 'CANCEL' then wish else $2 end where place = $1";
        session.write(sql, values![row.place, ask.as_str()])?;
        row.holder.as_deref().map_or(Ok(false), |holder| lives(session, holder))
    };
    asked().map_err(|fault: Fault| fault.told(name))
}

/// Deletes a run that has ended, with those of sets within its steps; false if there is none.
pub(super) fn forget(session: &Session, run: &str) -> Read<bool> {
    let sql = "select place from contexture_runs where run = $1 and ended is not null";
    if session.row(sql, values![run])?.is_none() {
        return Ok(false);
    }
    // The sign behind `/` is `0`.
    let these = "run = $1 or (run > $1 || '/' and run < $1 || '0')";
    let sql = format!(
        "delete from contexture_entries where run in
         (select place from contexture_runs where {these})"
    );
    session.write(&sql, values![run])?;
    session.write(&format!("delete from contexture_runs where {these}"), values![run])?;
    Ok(true)
}

/// Returns the wishes for the runs of a holder.
pub(super) fn wishes(session: &Session, token: &str) -> Read<Vec<(i64, String, i64)>> {
    let sql = "select place, wish, wishes from contexture_runs
        where holder = $1 and wish is not null";
    let rows = session.rows(sql, values![token])?;
    rows.iter().map(|row| Ok((row.place(0)?, row.text(1)?, row.place(2)?))).collect()
}

/// Returns runs, each with its holder.
pub(super) fn runs(session: &Session, filter: &Filter) -> Read<Vec<Found>> {
    let (mut wanted, mut values) = (vec!["true".to_owned()], values![filter.limit]);
    let texts = [("owner", &filter.owner), ("context", &filter.context), ("name", &filter.name)];
    for (column, text) in texts {
        if let Some(text) = text {
            values.push(text.into());
            wanted.push(format!("{column} = ${}", values.len()));
        }
    }
    if let Some(before) = &filter.before {
        values.push(before.into());
        let last = format!("select place from contexture_runs where run = ${}", values.len());
        wanted.push(format!("place < ({last})"));
    }
    if filter.unfinished {
        wanted.push("ended is null".to_owned());
    }
    let sql = format!("{RUN}{} order by place desc limit $1", wanted.join(" and "));
    session.rows(&sql, values)?.iter().map(summed_up).collect()
}

pub(super) fn summary(session: &Session, run: &str) -> Read<Option<Found>> {
    let sql = format!("{RUN}run = $1");
    session.row(&sql, values![run])?.as_ref().map(summed_up).transpose()
}

/// A run, and its holder.
pub(super) type Found = (RunSummary, Option<String>);

fn summed_up(row: &postgres::Row) -> Read<Found> {
    let ended_us = row.some_number(6)?;
    let state = if ended_us.is_some() {
        RunState::Ended(status(row.some_text(7)?.as_deref())?)
    } else if !row.is(10)? {
        RunState::Interrupted
    } else if row.some_text(8)?.as_deref().and_then(Ask::parse) == Some(Ask::Pause) {
        RunState::Paused
    } else {
        RunState::Running
    };
    let summary = RunSummary {
        run: row.text(0)?,
        name: row.text(1)?,
        owner: row.text(2)?,
        context: row.some_text(3)?,
        steps: row.number(4)?,
        started_us: row.number(5)?,
        ended_us,
        state,
        done: row.number(9)?,
    };
    Ok((summary, row.some_text(11)?))
}

/// Returns the entries of a run: their times, whether they are masked, and their texts; `None` without
/// such a run.
pub(super) fn lines(session: &Session, run: &str) -> Read<Option<Vec<(u64, bool, String)>>> {
    let place = session.row("select place from contexture_runs where run = $1", values![run])?;
    let Some(place) = place else { return Ok(None) };
    let sql = "select time, masked, text from contexture_entries where run = $1 order by number";
    let rows = session.rows(sql, values![place.place(0)?])?;
    let lines = rows.iter().map(|row| Ok((row.number(0)?, row.is(1)?, row.text(2)?)));
    lines.collect::<Read<Vec<_>>>().map(Some)
}
