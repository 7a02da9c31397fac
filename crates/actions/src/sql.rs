//! SQL on the SQLite files of the workspace: `database_query` and `QUERY_DATA` read,
//! `database_create` makes a file that is not there.
//!
//! Decision: a query is one statement that reads. This is enforced four times: the file is opened
//! for reading, `query_only` is on, an authoriser refuses whatever does more than select (ATTACH,
//! PRAGMA except a few, functions that load code), and the statement itself must report that it is
//! read-only. A database is made in memory and written as a whole, so that a crash leaves none or a
//! finished one; one that is there is left as it is, which makes the action idempotent.

mod answer;
mod create;
mod error;
mod guard;
mod place;
mod query;
mod statement;
mod values;

use crate::failure::blocking;
use crate::result::with_more;
use crate::settings::{Clock, Limits, Settings};
use crate::shape::{Shape, seconds, text, text_if, whole};
use contexture_flow::action::{ActionCall, ActionFailure, ActionKind, Registry};
use contexture_protocol::Timestamp;
use contexture_tools::Workspace;
use guard::Stop;
use place::Source;
use query::{Answer, LONGEST_SECONDS, Query};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) fn register(registry: &mut Registry, settings: &Settings, workspace: &Arc<Workspace>) {
    let source = Source {
        workspace: Arc::clone(workspace),
        database: settings.database.clone(),
        limits: settings.limits,
    };
    let words = "Runs one SQL query that reads on an SQLite file of the workspace and returns {data, count}, the rows as objects; `more` is true when `limit` left rows out.";
    let info = query_shape(words, &source.limits).of(ActionKind::Query);
    let from = source.clone();
    registry.add("QUERY_DATA", info, move |call| {
        let source = from.clone();
        async move { run(source, call).await.map(Answer::into_data) }
    });

    let words = "Runs one SQL query that reads on an SQLite file of the workspace and returns {value, columns, count, source, timestamp}, the rows as objects; `more` is true when `limit` left rows out.";
    let info = query_shape(words, &source.limits).of(ActionKind::Query);
    let (from, clock) = (source.clone(), Arc::clone(&settings.clock));
    registry.add("database_query", info, move |call| {
        let (source, clock) = (from.clone(), Arc::clone(&clock));
        async move { Ok(described(run(source, call).await?, &*clock)) }
    });

    create::register(registry, source);
}

fn query_shape(words: &'static str, limits: &Limits) -> Shape {
    let values = json!({"type": ["array", "object"]});
    Shape::new(words)
        .needs("query", text(), "a SELECT in SQLite's dialect")
        .takes(
            "limit",
            whole(0, limits.rows),
            "how many rows at most; without it, more rows than may be are an error",
        )
        .takes(
            "offset",
            whole(0, u64::from(u32::MAX)),
            "how many rows are passed over first; 0 by default",
        )
        .takes("database", text(), "the SQLite file, relative to the workspace")
        .takes(
            "values",
            values,
            "what the query's parameters stand for: a list for `?`, an object for `:name`",
        )
        .takes("timeout", seconds(LONGEST_SECONDS), "seconds that the query may take")
}

async fn run(source: Source, call: ActionCall) -> Result<Answer, ActionFailure> {
    let query = Query::of(&call, &source.limits)?;
    let asked = text_if(&call, "database")?.map(str::to_owned);
    // Dropped when nobody waits any more, which ends the work.
    let stop = Stop::default();
    let stopped = stop.flag();
    blocking(move || {
        let place = place::find(&source, asked.as_deref())?;
        query::run(&place, &query, &source.limits, stopped)
    })
    .await
}

fn described(answer: Answer, clock: &dyn Clock) -> Value {
    let now = Timestamp::from_unix_millis(clock.now_ms());
    let value = json!({
        "value": answer.rows,
        "columns": answer.columns,
        "count": answer.count,
        "source": answer.source,
        "timestamp": now.as_str(),
    });
    with_more(value, answer.more)
}
