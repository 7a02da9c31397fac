//! Refused requests, and their responses in the form that clients of a path read.

use super::answer;
use super::shared::Shared;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use contexture_protocol::{ErrorCode, Refusal};

pub(super) type Answer = Result<Response, Refused>;

/// A refused request. It becomes a response in [`render`], which knows the path and the server.
#[derive(Debug, Clone)]
pub(super) struct Refused {
    refusal: Box<Refusal>,
    status: Option<StatusCode>,
}

impl Refused {
    /// Creates a refusal with a status other than that of its code.
    pub(super) fn with_status(refusal: Refusal, status: StatusCode) -> Self {
        Self { refusal: Box::new(refusal), status: Some(status) }
    }

    /// Creates the refusal of an unsupported content type.
    pub(super) fn media_type(expected: &str) -> Self {
        let text = format!("the body has to be {expected}");
        let refusal = Refusal::new(ErrorCode::ParseError, text)
            .suggest(format!("Send the header Content-Type: {expected}."));
        Self::with_status(refusal, StatusCode::UNSUPPORTED_MEDIA_TYPE)
    }
}

impl From<Box<Refusal>> for Refused {
    fn from(refusal: Box<Refusal>) -> Self {
        Self { refusal, status: None }
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Box::new(refusal).into()
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let mut response = Response::default();
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes the response of a request that its handler refused.
pub(super) async fn render(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let mut response = next.run(request).await;
    match response.extensions_mut().remove::<Refused>() {
        Some(Refused { refusal, status }) => answer::refusal(&shared.app, &path, *refusal, status),
        None => response,
    }
}
