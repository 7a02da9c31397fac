//! The knowledge packs of the project (IN-12).

use super::Shared;
use super::answers::{Answer, Refused, read};
use crate::query::Query;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use contexture::inspect::{self, MOST_HITS};
use contexture::packs::{NOT_ALLOWED, PacksError};

/// The longest question, in bytes.
const MOST_QUESTION: usize = 2_000;

impl From<PacksError> for Refused {
    fn from(error: PacksError) -> Self {
        let message = match &error.help {
            Some(help) => format!("{}; {help}", error.message),
            None => error.message.clone(),
        };
        // Nobody who only looks approves a pack.
        let status = match error.code {
            NOT_ALLOWED => StatusCode::CONFLICT,
            _ => StatusCode::NOT_FOUND,
        };
        Self::new(status, error.code, message)
    }
}

/// `GET /v1/knowledge`
pub(super) async fn packs(State(shared): State<Shared>) -> Answer {
    read(&shared, |shared| {
        let (project, options) = shared.sources.packs()?;
        Ok(inspect::packs(project, options))
    })
    .await
}

/// `GET /v1/knowledge/{pack}`
pub(super) async fn pack(State(shared): State<Shared>, Path(pack): Path<String>) -> Answer {
    read(&shared, move |shared| {
        let (project, options) = shared.sources.packs()?;
        Ok(inspect::pack(project, options, &pack)?)
    })
    .await
}

/// `GET /v1/knowledge/{pack}/search?q&limit`
pub(super) async fn search(
    State(shared): State<Shared>,
    Path(pack): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = Query::parse(query.as_deref(), &["q", "limit"])?;
    let limit = query.limit(MOST_HITS)?;
    let question = query.text("q").unwrap_or_default().trim().to_owned();
    if question.is_empty() || question.len() > MOST_QUESTION {
        let message = format!("the query's `q`: expected 1 to {MOST_QUESTION} bytes of text");
        return Err(Refused::new(StatusCode::BAD_REQUEST, "query_invalid", message));
    }
    read(&shared, move |shared| {
        let (project, options) = shared.sources.packs()?;
        Ok(inspect::pack_search((project, options), (&pack, &question), limit)?)
    })
    .await
}
