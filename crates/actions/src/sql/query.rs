//! One query that reads.

use super::answer::Collected;
use super::error::SqlError;
use super::guard::{Guard, Purpose};
use super::place::Place;
use super::statement::single;
use super::values::Values;
use crate::result::with_more;
use crate::settings::Limits;
use crate::shape::{text_of, unfit};
use contexture_flow::action::{ActionCall, ActionFailure};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The longest time that a query may be given, in seconds.
pub(super) const LONGEST_SECONDS: u64 = 3_600;

/// A question to a database.
pub(super) struct Query {
    sql: String,
    values: Values,
    limit: Option<u64>,
    offset: u64,
    allowed: Duration,
}

/// The rows that answer it.
pub(super) struct Answer {
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Value>,
    pub(super) count: usize,
    /// True if `limit` left rows out.
    pub(super) more: bool,
    /// The database.
    pub(super) source: String,
}

impl Answer {
    /// Returns the result of `QUERY_DATA`.
    pub(super) fn into_data(self) -> Value {
        with_more(json!({"data": self.rows, "count": self.count}), self.more)
    }
}

impl Query {
    pub(super) fn of(call: &ActionCall, limits: &Limits) -> Result<Self, ActionFailure> {
        let limit = count(call, "limit")?;
        if let Some(limit) = limit.filter(|limit| *limit > limits.rows) {
            let most = limits.rows;
            return Err(SqlError::Value(format!(
                "`limit`: expected {most} at most, found {limit}"
            ))
            .into());
        }
        Ok(Self {
            sql: text_of(call, "query")?.to_owned(),
            values: Values::of(call.parameters.get("values"))?,
            limit,
            offset: count(call, "offset")?.unwrap_or(0),
            allowed: allowed(call, limits.query)?,
        })
    }
}

/// Returns an optional whole number; `3.0` is one too.
fn count(call: &ActionCall, name: &str) -> Result<Option<u64>, ActionFailure> {
    match call.parameters.get(name) {
        None | Some(Value::Null) => Ok(None),
        found @ Some(value) => {
            let number = value.as_f64().filter(|float| float.fract() == 0.0);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
            let whole =
                number.filter(|float| (0.0..=4e9).contains(float)).map(|float| float as u64);
            let expected = "a whole number from 0 to 4000000000";
            value.as_u64().or(whole).map(Some).ok_or_else(|| unfit(name, expected, found))
        }
    }
}

/// Returns the time that the query may take.
pub(super) fn allowed(call: &ActionCall, usual: Duration) -> Result<Duration, ActionFailure> {
    let found = call.parameters.get("timeout").filter(|value| !value.is_null());
    let Some(value) = found else { return Ok(usual) };
    value
        .as_f64()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|allowed| !allowed.is_zero())
        .ok_or_else(|| unfit("timeout", "a number of seconds above 0", found))
}

/// Runs a query on a database.
pub(super) fn run(
    place: &Place,
    query: &Query,
    limits: &Limits,
    stopped: Arc<AtomicBool>,
) -> Result<Answer, ActionFailure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let before = |error| SqlError::of(error, false, query.allowed);
    let mut connection = Connection::open_with_flags(&place.path, flags).map_err(before)?;
    connection.busy_timeout(query.allowed.min(Duration::from_secs(5))).map_err(before)?;
    let guard = Guard::set(&mut connection, Purpose::Read, limits, query.allowed, stopped)
        .map_err(before)?;
    let (collected, more) = collect(&connection, query, limits, &guard)?;
    let (columns, rows) = collected.into_parts();
    Ok(Answer { columns, count: rows.len(), rows, more, source: place.shown.clone() })
}

fn collect(
    connection: &Connection,
    query: &Query,
    limits: &Limits,
    guard: &Guard,
) -> Result<(Collected, bool), SqlError> {
    let explain = |error| guard.explain(error);
    let mut statement = connection.prepare(readable(&query.sql)?).map_err(explain)?;
    if !statement.readonly() {
        return Err(SqlError::Refused("a statement that changes something".to_owned()));
    }
    if statement.column_count() == 0 {
        return Err(SqlError::NoRows);
    }
    query.values.bind(&mut statement)?;
    let columns = statement.column_names().map(str::to_owned).collect();
    let mut collected = Collected::new(columns, limits.answer_bytes)?;
    let most = query.limit.unwrap_or(limits.rows);
    let mut passed = 0;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(explain)? {
        if passed < query.offset {
            passed += 1;
        } else if (collected.rows.len() as u64) < most {
            collected.add(row)?;
        } else if query.limit.is_some() {
            return Ok((collected, true));
        } else {
            let message = format!(
                "the query gives more than {most} rows: set `limit` (and `offset`), or select less"
            );
            return Err(SqlError::TooLarge(message));
        }
    }
    Ok((collected, false))
}

/// Returns the one statement of a query.
fn readable(sql: &str) -> Result<&str, SqlError> {
    if sql.contains('\0') {
        return Err(SqlError::Value("`query` has a NUL character: take it out".to_owned()));
    }
    let statement = single(sql).map_err(SqlError::Second)?;
    if statement.trim().is_empty() { Err(SqlError::Empty) } else { Ok(statement) }
}
