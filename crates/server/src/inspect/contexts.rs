//! Stored contexts (IN-12).

use super::Shared;
use super::answers::{Answer, LARGEST, Refused, file, read, work};
use crate::query::Query;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use contexture::inspect;
use contexture::store::contexts::Key;

/// The most entries of a page.
const PAGE: usize = 1_000;

/// `GET /v1/contexts?owner&search&after&limit`
pub(super) async fn contexts(State(shared): State<Shared>, RawQuery(query): RawQuery) -> Answer {
    let query = Query::parse(query.as_deref(), &["owner", "search", "after", "limit"])?;
    let text = |name: &str| query.text(name).filter(|text| !text.is_empty()).map(str::to_owned);
    let (owner, search, after) = (text("owner"), text("search"), text("after"));
    let limit = query.limit(PAGE)?;
    read(&shared, move |shared| {
        let page = (after.as_deref(), limit);
        let store = shared.sources.contexts()?;
        Ok(inspect::contexts(store, owner.as_deref(), search.as_deref(), page)?)
    })
    .await
}

/// `GET /v1/contexts/{context}?owner&version`
pub(super) async fn context(
    State(shared): State<Shared>,
    Path(context): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = Query::parse(query.as_deref(), &["owner", "version"])?;
    let (owner, version) = (owner(&query)?, query.number("version")?);
    read(&shared, move |shared| {
        let key = Key { owner: &owner, context: &context };
        Ok(inspect::context(shared.sources.contexts()?, key, version)?)
    })
    .await
}

/// `GET /v1/contexts/{context}/messages?owner&before&limit`
pub(super) async fn messages(
    State(shared): State<Shared>,
    Path(context): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = Query::parse(query.as_deref(), &["owner", "before", "limit"])?;
    let (owner, limit) = (owner(&query)?, query.limit(PAGE)?);
    let before = query.place("before")?.unwrap_or(u64::MAX);
    read(&shared, move |shared| {
        let key = Key { owner: &owner, context: &context };
        Ok(inspect::context_messages(shared.sources.contexts()?, key, (before, limit))?)
    })
    .await
}

/// `GET /v1/contexts/{context}/changes?owner&since&limit`
pub(super) async fn changes(
    State(shared): State<Shared>,
    Path(context): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = Query::parse(query.as_deref(), &["owner", "since", "limit"])?;
    let (owner, limit) = (owner(&query)?, query.limit(PAGE)?);
    let since = query.number("since")?.unwrap_or_default();
    read(&shared, move |shared| {
        let key = Key { owner: &owner, context: &context };
        Ok(inspect::context_changes(shared.sources.contexts()?, key, (since, limit))?)
    })
    .await
}

/// `GET /v1/contexts/{context}/transcript?owner`
pub(super) async fn transcript(
    State(shared): State<Shared>,
    Path(context): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let owner = owner(&Query::parse(query.as_deref(), &["owner"])?)?;
    let text = work(&shared, move |shared| {
        let key = Key { owner: &owner, context: &context };
        let text = inspect::transcript(shared.sources.contexts()?, key, LARGEST)?;
        text.ok_or_else(|| {
            let message = format!(
                "the transcript has more than {LARGEST} bytes: `contexture context show {context} \
                 --markdown` prints it"
            );
            Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "answer_too_large", message)
        })
    })
    .await?;
    Ok(file("text/markdown; charset=utf-8", text))
}

/// Returns the owner: ids of contexts are unique within one.
fn owner(query: &Query) -> Result<String, Refused> {
    query.text("owner").map(str::to_owned).ok_or_else(|| {
        let message = "the query has no `owner`: ids of contexts are unique within one";
        Refused::new(StatusCode::BAD_REQUEST, "query_invalid", message)
    })
}
