//! What pages of other origins may do, once their origin is allowed (CP-19).
//!
//! Decision: no cookie is ever set or read, so that a page can do nothing in the name of whoever
//! looks at it; it brings its token itself.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

const METHODS: &str = "GET, POST, DELETE";
const HEADERS: &str = "authorization, content-type, content-encoding, accept, if-none-match, last-event-id, mcp-cp-version, x-api-key, x-context-id, \
     traceparent, openai-organization, openai-project, x-stainless-arch, x-stainless-helper-method, \
     x-stainless-lang, x-stainless-os, x-stainless-package-version, x-stainless-retry-count, \
     x-stainless-runtime, x-stainless-runtime-version, x-stainless-timeout";
const EXPOSED: &str = "etag, location, mcp-cp-version, retry-after";
/// Seconds for which a browser need not ask again.
const AGE: &str = "600";

/// The answer to a browser that asks what it may send.
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
