//! What pages of other origins may do, once their origin is allowed (KN-16).
//!
//! Decision: a browser asks first, without the token, whether a page may send it; it is told so for the
//! origins that may call. No cookie is ever set or read: a page brings its token itself.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

const METHODS: &str = "GET, POST, DELETE";
const HEADERS: &str = "authorization, content-type, accept, last-event-id, mcp-session-id, \
     mcp-protocol-version, mcp-method, mcp-name";
const EXPOSED: &str = "mcp-session-id, www-authenticate, retry-after";
/// Seconds for which a browser need not ask again.
const AGE: &str = "600";

/// Whether a browser asks what a page may send.
pub(super) fn is_preflight(request: &Request) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to a browser that asks.
pub(super) fn preflight() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, METHODS),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS),
        (header::ACCESS_CONTROL_MAX_AGE, AGE),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// Lets the pages of an origin read the answer.
pub(super) fn allow(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    headers.append(header::VARY, HeaderValue::from_static("origin"));
}
