//! Runs of sets: a list, one with its steps, and its picture (IN-11).

use super::Shared;
use super::answers::{Answer, LARGEST, Refused, read};
use crate::query::Query;
use axum::extract::{Path, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use contexture::inspect::{self, FlowPictureError};
use contexture::store::flows::FlowStoreError;

/// The most runs of a page.
const PAGE: usize = 1_000;

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

/// `GET /v1/flows/{flow}`
pub(super) async fn flow(State(shared): State<Shared>, Path(flow): Path<String>) -> Answer {
    read(&shared, move |shared| Ok(inspect::flow(shared.sources.flows()?, &flow)?)).await
}

/// `GET /v1/flows/{flow}/picture`
pub(super) async fn picture(State(shared): State<Shared>, Path(flow): Path<String>) -> Answer {
    let draw = move || -> Result<String, Refused> {
        Ok(inspect::flow_picture(shared.sources.flows()?, &flow)?)
    };
    let drawn = tokio::task::spawn_blocking(draw).await.map_err(|error| {
        Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error.to_string())
    })??;
    if drawn.len() > LARGEST {
        let message = format!("the picture has {} bytes, the most are {LARGEST}", drawn.len());
        return Err(Refused::new(StatusCode::NOT_FOUND, "picture_too_large", message));
    }
    let kind = [(header::CONTENT_TYPE, "image/svg+xml"), (header::CACHE_CONTROL, "no-store")];
    Ok((kind, drawn).into_response())
}
