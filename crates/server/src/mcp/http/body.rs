//! The bodies of HTTP requests, before the library reads them.
//!
//! Decision: the library answers an invalid message with a line of text. JSON-RPC defines errors for that,
//! and clients expect them: the status 400 with such an error.

use crate::mcp::read::{INVALID_REQUEST, Incoming, PARSE_ERROR, understand};
use crate::web::{elements, is_json};
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// The largest body of a request, in bytes.
pub(super) const BODY_BYTES: usize = 4 << 20;
/// The `Accept` header of a client that accepts everything.
const BOTH: &str = "application/json, text/event-stream";

/// Passes a message on; answers an invalid one.
pub(super) async fn check(mut request: Request, next: Next) -> Response {
    if takes_anything(request.headers()) {
        request.headers_mut().insert(header::ACCEPT, HeaderValue::from_static(BOTH));
    }
    if request.method() != Method::POST || is_for_the_library(request.headers()) {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, BODY_BYTES).await else {
        let message = format!("the body broke off, or has more than {BODY_BYTES} bytes\n");
        return (StatusCode::PAYLOAD_TOO_LARGE, message).into_response();
    };
    match understand(&bytes) {
        Incoming::Message(_) => next.run(Request::from_parts(head, Body::from(bytes))).await,
        Incoming::Refused(answer) => refused(&answer),
        Incoming::Batch(_) => refused(&error(INVALID_REQUEST, "send one message in each request")),
        Incoming::Nothing if bytes.trim_ascii().is_empty() => {
            refused(&error(PARSE_ERROR, "this is not JSON: the body is empty"))
        }
        Incoming::Nothing => {
            refused(&error(INVALID_REQUEST, "this is not a notification: expected `jsonrpc`"))
        }
    }
}

/// Reports whether the library refuses a request regardless of its body, or because of its length.
fn is_for_the_library(headers: &HeaderMap) -> bool {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let length = length.and_then(|length| length.parse::<usize>().ok());
    !is_json(headers) || length.is_some_and(|length| length > BODY_BYTES)
}

fn takes_anything(headers: &HeaderMap) -> bool {
    elements(headers, header::ACCEPT)
        .any(|kind| kind.split(';').next().map(str::trim) == Some("*/*"))
}

fn error(code: i32, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } })
}

fn refused(answer: &Value) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::BAD_REQUEST, kind, answer.to_string()).into_response()
}
