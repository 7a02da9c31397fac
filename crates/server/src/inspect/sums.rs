//! The answers with sums: of the tokens of a run, and of all runs over time (IN-7, IN-13).

use super::Shared;
use super::answers::{Answer, find, read};
use crate::query::{Query, wrong};
use axum::extract::{Path, RawQuery, State};
use contexture::inspect::{self, Kept, MOST_RUNS, TokensBy, UsageBy, UsageQuery, UsageStep};
use contexture_protocol::Refusal;
use serde_json::json;

/// `GET /v1/runs/{run}/tokens?by`
pub(super) async fn tokens(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = Query::parse(query.as_deref(), &["by"])?;
    let by = query.text("by").unwrap_or("label");
    let by = TokensBy::parse(by).ok_or_else(|| wrong("by", "label, source or line", by))?;
    read(&shared, move |shared| {
        let store = &*shared.sources.runs;
        let head = store.head(&find(shared, &run)?, 1..=u64::MAX)?;
        Ok(json!(inspect::tokens(Kept { store, log: &head.log }, by)))
    })
    .await
}

/// `GET /v1/usage?by&step&program&from&to&limit`
pub(super) async fn usage(State(shared): State<Shared>, RawQuery(query): RawQuery) -> Answer {
    let query = Query::parse(query.as_deref(), &["by", "step", "program", "from", "to", "limit"])?;
    let asked = UsageQuery {
        by: by(&query)?,
        step: step(&query)?,
        program: query.text("program").filter(|text| !text.is_empty()).map(str::to_owned),
        from_us: query.number("from")?.map(|ms| ms.saturating_mul(1_000)),
        to_us: query.number("to")?.map(|ms| ms.saturating_mul(1_000)),
        limit: query.number("limit")?.map_or(Ok(MOST_RUNS), |_| query.limit(MOST_RUNS))?,
    };
    read(&shared, move |shared| Ok(json!(inspect::usage(&*shared.sources.runs, &asked)?))).await
}

fn by(query: &Query) -> Result<UsageBy, Refusal> {
    match query.text("by") {
        None | Some("program") => Ok(UsageBy::Program),
        Some("place") => Ok(UsageBy::Place),
        Some("model") => Ok(UsageBy::Model),
        Some(other) => Err(wrong("by", "program, place or model", other)),
    }
}

fn step(query: &Query) -> Result<UsageStep, Refusal> {
    match query.text("step") {
        None | Some("day") => Ok(UsageStep::Day),
        Some("hour") => Ok(UsageStep::Hour),
        Some(other) => Err(wrong("step", "day or hour", other)),
    }
}
