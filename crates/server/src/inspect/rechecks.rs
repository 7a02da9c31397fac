//! A changed program on the record of a run: which prompts would be others (IN-10).

use super::Shared;
use super::answers::{Answer, Refused, find, mark, read, shortened};
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use contexture::run::{Checked, RecheckError, patch, program_of, recheck};
use serde::Deserialize;
use serde_json::json;
use tokio::runtime::Handle;

/// The program as it is tried.
#[derive(Deserialize)]
struct Tried {
    text: String,
}

impl From<RecheckError> for Refused {
    fn from(error: RecheckError) -> Self {
        let message = error.to_string();
        match error {
            RecheckError::Record(error) => error.into(),
            RecheckError::Part(error) => error.into(),
            RecheckError::NoProgram | RecheckError::Missing { .. } => {
                Self::new(StatusCode::NOT_FOUND, "program_unknown", message)
            }
            RecheckError::Refused(failure) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, failure.code(), message)
            }
            _ => Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message),
        }
    }
}

/// `GET /v1/runs/{run}/program`
pub(super) async fn program(State(shared): State<Shared>, Path(run): Path<String>) -> Answer {
    read(&shared, move |shared| {
        let project = shared.sources.checked()?;
        let id = find(shared, &run)?;
        let found = program_of(project, &*shared.sources.runs, &id)?;
        Ok(json!({ "file": found.name, "text": found.text }))
    })
    .await
}

/// `POST /v1/runs/{run}/recheck`
pub(super) async fn tried(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    body: Bytes,
) -> Answer {
    let Tried { text } = serde_json::from_slice(&body).map_err(|error| {
        let message = format!("expected `{{\"text\": PROGRAM}}`: {error}");
        Refused::new(StatusCode::BAD_REQUEST, "body_invalid", message)
    })?;
    let runtime = Handle::current();
    read(&shared, move |shared| {
        let project = shared.sources.checked()?;
        let (store, id) = (&*shared.sources.runs, find(shared, &run)?);
        let now = program_of(project, store, &id)?;
        let change = patch(&now.name, &now.text, &text);
        let checked = Checked { text: Some(text), ..Checked::default() };
        let found = runtime.block_on(recheck(project, store, &id, checked))?;
        let mut told = shortened(found.to_json());
        told.get_mut("calls").into_iter().for_each(mark);
        if let Some(fields) = told.as_object_mut() {
            fields.insert("patch".to_owned(), change.into());
        }
        Ok(told)
    })
    .await
}
