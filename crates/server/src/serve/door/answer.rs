//! HTTP responses (CP-6).

use super::{Shared, openai};
use crate::serve::app::App;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contexture_protocol::{Body, ErrorCode, Message, Refusal, VERSION, VERSION_HEADER};
use serde_json::{Value, json};

/// Creates a response with a JSON body.
pub(super) fn json(status: StatusCode, body: String) -> Response {
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    let version = [(VERSION_HEADER, VERSION.to_string())];
    (status, kind, version, body).into_response()
}

pub(super) fn value(value: &Value) -> Response {
    json(StatusCode::OK, value.to_string())
}

/// Creates a response of one message, with the matching status.
pub(super) fn message(message: &Message) -> Response {
    let mut response = json(status(message), numbered(message, 1));
    if let Some(seconds) = retry_after(message) {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

/// Returns the text of an answer, numbered within its request when it has no number in its
/// context (CP-2b).
pub(super) fn numbered(message: &Message, number: u64) -> String {
    match message.meta("seq") {
        Some(_) => message.to_json(),
        None => message.clone().with_meta("seq", number).to_json(),
    }
}

/// Returns the seconds after which a client may retry.
fn retry_after(message: &Message) -> Option<u64> {
    let Body::ErrorResponse(error) = &message.body else { return None };
    error.details.as_ref()?.extra.get("retryAfter")?.as_u64()
}

/// Returns the id of an error in the log.
fn trace_id(message: &Message) -> Option<&str> {
    let Body::ErrorResponse(error) = &message.body else { return None };
    error.details.as_ref()?.trace_id.as_deref()
}

/// Returns the status of an answer.
fn status(message: &Message) -> StatusCode {
    let Body::ErrorResponse(error) = &message.body else { return StatusCode::OK };
    let policies = error.details.as_ref().and_then(|details| details.violated_policies.as_ref());
    if policies.is_some_and(|policies| policies.iter().any(|policy| policy == "draining")) {
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    // The server has a problem, and the same request may succeed later.
    if error.code() == Some(ErrorCode::Internal) && error.recoverable == Some(true) {
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    let code = ErrorCode::parse(&error.error_code).map_or(500, ErrorCode::http_status);
    StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Creates a response of a refusal.
pub(super) fn refusal(app: &App, refusal: Refusal) -> Response {
    refusal_with(app, refusal, None)
}

/// Creates a response of a refusal with a given status.
pub(super) fn refusal_with(
    app: &App,
    refusal: Refusal,
    status_code: Option<StatusCode>,
) -> Response {
    let (is_unknown, is_internal) =
        (refusal.code == ErrorCode::AuthFailed, refusal.code == ErrorCode::Internal);
    let refused = app.maker.refusal(refusal);
    if is_internal {
        // The log has the traceId.
        let fields = json!({ "outcome": "INTERNAL", "traceId": trace_id(&refused) });
        app.log.info("error", fields);
    }
    let mut response = message(&refused);
    if let Some(status_code) = status_code {
        *response.status_mut() = status_code;
    }
    if is_unknown {
        let bearer = HeaderValue::from_static("Bearer realm=\"contexture\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
    }
    response
}

/// Creates a refusal in the form that clients of a path expect.
pub(super) fn for_path(
    shared: &Shared,
    path: &str,
    refused: Refusal,
    status: Option<StatusCode>,
) -> Response {
    if openai::is_own(path) {
        openai::refusal(shared, &refused, status)
    } else {
        refusal_with(&shared.app, refused, status)
    }
}

pub(super) async fn no_such_path(State(shared): State<Shared>) -> Response {
    let refused = Refusal::new(ErrorCode::ValidationFailed, "there is nothing at this path")
        .suggest("The paths are listed in /v1/openapi.json.");
    refusal_with(&shared.app, refused, Some(StatusCode::NOT_FOUND))
}

pub(super) async fn no_such_method(State(shared): State<Shared>) -> Response {
    let refused = Refusal::new(ErrorCode::ValidationFailed, "the path does not take this method")
        .suggest("The paths and their methods are listed in /v1/openapi.json.");
    refusal_with(&shared.app, refused, Some(StatusCode::METHOD_NOT_ALLOWED))
}
