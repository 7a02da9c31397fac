//! The bodies of HTTP requests, before the library reads them.
//!
//! Decision: the library answers an invalid message with a line of text. JSON-RPC defines errors for that,
//! and clients expect them: the status 400 with such an error.

use super::BODY_BYTES;
use crate::mcp::read::{Said, understand};
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

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
        Said::Message(_) => next.run(Request::from_parts(head, Body::from(bytes))).await,
        Said::Refused(answer) => refused(&answer),
        Said::Batch(_) => refused(&error(-32_600, "send one message in each request")),
        Said::Nothing if bytes.trim_ascii().is_empty() => {
            refused(&error(-32_700, "this is no JSON: the body is empty"))
        }
        Said::Nothing => refused(&error(-32_600, "this is no notification: expected `jsonrpc`")),
    }
}

/// Reports whether the library refuses a request regardless of its body, or because of its length.
fn is_for_the_library(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let kind = text(header::CONTENT_TYPE).and_then(|kind| kind.split(';').next());
    let is_json = kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
    let length = text(header::CONTENT_LENGTH).and_then(|length| length.parse::<usize>().ok());
    !is_json || length.is_some_and(|length| length > BODY_BYTES)
}

fn takes_anything(headers: &HeaderMap) -> bool {
    let kinds = headers.get_all(header::ACCEPT).iter().filter_map(|kinds| kinds.to_str().ok());
    let mut kinds = kinds.flat_map(|kinds| kinds.split(','));
    kinds.any(|kind| kind.split(';').next().is_some_and(|kind| kind.trim() == "*/*"))
}

fn error(code: i32, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } })
}

fn refused(answer: &Value) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::BAD_REQUEST, kind, answer.to_string()).into_response()
}
