//! HTTP responses (CP-6).

use super::shared::Shared;
use crate::serve::app::App;
use crate::serve::openai::{self, Failure};
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contexture_protocol::content::ErrorDetails;
use contexture_protocol::{Body, ErrorCode, Message, Refusal, VERSION, VERSION_HEADER};
use serde_json::{Value, json};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const BEARER: HeaderValue = HeaderValue::from_static("Bearer realm=\"contexture\"");

pub(super) fn json(status: StatusCode, body: String) -> Response {
    let version = [(VERSION_HEADER, VERSION.to_string())];
    (status, [(header::CONTENT_TYPE, JSON)], version, body).into_response()
}

pub(super) fn value(value: &Value) -> Response {
    json(StatusCode::OK, value.to_string())
}

/// Creates a response of one message, with the matching status.
pub(super) fn message(message: &Message) -> Response {
    let mut response = json(status(message), numbered(message, 1));
    let seconds = details(message).and_then(|details| details.extra.get("retryAfter")?.as_u64());
    let seconds = seconds.map(|seconds| (header::RETRY_AFTER, seconds.into()));
    response.headers_mut().extend(seconds);
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

fn details(message: &Message) -> Option<&ErrorDetails> {
    let Body::ErrorResponse(error) = &message.body else { return None };
    error.details.as_ref()
}

fn status(message: &Message) -> StatusCode {
    let Body::ErrorResponse(error) = &message.body else { return StatusCode::OK };
    let policies = details(message).and_then(|details| details.violated_policies.as_ref());
    let is_draining =
        policies.is_some_and(|policies| policies.iter().any(|policy| policy == "draining"));
    // The server has a problem, and the same request may succeed later.
    let is_trouble = error.code() == Some(ErrorCode::Internal) && error.recoverable == Some(true);
    if is_draining || is_trouble {
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    let code = ErrorCode::parse(&error.error_code).map_or(500, ErrorCode::http_status);
    StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Creates a response of a refusal in the form that clients of a path read.
pub(super) fn refusal(
    app: &App,
    path: &str,
    refusal: Refusal,
    status: Option<StatusCode>,
) -> Response {
    let mut response = if openai::is_own(path) {
        openai_refusal(app, &refusal)
    } else {
        of_protocol(app, refusal)
    };
    if let Some(status) = status {
        *response.status_mut() = status;
    }
    response
}

fn of_protocol(app: &App, refusal: Refusal) -> Response {
    let code = refusal.code;
    let refused = app.maker.refusal(refusal);
    if code == ErrorCode::Internal {
        // The log has the traceId.
        let trace = details(&refused).and_then(|details| details.trace_id.as_deref());
        app.log.info("error", json!({ "outcome": "INTERNAL", "traceId": trace }));
    }
    let mut response = message(&refused);
    if code == ErrorCode::AuthFailed {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, BEARER);
    }
    response
}

fn openai_refusal(app: &App, refused: &Refusal) -> Response {
    app.maker.count(refused);
    let mut response = openai_failure(&Failure::of(refused));
    let seconds = refused.details.get("retryAfter").and_then(Value::as_u64);
    response.headers_mut().extend(seconds.map(|seconds| (header::RETRY_AFTER, seconds.into())));
    response
}

/// Creates a response of a failure in OpenAI's form.
pub(super) fn openai_failure(failure: &Failure) -> Response {
    let status = StatusCode::from_u16(failure.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = openai(status, &failure.body());
    let headers = response.headers_mut();
    // OpenAI's clients repeat a failed request by themselves; the work of an agent is not repeated
    // without being asked for.
    let again = if failure.is_passing && failure.status != 504 { "true" } else { "false" };
    headers.insert("x-should-retry", HeaderValue::from_static(again));
    if failure.status == 401 {
        headers.insert(header::WWW_AUTHENTICATE, BEARER);
    }
    response
}

/// Creates a response in OpenAI's form.
pub(super) fn openai(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, JSON)], value.to_string()).into_response()
}

pub(super) async fn no_such_path(State(shared): State<Shared>) -> Response {
    let refused = Refusal::new(ErrorCode::ValidationFailed, "there is nothing at this path")
        .suggest("The paths are listed in /v1/openapi.json.");
    refusal(&shared.app, "", refused, Some(StatusCode::NOT_FOUND))
}

pub(super) async fn no_such_method(State(shared): State<Shared>) -> Response {
    let refused = Refusal::new(ErrorCode::ValidationFailed, "the path does not take this method")
        .suggest("The paths and their methods are listed in /v1/openapi.json.");
    refusal(&shared.app, "", refused, Some(StatusCode::METHOD_NOT_ALLOWED))
}
