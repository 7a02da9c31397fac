//! Runs of sets: a list, one with its steps, and its picture (IN-11).

use super::Shared;
use super::answers::{Answer, LARGEST, Refused, file, read, work};
use crate::query::{Query, wrong};
use crate::serve::waits::value_of;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use contexture::inspect::{self, FlowPictureError, StepPage};
use contexture::store::flows::{FlowStoreError, Wait};
use contexture_protocol::Refusal;
use contexture_protocol::content::Status;
use serde_json::{Value, json};

/// The most runs or waits of a page.
const PAGE: usize = 1_000;

/// The most steps of an answer.
const STEPS: usize = 400;

/// The most bytes of the message with a call that waits; a longer one is told by its size.
const MOST_REQUEST: usize = 16 << 10;

impl From<FlowStoreError> for Refused {
    fn from(error: FlowStoreError) -> Self {
        let status = match error {
            FlowStoreError::NotFound(_) => StatusCode::NOT_FOUND,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error.code(), error.to_string())
    }
}

impl From<FlowPictureError> for Refused {
    fn from(error: FlowPictureError) -> Self {
        match error {
            FlowPictureError::Store(error) => error.into(),
            other => Self::new(StatusCode::NOT_FOUND, "picture_too_large", other.to_string()),
        }
    }
}

/// `GET /v1/flows?after&limit`
pub(super) async fn flows(State(shared): State<Shared>, RawQuery(query): RawQuery) -> Answer {
    let query = Query::parse(query.as_deref(), &["after", "limit"])?;
    let (limit, after) = (query.limit(PAGE)?, query.text("after").map(str::to_owned));
    read(&shared, move |shared| Ok(inspect::flows(shared.sources.flows()?, after, limit)?)).await
}

/// `GET /v1/flows/{flow}?after&limit&state`: fewer steps where these are too large for an answer.
pub(super) async fn flow(
    State(shared): State<Shared>,
    Path(flow): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = Query::parse(query.as_deref(), &["after", "limit", "state"])?;
    let wanted = StepPage {
        after: query.count("after", usize::MAX)?.unwrap_or_default(),
        limit: query.count("limit", STEPS)?.unwrap_or(STEPS).max(1),
        state: query.text("state").map(status).transpose()?,
    };
    read(&shared, move |shared| Ok(inspect::flow(shared.sources.flows()?, &flow, wanted, LARGEST)?))
        .await
}

fn status(word: &str) -> Result<Status, Refusal> {
    Status::parse(word).ok_or_else(|| {
        let words: Vec<&str> = Status::ALL.iter().map(|status| status.as_str()).collect();
        wrong("state", &format!("one of {}", words.join(", ")), word)
    })
}

/// `GET /v1/waits?flow&after&limit`
pub(super) async fn waits(State(shared): State<Shared>, RawQuery(query): RawQuery) -> Answer {
    let query = Query::parse(query.as_deref(), &["flow", "after", "limit"])?;
    let (limit, after) = (query.limit(PAGE)?, query.number("after")?.unwrap_or(0));
    let flow = query.text("flow").map(str::to_owned);
    read(&shared, move |shared| {
        let journal = shared.sources.flows()?;
        let mut found = inspect::open_waits(journal, flow.as_deref(), (after, limit + 1))?;
        let has_more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| has_more).map(|last| last.place);
        let waits: Vec<Value> = found.iter().map(asked).collect();
        Ok(json!({ "waits": waits, "next": next }))
    })
    .await
}

/// Returns a wait as lists have it, with who waits and what is asked.
fn asked(wait: &Wait) -> Value {
    let mut value = value_of(wait);
    let request = match wait.request.len() {
        bytes if bytes > MOST_REQUEST => json!({ "bytes": bytes }),
        _ => serde_json::from_str(&wait.request).unwrap_or(Value::Null),
    };
    if let Some(fields) = value.as_object_mut() {
        fields.insert("owner".to_owned(), wait.id.owner.as_str().into());
        fields.insert("flow".to_owned(), wait.run.as_str().into());
        fields.insert("step".to_owned(), wait.step.as_str().into());
        fields.insert("request".to_owned(), request);
    }
    value
}

/// `GET /v1/flows/{flow}/picture`
pub(super) async fn picture(State(shared): State<Shared>, Path(flow): Path<String>) -> Answer {
    let drawn =
        work(&shared, move |shared| Ok(inspect::flow_picture(shared.sources.flows()?, &flow)?))
            .await?;
    if drawn.len() > LARGEST {
        let message = format!("the picture has {} bytes, the most are {LARGEST}", drawn.len());
        return Err(Refused::new(StatusCode::NOT_FOUND, "picture_too_large", message));
    }
    Ok(file("image/svg+xml", drawn))
}
